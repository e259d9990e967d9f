// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests for readahead
 *
 * What page_cache_sync_ra() and page_cache_async_ra() decide, seen from below:
 * the files are of a file system in memory, which notes what its ->readahead()
 * is asked for.  A test either calls one of the two itself, with the state of
 * its choice, or reads a whole stream with kernel_read().
 *
 * Without CONFIG_TRANSPARENT_HUGEPAGE there are no large folios, but windows
 * are aligned all the same: ra->order is given by the test then.  To run them
 * without and with:
 *
 *	./tools/testing/kunit/kunit.py run --kunitconfig=mm/tests
 *	./tools/testing/kunit/kunit.py run --kunitconfig=mm/tests \
 *		--arch x86_64 --kconfig_add CONFIG_TRANSPARENT_HUGEPAGE=y
 */
#include <kunit/test.h>
#include <linux/backing-dev.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/fs_context.h>
#include <linux/highmem.h>
#include <linux/log2.h>
#include <linux/mount.h>
#include <linux/pagemap.h>
#include <linux/pseudo_fs.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#define RA_TEST_MAGIC		0x72616b75
/* calls of ->readahead() that are noted */
#define RA_TEST_READS		1024
/* pages of the largest read */
#define RA_TEST_BUF		768
#define RA_TEST_NO_MARK		ULONG_MAX

/* A call of ->readahead() */
struct ra_test_read {
	pgoff_t start;
	unsigned long nr;
	/* of its largest folio */
	unsigned int order;
	/* index of the folio that has the marker */
	pgoff_t mark;
};

struct ra_test {
	struct vfsmount *mnt;
	struct file *file;
	void *buf;
	struct ra_test_read *reads;
	unsigned int nr_reads;
	unsigned int nr_read_folio;
	/* what else the file system does in ->readahead(), first of all */
	void (*hook)(struct readahead_control *ractl);
	/* for one of these */
	unsigned long expand_to;
};

static u64 ra_test_word(pgoff_t index)
{
	return (index + 1) * 0x9e3779b97f4a7c15ULL;
}

static void ra_test_fill(struct folio *folio)
{
	unsigned long i;

	for (i = 0; i < folio_nr_pages(folio); i++) {
		void *addr = kmap_local_folio(folio, i * PAGE_SIZE);

		memset64(addr, ra_test_word(folio->index + i),
			 PAGE_SIZE / sizeof(u64));
		kunmap_local(addr);
	}
	flush_dcache_folio(folio);
	folio_end_read(folio, true);
}

static void ra_test_readahead(struct readahead_control *ractl)
{
	struct ra_test *t = ractl->mapping->host->i_private;
	struct ra_test_read r = { .mark = RA_TEST_NO_MARK };
	struct folio *folio;

	if (t->hook)
		t->hook(ractl);
	r.start = readahead_index(ractl);
	r.nr = readahead_count(ractl);
	while ((folio = readahead_folio(ractl))) {
		r.order = max(r.order, folio_order(folio));
		if (folio_test_readahead(folio))
			r.mark = folio->index;
		ra_test_fill(folio);
	}
	if (t->nr_reads < RA_TEST_READS)
		t->reads[t->nr_reads] = r;
	t->nr_reads++;
}

static int ra_test_read_folio(struct file *file, struct folio *folio)
{
	struct ra_test *t = folio->mapping->host->i_private;

	t->nr_read_folio++;
	ra_test_fill(folio);
	return 0;
}

static const struct address_space_operations ra_test_aops = {
	.readahead = ra_test_readahead,
	.read_folio = ra_test_read_folio,
};

static const struct file_operations ra_test_fops = {
	.read_iter = generic_file_read_iter,
};

static int ra_test_init_fs_context(struct fs_context *fc)
{
	return init_pseudo(fc, RA_TEST_MAGIC) ? 0 : -ENOMEM;
}

static struct file_system_type ra_test_fs_type = {
	.owner = THIS_MODULE,
	.name = "readahead_kunit",
	.init_fs_context = ra_test_init_fs_context,
	.kill_sb = kill_anon_super,
};

static int ra_test_init(struct kunit *test)
{
	struct ra_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	struct inode *inode;

	KUNIT_ASSERT_NOT_NULL(test, t);
	test->priv = t;
	t->reads = kunit_kcalloc(test, RA_TEST_READS, sizeof(*t->reads),
				 GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t->reads);
	t->buf = vmalloc(RA_TEST_BUF * PAGE_SIZE);
	KUNIT_ASSERT_NOT_NULL(test, t->buf);

	t->mnt = kern_mount(&ra_test_fs_type);
	KUNIT_ASSERT_FALSE(test, IS_ERR(t->mnt));
	KUNIT_ASSERT_EQ(test, super_setup_bdi(t->mnt->mnt_sb), 0);

	inode = new_inode(t->mnt->mnt_sb);
	KUNIT_ASSERT_NOT_NULL(test, inode);
	inode->i_ino = 2;
	inode->i_mode = S_IFREG | 0400;
	inode->i_flags |= S_NOATIME;
	inode->i_private = t;
	inode->i_mapping->a_ops = &ra_test_aops;
	mapping_set_large_folios(inode->i_mapping);
	t->file = alloc_file_pseudo(inode, t->mnt, "file", O_RDONLY,
				    &ra_test_fops);
	if (IS_ERR(t->file))
		iput(inode);
	KUNIT_ASSERT_FALSE(test, IS_ERR(t->file));
	return 0;
}

static void ra_test_exit(struct kunit *test)
{
	struct ra_test *t = test->priv;

	if (!t)
		return;
	if (!IS_ERR_OR_NULL(t->file))
		__fput_sync(t->file);
	if (!IS_ERR_OR_NULL(t->mnt))
		kern_unmount(t->mnt);
	vfree(t->buf);
}

