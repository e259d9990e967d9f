// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests for reads of shmem files
 *
 * What read and splice give is compared with a copy of what the file has to
 * hold: written data, holes, and what is fallocated and was never written, in
 * small folios and in large ones, to memory of the kernel and of a user.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/falloc.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kthread.h>
#include <linux/mman.h>
#include <linux/mount.h>
#include <linux/pagemap.h>
#include <linux/pipe_fs_i.h>
#include <linux/shmem_fs.h>
#include <linux/splice.h>
#include <linux/uio.h>
#include <linux/vmalloc.h>

/* Two huge pages and a part of a page, so that a read has several look-ups */
#define SRT_SIZE	(SZ_4M + 5 * PAGE_SIZE + 123)
/* pages of the user's buffer in tests of faults */
#define SRT_FAULTS	17

struct srt_param {
	const char *name;
	const char *options;
	bool user;
};

struct srt {
	const struct srt_param *param;
	struct vfsmount *mnt;
	struct file *file;
	/* what the file has to hold, and what was read */
	u8 *want;
	u8 *got;
	unsigned long user;
};

/* One pass of a thread that reads, or splices */
struct srt_reader {
	struct srt *t;
	loff_t pos;
	size_t len;
	bool splice;
	ssize_t ret;
	struct completion done;
};

static const struct srt_param srt_params[] = {
	{ "small folios, kernel", "huge=never", false },
	{ "small folios, user", "huge=never", true },
	{ "huge pages, kernel", "huge=always", false },
	{ "huge pages, user", "huge=always", true },
};

static void srt_desc(const struct srt_param *p, char *desc)
{
	strscpy(desc, p->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(srt, srt_params, srt_desc);

static int srt_init(struct kunit *test)
{
	struct srt *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	static const struct srt_param small = { "", "huge=never", false };
	const struct srt_param *p = test->param_value ?: &small;
	struct file_system_type *type = get_fs_type("tmpfs");
	char options[16];

	KUNIT_ASSERT_NOT_NULL(test, t);
	test->priv = t;
	t->param = p;
	KUNIT_ASSERT_NOT_NULL(test, type);
	if (!IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE) &&
	    !strcmp(p->options, "huge=always"))
		kunit_skip(test, "no large folios (CONFIG_TRANSPARENT_HUGEPAGE)");

	t->want = vzalloc(SRT_SIZE);
	t->got = vmalloc(SRT_SIZE);
	KUNIT_ASSERT_NOT_NULL(test, t->want);
	KUNIT_ASSERT_NOT_NULL(test, t->got);

	strscpy(options, IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE) ?
		p->options : "", sizeof(options));
	t->mnt = vfs_kern_mount(type, SB_KERNMOUNT, "tmpfs", options);
	KUNIT_ASSERT_FALSE(test, IS_ERR(t->mnt));
	t->file = shmem_file_setup_with_mnt(t->mnt, "shmem_read_kunit", SRT_SIZE,
					    mk_vma_flags(VMA_NORESERVE_BIT));
	KUNIT_ASSERT_FALSE(test, IS_ERR(t->file));
	if (p->user) {
		t->user = kunit_vm_mmap(test, NULL, 0, SRT_SIZE,
					PROT_READ | PROT_WRITE,
					MAP_ANONYMOUS | MAP_PRIVATE, 0);
		KUNIT_ASSERT_NE(test, t->user, 0UL);
	}
	return 0;
}

static void srt_exit(struct kunit *test)
{
	struct srt *t = test->priv;

	if (!t)
		return;
	if (!IS_ERR_OR_NULL(t->file))
		__fput_sync(t->file);
	if (!IS_ERR_OR_NULL(t->mnt))
		kern_unmount(t->mnt);
	vfree(t->got);
	vfree(t->want);
}

/* Data that depend on the position, and have no zero */
static void srt_write(struct kunit *test, loff_t pos, size_t len)
{
	struct srt *t = test->priv;
	loff_t p = pos;
	size_t i;

	for (i = 0; i < len; i++)
		t->want[pos + i] = (pos + i) % 251 + 1;
	KUNIT_ASSERT_EQ(test, kernel_write(t->file, t->want + pos, len, &p), len);
}

static void srt_fallocate(struct kunit *test, loff_t pos, size_t len)
{
	struct srt *t = test->priv;

	KUNIT_ASSERT_EQ(test, vfs_fallocate(t->file, 0, pos, len), 0);
}

