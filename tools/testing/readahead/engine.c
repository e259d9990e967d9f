// SPDX-License-Identifier: GPL-2.0
/*
 * engine.c - the kernel's readahead code, compiled for user space
 *
 * Made of the tree's own text wherever that decides anything: mm/readahead.c,
 * included as it is, and the functions of mm/filemap.c and the headers that
 * dup.sh copies.  Around them, sorted as in tools/testing/vma:
 *
 *   stubs.h		does nothing
 *   dup.list		copied: dup.sh does it when this is built
 *   custom.h, below	deliberately different: page cache, device, VFS objects
 */
#include "custom.h"
#include "stubs.h"

/*
 * The guards of headers that are included by "name", which looks beside the
 * including file first.
 */
#define __MM_INTERNAL_H
#define _TRACE_FILEMAP_H

/* custom.h has why; in this file because they are inlined into what is below */
struct folio *xa_load(struct xarray *xa, unsigned long index)
{
	return index < xa->nr ? xa->slot[index] : NULL;
}

/* What the slot of the state's node holds; a node for NULL with *down set */
static struct folio *xas_entry(const struct xa_state *xas, bool *down)
{
	unsigned long first = (xas->node << XA_CHUNK_SHIFT | xas->offset) << xas->shift;
	struct folio *folio = xa_load(xas->xa, first);
	unsigned long i;

	*down = false;
	if (!xas->shift || (folio && folio->order >= XA_CHUNK_SHIFT)) {
		if (!folio)
			return NULL;
		return folio->index == first ? folio : XA_SIBLING;
	}
	/* a node that would be empty is not there */
	for (i = first; i < first + XA_CHUNK_SIZE && !*down; i++)
		*down = xa_load(xas->xa, i);
	return NULL;
}

struct folio *xas_load(struct xa_state *xas)
{
	struct folio *folio = xa_load(xas->xa, xas->xa_index);
	unsigned long head = folio ? folio->index : xas->xa_index;

	xas->walked = true;
	xas->shift = folio && folio->order >= XA_CHUNK_SHIFT ? XA_CHUNK_SHIFT : 0;
	xas->node = xas->xa_index >> xas->shift >> XA_CHUNK_SHIFT;
	xas->offset = (head >> xas->shift) & XA_CHUNK_MASK;
	return folio;
}

/* by index, so from a sibling to its folio */
struct folio *xas_reload(struct xa_state *xas)
{
	return xa_load(xas->xa, xas->xa_index);
}

/* One slot on, @step 1 or -1: up if the node ends, and down where there is one */
static struct folio *xas_step(struct xa_state *xas, long step)
{
	struct folio *entry;
	bool down;

	if (!xas->walked)
		return xas_load(xas);
	xas->xa_index += step;
	/* in a leaf always; above only if the index has left the slot */
	if (!xas->shift ||
	    xas->offset != ((xas->xa_index >> xas->shift) & XA_CHUNK_MASK))
		xas->offset += step;
	if (xas->offset >= XA_CHUNK_SIZE) {
		/* there is nothing before the first node */
		if (step < 0 && !xas->node)
			return NULL;
		/* the slot beside this node, which is its number one level up */
		xas->node += step;
		xas->offset = step < 0 ? XA_CHUNK_MASK : 0;
		if (!xas->shift) {
			xas->shift = XA_CHUNK_SHIFT;
			xas->offset = xas->node & XA_CHUNK_MASK;
			xas->node >>= XA_CHUNK_SHIFT;
		}
	}
	entry = xas_entry(xas, &down);
	if (!down)
		return entry;
	xas->node = xas->node << XA_CHUNK_SHIFT | xas->offset;
	xas->shift = 0;
	xas->offset = xas->xa_index & XA_CHUNK_MASK;
	return xas_entry(xas, &down);
}

struct folio *xas_next(struct xa_state *xas)
{
	return xas_step(xas, 1);
}

struct folio *xas_prev(struct xa_state *xas)
{
	return xas_step(xas, -1);
}

/* what reads call has to be seen, in what is copied as well */
static void sim_sync_ra(struct readahead_control *ractl, unsigned long req);
static void sim_async_ra(struct readahead_control *ractl, struct folio *folio,
			 unsigned long req);