/* The file, the largest window of readahead and the largest of the device */
static void ra_test_setup(struct kunit *test, unsigned long file_pages,
			  unsigned long ra_pages, unsigned long io_pages)
{
	struct ra_test *t = test->priv;
	struct inode *inode = file_inode(t->file);
	struct backing_dev_info *bdi = inode_to_bdi(inode);

	bdi->ra_pages = ra_pages;
	bdi->io_pages = io_pages;
	i_size_write(inode, (loff_t)file_pages << PAGE_SHIFT);
	memset(&t->file->f_ra, 0, sizeof(t->file->f_ra));
	file_ra_state_init(&t->file->f_ra, inode->i_mapping);
}

static void ra_test_need_large_folios(struct kunit *test, unsigned int order)
{
	struct ra_test *t = test->priv;

	if (mapping_max_folio_order(t->file->f_mapping) < order)
		kunit_skip(test, "no folios of order %u (CONFIG_TRANSPARENT_HUGEPAGE)",
			   order);
}

/* For what depends on the order of the last window, and is the same anywhere */
static void ra_test_no_large_folios(struct kunit *test)
{
	struct ra_test *t = test->priv;

	mapping_set_folio_order_range(t->file->f_mapping, 0, 0);
}

/* What an earlier read has left in struct file_ra_state */
static void ra_test_state(struct kunit *test, pgoff_t start, unsigned int size,
			  unsigned int async_size, unsigned int order)
{
	struct ra_test *t = test->priv;
	struct file_ra_state *ra = &t->file->f_ra;

	ra->start = start;
	ra->size = size;
	ra->async_size = async_size;
	ra->order = order;
}

/* Pages that are in the cache, whoever has read them; what was noted goes */
static void ra_test_cache(struct kunit *test, pgoff_t index, unsigned long nr)
{
	struct ra_test *t = test->priv;
	struct address_space *mapping = t->file->f_mapping;
	void (*hook)(struct readahead_control *ractl) = t->hook;

	DEFINE_READAHEAD(ractl, NULL, NULL, mapping, index);

	t->hook = NULL;
	filemap_invalidate_lock_shared(mapping);
	page_cache_ra_unbounded(&ractl, nr, 0);
	filemap_invalidate_unlock_shared(mapping);
	t->hook = hook;
	t->nr_reads = 0;
}

/* The page at @index is missing, and @req pages are to be read from there */
static void ra_test_sync(struct kunit *test, pgoff_t index, unsigned long req)
{
	struct ra_test *t = test->priv;

	DEFINE_READAHEAD(ractl, t->file, &t->file->f_ra, t->file->f_mapping,
			 index);

	page_cache_sync_ra(&ractl, req);
}

/* The folio at @index has the marker, and @req pages are to be read from it */
static void ra_test_async(struct kunit *test, pgoff_t index, unsigned long req)
{
	struct ra_test *t = test->priv;
	struct folio *folio = filemap_get_folio(t->file->f_mapping, index);

	DEFINE_READAHEAD(ractl, t->file, &t->file->f_ra, t->file->f_mapping,
			 index);

	KUNIT_ASSERT_FALSE(test, IS_ERR(folio));
	page_cache_async_ra(&ractl, folio, req);
	folio_put(folio);
}

/*
 * A window is to start at @start.  The one before it is of @prev pages, its
 * marker is page 0, and @req pages are to be read from there.
 */
static void ra_test_next(struct kunit *test, unsigned int start,
			 unsigned int prev, unsigned int order,
			 unsigned long req)
{
	struct ra_test *t = test->priv;

	truncate_inode_pages(t->file->f_mapping, 0);
	ra_test_cache(test, 0, 1);
	ra_test_state(test, start - prev, prev, start, order);
	ra_test_async(test, 0, req);
}

/* read(2): what is read is what the file holds, up to its end */
static void ra_test_read(struct kunit *test, pgoff_t index, unsigned long nr)
{
	struct ra_test *t = test->priv;
	loff_t pos = (loff_t)index << PAGE_SHIFT;
	loff_t left = i_size_read(file_inode(t->file)) - pos;
	unsigned long i;
	ssize_t got;

	KUNIT_ASSERT_LE(test, nr, RA_TEST_BUF);
	memset(t->buf, 0, nr << PAGE_SHIFT);
	got = kernel_read(t->file, t->buf, nr << PAGE_SHIFT, &pos);
	KUNIT_ASSERT_EQ(test, got, clamp(left, 0, (loff_t)nr << PAGE_SHIFT));
	for (i = 0; i < DIV_ROUND_UP(got, PAGE_SIZE); i++)
		KUNIT_ASSERT_EQ_MSG(test, *(u64 *)(t->buf + i * PAGE_SIZE),
				    ra_test_word(index + i), "page %lu",
				    index + i);
}

/* From @index to @end, in reads of @nr pages */
static void ra_test_stream(struct kunit *test, pgoff_t index, pgoff_t end,
			   unsigned long nr)
{
	for (; index < end; index += nr)
		ra_test_read(test, index, min(nr, end - index));
}

static void ra_test_expect_reads(struct kunit *test, unsigned int nr)
{
	struct ra_test *t = test->priv;

	KUNIT_ASSERT_EQ(test, t->nr_reads, nr);
}

static void ra_test_expect_read(struct kunit *test, unsigned int i,
				pgoff_t start, unsigned long nr, pgoff_t mark)
{
	struct ra_test *t = test->priv;
	struct ra_test_read *r = &t->reads[i];

	KUNIT_EXPECT_EQ_MSG(test, r->start, start, "read %u", i);
	KUNIT_EXPECT_EQ_MSG(test, r->nr, nr, "read %u from %lu", i, start);
	KUNIT_EXPECT_EQ_MSG(test, r->mark, mark, "read %u from %lu", i, start);
}

static void ra_test_expect_state(struct kunit *test, pgoff_t start,
				 unsigned int size, unsigned int async_size)
{
	struct ra_test *t = test->priv;
	struct file_ra_state *ra = &t->file->f_ra;

	KUNIT_EXPECT_EQ(test, ra->start, start);
	KUNIT_EXPECT_EQ(test, ra->size, size);
	KUNIT_EXPECT_EQ(test, ra->async_size, async_size);
}