static void srt_punch(struct kunit *test, loff_t pos, size_t len)
{
	struct srt *t = test->priv;

	KUNIT_ASSERT_EQ(test, vfs_fallocate(t->file, FALLOC_FL_PUNCH_HOLE |
					    FALLOC_FL_KEEP_SIZE, pos, len), 0);
	memset(t->want + pos, 0, len);
}

static ssize_t srt_read_at(struct srt *t, loff_t *pos, size_t len)
{
	struct iov_iter iter;
	ssize_t ret;

	memset(t->got, 0xee, len);
	if (!t->param->user)
		return kernel_read(t->file, t->got, len, pos);

	if (copy_to_user((void __user *)t->user, t->got, len))
		return -EFAULT;
	iov_iter_ubuf(&iter, ITER_DEST, (void __user *)t->user, len);
	ret = vfs_iter_read(t->file, &iter, pos, 0);
	if (copy_from_user(t->got, (void __user *)t->user, len))
		return -EFAULT;
	return ret;
}

/* All that there is up to the end of the file, and not a byte behind it */
static void srt_read(struct kunit *test, loff_t pos, size_t len)
{
	struct srt *t = test->priv;
	loff_t size = i_size_read(file_inode(t->file)), p = pos;
	size_t want = pos < size ? min_t(loff_t, len, size - pos) : 0, i;

	KUNIT_ASSERT_EQ_MSG(test, srt_read_at(t, &p, len), want,
			    "%zu bytes at %lld", len, pos);
	KUNIT_EXPECT_EQ(test, p, pos + want);
	if (memcmp(t->got, t->want + pos, want)) {
		for (i = 0; t->got[i] == t->want[pos + i]; i++)
			;
		KUNIT_FAIL(test, "%zu bytes at %lld: byte %zu is %#x, not %#x",
			   len, pos, i, t->got[i], t->want[pos + i]);
	}
	for (i = want; i < len && t->got[i] == 0xee; i++)
		;
	KUNIT_EXPECT_EQ_MSG(test, i, len, "%zu bytes at %lld: written to",
			    len, pos);
}

/* In pieces of many sizes, from where pages, batches and huge pages meet */
static void srt_read_all(struct kunit *test)
{
	static const size_t lens[] = {
		1, PAGE_SIZE, PAGE_SIZE + 1, 16 * PAGE_SIZE, 31 * PAGE_SIZE,
		33 * PAGE_SIZE - 1, SZ_1M, SZ_2M, SRT_SIZE
	};
	static const loff_t starts[] = {
		0, 1, PAGE_SIZE - 1, PAGE_SIZE, 30 * PAGE_SIZE + 7,
		SZ_2M - PAGE_SIZE, SZ_2M - 1, SZ_2M, SZ_4M - 3, SZ_4M,
		SRT_SIZE - PAGE_SIZE - 1, SRT_SIZE - 1, SRT_SIZE
	};
	struct srt *t = test->priv;
	unsigned int i, k;
	loff_t pos;

	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		for (k = 0; k < ARRAY_SIZE(starts); k++)
			srt_read(test, starts[k],
				 min_t(loff_t, lens[i], SRT_SIZE - starts[k]));
		if (lens[i] < PAGE_SIZE)
			continue;
		for (pos = 0; pos < i_size_read(file_inode(t->file));
		     pos += lens[i])
			srt_read(test, pos, min_t(loff_t, lens[i],
						  SRT_SIZE - pos));
	}
}

static void written(struct kunit *test)
{
	srt_write(test, 0, SRT_SIZE);
	srt_read_all(test);
}

static void hole(struct kunit *test)
{
	srt_read_all(test);
}

static void fallocated(struct kunit *test)
{
	srt_fallocate(test, 0, SRT_SIZE);
	srt_read_all(test);
}

/* A page that is written last makes all slots before it be walked over */
static void hole_before_data(struct kunit *test)
{
	srt_write(test, SRT_SIZE - 200, 200);
	srt_write(test, SZ_2M + 70 * PAGE_SIZE, 1);
	srt_read_all(test);
}

/* Pages, and runs of them, of all three kinds side by side */
static void mixed(struct kunit *test)
{
	loff_t pos = 0;
	unsigned int n;

	for (n = 0; pos < SRT_SIZE; n++) {
		size_t len = min_t(loff_t, (1 + n % 41) * PAGE_SIZE,
				   SRT_SIZE - pos);

		if (n % 3 == 0)
			srt_write(test, pos, len);
		else if (n % 3 == 1)
			srt_fallocate(test, pos, len);
		pos += len;
	}
	srt_read_all(test);
}