#define page_cache_sync_ra	sim_sync_ra
#include "generated/dup-include.h"
#undef page_cache_sync_ra

#ifdef HAVE_file_ra_state_order
#define ra_order_of(ra)		((ra)->order)
void page_cache_ra_order(struct readahead_control *ractl,
			 struct file_ra_state *ra);
#else
#define ra_order_of(ra)		((void)(ra), 0U)
void page_cache_ra_order(struct readahead_control *ractl,
			 struct file_ra_state *ra, unsigned int new_order);
#endif

struct file {
	struct address_space *f_mapping;
	struct file_ra_state f_ra;
	fmode_t f_mode;
};

struct kiocb {
	struct file *ki_filp;
	loff_t ki_pos;
	int ki_flags;
	void *ki_waitq;
};

/*
 * A tree without trace points: a window begins where the function asks for its
 * index.  Its order is not told.
 */
#if __has_include("generated/include/trace/events/readahead.h")
#define HAVE_TRACE	1
#else
#define HAVE_TRACE	0
static pgoff_t sim_index(struct readahead_control *ractl, const char *func)
{
	if (!strcmp(func, "page_cache_ra_order"))
		sim_window(ractl->_index, ractl->ra);
	return ractl->_index;
}

#define readahead_index(ractl)	sim_index(ractl, __func__)
#define page			folio	/* in readahead_expand() */
#endif
#include "mm/readahead.c"
#undef readahead_index
#undef page

struct sim {
	struct sim_params p;
	struct super_block sb;
	struct backing_dev_info bdi;
	struct inode inode;
	struct address_space mapping;
	struct file file[ENGINE_FILES];

	/* one folio a slot at most, so the pool cannot run out */
	struct folio *pool, *spare;
	unsigned long pool_used, room;
	unsigned char *history;		/* a page: SEEN_ bits */
	unsigned char *mapped;
	bool any_mapped;

	/* reads that the device has not completed; only if p.lazy */
	struct folio **queue;
	unsigned long head, tail;

	unsigned long allocs;		/* of p.fail_order and above */
	struct sim_stats stats;
	sim_event_fn listen;
	void *data;
	unsigned int reader;		/* the open file that is reading */
	char *bad;
};

#define SEEN_READ	1	/* the device has read the page */
#define SEEN_DROPPED	2	/* and the page was evicted since */

__thread struct sim *sim_current;

static struct sim *sim_of(const struct address_space *mapping)
{
	return (struct sim *)((char *)mapping - offsetof(struct sim, mapping));
}

void sim_bad(struct sim *sim, const char *what)
{
	if (!sim->bad)
		sim->bad = strdup(what);
}

static void bad_page(struct sim *sim, const char *what, uint64_t index)
{
	char text[128];

	if (sim->bad)
		return;
	snprintf(text, sizeof(text), "page %llu: %s",
		 (unsigned long long)index, what);
	sim->bad = strdup(text);
}

void sim_event(enum sim_event_type type, uint64_t index, uint64_t a,
	       uint64_t b, uint64_t c)
{
	struct sim *sim = sim_current;
	struct sim_event e = { type, sim->reader, index, a, b, c };

	if (sim->listen)
		sim->listen(sim->data, &e);
}

void sim_call(enum sim_event_type type, uint64_t index, uint64_t req)
{
	if (type == EVENT_SYNC)
		sim_current->stats.sync++;
	else
		sim_current->stats.async++;
	sim_event(type, index, req, 0, 0);
}

void sim_window(uint64_t index, const struct file_ra_state *ra)
{
	sim_current->stats.windows++;
	sim_event(EVENT_WINDOW, index, ra->size, ra->async_size, ra_order_of(ra));
}

/*
 * The device.  It takes each contiguous piece of a window as one bio and
 * splits it at its limit, as block/blk-merge.c does for bios that start on a
 * page; it may complete at once or when somebody waits, and any real one is
 * in between.
 */
static void complete(struct folio *folio)
{
	folio->uptodate = true;
	folio->pending = false;
	folio->locked = false;
	folio_put(folio);
}

static void wait_for(struct sim *sim, struct folio *folio)
{
	while (folio->pending)
		complete(sim->queue[sim->head++]);
	if (sim->head == sim->tail) {
		sim->head = 0;
		sim->tail = 0;
	}
}