/* No page was asked for twice, and none alone. */
static void ra_test_expect_once(struct kunit *test)
{
	struct ra_test *t = test->priv;
	unsigned long pages = 0;
	unsigned int i;

	KUNIT_ASSERT_LE(test, t->nr_reads, RA_TEST_READS);
	for (i = 0; i < t->nr_reads; i++)
		pages += t->reads[i].nr;
	KUNIT_EXPECT_EQ(test, pages, t->file->f_mapping->nrpages);
	KUNIT_EXPECT_EQ(test, t->nr_read_folio, 0);
}

/*
 * The first window: at the start of the file, or of a request that is larger
 * than any window.
 */
struct ra_test_initial {
	unsigned long ra_pages;
	unsigned long io_pages;
	unsigned long req;
	unsigned int size;
	unsigned int async_size;
};

static const struct ra_test_initial ra_test_initials[] = {
	{ 32, 32, 1, 4, 3 },
	{ 32, 32, 2, 4, 2 },
	{ 32, 32, 3, 8, 5 },
	{ 32, 32, 8, 16, 8 },
	{ 32, 32, 9, 32, 23 },
	/* all that is asked for: the marker is in the middle */
	{ 32, 32, 32, 32, 16 },
	/* a request beyond ra_pages may go up to io_pages */
	{ 32, 32, 64, 32, 16 },
	{ 32, 128, 64, 64, 32 },
	{ 32, 128, 256, 128, 64 },
	{ 256, 128, 1, 4, 3 },
};

static void ra_test_initial_desc(const struct ra_test_initial *p, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "ra %lu io %lu request %lu",
		 p->ra_pages, p->io_pages, p->req);
}

KUNIT_ARRAY_PARAM(ra_test_initial, ra_test_initials, ra_test_initial_desc);

static void sync_initial_window(struct kunit *test)
{
	const struct ra_test_initial *p = test->param_value;

	ra_test_setup(test, 2048, p->ra_pages, p->io_pages);
	ra_test_sync(test, 0, p->req);
	ra_test_expect_reads(test, 1);
	ra_test_expect_read(test, 0, 0, p->size, p->size - p->async_size);
	ra_test_expect_state(test, 0, p->size, p->async_size);
}

/* A single page somewhere: just that, and the stream's state stays. */
static void sync_standalone_read(struct kunit *test)
{
	ra_test_setup(test, 2048, 32, 32);
	ra_test_state(test, 64, 32, 32, 3);
	ra_test_sync(test, 1000, 1);
	ra_test_expect_reads(test, 1);
	ra_test_expect_read(test, 0, 1000, 1, RA_TEST_NO_MARK);
	ra_test_expect_state(test, 64, 32, 32);
}

/* What is cached before the page tells of a stream whose state is lost. */
static void sync_history(struct kunit *test)
{
	ra_test_setup(test, 2048, 32, 32);
	ra_test_cache(test, 108, 8);
	ra_test_sync(test, 116, 1);
	ra_test_expect_reads(test, 1);
	ra_test_expect_read(test, 0, 116, 9, 124);
	ra_test_expect_state(test, 116, 9, 1);
}

/* It counts twice if it goes back to the start of the file. */
static void sync_history_from_start(struct kunit *test)
{
	ra_test_setup(test, 2048, 32, 32);
	ra_test_cache(test, 0, 8);
	ra_test_sync(test, 8, 1);
	ra_test_expect_reads(test, 1);
	ra_test_expect_read(test, 0, 8, 17, 24);
	ra_test_expect_state(test, 8, 17, 1);
}

/* It is as long as the folio that it is in. */
static void fixed_sync_history_of_large_folio(struct kunit *test)
{
	ra_test_need_large_folios(test, 5);
	ra_test_setup(test, 2048, 64, 64);
	ra_test_next(test, 64, 16, 3, 1);
	ra_test_expect_reads(test, 1);
	ra_test_expect_read(test, 0, 64, 32, 64);
	ra_test_sync(test, 96, 1);
	ra_test_expect_reads(test, 2);
	ra_test_expect_read(test, 1, 96, 33, 128);
	ra_test_expect_state(test, 96, 33, 1);
}

/*
 * How windows grow.  These largest windows are odd, and so nothing is cut.
 */
struct ra_test_ramp {
	unsigned int size;
	unsigned int next;
};

static const struct ra_test_ramp ra_test_ramps[] = {
	{ 1, 4 }, { 2, 8 }, { 3, 6 }, { 8, 16 }, { 24, 48 }, { 25, 49 },
	{ 48, 49 }, { 49, 49 },
	/* MADV_HUGEPAGE may have made one that is larger than all */
	{ 60, 60 },
};

static void ra_test_ramp_desc(const struct ra_test_ramp *p, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%u pages", p->size);
}

KUNIT_ARRAY_PARAM(ra_test_ramp, ra_test_ramps, ra_test_ramp_desc);

static void async_ramp(struct kunit *test)
{
	const struct ra_test_ramp *p = test->param_value;

	ra_test_setup(test, 2048, 49, 49);
	ra_test_next(test, p->size, p->size, 0, 1);
	ra_test_expect_reads(test, 1);
	ra_test_expect_read(test, 0, p->size, p->next, p->size);
	ra_test_expect_state(test, p->size, p->next, p->next);
}

/*
 * Where a window ends: on a boundary of the folio size to come, two orders
 * more than before, but of no more than divides the largest window.
 */
struct ra_test_trim {
	unsigned long ra_pages;
	unsigned long io_pages;
	unsigned long req;
	unsigned int start;
	unsigned int prev;
	unsigned int order;
	unsigned int size;
};

