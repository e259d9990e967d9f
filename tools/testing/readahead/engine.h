/* SPDX-License-Identifier: GPL-2.0 */
/*
 * engine.h - buffered reads of one file, with mm/readahead.c deciding
 *
 * An engine is a shared object made from one kernel tree: its mm/readahead.c,
 * as it is, over a page cache and a device that are modelled.  engine.c makes
 * it; programs load one or more of them with engine_load() and compare.
 *
 * Nothing here is a kernel type, so a program need not know which tree it was.
 * Sizes are in pages of 4 KiB unless a name says bytes.
 */
#ifndef READAHEAD_ENGINE_H
#define READAHEAD_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#define ENGINE_ABI	3
#define ENGINE_FILES	8	/* opens of the file that a sim may have */
#define ENGINE_ORDERS	16
#define ENGINE_HOLES	4

/* What the file system's ->readahead() does with a window. */
enum fs_model {
	FS_FULL,	/* reads all of it, like iomap and mpage */
	/*
	 * Leaves all but the first @fs_arg pages, like fuse when it is
	 * congested: read_pages() drops the rest.
	 */
	FS_STOP,
	/* also takes what it left off ra->size, as a file system of 2024 did */
	FS_SHRINK,
	/* expands to blocks of @fs_arg pages, like netfs, erofs and squashfs */
	FS_EXPAND,
	FS_READ_FOLIO,	/* has no ->readahead(), only ->read_folio() */
};

struct sim_params {
	uint64_t file_bytes;
	unsigned int ra_pages;		/* of the file: read_ahead_kb / 4 */
	unsigned int io_pages;		/* of the bdi: max_sectors_kb / 4 */
	unsigned int max_pages;		/* the device's largest request; 0: io_pages */
	unsigned int min_order, max_order;	/* folios of the mapping */
	enum fs_model fs;
	unsigned int fs_arg;
	unsigned int fail_order;	/* allocations of this order and above */
	unsigned int fail_every;	/* ... fail every so many times; 0: never */
	/*
	 * Reads complete only when somebody waits: a device slower than any
	 * reader.  Else at once: one that is faster.
	 */
	bool lazy;
	unsigned int nr_holes;
	struct { uint64_t start, nr; } hole[ENGINE_HOLES];	/* of the file */
};

struct sim_stats {
	uint64_t calls;			/* read() and faults */
	uint64_t reads, pages;		/* of the device, file data only */
	uint64_t zeroed;		/* pages of holes */
	uint64_t folios[ENGINE_ORDERS];	/* that entered the page cache */
	uint64_t windows;		/* page_cache_ra_order() */
	uint64_t sync, async;		/* calls of either */
	uint64_t single;		/* reads by ->read_folio(): readahead missed */
	uint64_t again;			/* pages read that had been read before */
	uint64_t bytes;			/* that the readers got */
};

enum sim_event_type {
	EVENT_WINDOW,		/* index, a size, b async_size, c order */
	EVENT_UNBOUNDED,	/* index, a nr_to_read, b lookahead_size */
	EVENT_SYNC,		/* index, a req_count */
	EVENT_ASYNC,		/* index, a req_count */
	EVENT_DEVICE,		/* index, a pages */
	EVENT_FOLIO,		/* index, a order, b 1 if marked */
	EVENT_MARK,		/* index, a order: marked when it was there already */
	/* index ra->start, a size, b async_size, c order: a decision is over */
	EVENT_STATE,
};

struct sim_event {
	enum sim_event_type type;
	unsigned int file;
	uint64_t index, a, b, c;
};

typedef void (*sim_event_fn)(void *data, const struct sim_event *event);

struct sim;

/**
 * struct engine - What an engine offers.
 * @abi:	ENGINE_ABI, or the program is for another engine.
 * @kdir:	The tree that it was made from.
 * @keeps_order: The state remembers the order of its folios, and async windows
 *		end where one of that order does (from 6.17 on).
 * @any_orders:	A mapping has a smallest and a largest order (from 6.12 on); else
 *		it takes all sizes or, if max_order is 0, only single pages.
 * @create:	A sim with a cold cache.  Never NULL; exits without memory.
 * @reset:	The same as new, with other parameters; keeps its memory.
 * @destroy:	Free it.
 * @listen:	Have every event reported; NULL stops that.
 * @read:	pread(2) through open file @file; the bytes that it got, or -errno.
 * @touch:	A load from page @page of a mapping; @huge for MADV_HUGEPAGE.
 * @unmap:	Forget what @touch has mapped.
 * @random:	POSIX_FADV_RANDOM on an open file, or back to normal.
 * @willneed:	POSIX_FADV_WILLNEED: force_page_cache_readahead().
 * @sync_ra:	page_cache_sync_ra() by itself, as file systems call it.
 * @drop:	Evict the folios of pages @start to @end - 1, those that straddle
 *		an end too.
 * @insert:	Put single uptodate pages into the cache where there is none.
 * @truncate:	A new size; what is beyond it is evicted.
 * @cached:	Pages of a range in the cache.
 * @marker:	First index in [@start, @end) of a folio with PG_readahead, or -1.
 * @state:	The file's readahead state, as an EVENT_STATE.
 * @bad:	The first broken rule of the page cache or of the kernel's own
 *		BUG_ON()s, as text, or NULL.
 */
struct engine {
	unsigned int abi;
	const char *kdir;
	bool keeps_order, any_orders;
	struct sim *(*create)(const struct sim_params *p);
	void (*reset)(struct sim *sim, const struct sim_params *p);
	void (*destroy)(struct sim *sim);
	void (*listen)(struct sim *sim, sim_event_fn fn, void *data);
	int64_t (*read)(struct sim *sim, unsigned int file, uint64_t pos,
			uint64_t bytes);
	int (*touch)(struct sim *sim, unsigned int file, uint64_t page,
		     bool huge);
	void (*unmap)(struct sim *sim);
	void (*random)(struct sim *sim, unsigned int file, bool on);
	void (*willneed)(struct sim *sim, unsigned int file, uint64_t start,
			 uint64_t nr);
	void (*sync_ra)(struct sim *sim, unsigned int file, uint64_t index,
			uint64_t req);
	void (*drop)(struct sim *sim, uint64_t start, uint64_t end);
	void (*insert)(struct sim *sim, uint64_t start, uint64_t nr);
	void (*truncate)(struct sim *sim, uint64_t bytes);
	uint64_t (*cached)(const struct sim *sim, uint64_t start, uint64_t end);
	int64_t (*marker)(const struct sim *sim, uint64_t start, uint64_t end);
	void (*state)(const struct sim *sim, unsigned int file,
		      struct sim_event *state);
	const struct sim_stats *(*stats)(const struct sim *sim);
	const char *(*bad)(const struct sim *sim);
};

/* The one symbol that the shared object exports. */
extern const struct engine readahead_engine;

#endif