/* a folio of which the data is on its way; keeps a reference */
static void start_folio(struct sim *sim, struct folio *folio)
{
	folio_get(folio);
	if (!sim->p.lazy) {
		complete(folio);
		return;
	}
	/* no more than a folio a page is on its way, so this makes room */
	if (sim->tail == sim->room) {
		sim->tail -= sim->head;
		memmove(sim->queue, sim->queue + sim->head,
			sim->tail * sizeof(*sim->queue));
		sim->head = 0;
	}
	folio->pending = true;
	sim->queue[sim->tail++] = folio;
}

static bool in_hole(const struct sim *sim, uint64_t index)
{
	unsigned int i;

	for (i = 0; i < sim->p.nr_holes; i++)
		if (index - sim->p.hole[i].start < sim->p.hole[i].nr)
			return true;
	return false;
}

static void device_read(struct sim *sim, uint64_t start, uint64_t nr)
{
	uint64_t max = sim->p.max_pages, i;

	for (i = start; i < start + nr; i++) {
		if (sim->history[i] == SEEN_READ)
			bad_page(sim, "read again without having been evicted", i);
		if (sim->history[i] & SEEN_READ)
			sim->stats.again++;
		sim->history[i] = SEEN_READ;
	}
	sim->stats.pages += nr;
	while (nr) {
		uint64_t len = min(nr, max);

		sim->stats.reads++;
		sim_event(EVENT_DEVICE, start, len, 0, 0);
		start += len;
		nr -= len;
	}
}

/* the part of a range that is on the device: not in a hole, not past the end */
static void device_range(struct sim *sim, uint64_t start, uint64_t end)
{
	uint64_t eof = DIV_ROUND_UP(sim->inode.i_size, PAGE_SIZE), i;

	end = min(end, eof);
	if (start >= end)
		return;
	if (!sim->p.nr_holes) {
		device_read(sim, start, end - start);
		return;
	}
	for (i = start; i <= end; i++) {
		if (i < end && !in_hole(sim, i))
			continue;
		if (i > start)
			device_read(sim, start, i - start);
		if (i < end)
			sim->stats.zeroed++;
		start = i + 1;
	}
}

/*
 * The file system: what ->readahead() does, by sim_params.fs.
 */
static void fs_readahead(struct readahead_control *rac)
{
	struct sim *sim = sim_of(rac->mapping);
	uint64_t start, end, left = ULONG_MAX;
	struct folio *folio;

	if (sim->p.fs == FS_EXPAND) {
		loff_t block = (loff_t)sim->p.fs_arg << PAGE_SHIFT;
		loff_t from = readahead_pos(rac) / block * block;
		loff_t to = readahead_pos(rac) + readahead_length(rac);

		to = (to + block - 1) / block * block;
		to = min_t(loff_t, to, round_up(sim->inode.i_size,
						(loff_t)PAGE_SIZE));
		if (to > from)
			readahead_expand(rac, from, to - from);
	}
	start = readahead_index(rac);
	end = start;
	if (sim->p.fs == FS_STOP || sim->p.fs == FS_SHRINK)
		left = sim->p.fs_arg;
	while (left && (folio = readahead_folio(rac))) {
		if (folio->index != end)
			bad_page(sim, "not where the window goes on", folio->index);
		end = folio_next_index(folio);
		start_folio(sim, folio);
		left -= min_t(uint64_t, left, folio_nr_pages(folio));
	}
	device_range(sim, start, end);
	if (sim->p.fs == FS_SHRINK && rac->ra) {
		/*
		 * All that it has not taken; the folio in hand has been, and
		 * readahead_count() still has it.
		 */
		unsigned int cut = readahead_count(rac) - rac->_batch_count;

		rac->ra->size -= min(rac->ra->size, cut);
		rac->ra->async_size -= min(rac->ra->async_size, cut);
	}
}

static int fs_read_folio(struct file *file, struct folio *folio)
{
	struct sim *sim = sim_of(folio->mapping);

	(void)file;
	if (sim->p.fs != FS_READ_FOLIO)
		sim->stats.single++;
	start_folio(sim, folio);
	device_range(sim, folio->index, folio_next_index(folio));
	return 0;
}

static const struct address_space_operations fs_ops = {
	.read_folio = fs_read_folio,
	.readahead = fs_readahead,
};