static const struct ra_test_trim ra_test_trims[] = {
	/* 20 to 52 is on a boundary of 4, but not of 16 or 32 */
	{ 32, 32, 1, 20, 20, 0, 32 },
	{ 32, 32, 1, 20, 20, 2, 28 },
	{ 32, 32, 1, 20, 20, 3, 12 },
	{ 32, 32, 1, 20, 20, 9, 12 },
	{ 32, 32, 1, 32, 32, 9, 32 },
	/* 24 and 384 are multiples of 8 and of 128 at most, 125 of 1 */
	{ 24, 24, 1, 20, 20, 9, 20 },
	{ 384, 384, 1, 255, 255, 9, 257 },
	{ 125, 125, 1, 63, 63, 9, 125 },
	/* there is none between start and end: 4 to 12, 33 to 49 */
	{ 32, 32, 1, 4, 4, 9, 8 },
	{ 32, 32, 1, 33, 8, 9, 16 },
	/* the largest window is that of the request */
	{ 32, 128, 256, 100, 100, 9, 28 },
	{ 32, 128, 64, 100, 32, 9, 28 },
	{ 32, 128, 65, 100, 32, 9, 64 },
};

static void ra_test_trim_desc(const struct ra_test_trim *p, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE,
		 "ra %lu io %lu request %lu start %u order %u",
		 p->ra_pages, p->io_pages, p->req, p->start, p->order);
}

KUNIT_ARRAY_PARAM(ra_test_trim, ra_test_trims, ra_test_trim_desc);

static void async_trim(struct kunit *test)
{
	const struct ra_test_trim *p = test->param_value;

	ra_test_setup(test, 2048, p->ra_pages, p->io_pages);
	ra_test_next(test, p->start, p->prev, p->order, p->req);
	ra_test_expect_reads(test, 1);
	ra_test_expect_read(test, 0, p->start, p->size, p->start);
}

/* A full window of 384 pages keeps more than 256, wherever it starts. */
static void async_trim_384(struct kunit *test)
{
	struct ra_test *t = test->priv;
	unsigned int start;

	ra_test_setup(test, 2048, 32, 384);
	for (start = 193; start < 193 + 128; start++) {
		struct ra_test_read *r = &t->reads[0];

		ra_test_next(test, start, start, 9, RA_TEST_BUF);
		ra_test_expect_reads(test, 1);
		KUNIT_ASSERT_EQ(test, r->start, start);
		KUNIT_ASSERT_GT_MSG(test, r->nr, 256, "start %u", start);
		KUNIT_ASSERT_LE_MSG(test, r->nr, 384, "start %u", start);
		KUNIT_ASSERT_EQ_MSG(test, (r->start + r->nr) % 128, 0,
				    "start %u", start);
	}
}

/*
 * What is recorded of a window that has been cut, which the next one ramps up
 * from.  It is (start, size, async_size) after one that is read from @from on,
 * and @next pages are in the next one.
 */
struct ra_test_record {
	unsigned long ra_pages;
	unsigned long io_pages;
	unsigned long req;
	unsigned int from;
	unsigned int prev;
	unsigned int order;
	unsigned int start;
	unsigned int size;
	unsigned int async_size;
	unsigned int next;
};

static void ra_test_record_desc(const struct ra_test_record *p, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE,
		 "ra %lu io %lu request %lu start %u order %u",
		 p->ra_pages, p->io_pages, p->req, p->from, p->order);
}

static void ra_test_record(struct kunit *test)
{
	const struct ra_test_record *p = test->param_value;
	unsigned long end = p->from + p->async_size;

	ra_test_setup(test, 2048, p->ra_pages, p->io_pages);
	ra_test_next(test, p->from, p->prev, p->order, p->req);
	ra_test_expect_reads(test, 1);
	ra_test_expect_read(test, 0, p->from, p->async_size, p->from);
	ra_test_expect_state(test, p->start, p->size, p->async_size);

	/* the marker is where it is expected, and the next window follows */
	ra_test_async(test, p->from, p->req);
	ra_test_expect_reads(test, 2);
	ra_test_expect_read(test, 1, end, p->next, end);
}

/*
 * No more than half is left of a window that the request needs in full: the one
 * that was wanted, moved back to end where the one that is read does
 */
static const struct ra_test_record ra_test_wanted[] = {
	{ 32, 128, 256, 100, 100, 9, 0, 128, 28, 128 },
	{ 32, 128, 129, 100, 100, 9, 0, 128, 28, 128 },
	{ 32, 128, 256, 200, 100, 9, 128, 128, 56, 128 },
	/* just half, and just one page */
	{ 32, 128, 256, 64, 64, 9, 0, 128, 64, 128 },
	{ 32, 128, 256, 127, 127, 9, 0, 128, 1, 128 },
	/* to a boundary of half a window; it is nearer than the wanted size */
	{ 32, 128, 256, 40, 40, 4, 0, 64, 24, 128 },
};

KUNIT_ARRAY_PARAM(ra_test_wanted, ra_test_wanted, ra_test_record_desc);

static void fixed_ramp_after_trim(struct kunit *test)
{
	ra_test_record(test);
}

/* Else it is the one that is read. */
static const struct ra_test_record ra_test_as_read[] = {
	/* the request is not for more than a full window */
	{ 32, 128, 128, 100, 100, 9, 100, 28, 28, 56 },
	{ 128, 128, 1, 100, 100, 9, 100, 28, 28, 56 },
	{ 128, 128, 128, 100, 100, 9, 100, 28, 28, 56 },
	/* more than half is left: of 126 pages, less 61 */
	{ 32, 128, 256, 63, 63, 9, 63, 65, 65, 128 },
	/* the boundary is not that of large windows: 16 pages, less 8 */
	{ 32, 128, 256, 8, 8, 2, 8, 8, 8, 16 },
	/* not cut */
	{ 32, 128, 256, 128, 128, 9, 128, 128, 128, 128 },
};

KUNIT_ARRAY_PARAM(ra_test_as_read, ra_test_as_read, ra_test_record_desc);

static void record_as_read(struct kunit *test)
{
	ra_test_record(test);
}