/* A part of what is fallocated has been written, a part of that is punched */
static void written_in_fallocated(struct kunit *test)
{
	srt_fallocate(test, 0, SZ_4M);
	srt_write(test, 40 * PAGE_SIZE + 5, 3 * PAGE_SIZE);
	srt_write(test, SZ_2M + PAGE_SIZE, 64);
	srt_read_all(test);
	srt_punch(test, 41 * PAGE_SIZE, PAGE_SIZE);
	srt_punch(test, SZ_2M, SZ_1M);
	srt_read_all(test);
}

/* Page @i of a buffer is missing: a read at @pos ends just before that */
static void srt_fault(struct kunit *test, unsigned long buf, unsigned int i,
		      loff_t pos)
{
	void __user *to = (void __user *)buf;
	size_t len = i * PAGE_SIZE;
	ssize_t want = len ?: -EFAULT;
	struct srt *t = test->priv;
	struct iov_iter iter;
	loff_t p = pos;

	iov_iter_ubuf(&iter, ITER_DEST, to, (SRT_FAULTS + 1) * PAGE_SIZE);
	KUNIT_EXPECT_EQ_MSG(test, vfs_iter_read(t->file, &iter, &p, 0), want,
			    "at %lld, page %u is missing", pos, i);
	KUNIT_EXPECT_EQ(test, p, pos + len);
	KUNIT_ASSERT_EQ(test, copy_from_user(t->got, to, len), 0);
	KUNIT_EXPECT_EQ(test, memcmp(t->got, t->want + pos, len), 0);
}

static void fault(struct kunit *test)
{
	unsigned int i;

	srt_write(test, 0, SRT_FAULTS / 2 * PAGE_SIZE);
	for (i = 0; i < SRT_FAULTS; i++) {
		unsigned long buf;

		buf = kunit_vm_mmap(test, NULL, 0, (SRT_FAULTS + 1) * PAGE_SIZE,
				    PROT_READ | PROT_WRITE,
				    MAP_ANONYMOUS | MAP_PRIVATE, 0);
		KUNIT_ASSERT_NE(test, buf, 0UL);
		KUNIT_ASSERT_EQ(test, vm_munmap(buf + i * PAGE_SIZE,
						PAGE_SIZE), 0);
		srt_fault(test, buf, i, 0);
		srt_fault(test, buf, i, 100);
	}
}

/* What is in the pipe goes to where it was read from */
static int srt_from_pipe(struct pipe_inode_info *pipe, struct pipe_buffer *buf,
			 struct splice_desc *sd)
{
	struct srt *t = sd->u.data;
	size_t len = min_t(size_t, sd->len, buf->len);
	int ret = pipe_buf_confirm(pipe, buf);

	if (ret)
		return ret;
	memcpy_from_page(t->got + sd->pos, buf->page, buf->offset, len);
	return len;
}

static int srt_actor(struct pipe_inode_info *pipe, struct splice_desc *sd)
{
	/* that one's position is the file's, and moves when all is taken */
	struct splice_desc out = *sd;
	int ret;

	pipe_lock(pipe);
	ret = __splice_from_pipe(pipe, &out, srt_from_pipe);
	pipe_unlock(pipe);
	return ret;
}

static ssize_t srt_splice(struct srt *t, loff_t pos, size_t len)
{
	struct splice_desc sd = {
		.total_len = len,
		.pos = pos,
		.u.data = t,
	};

	memset(t->got + pos, 0xee, len);
	return splice_direct_to_actor(t->file, &sd, srt_actor);
}

static void splice(struct kunit *test)
{
	struct srt *t = test->priv;
	loff_t pos;

	srt_write(test, 100, 5 * PAGE_SIZE);
	srt_fallocate(test, 8 * PAGE_SIZE, 4 * PAGE_SIZE);
	srt_write(test, SZ_2M - 10, 20);
	for (pos = 0; pos < SRT_SIZE; pos += 3 * PAGE_SIZE + 11) {
		size_t len = min_t(loff_t, 3 * PAGE_SIZE + 11, SRT_SIZE - pos);

		KUNIT_ASSERT_EQ(test, srt_splice(t, pos, len), len);
		KUNIT_EXPECT_EQ_MSG(test, memcmp(t->got + pos, t->want + pos,
						 len), 0, "at %lld", pos);
	}
}