static const struct address_space_operations fs_ops_read_folio = {
	.read_folio = fs_read_folio,
};

/*
 * Folios, in and out of the page cache.
 */
struct folio *sim_alloc_folio(unsigned int order)
{
	struct sim *sim = sim_current;
	struct folio *folio = sim->spare;

	if (sim->p.fail_every && order >= sim->p.fail_order &&
	    ++sim->allocs % sim->p.fail_every == 0)
		return NULL;
	if (folio)
		sim->spare = folio->next;
	else
		folio = &sim->pool[sim->pool_used++];
	*folio = (struct folio){ .order = order, .refs = 1 };
	return folio;
}

void folio_put(struct folio *folio)
{
	struct sim *sim = sim_current;

	if (--folio->refs)
		return;
	if (folio->mapping)
		bad_page(sim, "freed while in the page cache", folio->index);
	folio->next = sim->spare;
	sim->spare = folio;
}

void folio_set_readahead(struct folio *folio)
{
	folio->readahead = true;
	if (folio->mapping)
		sim_event(EVENT_MARK, folio->index, folio->order, 0, 0);
}

void folio_unlock(struct folio *folio)
{
	folio->locked = false;
}

bool folio_trylock(struct folio *folio)
{
	if (folio->locked)
		return false;
	folio->locked = true;
	return true;
}

int folio_wait_locked_killable(struct folio *folio)
{
	wait_for(sim_current, folio);
	return 0;
}

void folio_put_wait_locked(struct folio *folio, int state)
{
	(void)state;
	wait_for(sim_current, folio);
	if (folio->locked)
		bad_page(sim_current, "waited for without end", folio->index);
	folio_put(folio);
}

int filemap_add_folio(struct address_space *mapping, struct folio *folio,
		      pgoff_t index, gfp_t gfp)
{
	struct sim *sim = sim_of(mapping);
	unsigned long i, nr = folio_nr_pages(folio);

	(void)gfp;
	if (index & (nr - 1))
		bad_page(sim, "folio not on a multiple of its size", index);
	if (folio->order < sim->p.min_order || folio->order > sim->p.max_order)
		bad_page(sim, "folio of a size that the file system cannot have",
			 index);
	/* as far as the folio that holds the last byte, which may be large */
	if (index >= round_up((unsigned long)DIV_ROUND_UP(sim->inode.i_size,
							  PAGE_SIZE),
			      1UL << sim->p.min_order) ||
	    index + nr > mapping->i_pages.nr) {
		bad_page(sim, "beyond the end of the file", index);
		return -ENOMEM;
	}
	for (i = index; i < index + nr; i++)
		if (mapping->i_pages.slot[i])
			return -EEXIST;
	for (i = index; i < index + nr; i++)
		mapping->i_pages.slot[i] = folio;
	folio->mapping = mapping;
	folio->index = index;
	folio->locked = true;
	folio_get(folio);
	sim->stats.folios[folio->order]++;
	sim_event(EVENT_FOLIO, index, folio->order, folio->readahead, 0);
	return 0;
}

void filemap_remove_folio(struct folio *folio)
{
	struct sim *sim = sim_of(folio->mapping);
	unsigned long i;

	for (i = folio->index; i < folio_next_index(folio); i++) {
		sim->mapping.i_pages.slot[i] = NULL;
		sim->mapped[i] = 0;
		if (sim->history[i])
			sim->history[i] |= SEEN_DROPPED;
	}
	folio->mapping = NULL;
	folio_put(folio);
}

size_t copy_folio_to_iter(struct folio *folio, size_t offset, size_t bytes,
			  struct iov_iter *iter)
{
	struct sim *sim = sim_current;

	if (!folio->uptodate)
		bad_page(sim, "copied before it was read", folio->index);
	if (offset + bytes > folio_size(folio))
		bad_page(sim, "copied past the folio's end", folio->index);
	iter->count -= bytes;
	sim->stats.bytes += bytes;
	return bytes;
}

/* What is behind the decisions that mm/filemap.c asks for: for EVENT_STATE. */
static void report_state(const struct file_ra_state *ra)
{
	if (sim_current->listen)
		sim_event(EVENT_STATE, ra->start, ra->size, ra->async_size,
			  ra_order_of(ra));
}