/* Another reader of the open file has its own state there meanwhile. */
static void ra_test_hook_move(struct readahead_control *ractl)
{
	ractl->ra->start = 1000;
}

static void record_not_if_moved(struct kunit *test)
{
	struct ra_test *t = test->priv;

	ra_test_setup(test, 2048, 32, 128);
	t->hook = ra_test_hook_move;
	ra_test_next(test, 100, 100, 9, 256);
	ra_test_expect_reads(test, 1);
	ra_test_expect_read(test, 0, 100, 28, 100);
	ra_test_expect_state(test, 1000, 28, 28);
}

/* A small read first, of a header, and then large ones */
static void fixed_small_read_then_large(struct kunit *test)
{
	struct ra_test *t = test->priv;
	unsigned int i, full = 0;

	ra_test_need_large_folios(test, 7);
	ra_test_setup(test, 4096, 32, 128);
	ra_test_read(test, 0, 1);
	ra_test_stream(test, 1, 4096, 256);
	ra_test_expect_once(test);
	while (full < t->nr_reads && t->reads[full].nr < 128)
		full++;
	KUNIT_EXPECT_LT(test, full, 8);
	/* all but the last one are full, and of large folios soon */
	for (i = full; i + 1 < t->nr_reads; i++) {
		KUNIT_EXPECT_EQ_MSG(test, t->reads[i].nr, 128, "read %u", i);
		if (i >= full + 4)
			KUNIT_EXPECT_EQ_MSG(test, t->reads[i].order, 7,
					    "read %u", i);
	}
}

/* The same where a largest window is so small that no large folios are needed */
static void fixed_small_read_then_small_windows(struct kunit *test)
{
	struct ra_test *t = test->priv;
	unsigned int i;

	ra_test_no_large_folios(test);
	ra_test_setup(test, 512, 8, 8);
	ra_test_read(test, 0, 1);
	ra_test_stream(test, 1, 512, 16);
	ra_test_expect_once(test);
	for (i = 2; i + 1 < t->nr_reads; i++)
		KUNIT_EXPECT_EQ_MSG(test, t->reads[i].nr, 8, "read %u", i);
}

/* Full windows of a device that takes 384 pages are never small. */
static void stream_384(struct kunit *test)
{
	struct ra_test *t = test->priv;
	unsigned int i, full = 0;

	ra_test_need_large_folios(test, 7);
	ra_test_setup(test, 8192, 32, 384);
	ra_test_read(test, 0, 1);
	ra_test_stream(test, 1, 8192, 768);
	ra_test_expect_once(test);
	while (full < t->nr_reads && t->reads[full].nr <= 256)
		full++;
	KUNIT_EXPECT_LT(test, full, 8);
	for (i = full; i + 1 < t->nr_reads; i++)
		KUNIT_EXPECT_GT_MSG(test, t->reads[i].nr, 256, "read %u", i);
}

/* A stream that does not start at the start of the file comes to full windows */
static void stream_from_page_17(struct kunit *test)
{
	struct ra_test *t = test->priv;
	unsigned int i;

	ra_test_setup(test, 2048, 32, 128);
	ra_test_stream(test, 17, 2048, 1);
	ra_test_expect_once(test);
	for (i = 0; i < t->nr_reads; i++) {
		KUNIT_EXPECT_LE_MSG(test, t->reads[i].nr, 32, "read %u", i);
		if (t->reads[i].start >= 128)
			KUNIT_EXPECT_EQ_MSG(test, t->reads[i].nr, 32,
					    "read %u", i);
	}
}

/* and to folios of that size. */
static void stream_from_page_17_folios(struct kunit *test)
{
	struct ra_test *t = test->priv;
	unsigned int i;

	ra_test_need_large_folios(test, 5);
	ra_test_setup(test, 2048, 32, 128);
	ra_test_stream(test, 17, 2048, 1);
	for (i = 0; i < t->nr_reads; i++)
		if (t->reads[i].start >= 128)
			KUNIT_EXPECT_EQ_MSG(test, t->reads[i].order, 5,
					    "read %u", i);
}

/*
 * A marker at index 0, which is not the start of a new stream: after a first
 * window of which all is async,
 */
static void marker_at_0(struct kunit *test)
{
	ra_test_setup(test, 2048, 32, 32);
	ra_test_cache(test, 0, 4);
	ra_test_state(test, 0, 4, 4, 0);
	ra_test_async(test, 0, 1);
	ra_test_expect_reads(test, 1);
	ra_test_expect_read(test, 0, 4, 8, 4);
	ra_test_expect_state(test, 4, 8, 8);
}

/* with a state that tells of another place, */
static void marker_at_0_without_state(struct kunit *test)
{
	ra_test_setup(test, 2048, 32, 32);
	ra_test_cache(test, 0, 4);
	ra_test_state(test, 1000, 32, 32, 0);
	ra_test_async(test, 0, 1);
	ra_test_expect_reads(test, 1);
	ra_test_expect_read(test, 0, 4, 8, 4);
	ra_test_expect_state(test, 4, 8, 8);
}

/* with none, which says nothing of a window, */
static void marker_at_0_of_fresh_file(struct kunit *test)
{
	ra_test_setup(test, 2048, 32, 32);
	ra_test_cache(test, 0, 4);
	ra_test_async(test, 0, 1);
	ra_test_expect_reads(test, 0);
	ra_test_expect_state(test, 0, 0, 0);
}

/* and in a first folio that is larger than the part that is not async. */
static void marker_at_0_of_large_folio(struct kunit *test)
{
	struct ra_test *t = test->priv;

	ra_test_need_large_folios(test, 2);
	ra_test_setup(test, 2048, 32, 32);
	mapping_set_folio_min_order(t->file->f_mapping, 2);
	ra_test_sync(test, 0, 1);
	ra_test_expect_reads(test, 1);
	ra_test_expect_read(test, 0, 0, 4, 0);
	ra_test_expect_state(test, 0, 4, 3);
	ra_test_async(test, 0, 1);
	ra_test_expect_reads(test, 2);
	ra_test_expect_read(test, 1, 4, 8, 4);
	ra_test_expect_state(test, 4, 8, 8);
}