static int srt_reader(void *data)
{
	struct srt_reader *r = data;
	loff_t pos = r->pos;

	if (r->splice)
		r->ret = srt_splice(r->t, pos, r->len);
	else
		r->ret = kernel_read(r->t->file, r->t->got + pos, r->len, &pos);
	complete(&r->done);
	return 0;
}

/* Is the file read to the end while the folio at @index is locked? */
static void srt_read_locked(struct kunit *test, struct srt_reader *r,
			    pgoff_t index, bool write, bool expected)
{
	struct srt *t = test->priv;
	struct folio *folio = filemap_lock_folio(t->file->f_mapping, index);
	struct task_struct *task;
	unsigned long left;

	KUNIT_ASSERT_FALSE(test, IS_ERR(folio));
	r->t = t;
	init_completion(&r->done);
	task = kthread_run(srt_reader, r, "shmem_read_kunit");
	if (!IS_ERR(task))
		left = wait_for_completion_timeout(&r->done,
						   expected ? 5 * HZ : HZ / 5);
	if (write) {
		/* as migration does it: data first, the flag later */
		memset(t->want + folio_pos(folio), 0x5a, folio_size(folio));
		memcpy_to_folio(folio, 0, t->want + folio_pos(folio),
				folio_size(folio));
		folio_mark_uptodate(folio);
	}
	folio_unlock(folio);
	folio_put(folio);
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	if (!left)
		wait_for_completion(&r->done);
	KUNIT_EXPECT_EQ(test, !!left, expected);
	KUNIT_EXPECT_EQ(test, r->ret, r->len);
	KUNIT_EXPECT_EQ(test, memcmp(t->got + r->pos, t->want + r->pos, r->len), 0);
}

/* Nobody has to wait for the lock of data that are there */
static void fixed_read_takes_no_lock(struct kunit *test)
{
	struct srt_reader page = { .pos = PAGE_SIZE, .len = PAGE_SIZE };
	struct srt_reader many = { .len = 16 * PAGE_SIZE };

	srt_write(test, 0, 16 * PAGE_SIZE);
	srt_read_locked(test, &page, 1, false, true);
	srt_read_locked(test, &many, 5, false, true);
}

static void fixed_splice_takes_no_lock(struct kunit *test)
{
	struct srt_reader r = { .len = 16 * PAGE_SIZE, .splice = true };

	srt_write(test, 0, 16 * PAGE_SIZE);
	srt_read_locked(test, &r, 5, false, true);
}

/* But only who has the lock of a folio knows that it is not being filled */
static void not_uptodate_waits(struct kunit *test)
{
	struct srt_reader page = { .pos = 2 * PAGE_SIZE, .len = PAGE_SIZE };
	struct srt_reader many = { .len = 16 * PAGE_SIZE };
	struct srt_reader sent = { .len = 16 * PAGE_SIZE, .splice = true };

	srt_write(test, 0, PAGE_SIZE);
	srt_fallocate(test, PAGE_SIZE, 15 * PAGE_SIZE);
	srt_read_locked(test, &page, 2, true, false);
	srt_read_locked(test, &many, 5, true, false);
	srt_read_locked(test, &sent, 6, true, false);
	srt_read_locked(test, &many, 7, false, false);
}

static struct kunit_case srt_cases[] = {
	KUNIT_CASE_PARAM(written, srt_gen_params),
	KUNIT_CASE_PARAM(hole, srt_gen_params),
	KUNIT_CASE_PARAM(fallocated, srt_gen_params),
	KUNIT_CASE_PARAM(hole_before_data, srt_gen_params),
	KUNIT_CASE_PARAM(mixed, srt_gen_params),
	KUNIT_CASE_PARAM(written_in_fallocated, srt_gen_params),
	KUNIT_CASE_PARAM(fault, srt_gen_params),
	KUNIT_CASE_PARAM(splice, srt_gen_params),
	KUNIT_CASE(fixed_read_takes_no_lock),
	KUNIT_CASE(fixed_splice_takes_no_lock),
	KUNIT_CASE(not_uptodate_waits),
	{}
};

static struct kunit_suite srt_suite = {
	.name = "shmem_read",
	.init = srt_init,
	.exit = srt_exit,
	.test_cases = srt_cases,
};

kunit_test_suite(srt_suite);

MODULE_DESCRIPTION("KUnit tests for reads of shmem files");
MODULE_LICENSE("GPL");
