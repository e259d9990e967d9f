/* SPDX-License-Identifier: GPL-2.0 */
/*
 * custom.h - what is deliberately different from the kernel's
 *
 * Each part says how, and why it may be trusted.  The page cache, the device
 * and the folios are those that mm/readahead.c and mm/filemap.c see through
 * the same functions as in the kernel; what the whole is worth is shown by the
 * parity with real kernels (tests.c, and the laboratory's tests).
 */
#ifndef READAHEAD_CUSTOM_H
#define READAHEAD_CUSTOM_H

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "engine.h"

/*
 * Types and arithmetic.  The kernel's headers take the whole of the kernel
 * with them; these are the definitions that they come to for x86-64 with 4 KiB
 * pages and CONFIG_TRANSPARENT_HUGEPAGE.
 */
typedef unsigned long pgoff_t;
typedef unsigned int gfp_t;
typedef unsigned int fmode_t;
typedef unsigned long vm_flags_t;

#define PAGE_SHIFT		12
#define PAGE_SIZE		(1UL << PAGE_SHIFT)
#define PMD_ORDER		9
#define HPAGE_PMD_ORDER		PMD_ORDER
#define HPAGE_PMD_NR		(1UL << HPAGE_PMD_ORDER)
#define XA_CHUNK_SHIFT		6
#define MAX_XAS_ORDER		(XA_CHUNK_SHIFT * 2 - 1)
#define MAX_PAGECACHE_ORDER	min(MAX_XAS_ORDER, PMD_ORDER)
#define SZ_128K			0x20000
#define SZ_2M			0x200000
#define IS_ENABLED(option)	1
#define CONFIG_TRANSPARENT_HUGEPAGE 1

#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define READ_ONCE(x)		(x)
#define WRITE_ONCE(x, v)	((x) = (v))
#define __user

#define min(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b);	\
		     _a < _b ? _a : _b; })
#define max(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b);	\
		     _a > _b ? _a : _b; })
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define max_t(type, a, b)	max((type)(a), (type)(b))
#define IS_ALIGNED(x, a)	(((x) & ((__typeof__(x))(a) - 1)) == 0)
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
/* both for powers of two only, as in the kernel */
#define round_down(x, y)	((x) & ~((__typeof__(x))((y) - 1)))
#define round_up(x, y)		((((x) - 1) | ((__typeof__(x))((y) - 1))) + 1)
#define __ffs(x)		((unsigned int)__builtin_ctzl(x))

/* not strings.h's, which takes an int */
#define ffs(x)			__builtin_ffs((int)(x))

static inline int fls_long(unsigned long n)
{
	return n ? 64 - __builtin_clzl(n) : 0;
}

#define ilog2(x)		(fls_long(x) - 1)
#define test_bit(nr, word)	(!!(*(word) & 1UL << (nr)))
#define is_power_of_2(x)	((x) && !((x) & ((x) - 1)))
#define rounddown_pow_of_two(n)	(1UL << (fls_long(n) - 1))

/* undefined for 0, as in the kernel: UBSan tells */
static inline unsigned long roundup_pow_of_two(unsigned long n)
{
	return 1UL << fls_long(n - 1);
}

static inline int get_order(unsigned long size)
{
	return fls_long((size - 1) >> PAGE_SHIFT);
}

#define FOLIO_MAPPING_ANON	1	/* lowest bit of a folio's mapping */
#define GFP_KERNEL		0
#define AOP_TRUNCATED_PAGE	0x80001
#define TASK_KILLABLE		0
#define IOCB_NOWAIT		(1 << 0)
#define IOCB_WAITQ		(1 << 1)
#define IOCB_NOIO		(1 << 2)
#define IOCB_DONTCACHE		(1 << 3)
#define FMODE_READ		1
#define FMODE_RANDOM		2
#define VM_EXEC			1
#define VM_SEQ_READ		2
#define VM_RAND_READ		4
#define VM_HUGEPAGE		8

#undef S_ISREG
#undef S_ISBLK
#define S_ISREG(mode)		((void)(mode), true)
#define S_ISBLK(mode)		((void)(mode), false)

/*
 * The page cache.  The kernel keeps folios in an xarray, a tree of nodes with 64
 * slots, under RCU; here each page has a slot that points to its folio, and
 * nothing changes while somebody looks.
 *
 * What can be seen through an xa_state is the same, oddities included.  A folio
 * of less than 64 pages lies in a leaf: its head's slot points to it, and those
 * behind are siblings; a larger one lies in a node above.  A load in the middle
 * of a folio puts the state at its head's slot but leaves xa_index where it was,
 * and the steps after it go by slots: see lib/xarray.c, xas_descend() and
 * __xas_next().
 */