/* A marker without the state that belongs to it, as of interleaved streams */
static void marker_without_state(struct kunit *test)
{
	ra_test_setup(test, 2048, 32, 32);
	ra_test_cache(test, 100, 12);
	ra_test_state(test, 1000, 32, 32, 0);
	ra_test_async(test, 100, 3);
	ra_test_expect_reads(test, 1);
	/* 12 and the request, doubled, to the boundary of 4 before */
	ra_test_expect_read(test, 0, 112, 28, 112);
	ra_test_expect_state(test, 112, 28, 28);
}

/* The same of a folio of 32 pages: the window starts where it ends. */
static void fixed_marker_of_large_folio_without_state(struct kunit *test)
{
	ra_test_need_large_folios(test, 5);
	ra_test_setup(test, 2048, 32, 32);
	ra_test_next(test, 64, 32, 3, 1);
	ra_test_expect_reads(test, 1);
	ra_test_expect_read(test, 0, 64, 32, 64);
	ra_test_state(test, 1000, 32, 32, 0);
	ra_test_async(test, 64, 1);
	ra_test_expect_reads(test, 2);
	ra_test_expect_read(test, 1, 96, 32, 96);
	ra_test_expect_state(test, 96, 32, 32);
}

/* There is a largest window ahead already: nothing is to be done. */
static void marker_far_behind(struct kunit *test)
{
	ra_test_setup(test, 2048, 32, 32);
	ra_test_cache(test, 100, 40);
	ra_test_state(test, 1000, 32, 32, 0);
	ra_test_async(test, 100, 1);
	ra_test_expect_reads(test, 0);
	ra_test_expect_state(test, 1000, 32, 32);
}

/* Nothing beyond the end is read, and the last window has no marker. */
struct ra_test_eof {
	unsigned long pages;
	/* of the windows */
	unsigned long nr[4];
};

static const struct ra_test_eof ra_test_eofs[] = {
	{ 1, { 1 } },
	{ 3, { 3 } },
	{ 4, { 4 } },
	{ 5, { 4, 1 } },
	{ 11, { 4, 7 } },
	{ 12, { 4, 8 } },
	{ 13, { 4, 8, 1 } },
	{ 28, { 4, 8, 16 } },
};

static void ra_test_eof_desc(const struct ra_test_eof *p, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%lu pages", p->pages);
}

KUNIT_ARRAY_PARAM(ra_test_eof, ra_test_eofs, ra_test_eof_desc);

static void eof_of_stream(struct kunit *test)
{
	const struct ra_test_eof *p = test->param_value;
	struct ra_test *t = test->priv;
	unsigned int i, nr = 0;
	pgoff_t start = 0;

	ra_test_no_large_folios(test);
	ra_test_setup(test, p->pages, 32, 32);
	/* the last byte is not at the end of its page */
	i_size_write(file_inode(t->file), (p->pages << PAGE_SHIFT) - 100);
	ra_test_stream(test, 0, p->pages, 1);
	ra_test_expect_once(test);
	while (nr < ARRAY_SIZE(p->nr) && p->nr[nr])
		nr++;
	ra_test_expect_reads(test, nr);
	for (i = 0; i < nr; i++) {
		pgoff_t mark = i ? start : 1;

		ra_test_expect_read(test, i, start, p->nr[i],
				    i + 1 < nr ? mark : RA_TEST_NO_MARK);
		start += p->nr[i];
	}
	KUNIT_EXPECT_EQ(test, start, p->pages);
}

/* Nor is there a large folio that goes beyond it. */
static void eof_of_large_folios(struct kunit *test)
{
	struct ra_test *t = test->priv;
	unsigned long pages;
	unsigned int i;

	ra_test_need_large_folios(test, 4);
	for (pages = 1; pages <= 128; pages++) {
		truncate_inode_pages(t->file->f_mapping, 0);
		t->nr_reads = 0;
		ra_test_setup(test, pages, 32, 32);
		ra_test_stream(test, 0, pages, 1);
		ra_test_expect_once(test);
		KUNIT_ASSERT_EQ(test, t->file->f_mapping->nrpages, pages);
		for (i = 0; i < t->nr_reads; i++) {
			struct ra_test_read *r = &t->reads[i];

			if (r->start + r->nr == pages)
				KUNIT_ASSERT_EQ_MSG(test, r->mark,
						    RA_TEST_NO_MARK,
						    "%lu pages", pages);
			else
				KUNIT_ASSERT_LT_MSG(test, r->mark - r->start,
						    r->nr, "%lu pages, read %u",
						    pages, i);
		}
	}
}

/* A read that starts there, and a window that would */
static void eof_beyond(struct kunit *test)
{
	ra_test_setup(test, 32, 32, 32);
	ra_test_read(test, 32, 1);
	ra_test_sync(test, 32, 1);
	ra_test_sync(test, 40, 64);
	ra_test_expect_reads(test, 0);
	ra_test_next(test, 32, 32, 0, 1);
	ra_test_expect_reads(test, 0);
	ra_test_next(test, 40, 32, 9, 64);
	ra_test_expect_reads(test, 0);
	ra_test_no_large_folios(test);
	ra_test_next(test, 32, 32, 0, 1);
	ra_test_expect_reads(test, 0);

	ra_test_setup(test, 0, 32, 32);
	ra_test_read(test, 0, 1);
	ra_test_sync(test, 0, 1);
	ra_test_expect_reads(test, 0);
}

/* The file system makes less of the window than was asked for: one page, */
static void ra_test_hook_shrink(struct readahead_control *ractl)
{
	ractl->ra->size = 1;
}

/*
 * which is less than what has been read when the rest is to be read without
 * large folios, because page 10 is there already.
 */