static void sim_sync_ra(struct readahead_control *ractl, unsigned long req)
{
	if (!HAVE_TRACE)
		sim_call(EVENT_SYNC, ractl->_index, req);
	page_cache_sync_ra(ractl, req);
	report_state(ractl->ra);
}

static void sim_async_ra(struct readahead_control *ractl, struct folio *folio,
			 unsigned long req)
{
	if (!HAVE_TRACE)
		sim_call(EVENT_ASYNC, ractl->_index, req);
	page_cache_async_ra(ractl, folio, req);
	report_state(ractl->ra);
}

#define page_cache_sync_ra	sim_sync_ra
#define page_cache_async_ra	sim_async_ra
/* with the order where it is not in the state */
#define page_cache_ra_order(ractl, state, ...) do {			\
		struct file_ra_state *_state = (state);			\
									\
		(page_cache_ra_order)(ractl, _state, ##__VA_ARGS__);	\
		report_state(_state);					\
	} while (0)

/* Page faults: of each object, the fields that readahead looks at. */
struct vm_area_struct {
	struct file *vm_file;
	vm_flags_t vm_flags;
};

struct vm_fault {
	struct vm_area_struct *vma;
	pgoff_t pgoff;
};

#include "generated/dup-mm.h"

/*
 * Fault-around, mm/filemap.c:filemap_map_pages(): of the aligned 16 pages
 * around a fault, those that are uptodate get mapped, but not a marked folio,
 * and a huge one as a whole.  Each one counts as a hit in mmap_miss.
 */
#define FAULT_AROUND	16

static void map_folio(struct sim *sim, struct folio *folio, uint64_t page)
{
	if (folio->order >= PMD_ORDER)
		memset(sim->mapped + folio->index, 1, folio_nr_pages(folio));
	else
		sim->mapped[page] = 1;
	sim->any_mapped = true;
}

static void fault_around(struct sim *sim, struct file *file, uint64_t page)
{
	uint64_t start = round_down(page, FAULT_AROUND), i;

	for (i = start; i < start + FAULT_AROUND; i++) {
		struct folio *folio = xa_load(&sim->mapping.i_pages, i);

		if (!folio || !folio->uptodate || folio->locked ||
		    folio->readahead || sim->mapped[i])
			continue;
		map_folio(sim, folio, i);
		if (file->f_ra.mmap_miss)
			file->f_ra.mmap_miss--;
	}
}

static int engine_touch(struct sim *sim, unsigned int nr, uint64_t page,
			bool huge)
{
	struct file *file = &sim->file[nr];
	struct vm_area_struct vma = {
		.vm_file = file, .vm_flags = huge ? VM_HUGEPAGE : 0,
	};
	struct vm_fault vmf = { .vma = &vma, .pgoff = page };
	struct folio *folio;

	if (page >= (uint64_t)DIV_ROUND_UP(sim->inode.i_size, PAGE_SIZE))
		return -EFAULT;
	sim_current = sim;
	sim->reader = nr;
	if (sim->mapped[page])
		return 0;
	sim->stats.calls++;
	fault_around(sim, file, page);
	if (sim->mapped[page])
		return 0;

	/* mm/filemap.c:filemap_fault() */
	folio = xa_load(&sim->mapping.i_pages, page);
	if (folio)
		do_async_mmap_readahead(&vmf, folio);
	else
		do_sync_mmap_readahead(&vmf);
	folio = xa_load(&sim->mapping.i_pages, page);
	if (!folio) {
		folio = sim_alloc_folio(sim->p.min_order);
		if (!folio)
			return -ENOMEM;
		filemap_add_folio(&sim->mapping, folio,
				  round_down(page, 1UL << sim->p.min_order), 0);
		fs_read_folio(file, folio);
		folio_put(folio);
		folio = xa_load(&sim->mapping.i_pages, page);
	}
	wait_for(sim, folio);
	if (!folio->uptodate)
		bad_page(sim, "mapped before it was read", page);
	map_folio(sim, folio, page);
	return 0;
}

static void engine_unmap(struct sim *sim)
{
	if (sim->any_mapped)
		memset(sim->mapped, 0, sim->room);
	sim->any_mapped = false;
}