struct xarray {
	struct folio **slot;
	unsigned long nr;	/* slots; beyond them nothing is cached */
};

#define XA_CHUNK_SIZE		(1UL << XA_CHUNK_SHIFT)
#define XA_CHUNK_MASK		(XA_CHUNK_SIZE - 1)

struct xa_state {
	struct xarray *xa;
	unsigned long xa_index;
	bool walked;		/* else xas_next() and xas_prev() load */
	unsigned int shift;	/* of the node: 0 or XA_CHUNK_SHIFT */
	unsigned long node;	/* its first index, without the low bits */
	unsigned long offset;	/* of the slot in the node */
};

#define XA_STATE(name, array, index)					\
	struct xa_state name = { .xa = (array), .xa_index = (index) }
#define XA_SIBLING		((struct folio *)2L)
#define xa_is_value(entry)	((void)(entry), false)
#define xa_is_sibling(entry)	((void *)(entry) == (void *)XA_SIBLING)
#define xas_retry(xas, entry)	false
#define xas_reset(xas)		((xas)->walked = false)

struct folio *xa_load(struct xarray *xa, unsigned long index);
struct folio *xas_load(struct xa_state *xas);
struct folio *xas_reload(struct xa_state *xas);
struct folio *xas_next(struct xa_state *xas);
struct folio *xas_prev(struct xa_state *xas);

static inline void xas_advance(struct xa_state *xas, unsigned long index)
{
	xas->xa_index = index;
	xas->offset = (index >> xas->shift) & XA_CHUNK_MASK;
}

/*
 * Objects of the VFS: of each, the fields that the code under test touches.
 */
struct super_block { loff_t s_maxbytes; };

struct backing_dev_info {
	unsigned long ra_pages;
	unsigned long io_pages;
};

struct inode {
	loff_t i_size;
	struct super_block *i_sb;
	unsigned int i_blkbits;
	unsigned int i_mode;
	struct backing_dev_info *i_bdi;
	struct address_space *i_mapping;
};

struct file;
struct folio;
struct readahead_control;
struct kiocb;

struct address_space_operations {
	int (*read_folio)(struct file *file, struct folio *folio);
	void (*readahead)(struct readahead_control *rac);
	bool (*is_partially_uptodate)(struct folio *folio, size_t from,
				      size_t count);
};

struct address_space {
	struct inode *host;
	struct xarray i_pages;
	unsigned long flags;
	gfp_t gfp_mask;
	int invalidate_lock;
	const struct address_space_operations *a_ops;
};

#define i_size_read(inode)		((inode)->i_size)
#define inode_to_bdi(inode)		((inode)->i_bdi)
#define file_inode(file)		((file)->f_mapping->host)
#define mapping_gfp_mask(mapping)	((mapping)->gfp_mask)
#define mapping_gfp_constraint(m, mask)	((void)(m), (mask))
#define readahead_gfp_mask(mapping)	((mapping)->gfp_mask)

typedef int (*filler_t)(struct file *file, struct folio *folio);

/*
 * Folios.  A flag is a bit of one word that only one thread touches; there are
 * no pages below them.  The page cache holds one reference, not one a page:
 * only zero or not zero matters here.
 */
struct folio {
	struct address_space *mapping;
	pgoff_t index;
	unsigned short order;
	bool locked, uptodate, readahead, pending;
	int refs;
	struct folio *next;	/* of the free ones */
};

#define folio_nr_pages(folio)		(1UL << (folio)->order)
#define folio_shift(folio)		(PAGE_SHIFT + (folio)->order)
#define folio_size(folio)		(PAGE_SIZE << (folio)->order)
#define folio_pos(folio)		((loff_t)(folio)->index << PAGE_SHIFT)
#define folio_next_index(folio)		((folio)->index + folio_nr_pages(folio))
#define folio_order(folio)		((unsigned int)(folio)->order)
#define folio_test_locked(folio)	((folio)->locked)
#define folio_test_uptodate(folio)	((folio)->uptodate)
#define folio_test_readahead(folio)	((folio)->readahead)
#define folio_clear_readahead(folio)	((folio)->readahead = false)
#define folio_get(folio)		((folio)->refs++)
#define folio_try_get(folio)		((folio)->refs++, true)
#define folio_try_get_rcu(folio)	folio_try_get(folio)