static void shrink_by_fs_beside_cached(struct kunit *test)
{
	struct ra_test *t = test->priv;

	ra_test_need_large_folios(test, 2);
	ra_test_setup(test, 2048, 32, 32);
	ra_test_cache(test, 0, 4);
	ra_test_cache(test, 10, 1);
	ra_test_state(test, 0, 4, 4, 0);
	t->hook = ra_test_hook_shrink;
	ra_test_async(test, 0, 1);
	ra_test_expect_reads(test, 1);
	ra_test_expect_read(test, 0, 4, 4, 4);
	ra_test_expect_state(test, 4, 1, 8);
}

/* The stream goes on from there, however it is read. */
static void shrink_by_fs(struct kunit *test)
{
	struct ra_test *t = test->priv;
	unsigned int i;

	ra_test_setup(test, 2048, 32, 128);
	t->hook = ra_test_hook_shrink;
	ra_test_stream(test, 0, 256, 1);
	ra_test_stream(test, 256, 2048, 256);
	ra_test_expect_once(test);
	for (i = 0; i < min(t->nr_reads, RA_TEST_READS); i++)
		KUNIT_EXPECT_LE_MSG(test, t->reads[i].nr, 128, "read %u", i);
	KUNIT_EXPECT_LT(test, t->nr_reads, 128);
}

/* After a cut: what is recorded stays within the file. */
static void shrink_by_fs_after_trim(struct kunit *test)
{
	struct ra_test *t = test->priv;
	struct file_ra_state *ra = &t->file->f_ra;

	ra_test_setup(test, 2048, 32, 128);
	t->hook = ra_test_hook_shrink;
	ra_test_next(test, 100, 100, 9, 256);
	ra_test_expect_reads(test, 1);
	ra_test_expect_read(test, 0, 100, 28, 100);
	KUNIT_EXPECT_EQ(test, ra->start + ra->size, 101);
	KUNIT_EXPECT_LE(test, ra->size, 128);

	/* up to 127 all are there */
	ra_test_stream(test, 104, 512, 256);
	ra_test_expect_read(test, 1, 128, t->reads[1].nr, t->reads[1].mark);
}

/* The file system reads whole blocks of 8 pages. */
static void ra_test_hook_expand(struct readahead_control *ractl)
{
	loff_t start = readahead_pos(ractl);
	loff_t end = start + readahead_length(ractl);

	start = round_down(start, 8 * PAGE_SIZE);
	end = round_up(end, 8 * PAGE_SIZE);
	readahead_expand(ractl, start, end - start);
}

static void expand_by_fs(struct kunit *test)
{
	struct ra_test *t = test->priv;
	unsigned int i;

	ra_test_setup(test, 512, 32, 32);
	t->hook = ra_test_hook_expand;
	ra_test_stream(test, 0, 512, 1);
	ra_test_expect_once(test);
	for (i = 0; i < t->nr_reads; i++)
		KUNIT_EXPECT_EQ_MSG(test, (t->reads[i].start +
				    t->reads[i].nr) % 8, 0, "read %u", i);
	KUNIT_EXPECT_LT(test, t->nr_reads, 24);
}

/* A page in the middle of one, which is none of a stream */
static void expand_by_fs_both_ways(struct kunit *test)
{
	struct ra_test *t = test->priv;

	ra_test_setup(test, 512, 32, 32);
	t->hook = ra_test_hook_expand;
	ra_test_read(test, 107, 1);
	ra_test_expect_reads(test, 1);
	ra_test_expect_read(test, 0, 104, 8, RA_TEST_NO_MARK);
}

static void ra_test_hook_expand_to(struct readahead_control *ractl)
{
	struct ra_test *t = ractl->mapping->host->i_private;

	readahead_expand(ractl, readahead_pos(ractl),
			 t->expand_to << PAGE_SHIFT);
}

/* What it makes of a window is what is recorded, and the next one follows. */
static void expand_by_fs_is_recorded(struct kunit *test)
{
	struct ra_test *t = test->priv;

	ra_test_setup(test, 512, 32, 32);
	t->hook = ra_test_hook_expand_to;
	t->expand_to = 28;
	ra_test_next(test, 4, 4, 0, 1);
	ra_test_expect_reads(test, 1);
	ra_test_expect_read(test, 0, 4, 28, 4);
	ra_test_expect_state(test, 4, 28, 28);
	ra_test_async(test, 4, 1);
	ra_test_expect_reads(test, 2);
	ra_test_expect_read(test, 1, 32, 32, 32);
	ra_test_expect_state(test, 32, 32, 32);
}

/* One that has been cut may be no longer short then. */
static void expand_by_fs_after_trim(struct kunit *test)
{
	struct ra_test *t = test->priv;

	ra_test_setup(test, 2048, 32, 128);
	t->hook = ra_test_hook_expand_to;
	t->expand_to = 72;
	ra_test_next(test, 100, 100, 9, 256);
	ra_test_expect_reads(test, 1);
	ra_test_expect_read(test, 0, 100, 72, 100);
	ra_test_expect_state(test, 100, 72, 72);
}

/* No readahead: just the page that is asked for */
static void disabled(struct kunit *test)
{
	struct ra_test *t = test->priv;
	struct address_space *mapping = t->file->f_mapping;
	unsigned int i;

	DEFINE_READAHEAD(ractl, NULL, &t->file->f_ra, mapping, 100);

	ra_test_setup(test, 2048, 0, 32);
	ra_test_read(test, 0, 8);
	ra_test_expect_reads(test, 8);
	for (i = 0; i < 8; i++)
		ra_test_expect_read(test, i, i, 1, RA_TEST_NO_MARK);
	ra_test_sync(test, 20, 64);
	ra_test_expect_reads(test, 9);
	ra_test_expect_read(test, 8, 20, 1, RA_TEST_NO_MARK);
	ra_test_async(test, 7, 1);
	/* and nothing for a caller that has no file */
	page_cache_sync_ra(&ractl, 1);
	ra_test_expect_reads(test, 9);
	ra_test_expect_state(test, 0, 0, 0);
}