static int64_t engine_read(struct sim *sim, unsigned int nr, uint64_t pos,
			   uint64_t bytes)
{
	struct kiocb iocb = { .ki_filp = &sim->file[nr], .ki_pos = pos };
	struct iov_iter iter = { .count = bytes };

	sim_current = sim;
	sim->reader = nr;
	sim->stats.calls++;
	return filemap_read(&iocb, &iter, 0);
}

static void engine_random(struct sim *sim, unsigned int nr, bool on)
{
	struct file *file = &sim->file[nr];

	/* mm/fadvise.c:generic_fadvise() */
	if (on) {
		file->f_mode |= FMODE_RANDOM;
	} else {
		file->f_ra.ra_pages = sim->bdi.ra_pages;
		file->f_mode &= ~FMODE_RANDOM;
	}
}

static void engine_willneed(struct sim *sim, unsigned int nr, uint64_t start,
			    uint64_t count)
{
	struct file *file = &sim->file[nr];
	DEFINE_READAHEAD(ractl, file, &file->f_ra, &sim->mapping, start);

	sim_current = sim;
	sim->reader = nr;
	force_page_cache_ra(&ractl, count);
}

static void engine_sync_ra(struct sim *sim, unsigned int nr, uint64_t index,
			   uint64_t req)
{
	struct file *file = &sim->file[nr];
	DEFINE_READAHEAD(ractl, file, &file->f_ra, &sim->mapping, index);

	sim_current = sim;
	sim->reader = nr;
	sim_sync_ra(&ractl, req);
}

static void engine_drop(struct sim *sim, uint64_t start, uint64_t end)
{
	uint64_t i;

	sim_current = sim;
	for (i = start; i < min_t(uint64_t, end, sim->mapping.i_pages.nr); i++) {
		struct folio *folio = sim->mapping.i_pages.slot[i];

		if (!folio)
			continue;
		wait_for(sim, folio);
		filemap_remove_folio(folio);
	}
}

static void engine_insert(struct sim *sim, uint64_t start, uint64_t nr)
{
	uint64_t eof = DIV_ROUND_UP(sim->inode.i_size, PAGE_SIZE), i;

	sim_current = sim;
	if (sim->p.min_order)
		return;
	for (i = start; i < min(start + nr, eof); i++) {
		struct folio *folio;

		if (xa_load(&sim->mapping.i_pages, i))
			continue;
		folio = sim_alloc_folio(0);
		if (!folio)
			return;
		filemap_add_folio(&sim->mapping, folio, i, 0);
		folio->uptodate = true;
		folio->locked = false;
		sim->history[i] = SEEN_READ;
		folio_put(folio);
	}
}

static void engine_truncate(struct sim *sim, uint64_t bytes)
{
	if (bytes > sim->p.file_bytes)
		bytes = sim->p.file_bytes;
	sim->inode.i_size = bytes;
	engine_drop(sim, DIV_ROUND_UP(bytes, PAGE_SIZE), sim->room);
}

static uint64_t engine_cached(const struct sim *sim, uint64_t start,
			      uint64_t end)
{
	uint64_t i, n = 0;

	for (i = start; i < min_t(uint64_t, end, sim->mapping.i_pages.nr); i++)
		n += !!sim->mapping.i_pages.slot[i];
	return n;
}

static int64_t engine_marker(const struct sim *sim, uint64_t start,
			     uint64_t end)
{
	uint64_t i;

	for (i = start; i < min_t(uint64_t, end, sim->mapping.i_pages.nr); i++) {
		const struct folio *folio = sim->mapping.i_pages.slot[i];

		if (folio && folio->readahead)
			return folio->index;
	}
	return -1;
}

static void engine_state(const struct sim *sim, unsigned int nr,
			 struct sim_event *state)
{
	const struct file_ra_state *ra = &sim->file[nr].f_ra;

	*state = (struct sim_event){ EVENT_STATE, nr, ra->start, ra->size,
				     ra->async_size, ra_order_of(ra) };
}

static const struct sim_stats *engine_stats(const struct sim *sim)
{
	return &sim->stats;
}

static const char *engine_bad(const struct sim *sim)
{
	return sim->bad;
}

static void *must(void *p)
{
	if (!p) {
		fprintf(stderr, "engine: out of memory\n");
		exit(1);
	}
	return p;
}