/* "A rule of the kernel's is broken" ends a test, not the program. */
struct sim;
void sim_bad(struct sim *sim, const char *what);

extern __thread struct sim *sim_current;

#define BUG_ON(condition)						\
	do {								\
		if (unlikely(condition))				\
			sim_bad(sim_current, "BUG_ON(" #condition ")");	\
	} while (0)
#define VM_BUG_ON(condition)		BUG_ON(condition)
#define VM_BUG_ON_FOLIO(condition, f)	BUG_ON(condition)
#define VM_WARN_ONCE(condition, ...)	BUG_ON(condition)
#define VM_WARN_ON_ONCE(condition)	BUG_ON(condition)
#define VM_WARN_ON_FOLIO(condition, f)	BUG_ON(condition)

void folio_set_readahead(struct folio *folio);
struct folio *sim_alloc_folio(unsigned int order);
void folio_put(struct folio *folio);
void folio_unlock(struct folio *folio);
bool folio_trylock(struct folio *folio);
int folio_wait_locked_killable(struct folio *folio);
void folio_put_wait_locked(struct folio *folio, int state);
int filemap_add_folio(struct address_space *mapping, struct folio *folio,
		      pgoff_t index, gfp_t gfp);
void filemap_remove_folio(struct folio *folio);

#define filemap_alloc_folio(gfp, order, ...)	((void)(gfp), sim_alloc_folio(order))

/* Single pages, as readahead_expand() has them before 6.10: folios of order 0. */
#define __page_cache_alloc(gfp)			filemap_alloc_folio(gfp, 0)
#define add_to_page_cache_lru(page, mapping, index, gfp)		\
	filemap_add_folio(mapping, page, index, gfp)
#define put_page(page)				folio_put(page)
#define PageWorkingset(page)			((void)(page), false)

#define __folio_lock_async(folio, wait)		(-EIOCBQUEUED)
#define EIOCBQUEUED				529

/* No file system here reads less than a folio. */
#define filemap_range_uptodate(mapping, pos, count, folio, ...)	\
	folio_test_uptodate(folio)

/* The reader's buffer: how much is left of it. */
struct iov_iter { size_t count; };

#define iov_iter_count(iter)		((iter)->count)

static inline void iov_iter_truncate(struct iov_iter *iter, uint64_t count)
{
	if (iter->count > count)
		iter->count = count;
}

size_t copy_folio_to_iter(struct folio *folio, size_t offset, size_t bytes,
			  struct iov_iter *iter);

/* Tracepoints: to whom listens. */
#define trace_page_cache_ra_unbounded(inode, index, nr, lookahead)	\
	sim_event(EVENT_UNBOUNDED, index, nr, lookahead, 0)
#define trace_page_cache_ra_order(inode, index, ra)			\
	sim_window(index, ra)
#define trace_page_cache_sync_ra(inode, index, ra, req)			\
	sim_call(EVENT_SYNC, index, req)
#define trace_page_cache_async_ra(inode, index, ra, req)		\
	sim_call(EVENT_ASYNC, index, req)
#define trace_mm_filemap_get_pages(mapping, index, last)		\
	do { (void)(index); (void)(last); } while (0)

struct file_ra_state;
void sim_event(enum sim_event_type type, uint64_t index, uint64_t a,
	       uint64_t b, uint64_t c);
void sim_call(enum sim_event_type type, uint64_t index, uint64_t req);
void sim_window(uint64_t index, const struct file_ra_state *ra);

/* What the kernel declares in headers that are not taken. */
void file_ra_state_init(struct file_ra_state *ra, struct address_space *mapping);
void page_cache_ra_unbounded(struct readahead_control *ractl,
			     unsigned long nr_to_read,
			     unsigned long lookahead_size);
void force_page_cache_ra(struct readahead_control *ractl,
			 unsigned long nr_to_read);
void page_cache_sync_ra(struct readahead_control *ractl,
			unsigned long req_count);
void page_cache_async_ra(struct readahead_control *ractl, struct folio *folio,
			 unsigned long req_count);
ssize_t ksys_readahead(int fd, loff_t offset, size_t count);
void readahead_expand(struct readahead_control *ractl, loff_t new_start,
		      size_t new_len);
pgoff_t page_cache_next_miss(struct address_space *mapping, pgoff_t index,
			     unsigned long max_scan);
pgoff_t page_cache_prev_miss(struct address_space *mapping, pgoff_t index,
			     unsigned long max_scan);
ssize_t filemap_read(struct kiocb *iocb, struct iov_iter *iter,
		     ssize_t already_read);

#endif