/* POSIX_FADV_RANDOM: just the request */
static void random_access(struct kunit *test)
{
	struct ra_test *t = test->priv;

	ra_test_setup(test, 2048, 32, 32);
	spin_lock(&t->file->f_lock);
	t->file->f_mode |= FMODE_RANDOM;
	spin_unlock(&t->file->f_lock);
	ra_test_read(test, 0, 3);
	ra_test_read(test, 3, 3);
	ra_test_expect_reads(test, 2);
	ra_test_expect_read(test, 0, 0, 3, RA_TEST_NO_MARK);
	ra_test_expect_read(test, 1, 3, 3, RA_TEST_NO_MARK);
	ra_test_expect_state(test, 0, 0, 0);
}

/* The state is that of another reader of the open file. */
static void two_readers_sync(struct kunit *test)
{
	struct ra_test *t = test->priv;

	ra_test_setup(test, 2048, 32, 32);
	ra_test_state(test, 128, 32, 32, 9);
	t->file->f_ra.prev_pos = 128 << PAGE_SHIFT;
	/* it wants this page, and more than a window of them */
	ra_test_sync(test, 1001, 64);
	ra_test_expect_reads(test, 1);
	ra_test_expect_read(test, 0, 1001, 32, 1017);
	ra_test_expect_state(test, 1001, 32, 16);
}

/* Both get on, page for page and with large reads. */
static void two_readers(struct kunit *test)
{
	struct ra_test *t = test->priv;
	pgoff_t i;

	ra_test_setup(test, 4096, 32, 128);
	for (i = 0; i < 512; i++) {
		ra_test_read(test, i, 1);
		ra_test_read(test, 2048 + i, 1);
	}
	KUNIT_EXPECT_LT(test, t->nr_reads, 128);
	for (; i < 2048; i += 256) {
		ra_test_read(test, i, 256);
		ra_test_read(test, 2048 + i, 256);
	}
	ra_test_expect_once(test);
	KUNIT_EXPECT_EQ(test, t->file->f_mapping->nrpages, 4096);
	KUNIT_EXPECT_LT(test, t->nr_reads, 256);
}

/* and both come to full windows of large folios. */
static void fixed_two_readers_of_large_folios(struct kunit *test)
{
	struct ra_test *t = test->priv;
	unsigned int i;
	pgoff_t index;

	ra_test_need_large_folios(test, 5);
	ra_test_setup(test, 4096, 32, 32);
	for (index = 0; index < 2048; index += 16) {
		ra_test_read(test, index, 16);
		ra_test_read(test, 2048 + index, 16);
	}
	ra_test_expect_once(test);
	for (i = 0; i < t->nr_reads; i++) {
		if (t->reads[i].start % 2048 < 128)
			continue;
		KUNIT_EXPECT_EQ_MSG(test, t->reads[i].nr, 32, "read %u", i);
		KUNIT_EXPECT_EQ_MSG(test, t->reads[i].order, 5, "read %u", i);
	}
}

/*
 * fixed_*: these fail without "mm/readahead: ramp up from the window wanted,
 * not the one cut short" or, if they are of large folios that are found in the
 * cache, "mm/filemap: find the gap that is next to a large folio".
 */
static struct kunit_case ra_test_cases[] = {
	KUNIT_CASE_PARAM(sync_initial_window, ra_test_initial_gen_params),
	KUNIT_CASE(sync_standalone_read),
	KUNIT_CASE(sync_history),
	KUNIT_CASE(sync_history_from_start),
	KUNIT_CASE(fixed_sync_history_of_large_folio),
	KUNIT_CASE_PARAM(async_ramp, ra_test_ramp_gen_params),
	KUNIT_CASE_PARAM(async_trim, ra_test_trim_gen_params),
	KUNIT_CASE(async_trim_384),
	KUNIT_CASE_PARAM(fixed_ramp_after_trim, ra_test_wanted_gen_params),
	KUNIT_CASE_PARAM(record_as_read, ra_test_as_read_gen_params),
	KUNIT_CASE(record_not_if_moved),
	KUNIT_CASE(fixed_small_read_then_large),
	KUNIT_CASE(fixed_small_read_then_small_windows),
	KUNIT_CASE(stream_384),
	KUNIT_CASE(stream_from_page_17),
	KUNIT_CASE(stream_from_page_17_folios),
	KUNIT_CASE(marker_at_0),
	KUNIT_CASE(marker_at_0_without_state),
	KUNIT_CASE(marker_at_0_of_fresh_file),
	KUNIT_CASE(marker_at_0_of_large_folio),
	KUNIT_CASE(marker_without_state),
	KUNIT_CASE(fixed_marker_of_large_folio_without_state),
	KUNIT_CASE(marker_far_behind),
	KUNIT_CASE_PARAM(eof_of_stream, ra_test_eof_gen_params),
	KUNIT_CASE(eof_of_large_folios),
	KUNIT_CASE(eof_beyond),
	KUNIT_CASE(shrink_by_fs),
	KUNIT_CASE(shrink_by_fs_beside_cached),
	KUNIT_CASE(shrink_by_fs_after_trim),
	KUNIT_CASE(expand_by_fs),
	KUNIT_CASE(expand_by_fs_both_ways),
	KUNIT_CASE(expand_by_fs_is_recorded),
	KUNIT_CASE(expand_by_fs_after_trim),
	KUNIT_CASE(disabled),
	KUNIT_CASE(random_access),
	KUNIT_CASE(two_readers_sync),
	KUNIT_CASE(two_readers),
	KUNIT_CASE(fixed_two_readers_of_large_folios),
	{}
};

static struct kunit_suite ra_test_suite = {
	.name = "readahead",
	.init = ra_test_init,
	.exit = ra_test_exit,
	.test_cases = ra_test_cases,
};

kunit_test_suite(ra_test_suite);

MODULE_DESCRIPTION("KUnit tests for readahead");
MODULE_LICENSE("GPL");
