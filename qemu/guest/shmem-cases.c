// SPDX-License-Identifier: GPL-2.0
/*
 * shmem-cases.c - each hard case of a read of a tmpfs file by itself
 *
 * Run in a guest by "lab exec"; prints TAP, and exits with 1 if a case fails.  A
 * line "# is NAME: ..." tells how this kernel behaves where more than one way is
 * right: the host compares these lines of two kernels.  A name that begins with
 * SH- is that of a report that the case is taken from.
 *
 * What a file has to hold is kept in memory, and every read is compared with
 * that.  Free memory is full of 0xaa (page_poison=1), so a page that nobody has
 * cleared is not mistaken for one of zeroes.  Where a read has to be stopped half
 * way, its buffer is registered with userfaultfd: the kernel waits in the middle
 * of its copy for as long as it takes.
 *
 * shmem-cases [-1] [TEXT]: only the cases with TEXT in their name; with -1, up to the
 * first that fails.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/fs.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "pattern.h"
#include "uring.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define PAGE		4096UL
#define PMD		(2UL << 20)
#define MNT		"/t"
#define NAME		MNT "/f"
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE	25
#endif

static const char * const huge_modes[] = { "never", "always", "within_size", "advise" };
static const char *huge;
static bool failed;
static char running[160];

__attribute__((format(printf, 1, 2))) static void fail(const char *fmt, ...)
{
	va_list ap;

	failed = true;
	printf("# %s: ", running);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
}

__attribute__((noreturn)) static void give_up(int line, const char *what)
{
	fail("line %d: %s: %s", line, what, strerror(errno));
	fflush(stdout);
	_exit(1);
}

/* What has to work for the case to say anything */
#define must(cond) \
	do { \
		if (!(cond)) \
			give_up(__LINE__, #cond); \
	} while (0)

__attribute__((format(printf, 1, 2))) static void is(const char *fmt, ...)
{
	va_list ap;

	printf("# is %s: ", running);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
}

/* A file, and what it has to hold */
struct file {
	int fd;
	size_t size;
	unsigned char *want;
	char *map;
};

static struct file new_file(size_t size)
{
	struct file f = { .size = size };

	unlink(NAME);
	f.fd = open(NAME, O_RDWR | O_CREAT | O_TRUNC, 0600);
	must(f.fd >= 0);
	f.want = calloc(1, size + PAGE);
	must(f.want);
	must(!ftruncate(f.fd, size));
	/* at a huge page's boundary, or collapse and huge faults do not work */
	f.map = mmap(NULL, size + 2 * PMD, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	must(f.map != MAP_FAILED);
	f.map = (char *)(((uintptr_t)f.map + PMD - 1) & ~(PMD - 1));
	f.map = mmap(f.map, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, f.fd, 0);
	must(f.map != MAP_FAILED);
	if (!strcmp(huge, "advise"))
		must(!madvise(f.map, size, MADV_HUGEPAGE));
	return f;
}

static void drop_file(struct file *f)
{
	munmap(f->map, f->size);
	close(f->fd);
	free(f->want);
	unlink(NAME);
}

/* One byte in 256 would be as in another place, so the words are compared, too */
static void put(struct file *f, size_t pos, size_t len, uint64_t seed)
{
	size_t from = pos & ~7UL, n = ((pos + len + 7) & ~7UL) - from;
	char *buf = malloc(n);

	must(buf);
	pattern_fill(buf, n, from, seed);
	must(pwrite(f->fd, buf + (pos - from), len, pos) == (ssize_t)len);
	memcpy(f->want + pos, buf + (pos - from), len);
	free(buf);
}

static void punch(struct file *f, size_t pos, size_t len)
{
	must(!fallocate(f->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, pos, len));
	memset(f->want + pos, 0, len);
}

static unsigned long swap_used(void)
{
	struct sysinfo si;

	must(!sysinfo(&si));
	return si.totalswap - si.freeswap;
}

/*
 * What is in a page table is what MADV_PAGEOUT takes.  A hole has to stay one, and
 * the offset of f->fd may be locked by a read.
 */
static void map_data(struct file *f, size_t pos, size_t len)
{
	off_t at, to, end = pos + len;
	char name[32];
	int fd;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", f->fd);
	fd = open(name, O_RDONLY);
	must(fd >= 0);
	for (at = pos; (at = lseek(fd, at, SEEK_DATA)) >= 0 && at < end; at = to) {
		to = lseek(fd, at, SEEK_HOLE);
		must(to > at);
		to = to < end ? to : end;
		must(!madvise(f->map + at, to - at, MADV_POPULATE_READ));
	}
	close(fd);
}

static bool try_swap_out(struct file *f, size_t pos, size_t len)
{
	unsigned long before = swap_used();
	int i;

	for (i = 0; i < 50 && swap_used() <= before; i++) {
		map_data(f, pos, len);
		must(!madvise(f->map + pos, len, MADV_PAGEOUT));
	}
	return swap_used() > before;
}

static void swap_out(struct file *f, size_t pos, size_t len)
{
	if (!try_swap_out(f, pos, len))
		fail("nothing went to swap");
}

enum content {
	WRITTEN, HOLE, FALLOCATED, FIRST_WRITE, MIXED, STEPS, PUNCHED, SWAPPED,
	NR_CONTENT
};

static const char * const content_names[NR_CONTENT] = {
	[WRITTEN] = "written", [HOLE] = "hole",
	[FALLOCATED] = "SH-12 fallocated, never written",
	[FIRST_WRITE] = "SH-12 one byte written in what was fallocated",
	[MIXED] = "written, hole, swapped and fallocated in one call",
	[STEPS] = "SH-02 every other page a hole",
	[PUNCHED] = "SH-11 holes punched into huge pages",
	[SWAPPED] = "swapped out",
};

static void make_content(struct file *f, enum content c)
{
	size_t i, pages = f->size / PAGE;

	switch (c) {
	case WRITTEN:
	case SWAPPED:
		put(f, 0, f->size, 1);
		if (c == SWAPPED)
			swap_out(f, 0, f->size);
		break;
	case FALLOCATED:
	case FIRST_WRITE:
		must(!fallocate(f->fd, 0, 0, f->size));
		if (c == FIRST_WRITE) {
			put(f, 7 * PAGE + 100, 1, 2);
			put(f, PMD + 9 * PAGE, 1, 2);
			put(f, f->size - 1, 1, 2);
		}
		break;
	case MIXED:
		/* four runs: of one page, of two, ... and what swaps first */
		for (i = 0; i + 3 < pages; i += 4)
			put(f, i * PAGE, PAGE * (1 + i / 4 % 3), 3);
		swap_out(f, 0, f->size);
		for (i = 8; i + 3 < pages; i += 16)
			put(f, i * PAGE, 2 * PAGE, 4);
		for (i = 12; i + 3 < pages; i += 16) {
			punch(f, i * PAGE, 4 * PAGE);
			must(!fallocate(f->fd, 0, i * PAGE, 2 * PAGE));
		}
		break;
	case STEPS:
		for (i = 0; i < pages; i += 2)
			put(f, i * PAGE, PAGE, 5);
		break;
	case PUNCHED:
		put(f, 0, f->size, 6);
		punch(f, 0, 16 * PAGE);
		punch(f, PMD / 2, 16 * PAGE);
		punch(f, PMD - 8 * PAGE, 16 * PAGE);
		punch(f, PMD + 100 * PAGE + 100, 5000);
		break;
	case HOLE:
	case NR_CONTENT:
		break;
	}
}

/* The ways to read a file.  Each: what it returned, with the bytes in @buf. */
static ssize_t by_pread(struct file *f, char *buf, size_t len, off_t pos)
{
	return pread(f->fd, buf, len, pos);
}

static ssize_t by_nowait(struct file *f, char *buf, size_t len, off_t pos)
{
	struct iovec iov = { buf, len };
	ssize_t n = preadv2(f->fd, &iov, 1, pos, RWF_NOWAIT), m;

	/* may be cut short, or refused: then the rest has to be waited for */
	if (n < 0 && errno != EAGAIN && errno != EOPNOTSUPP)
		return n;
	if (n < 0)
		n = 0;
	if ((size_t)n == len)
		return n;
	m = pread(f->fd, buf + n, len - n, pos + n);
	return m < 0 ? m : n + m;
}

static ssize_t by_read(struct file *f, char *buf, size_t len, off_t pos)
{
	ssize_t n;

	must(lseek(f->fd, pos, SEEK_SET) == pos);
	n = read(f->fd, buf, len);
	if (n >= 0 && lseek(f->fd, 0, SEEK_CUR) != pos + n)
		fail("the position is %lld after %zd bytes from %lld",
		     (long long)lseek(f->fd, 0, SEEK_CUR), n, (long long)pos);
	return n;
}

/* Pieces of odd sizes, and an empty one */
static ssize_t by_readv(struct file *f, char *buf, size_t len, off_t pos)
{
	static const size_t sizes[] = { 1, 4095, 0, 8191, 70000, 3, 12289 };
	struct iovec iov[256];
	size_t done = 0;
	int n = 0;

	while (done < len && n < 255) {
		iov[n].iov_base = buf + done;
		iov[n].iov_len = sizes[n % ARRAY_SIZE(sizes)];
		if (iov[n].iov_len > len - done || n == 254)
			iov[n].iov_len = len - done;
		done += iov[n++].iov_len;
	}
	return preadv(f->fd, iov, n, pos);
}

static ssize_t by_direct(struct file *f __attribute__((unused)), char *buf, size_t len, off_t pos)
{
	int fd = open(NAME, O_RDONLY | O_DIRECT);
	ssize_t n;

	must(fd >= 0);
	n = pread(fd, buf, len, pos);
	close(fd);
	return n;
}

static int pipe_size;

static ssize_t by_splice(struct file *f, char *buf, size_t len, off_t pos)
{
	size_t done = 0;
	loff_t at = pos;
	int p[2];

	must(!pipe(p));
	if (pipe_size)
		must(fcntl(p[1], F_SETPIPE_SZ, pipe_size) >= pipe_size);
	while (done < len) {
		ssize_t n = splice(f->fd, &at, p[1], NULL, len - done, 0), m, got = 0;

		if (n < 0 && !done)
			return n;
		if (n <= 0)
			break;
		while (got < n) {
			m = read(p[0], buf + done + got, n - got);
			must(m > 0);
			got += m;
		}
		done += n;
	}
	if ((size_t)(at - pos) != done)
		fail("splice: the position went on by %lld with %zu bytes",
		     (long long)(at - pos), done);
	close(p[0]);
	close(p[1]);
	return done;
}

static ssize_t via_file(char *buf, int fd, ssize_t n)
{
	if (n > 0 && pread(fd, buf, n, 0) != n)
		n = -1;
	close(fd);
	return n;
}

static ssize_t by_sendfile(struct file *f, char *buf, size_t len, off_t pos)
{
	int fd = open(MNT, O_TMPFILE | O_RDWR, 0600);
	ssize_t n, done = 0;

	must(fd >= 0);
	while ((size_t)done < len && (n = sendfile(fd, f->fd, &pos, len - done)) > 0)
		done += n;
	return via_file(buf, fd, done);
}

static ssize_t by_copy_range(struct file *f, char *buf, size_t len, off_t pos)
{
	int fd = open(MNT, O_TMPFILE | O_RDWR, 0600);
	ssize_t n, done = 0;
	loff_t at = pos;

	must(fd >= 0);
	while ((size_t)done < len &&
	       (n = copy_file_range(f->fd, &at, fd, NULL, len - done, 0)) > 0)
		done += n;
	return via_file(buf, fd, done);
}

static ssize_t by_mmap(struct file *f, char *buf, size_t len, off_t pos)
{
	if ((size_t)pos >= f->size)
		return 0;
	if (len > f->size - pos)
		len = f->size - pos;
	memcpy(buf, f->map + pos, len);
	return len;
}

static ssize_t by_uring(struct file *f, char *buf, size_t len, off_t pos)
{
	static struct uring ring;

	if (!ring.entries)
		must(!uring_open(&ring, 4, 0));
	return uring_read(&ring, f->fd, buf, len, pos);
}

static const struct way {
	const char *name;
	ssize_t (*get)(struct file *f, char *buf, size_t len, off_t pos);
} ways[] = {
	{ "pread", by_pread },
	{ "preadv2, RWF_NOWAIT", by_nowait },
	{ "read", by_read },
	{ "readv", by_readv },
	{ "SH-04 O_DIRECT", by_direct },
	{ "splice", by_splice },
	{ "sendfile", by_sendfile },
	{ "copy_file_range", by_copy_range },
	{ "io_uring", by_uring },
	{ "mmap", by_mmap },	/* last: it fills holes */
};

static char *room;		/* for one read, and what must not be touched */
#define ROOM	(6UL << 20)

static void compare(struct file *f, const struct way *w, size_t len, off_t pos)
{
	size_t want = (size_t)pos >= f->size ? 0 : f->size - pos, i;
	ssize_t n;

	if (want > len)
		want = len;
	memset(room, 0xa5, len + PAGE);
	n = w->get(f, room, len, pos);
	if (n != (ssize_t)want) {
		fail("%s: %zu at %lld gave %zd, not %zu (%s)", w->name, len,
		     (long long)pos, n, want, n < 0 ? strerror(errno) : "short or long");
		return;
	}
	if (memcmp(room, f->want + pos, n)) {
		for (i = 0; (unsigned char)room[i] == f->want[pos + i]; i++)
			;
		fail("%s: %zu at %lld: byte %zu of the file is %#x, not %#x", w->name,
		     len, (long long)pos, (size_t)pos + i,
		     (unsigned char)room[i], f->want[pos + i]);
	}
	for (i = n; i < len + PAGE; i++)
		if ((unsigned char)room[i] != 0xa5) {
			fail("%s: %zu at %lld: a byte was written behind the %zd",
			     w->name, len, (long long)pos, n);
			break;
		}
}

static void compare_all(struct file *f, const struct way *w)
{
	size_t s = f->size;
	const struct { size_t len; off_t pos; } r[] = {
		{ s, 0 }, { s + PAGE, 0 }, { 65537, 1 }, { PAGE, 0 }, { PAGE + 1, 4095 },
		{ 16 * PAGE, PMD - 8 * PAGE - 1 }, { 65536, s - 5000 }, { 1 << 20, 4095 },
		{ 1, s - 1 }, { 65536, s }, { 65536, s + 5000 }, { 7 * PAGE, 3 * PAGE + 9 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(r); i++)
		compare(f, w, r[i].len, r[i].pos);
}

#define SIZE	(PMD + PMD / 4 + 100)

static void case_content(int c)
{
	struct file f = new_file(SIZE);
	struct stat before, after;
	size_t i;

	make_content(&f, c);
	must(!fstat(f.fd, &before));
	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		compare_all(&f, &ways[i]);
		/* SH-01: a read allocates nothing; a mapping does */
		must(!fstat(f.fd, &after));
		if (c != SWAPPED && c != MIXED && ways[i].get != by_mmap &&
		    after.st_blocks > before.st_blocks)
			fail("SH-01: %s: %ld blocks became %ld", ways[i].name,
			     (long)before.st_blocks, (long)after.st_blocks);
	}
	drop_file(&f);
}

/* SH-02: what passes through a pipe has to come out page by page */
static void case_pipes(int unused __attribute__((unused)))
{
	static const int sizes[] = { 4096, 65536, 1 << 20 };
	static const off_t at[] = { 0, 1, 4095 };
	static const size_t lens[] = { 4096, 65536, 300000, 1 << 20 };
	const struct way w = { "splice", by_splice };
	struct file f = new_file(3 << 20);
	size_t i, j, k;

	put(&f, 0, 1 << 20, 1);
	put(&f, 2 << 20, 1 << 20, 1);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		pipe_size = sizes[i];
		for (j = 0; j < ARRAY_SIZE(at); j++)
			for (k = 0; k < ARRAY_SIZE(lens); k++) {
				compare(&f, &w, lens[k], (1 << 20) + at[j]);
				compare(&f, &w, lens[k], (1 << 20) - 8192 + at[j]);
			}
	}
	pipe_size = 0;
	drop_file(&f);
}

/* SH-15: the buffer has a page that cannot be written to */
static void case_bad_page(int c)
{
	struct file f = new_file(PMD);
	char *buf = mmap(NULL, 17 * PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static const off_t at[] = { 0, 100, 5 * PAGE };
	size_t k, i;

	must(buf != MAP_FAILED);
	make_content(&f, c);
	for (k = 0; k < 16; k++) {
		must(!mprotect(buf + k * PAGE, PAGE, PROT_NONE));
		for (i = 0; i < ARRAY_SIZE(at); i++) {
			struct iovec iov[16];
			ssize_t n, want = k * PAGE;
			int j;

			must(lseek(f.fd, at[i], SEEK_SET) == at[i]);
			n = read(f.fd, buf, 16 * PAGE);
			if (k ? n != want : n != -1 || errno != EFAULT)
				fail("bad page %zu, at %ld: %zd", k, (long)at[i], n);
			if (lseek(f.fd, 0, SEEK_CUR) != at[i] + want)
				fail("bad page %zu, at %ld: position %lld", k,
				     (long)at[i], (long long)lseek(f.fd, 0, SEEK_CUR));
			if (n > 0 && memcmp(buf, f.want + at[i], n))
				fail("bad page %zu, at %ld: wrong bytes before it", k,
				     (long)at[i]);
			/* the same, each page a piece of its own */
			for (j = 0; j < 16; j++) {
				iov[j].iov_base = buf + j * PAGE;
				iov[j].iov_len = PAGE;
			}
			n = preadv(f.fd, iov, 16, at[i]);
			if (k ? n != want : n != -1 || errno != EFAULT)
				fail("bad piece %zu, at %ld: %zd", k, (long)at[i], n);
		}
		must(!mprotect(buf + k * PAGE, PAGE, PROT_READ | PROT_WRITE));
	}
	/* the end of the buffer in the middle of a page of it */
	must(!mprotect(buf + 16 * PAGE, PAGE, PROT_NONE));
	for (k = 1; k <= 16; k++) {
		char *p = buf + 16 * PAGE - k * 1000;
		ssize_t n = pread(f.fd, p, 16 * PAGE + 500, 3000);

		if (n != (ssize_t)k * 1000)
			fail("%zu bytes of the buffer are there: %zd", k * 1000, n);
		else if (memcmp(p, f.want + 3000, n))
			fail("%zu bytes of the buffer are there: wrong ones", k * 1000);
	}
	drop_file(&f);
}

/* SH-05: memory that is broken */
static sigjmp_buf jump;

static void on_sigbus(int sig)
{
	siglongjmp(jump, sig);
}

static volatile sig_atomic_t killed;

static void on_kill(int sig)
{
	killed = sig;
}

/*
 * A page of @f goes bad.  A folio that somebody else holds cannot be split: it stays
 * whole, with a bad page in it, and madvise() says EHWPOISON.  True if that is so.
 */
static bool break_page(struct file *f, size_t page)
{
	if (!madvise(f->map + page * PAGE, PAGE, MADV_HWPOISON) || errno == EBUSY)
		return false;
	if (errno != EHWPOISON)
		fail("MADV_HWPOISON: %s", strerror(errno));
	return true;
}

static void case_poison(int which)
{
	static const size_t pages[] = { 0, 256, 511 };
	bool pin = which >= 3, whole;
	size_t k = pages[which % 3], bad = k * PAGE, i;
	struct file f = new_file(2 * PMD);
	static const size_t sizes[] = { PAGE, 4 * PAGE, 65536, 1 << 20, 4 << 20 };
	struct sigaction sa = { .sa_handler = on_kill };
	volatile size_t touched = 0;
	int p[2];

	put(&f, 0, f.size, 1);
	/* fault it in, as a huge page if it is one */
	touched += f.map[bad];
	must(!pipe(p));
	if (pin) {
		loff_t at = ((k + 5) & 511) * PAGE;

		/* a reference to it, in a pipe */
		must(splice(f.fd, &at, p[1], NULL, PAGE, 0) == (ssize_t)PAGE);
	}
	must(!sigaction(SIGBUS, &sa, NULL));
	whole = break_page(&f, k);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		size_t pos = 0, eio = 0, cut = 0;

		/* a read that comes to it ends there; one that starts there fails */
		while (pos < f.size) {
			ssize_t n = pread(f.fd, room, sizes[i], pos);
			size_t want = f.size - pos < sizes[i] ? f.size - pos : sizes[i];

			if (pos <= bad && pos + want > bad && pos != bad) {
				want = bad - pos;
				cut++;
			}
			if (pos == bad) {
				if (n != -1 || errno != EIO)
					fail("%zu at the page: %zd", sizes[i], n);
				eio++;
				pos += PAGE;
				continue;
			}
			if (n != (ssize_t)want) {
				fail("%zu at page %zu, the bad one is %zu: %zd, not %zu (%s)",
				     sizes[i], pos / PAGE, k, n, want,
				     n < 0 ? strerror(errno) : "short or long");
				break;
			}
			if (memcmp(room, f.want + pos, n))
				fail("%zu at page %zu: wrong bytes", sizes[i], pos / PAGE);
			pos += n;
		}
		if (eio != 1)
			fail("%zu: %zu times EIO", sizes[i], eio);
	}
	/* a splice ends there, too */
	if (bad) {
		loff_t at = bad - PAGE;
		int q[2];
		ssize_t n;

		must(!pipe(q));
		n = splice(f.fd, &at, q[1], NULL, 4 * PAGE, 0);
		if (n != (ssize_t)PAGE)
			fail("splice up to it: %zd", n);
		n = splice(f.fd, &at, q[1], NULL, 4 * PAGE, 0);
		if (n != -1 || errno != EIO)
			fail("splice of it: %zd", n);
		close(q[0]);
		close(q[1]);
	}
	/* of a folio that is whole the kernel leaves the mapping in place */
	if (whole)
		must(!madvise(f.map, f.size, MADV_DONTNEED));
	sa.sa_handler = on_sigbus;
	sa.sa_flags = SA_NODEFER;
	must(!sigaction(SIGBUS, &sa, NULL));
	if (!sigsetjmp(jump, 1)) {
		touched += f.map[bad];
		fail("a mapped access to it went through");
	}
	close(p[0]);
	close(p[1]);
	/* the file without it is a file as any other */
	punch(&f, bad & ~(PMD - 1), PMD);
	compare(&f, &ways[0], f.size, 0);
	drop_file(&f);
}

/* A read that is stopped at page @k of its buffer, in the middle of a copy */
struct paused {
	struct file *f;
	char *buf;
	size_t pages;
	off_t pos;
	int uffd;
	ssize_t n;
	int err;
	bool splice;
};

static void *paused_read(void *arg)
{
	struct paused *p = arg;

	p->n = pread(p->f->fd, p->buf, p->pages * PAGE, p->pos);
	p->err = errno;
	return NULL;
}

static int open_uffd(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);

	must(fd >= 0);
	must(!ioctl(fd, UFFDIO_API, &api));
	return fd;
}