static void engine_reset(struct sim *sim, const struct sim_params *p)
{
	unsigned long align = 1UL << p->min_order;
	unsigned long nr = round_up((unsigned long)
				    DIV_ROUND_UP(p->file_bytes, PAGE_SIZE), align);
	unsigned int i;

	if (nr + FAULT_AROUND > sim->room) {
		sim->room = nr + FAULT_AROUND;
		sim->mapping.i_pages.slot =
			must(realloc(sim->mapping.i_pages.slot,
				     sim->room * sizeof(struct folio *)));
		sim->pool = must(realloc(sim->pool, (sim->room + ENGINE_FILES) *
					 sizeof(struct folio)));
		sim->queue = must(realloc(sim->queue,
					  sim->room * sizeof(struct folio *)));
		sim->history = must(realloc(sim->history, sim->room));
		sim->mapped = must(realloc(sim->mapped, sim->room));
		memset(sim->mapped, 0, sim->room);
	}
	engine_unmap(sim);
	memset(sim->mapping.i_pages.slot, 0, nr * sizeof(struct folio *));
	memset(sim->history, 0, nr);
	free(sim->bad);
	sim->bad = NULL;
	sim->p = *p;
	if (!sim->p.max_pages)
		sim->p.max_pages = p->io_pages;
	sim->pool_used = 0;
	sim->spare = NULL;
	sim->head = 0;
	sim->tail = 0;
	sim->allocs = 0;
	memset(&sim->stats, 0, sizeof(sim->stats));
	sim->sb.s_maxbytes = LLONG_MAX;
	sim->bdi.ra_pages = p->ra_pages;
	sim->bdi.io_pages = p->io_pages;
	sim->inode.i_size = p->file_bytes;
	sim->inode.i_sb = &sim->sb;
	sim->inode.i_blkbits = PAGE_SHIFT;
	sim->inode.i_bdi = &sim->bdi;
	sim->mapping.host = &sim->inode;
	sim->mapping.i_pages.nr = nr;
	sim->mapping.flags = 0;
	sim->mapping.a_ops = p->fs == FS_READ_FOLIO ? &fs_ops_read_folio : &fs_ops;
#ifdef HAVE_mapping_set_folio_order_range
	mapping_set_folio_order_range(&sim->mapping, p->min_order, p->max_order);
#else
	/* all sizes or single pages: see engine.any_orders */
	if (p->max_order)
		sim->mapping.flags |= 1UL << AS_LARGE_FOLIO_SUPPORT;
#endif
	for (i = 0; i < ENGINE_FILES; i++) {
		memset(&sim->file[i], 0, sizeof(sim->file[i]));
		sim->file[i].f_mapping = &sim->mapping;
		sim->file[i].f_mode = FMODE_READ;
		file_ra_state_init(&sim->file[i].f_ra, &sim->mapping);
	}
}

static struct sim *engine_create(const struct sim_params *p)
{
	struct sim *sim = must(calloc(1, sizeof(*sim)));

	engine_reset(sim, p);
	return sim;
}

static void engine_destroy(struct sim *sim)
{
	if (!sim)
		return;
	free(sim->mapping.i_pages.slot);
	free(sim->pool);
	free(sim->queue);
	free(sim->history);
	free(sim->mapped);
	free(sim->bad);
	free(sim);
}

static void engine_listen(struct sim *sim, sim_event_fn fn, void *data)
{
	sim->listen = fn;
	sim->data = data;
}

#ifndef KDIR_NAME
#define KDIR_NAME "?"
#endif

__attribute__((visibility("default")))
const struct engine readahead_engine = {
	.abi = ENGINE_ABI,
	.kdir = KDIR_NAME,
#ifdef HAVE_file_ra_state_order
	.keeps_order = true,
#endif
#ifdef HAVE_mapping_set_folio_order_range
	.any_orders = true,
#endif
	.create = engine_create,
	.reset = engine_reset,
	.destroy = engine_destroy,
	.listen = engine_listen,
	.read = engine_read,
	.touch = engine_touch,
	.unmap = engine_unmap,
	.random = engine_random,
	.willneed = engine_willneed,
	.sync_ra = engine_sync_ra,
	.drop = engine_drop,
	.insert = engine_insert,
	.truncate = engine_truncate,
	.cached = engine_cached,
	.marker = engine_marker,
	.state = engine_state,
	.stats = engine_stats,
	.bad = engine_bad,
};