static void pause_read(struct paused *p, pthread_t *t, size_t k)
{
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct pollfd pfd;
	struct uffd_msg msg;

	p->buf = mmap(NULL, p->pages * PAGE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	must(p->buf != MAP_FAILED);
	madvise(p->buf, p->pages * PAGE, MADV_NOHUGEPAGE);
	p->uffd = open_uffd();
	reg.range.start = (uintptr_t)p->buf + k * PAGE;
	reg.range.len = PAGE;
	must(!ioctl(p->uffd, UFFDIO_REGISTER, &reg));
	must(!pthread_create(t, NULL, paused_read, p));
	pfd.fd = p->uffd;
	pfd.events = POLLIN;
	must(poll(&pfd, 1, 20000) == 1 && pfd.revents == POLLIN);
	must(read(p->uffd, &msg, sizeof(msg)) == sizeof(msg));
	must(msg.event == UFFD_EVENT_PAGEFAULT);
}

static void go_on(struct paused *p, pthread_t t, size_t k)
{
	struct uffdio_zeropage zero = {
		.range = { (uintptr_t)p->buf + k * PAGE, PAGE },
	};

	must(!ioctl(p->uffd, UFFDIO_ZEROPAGE, &zero));
	must(!pthread_join(t, NULL));
	close(p->uffd);
}

/* Which of the states that there were is a page in?  Bits: 1 old, 2 new, 4 zero */
static int state(const char *page, size_t len, size_t pos, uint64_t old, uint64_t new)
{
	static char want[PAGE];
	int s = 0;

	memset(want, 0, PAGE);
	if (!memcmp(page, want, len))
		s |= 4;
	pattern_fill(want, PAGE, pos, old);
	if (!memcmp(page, want, len))
		s |= 1;
	pattern_fill(want, PAGE, pos, new);
	if (!memcmp(page, want, len))
		s |= 2;
	return s;
}

enum meanwhile {
	TRUNCATE, SHRINK_AND_GROW, REWRITE, APPEND_TO_HOLE, PUNCH, WRITE_HOLE,
	FIRST_WRITES, SWAP_OUT, COLLAPSE, SPLIT, ORDER_HOLE, ORDER_FALLOCATED,
	OVERWRITE, POISON, COMPACT,
	NR_MEANWHILE
};

static const char * const meanwhile_names[NR_MEANWHILE] = {
	[TRUNCATE] = "the file is truncated",
	[SHRINK_AND_GROW] = "the file is truncated and grows again",
	[REWRITE] = "the file is truncated and written anew",
	[APPEND_TO_HOLE] = "data is appended behind the hole that is read",
	[PUNCH] = "a hole is punched",
	[WRITE_HOLE] = "the hole that is read is written to",
	[FIRST_WRITES] = "SH-09 what was fallocated is written for the first time",
	[SWAP_OUT] = "SH-09 the file is swapped out",
	[COLLAPSE] = "SH-07 the file is collapsed to huge pages",
	[SPLIT] = "SH-09 its huge pages are split",
	[ORDER_HOLE] = "first the hole is written to, then the data before it",
	[ORDER_FALLOCATED] = "first what was fallocated is written, then the data before it",
	[OVERWRITE] = "the file is written over",
	[POISON] = "SH-05 a page that comes later goes bad",
	[COMPACT] = "memory is compacted",
};

static void write_to(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	must(fd >= 0);
	must(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
}

#define RACE_PAGES	40UL

static void case_meanwhile(int what)
{
	static const size_t pauses[] = { 2, 9, 30 };
	size_t x, i;

	for (x = 0; x < ARRAY_SIZE(pauses); x++) {
		size_t k = pauses[x], size = PMD, n_pages, bad = 0;
		bool whole = false;
		struct paused p = { .pages = RACE_PAGES, .pos = 0 };
		struct file f;
		int allowed = 1, s, seen = 0, first_new = 0;
		pthread_t t;
		char split[64];

		if (what == APPEND_TO_HOLE)
			size = 35 * PAGE + 100;
		f = new_file(size);
		p.f = &f;
		switch (what) {
		case APPEND_TO_HOLE:
		case WRITE_HOLE:
			allowed = 4 | 2;
			break;
		case FIRST_WRITES:
			must(!fallocate(f.fd, 0, 0, size));
			allowed = 4 | 2;
			break;
		case ORDER_HOLE:
		case ORDER_FALLOCATED:
			put(&f, 0, (k + 5) * PAGE, 1);
			if (what == ORDER_FALLOCATED)
				must(!fallocate(f.fd, 0, 0, size));
			allowed = 4 | 2 | 1;
			break;
		default:
			put(&f, 0, size, 1);
		}
		pause_read(&p, &t, k);
		switch (what) {
		case TRUNCATE:
			must(!ftruncate(f.fd, 0));
			allowed = 1 | 4;
			break;
		case SHRINK_AND_GROW:
			must(!ftruncate(f.fd, 3 * PAGE + 7));
			must(!ftruncate(f.fd, size));
			allowed = 1 | 4;
			break;
		case REWRITE:
			must(!ftruncate(f.fd, 0));
			put(&f, 0, size, 2);
			allowed = 1 | 2 | 4;
			break;
		case APPEND_TO_HOLE: {
			char *more = calloc(1, 40 * PAGE);

			must(more);
			pattern_fill(more, 40 * PAGE, 0, 2);
			must(pwrite(f.fd, more + size, 40 * PAGE - size, size) ==
			     (ssize_t)(40 * PAGE - size));
			free(more);
			break;
		}
		case PUNCH:
			punch(&f, 0, RACE_PAGES * PAGE);
			allowed = 1 | 4;
			break;
		case WRITE_HOLE:
		case FIRST_WRITES:
			put(&f, 0, RACE_PAGES * PAGE, 2);
			break;
		case OVERWRITE:
			put(&f, 0, RACE_PAGES * PAGE, 2);
			allowed = 1 | 2;
			break;
		case SWAP_OUT:
			/* a huge folio that the reader holds cannot go: either way */
			if (!try_swap_out(&f, 0, size) && !strcmp(huge, "never"))
				fail("nothing went to swap");
			break;
		case COLLAPSE:
			/* what the reader holds cannot be collapsed: either way */
			madvise(f.map, size, MADV_COLLAPSE);
			break;
		case SPLIT:
			snprintf(split, sizeof(split), "%s,0x%lx,0x%lx", NAME, 0UL,
				 size / PAGE);
			write_to("/sys/kernel/debug/split_huge_pages", split);
			break;
		case COMPACT:
			write_to("/proc/sys/vm/compact_memory", "1");
			break;
		case ORDER_HOLE:
		case ORDER_FALLOCATED:
			put(&f, (k + 8) * PAGE, PAGE, 2);
			put(&f, (k + 3) * PAGE, PAGE, 2);
			break;
		case POISON: {
			struct sigaction sa = { .sa_handler = on_kill };

			must(!sigaction(SIGBUS, &sa, NULL));
			bad = k + 4;
			whole = break_page(&f, bad);
			break;
		}
		}
		go_on(&p, t, k);
		if (p.n < 0) {
			fail("stopped at page %zu: %s", k, strerror(p.err));
			continue;
		}
		/* a folio that is being copied is not looked at once more */
		if (what == POISON && p.n != (ssize_t)(bad * PAGE) &&
		    !(whole && p.n == (ssize_t)(RACE_PAGES * PAGE)))
			fail("stopped at page %zu: %zd bytes, and page %zu is bad", k,
			     p.n, bad);
		else if (what == TRUNCATE && p.n < (ssize_t)(k * PAGE))
			fail("stopped at page %zu: only %zd bytes", k, p.n);
		else if (what != TRUNCATE && what != POISON && what != APPEND_TO_HOLE &&
			 p.n != (ssize_t)(RACE_PAGES * PAGE))
			fail("stopped at page %zu: %zd bytes", k, p.n);
		n_pages = (p.n + PAGE - 1) / PAGE;
		for (i = 0; i < n_pages; i++) {
			size_t len = p.n - i * PAGE < PAGE ? p.n - i * PAGE : PAGE;
			char *page = p.buf + i * PAGE;

			/* one that was changed while it was copied is in between */
			if (i == k && allowed != 1)
				continue;
			if (what == APPEND_TO_HOLE && i == size / PAGE) {
				/* the old end is in this page */
				char want[PAGE];

				pattern_fill(want, PAGE, i * PAGE, 2);
				memset(want, 0, size % PAGE);
				if (memcmp(page, want, len))
					fail("stopped at page %zu: wrong bytes where data was appended, of %zd",
					     k, p.n);
				continue;
			}
			s = state(page, len, i * PAGE, 1, 2);
			if (what == APPEND_TO_HOLE && i > size / PAGE)
				s &= 2;
			if (what == SHRINK_AND_GROW && i == 3)
				s |= 4;	/* in the middle */
			if (!(s & allowed))
				fail("stopped at page %zu: page %zu is neither as it was nor as it became: %#x",
				     k, i, (unsigned char)*page);
			seen |= s;
			if (i == k + 3 && s & 2)
				first_new = 1;
			if (i == k + 8 && first_new && !(s & 2))
				fail("stopped at page %zu: what was written last was read, what was written before that was not",
				     k);
		}
		printf("# %s: stopped at page %zu: %zd bytes, saw%s%s%s\n",
		       running, k, p.n, (seen & 1) ? " old" : "",
		       (seen & 2) ? " new" : "", (seen & 4) ? " zeroes" : "");
		munmap(p.buf, p.pages * PAGE);
		/* and then, of course, as it is */
		if (what == WRITE_HOLE || what == FIRST_WRITES || what == OVERWRITE ||
		    what == REWRITE || what == SWAP_OUT || what == COLLAPSE ||
		    what == SPLIT || what == PUNCH || what == COMPACT)
			compare(&f, &ways[0], f.size, 0);
		if (what == POISON) {
			ssize_t n = pread(f.fd, room, RACE_PAGES * PAGE, 0);

			if (n != (ssize_t)(bad * PAGE))
				fail("page %zu is bad, a read after that: %zd", bad, n);
			punch(&f, 0, size);
		}
		drop_file(&f);
	}
}

/* Stores to a mapping are seen by read, and by splice */
static void case_mapped(int unused __attribute__((unused)))
{
	struct file f = new_file(SIZE);
	size_t i;

	for (i = 0; i < f.size / PAGE; i += 3) {
		pattern_fill(f.map + i * PAGE, PAGE, i * PAGE, 7);
		memcpy(f.want + i * PAGE, f.map + i * PAGE, PAGE);
	}
	for (i = 0; i < ARRAY_SIZE(ways); i++)
		compare_all(&f, &ways[i]);
	drop_file(&f);
}

/* SH-07: a registered range; a read is no fault of it, and fills nothing */
static void case_uffd(int unused __attribute__((unused)))
{
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct file f = new_file(2 * PMD);
	struct stat before, after;
	struct pollfd pfd;
	size_t i;
	int fd = open_uffd();

	for (i = 0; i < f.size / PAGE; i += 5)
		put(&f, i * PAGE, PAGE, 8);
	/* what that has made huge is a hole again */
	punch(&f, PAGE, PMD - PAGE);
	must(!fstat(f.fd, &before));
	reg.range.start = (uintptr_t)f.map;
	reg.range.len = f.size;
	must(!ioctl(fd, UFFDIO_REGISTER, &reg));
	for (i = 0; i < ARRAY_SIZE(ways) - 1; i++)
		compare_all(&f, &ways[i]);
	if (!madvise(f.map, PMD, MADV_COLLAPSE))
		fail("a range with holes was collapsed, though they are waited for");
	for (i = 0; i < ARRAY_SIZE(ways) - 1; i++)
		compare_all(&f, &ways[i]);
	must(!fstat(f.fd, &after));
	if (after.st_blocks > before.st_blocks)
		fail("%ld blocks became %ld", (long)before.st_blocks, (long)after.st_blocks);
	pfd.fd = fd;
	pfd.events = POLLIN;
	if (poll(&pfd, 1, 0))
		fail("a read was told to userfaultfd");
	close(fd);
	drop_file(&f);
}

/* SH-07: readers, while small pages are collapsed, split, and collapsed again */
static void case_collapse(int unused __attribute__((unused)))
{
	struct file f = new_file(SIZE);
	int i, collapsed = 0;
	char split[64];

	for (i = 0; i < 64; i++)
		put(&f, i * 8 * PAGE, PAGE * (1 + i % 8), 9);
	for (i = 0; i < 4; i++) {
		collapsed += !madvise(f.map, PMD, MADV_COLLAPSE);
		compare_all(&f, &ways[0]);
		snprintf(split, sizeof(split), "%s,0x%lx,0x%lx", NAME, 0UL, SIZE / PAGE);
		write_to("/sys/kernel/debug/split_huge_pages", split);
		compare_all(&f, &ways[0]);
	}
	is("collapsed %d times", collapsed);
	drop_file(&f);
}

/* As much as there is to ask for, and as far as a file goes */
static void case_limits(int unused __attribute__((unused)))
{
	const off_t max = LLONG_MAX;
	struct iovec iov[1024];
	struct file f;
	ssize_t n;
	size_t i;
	char *buf = mmap(NULL, PMD, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	must(buf != MAP_FAILED);
	f = new_file(PMD);
	must(!ftruncate(f.fd, 4LL << 30));
	put(&f, 5 * PAGE, 3 * PAGE, 1);
	memset(buf, 0xa5, PMD);
	for (i = 0; i < 1024; i++) {
		iov[i].iov_base = buf;
		iov[i].iov_len = PMD;
	}
	/* 2 GiB, of which 2 GiB - 4 KiB are given; of the last, in this buffer */
	n = preadv(f.fd, iov, 1024, 4 * PAGE + 1);
	if (n != INT_MAX - (ssize_t)PAGE + 1)
		fail("2 GiB: %zd", n);
	for (i = 0; i < PMD - PAGE && !buf[i]; i++)
		;
	if (i != PMD - PAGE)
		fail("2 GiB: byte %zu is %#x", i, (unsigned char)buf[i]);
	n = pread(f.fd, buf, PMD, (4LL << 30) - 3 * PAGE - 5);
	if (n != 3 * (ssize_t)PAGE + 5)
		fail("at 4 GiB: %zd", n);
	must(!ftruncate(f.fd, max));
	for (i = 0; i < 20; i++) {
		off_t pos = max - i * 1777;

		n = pread(f.fd, buf, max - pos < (off_t)PMD ? max - pos : (off_t)PMD, pos);
		if (n != (ssize_t)(max - pos))
			fail("%zu bytes before the largest offset: %zd (%s)", i * 1777,
			     n, strerror(errno));
		n = pread(f.fd, buf, PMD, pos);
		if (n != -1 || errno != EINVAL)
			fail("past the largest offset: %zd (%s)", n, strerror(errno));
	}
	/* data in the last page but one, and a hole before it */
	must(pwrite(f.fd, "mm-read", 7, max - 2 * PAGE) == 7);
	memset(buf, 0xa5, PMD);
	n = pread(f.fd, buf, PMD, max - PMD);
	if (n != (ssize_t)PMD)
		fail("the last 2 MiB: %zd (%s)", n, strerror(errno));
	else if (memcmp(buf + PMD - 2 * PAGE, "mm-read", 7))
		fail("the last 2 MiB: the data is not there");
	for (i = 0; i < PMD; i++)
		if (buf[i] && (i < PMD - 2 * PAGE || i >= PMD - 2 * PAGE + 7)) {
			fail("the last 2 MiB: byte %zu is %#x", i, (unsigned char)buf[i]);
			break;
		}
	n = pread(f.fd, buf, PAGE, max);
	is("4 KiB at the largest offset: %zd", n);
	must(!ftruncate(f.fd, PMD));
	drop_file(&f);
}

/* SH-03: polled io_uring: the data, or a refusal */
static void case_iopoll(int unused __attribute__((unused)))
{
	struct file f = new_file(SIZE);
	struct uring ring = { 0 };
	ssize_t n;
	size_t i;

	put(&f, 0, f.size / 2, 1);
	must(!uring_open(&ring, 4, IORING_SETUP_IOPOLL));
	for (i = 0; i < 2; i++) {
		int fd = open(NAME, O_RDONLY | (i ? O_DIRECT : 0));

		must(fd >= 0);
		memset(room, 0xa5, SIZE);
		n = uring_read(&ring, fd, room, SIZE, 0);
		if (n < 0) {
			is("%s: refused with %s", i ? "O_DIRECT" : "buffered", strerror(errno));
		} else {
			is("%s: %zd", i ? "O_DIRECT" : "buffered", n);
			if (memcmp(room, f.want, n))
				fail("wrong bytes");
		}
		close(fd);
	}
	drop_file(&f);
}

/* SH-08: which pages behind the end can be touched */
static void case_sigbus(int unused __attribute__((unused)))
{
	static const size_t sizes[] = { 1, PAGE, PAGE + 1, PMD - PAGE, PMD + 1 };
	static const size_t pages[] = { 0, 1, 2, 511, 512, 513, 1023 };
	struct sigaction sa = { .sa_handler = on_sigbus, .sa_flags = SA_NODEFER };
	struct file f;
	size_t i, j;

	must(!sigaction(SIGBUS, &sa, NULL));
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		char row[ARRAY_SIZE(pages) + 1] = "";

		f = new_file(2 * PMD);
		put(&f, 0, 2 * PMD, 1);
		must(!ftruncate(f.fd, sizes[i]));
		for (j = 0; j < ARRAY_SIZE(pages); j++) {
			if (sigsetjmp(jump, 1)) {
				row[j] = 'B';
				continue;
			}
			row[j] = *(volatile char *)(f.map + pages[j] * PAGE + PAGE - 1) ? 'd' : 'z';
		}
		is("size %zu, pages 0 1 2 511 512 513 1023: %s", sizes[i], row);
		if (pread(f.fd, room, PAGE, sizes[i]) != 0)
			fail("size %zu: a read from the end", sizes[i]);
		f.size = sizes[i];
		compare(&f, &ways[0], ROOM - PAGE, 0);
		f.size = 2 * PMD;
		drop_file(&f);
	}
}

/* SH-14: what was stored behind the end through a mapping */
static void case_behind_end(int unused __attribute__((unused)))
{
	static const char * const how[] = { "ftruncate", "pwrite", "fallocate" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(how); i++) {
		struct file f = new_file(3);
		char *map = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, f.fd, 0);
		ssize_t n;

		must(map != MAP_FAILED);
		must(pwrite(f.fd, "abc", 3, 0) == 3);
		memset(map + 100, 'x', 10);
		n = pread(f.fd, room, ROOM, 0);
		if (n != 3)
			fail("%zd bytes of 3", n);
		n = pread(f.fd, room, ROOM, 3);
		if (n)
			fail("%zd bytes from the end", n);
		if (i == 0)
			must(!ftruncate(f.fd, PAGE));
		else if (i == 1)
			must(pwrite(f.fd, "d", 1, 8 * PAGE - 1) == 1);
		else
			must(!fallocate(f.fd, 0, 0, 8 * PAGE));
		n = pread(f.fd, room, ROOM, 0);
		is("grown by %s: %zd bytes, at 100: %s", how[i], n,
		   room[100] == 'x' ? "what was stored" : "zeroes");
		munmap(map, PAGE);
		drop_file(&f);
	}
}

/* SH-11: copied by SEEK_DATA and SEEK_HOLE, it is the same file */
static void case_seek(int unused __attribute__((unused)))
{
	struct file f = new_file(SIZE);
	unsigned int x = 12345;
	int i;

	put(&f, 0, f.size, 1);
	for (i = 0; i < 40; i++) {
		size_t pos, len;
		off_t at = 0, end;

		x = x * 1103515245 + 12345;
		pos = (x >> 8) % (f.size - 1);
		len = 1 + (x >> 4) % 70000;
		if (len > f.size - pos)
			len = f.size - pos;
		if (i % 3)
			punch(&f, pos, len);
		else
			put(&f, pos, len, i);
		if (i % 4 == 0)
			compare(&f, &ways[i / 4 % (ARRAY_SIZE(ways) - 1)], f.size, 0);
		memset(room, 0, f.size);
		while ((at = lseek(f.fd, at, SEEK_DATA)) >= 0) {
			end = lseek(f.fd, at, SEEK_HOLE);
			must(end > at);
			must(pread(f.fd, room + at, end - at, at) == end - at);
			at = end;
		}
		if (memcmp(room, f.want, f.size))
			fail("after %d: a copy by SEEK_DATA differs", i);
	}
	drop_file(&f);
}

/* SH-17: no room at the very first page; what there is stays */
static void case_undo(int unused __attribute__((unused)))
{
	struct file f = new_file(SIZE);
	struct file g = { .fd = -1 };
	ssize_t n = 0;

	put(&f, 0, f.size, 1);
	punch(&f, 0, 8 * PAGE);
	punch(&f, PMD, 8 * PAGE);
	g.fd = open(MNT "/full", O_RDWR | O_CREAT, 0600);
	must(g.fd >= 0);
	do
		n = write(g.fd, f.want + 100 * PAGE, PAGE);
	while (n > 0);
	must(errno == ENOSPC);
	if (!fallocate(f.fd, 0, 0, 3 * PMD) || errno != ENOSPC)
		fail("fallocate: %s, not ENOSPC", strerror(errno));
	compare_all(&f, &ways[0]);
	if (!fallocate(f.fd, 0, PMD, PMD) || errno != ENOSPC)
		fail("fallocate: %s, not ENOSPC", strerror(errno));
	compare_all(&f, &ways[0]);
	close(g.fd);
	unlink(MNT "/full");
	must(!fallocate(f.fd, 0, 0, f.size));
	compare_all(&f, &ways[0]);
	drop_file(&f);
}

/* Seals change nothing for a reader */
static void case_seals(int unused __attribute__((unused)))
{
	struct file f = new_file(SIZE);
	int fd = f.fd;
	size_t i;

	f.fd = memfd_create("sealed", MFD_ALLOW_SEALING);
	must(f.fd >= 0);
	must(!ftruncate(f.fd, f.size));
	put(&f, 0, PMD / 2, 1);
	must(!fallocate(f.fd, 0, PMD / 2, PMD / 4));
	for (i = 0; fcntl(f.fd, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_WRITE); i++) {
		/* pages are held for a moment by who moves them */
		must(errno == EBUSY && i < 100);
		usleep(100000);
	}
	if (pwrite(f.fd, "x", 1, 0) != -1 || errno != EPERM)
		fail("a write to a sealed file: %s", strerror(errno));
	for (i = 0; i < ARRAY_SIZE(ways) - 1; i++)
		/* it has no name to open, and is on another mount */
		if (ways[i].get != by_direct && ways[i].get != by_copy_range)
			compare_all(&f, &ways[i]);
	close(f.fd);
	f.fd = fd;
	drop_file(&f);
}

static int nr_case, nr_failed;
static const char *only;
static bool until_failed;

static void run(void (*fn)(int), int arg, const char *name)
{
	struct timespec t0, t1;
	int status;
	pid_t pid;

	snprintf(running, sizeof(running), "huge=%s: %s", huge, name);
	if ((only && !strstr(running, only)) || (until_failed && nr_failed))
		return;
	clock_gettime(CLOCK_MONOTONIC, &t0);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		alarm(100);
		fn(arg);
		fflush(stdout);
		_exit(failed);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		status = -1;
	clock_gettime(CLOCK_MONOTONIC, &t1);
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		printf("# %s: it hangs\n", running);
	else if (WIFSIGNALED(status))
		printf("# %s: ended by signal %d\n", running, WTERMSIG(status));
	nr_failed += !!status;
	/* the time is last, and behind a #, so that two kernels can be compared */
	printf("%s %d - %s # %ld ms\n", status ? "not ok" : "ok", ++nr_case, running,
	       (t1.tv_sec - t0.tv_sec) * 1000 + (t1.tv_nsec - t0.tv_nsec) / 1000000);
	unlink(NAME);
	unlink(MNT "/full");
}

static long read_number(const char *path)
{
	FILE *f = fopen(path, "r");
	long n = -1;

	must(f && fscanf(f, "%ld", &n) == 1);
	fclose(f);
	return n;
}

#define KHUGEPAGED	"/sys/kernel/mm/transparent_hugepage/khugepaged/"

/*
 * khugepaged collapses what a case has punched whenever it comes to it, and fills
 * the holes.  It has to sleep for as long as the cases take; the time that it is to
 * sleep for it takes up at the end of a scan, of which there is one as long as there
 * is a process to scan: this one.  MADV_COLLAPSE does not need it.
 */
static void stop_khugepaged(void)
{
	char *at = mmap(NULL, 2 * PMD, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long scans;
	int i;

	must(at != MAP_FAILED);
	at = (char *)(((uintptr_t)at + PMD - 1) & ~(PMD - 1));
	must(!madvise(at, PMD, MADV_HUGEPAGE));
	/* a fault, or nobody is told of the process */
	*at = 1;
	/* or the scan ends, for this time, before the process does */
	write_to(KHUGEPAGED "pages_to_scan", "1000000");
	scans = read_number(KHUGEPAGED "full_scans");
	/* more than an int is for ever; this wakes it */
	write_to(KHUGEPAGED "scan_sleep_millisecs", "4000000000");
	for (i = 0; read_number(KHUGEPAGED "full_scans") < scans + 1; i++) {
		must(i < 600);
		usleep(100000);
	}
	/* it may go round a second time */
	usleep(500000);
}

static void setup(void)
{
	int fd;

	mkdir(MNT, 0755);
	stop_khugepaged();
	/* swap is a RAM disk, with the header that mkswap makes */
	fd = open("/dev/ram0", O_RDWR);
	must(fd >= 0);
	{
		uint64_t bytes;
		uint32_t h[PAGE / 4] = { 0 };

		must(!ioctl(fd, BLKGETSIZE64, &bytes));
		h[256] = 1;
		h[257] = bytes / PAGE - 1;
		memcpy((char *)h + PAGE - 10, "SWAPSPACE2", 10);
		must(pwrite(fd, h, PAGE, 0) == (ssize_t)PAGE);
		must(!fsync(fd));
		close(fd);
	}
	must(!swapon("/dev/ram0", 0));
	room = mmap(NULL, ROOM + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	must(room != MAP_FAILED);
}

int main(int argc, char **argv)
{
	static const char * const poison[] = {
		"SH-05 the first page of 512 is bad", "SH-05 the middle one", "SH-05 the last one",
		"SH-05 the first of a folio that is held", "SH-05 the middle one, held",
		"SH-05 the last one, held",
	};
	char name[120], options[64];
	size_t m;
	int i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	until_failed = argc > 1 && !strcmp(argv[1], "-1");
	only = argc > 1 + until_failed ? argv[1 + until_failed] : NULL;
	huge = "";
	strcpy(running, "set-up");
	setup();
	for (m = 0; m < ARRAY_SIZE(huge_modes); m++) {
		huge = huge_modes[m];
		snprintf(options, sizeof(options), "size=64M,huge=%s", huge);
		must(!mount("tmpfs", MNT, "tmpfs", 0, options));
		write_to("/sys/kernel/mm/transparent_hugepage/shmem_enabled", huge);
		for (i = 0; i < NR_CONTENT; i++)
			run(case_content, i, content_names[i]);
		run(case_mapped, 0, "stored through a mapping");
		run(case_pipes, 0, "SH-02 a hole through pipes of all sizes");
		for (i = 0; i < NR_CONTENT; i++) {
			snprintf(name, sizeof(name), "SH-15 a bad page in the buffer: %s",
				 content_names[i]);
			run(case_bad_page, i, name);
		}
		for (i = 0; i < NR_MEANWHILE; i++) {
			snprintf(name, sizeof(name), "in the middle of a read %s",
				 meanwhile_names[i]);
			run(case_meanwhile, i, name);
		}
		run(case_uffd, 0, "SH-07 userfaultfd is not told of reads");
		run(case_collapse, 0, "SH-07 collapsed and split, over and over");
		run(case_seek, 0, "SH-11 punched at random, copied by SEEK_DATA");
		run(case_iopoll, 0, "SH-03 polled io_uring");
		run(case_sigbus, 0, "SH-08 touched behind the end");
		run(case_behind_end, 0, "SH-14 stored behind the end");
		run(case_undo, 0, "SH-17 fallocate without room");
		run(case_seals, 0, "a sealed memfd");
		for (i = 0; i < (int)ARRAY_SIZE(poison); i++)
			run(case_poison, i, poison[i]);
		/* holes, and a buffer of 2 MiB: the same everywhere */
		if (!m)
			run(case_limits, 0, "2 GiB at once, and the largest offset");
		for (i = 0; umount(MNT); i++) {
			must(errno == EBUSY && i < 100);
			usleep(100000);
		}
	}
	printf("1..%d\n", nr_case);
	printf("%d passed, %d failed\n", nr_case - nr_failed, nr_failed);
	return nr_failed || !nr_case;
}
