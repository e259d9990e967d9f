// SPDX-License-Identifier: GPL-2.0
/*
 * shmem-stress.c - reads of tmpfs files that everything is done to meanwhile
 *
 * Run in a guest by "lab exec": shmem-stress SECONDS SEED, a quarter of the time
 * with each huge= mode.  Exits with 1 if a reader got what it may not get, if
 * something took longer than LIMIT_S, or if a kind of operation never happened.
 *
 * A file is made of granules of 256 bytes, and each word of a granule holds the
 * file, its place and a sequence number of the granule; a change of any kind is
 * such a number, which is noted before the change is begun and after it is done.
 * So what a reader may see is known without a lock: nothing older than what was
 * done before it began, nothing newer than what was begun when it ended.
 *
 * A granule has data, or is zero, or is behind the end of the file.  Zeroes where
 * there never were any, of data that was appended meanwhile, are counted apart:
 * the stock kernel looks up a hole first and reads i_size afterwards.
 *
 * So is free memory that is seen through a mapping: in 100 runs of 40 s the stock
 * kernel had it in one, with huge=always, and the patched one in two.  Why is not
 * known.  By any other way it is a failure.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/uio.h>

#include "uring.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define PAGE		4096UL
#define PMD		(2UL << 20)
#define GRAIN		256UL
#define FILES		3
#define MAX_SIZE	(PMD + PMD / 4)		/* one huge page, and small ones */
#define GRAINS		(MAX_SIZE / GRAIN)
#define SIZES		65536UL			/* the last sizes of a file */
#define MNT		"/t"
#define FS_SIZE		"16M"			/* full, now and then */
#define LIMIT_S		60
#define POISON		0xaaaaaaaaaaaaaaaaULL	/* free memory, with page_poison=1 */
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE	25
#endif

static const char * const modes[] = { "never", "always", "within_size", "advise" };

/* What is done, and counted */
enum what {
	PREAD, NOWAIT, SPLICE, SENDFILE, URING, MMAP, DIRECT, NR_READS,
	WRITE = NR_READS, STORE, APPEND, EXTEND, TRUNCATE, PUNCH, FALLOCATE, NO_ROOM,
	PAGEOUT, COLLAPSE, SPLIT, COMPACT, SEAL,
	NR_OPS
};

static const char * const op_names[NR_OPS] = {
	[PREAD] = "pread", [NOWAIT] = "preadv2 NOWAIT", [SPLICE] = "splice",
	[SENDFILE] = "sendfile", [URING] = "io_uring", [MMAP] = "mmap",
	[DIRECT] = "O_DIRECT", [WRITE] = "write", [STORE] = "store",
	[APPEND] = "append", [EXTEND] = "extend", [TRUNCATE] = "truncate",
	[PUNCH] = "punch", [FALLOCATE] = "fallocate", [NO_ROOM] = "fallocate undone",
	[PAGEOUT] = "swap-out", [COLLAPSE] = "collapse", [SPLIT] = "split",
	[COMPACT] = "compact", [SEAL] = "sealed memfd",
};

static uint64_t counts[NR_OPS], worst[NR_OPS];	/* ns */
static uint64_t bytes_read, torn, zeroes_appended, zeroes_truncated, poison_mapped;
static uint64_t seen_old, seen_new;	/* reads that a change really raced with */
static unsigned int failures;
static volatile bool stop;
static const char *mode = "";

struct file {
	int fd, direct;
	char name[16];
	char *map;
	pthread_mutex_t lock;		/* of those who change it */
	/* by granule: sequence numbers */
	uint32_t begun[GRAINS], done[GRAINS], zero[GRAINS], absent[GRAINS];
	/* and of the file: its sizes */
	uint64_t size, size_begun, size_done;
	uint32_t sizes[SIZES];
} files[FILES];

#define get(x)		__atomic_load_n(&(x), __ATOMIC_ACQUIRE)
#define set(x, v)	__atomic_store_n(&(x), v, __ATOMIC_SEQ_CST)
#define add(x, v)	__atomic_add_fetch(&(x), v, __ATOMIC_RELAXED)

struct thread {
	pthread_t id;
	int nr;
	uint64_t rnd;
	const char *doing;
	uint64_t since;		/* 0: nothing that could hang */
	char *buf;
	uint32_t *lo;
	struct uring ring;
	int pipe[2], to;
	sigjmp_buf jump;
	bool mapped;
};

#define MAX_THREADS	16
static struct thread threads[MAX_THREADS];
static __thread struct thread *self;

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* xorshift */
static uint64_t rnd(uint64_t below)
{
	uint64_t x = self->rnd;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	self->rnd = x;
	return (x >> 11) % below;
}

static void enter(enum what op)
{
	self->doing = op_names[op];
	set(self->since, now());
}

static void leave(enum what op)
{
	uint64_t t = now() - self->since, w = get(worst[op]);

	set(self->since, 0);
	add(counts[op], 1);
	while (t > w && !__atomic_compare_exchange_n(&worst[op], &w, t, false,
						     __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

__attribute__((noreturn)) static void give_up(int line, const char *what)
{
	printf("shmem-stress: huge=%s, line %d: %s: %s\n", mode, line, what, strerror(errno));
	fflush(stdout);
	_exit(2);
}

/* What the stress itself needs; a full tmpfs is no reason to come here. */
#define must(cond) \
	do { \
		if (!(cond)) \
			give_up(__LINE__, #cond); \
	} while (0)

static uint64_t word_of(const struct file *f, uint64_t word, uint32_t seq)
{
	return (uint64_t)(0x51 + (f - files)) << 56 | (uint64_t)(seq & 0xfffffff) << 28 | word;
}

/* Everything below until "done" is with f->lock held. */
enum kind { DATA, ZERO, GONE };

static void begin(struct file *f, uint64_t from, uint64_t to, enum kind kind)
{
	uint64_t g;

	for (g = from / GRAIN; g < to / GRAIN; g++) {
		uint32_t seq = f->begun[g] + 1;

		if (kind == ZERO)
			set(f->zero[g], seq);
		else if (kind == GONE)
			set(f->absent[g], seq);
		set(f->begun[g], seq);
	}
}

static void finish(struct file *f, uint64_t from, uint64_t to)
{
	uint64_t g;

	for (g = from / GRAIN; g < to / GRAIN; g++)
		set(f->done[g], f->begun[g]);
}

static void begin_size(struct file *f, uint64_t size)
{
	f->sizes[(f->size_begun + 1) % SIZES] = size;
	set(f->size_begun, f->size_begun + 1);
	f->size = size;
}

static void finish_size(struct file *f)
{
	set(f->size_done, f->size_begun);
}

static void fill(const struct file *f, char *buf, uint64_t from, uint64_t to)
{
	uint64_t w, *p = (uint64_t *)buf;

	for (w = from / 8; w < to / 8; w++)
		*p++ = word_of(f, w, f->begun[w * 8 / GRAIN]);
}

/*
 * What a change did is not known when it failed half way: make it zeroes, which
 * takes no memory, and the size what it is.
 */
static void make_zero(struct file *f, uint64_t from, uint64_t to)
{
	struct stat st;

	begin(f, from, to, ZERO);
	must(!fallocate(f->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, from, to - from));
	must(!fstat(f->fd, &st));
	if ((uint64_t)st.st_size != f->size) {
		/* a multiple of 256, so that the size does not cut a granule */
		uint64_t size = st.st_size & ~(GRAIN - 1);

		begin_size(f, size);
		must(!ftruncate(f->fd, size));
		if (size < to) {
			uint64_t at = size > from ? size : from;

			begin(f, at, to, GONE);
		}
		finish_size(f);
	}
	finish(f, from, to);
}

/* Readers and writers meet at a place that moves. */
static struct file *some_file(void)
{
	return &files[rnd(2) ? 0 : rnd(FILES)];
}

static uint64_t hot_place(uint64_t below)
{
	uint64_t at = now() / 300000000 * 37 * PAGE % MAX_SIZE;

	if (!below)
		return 0;
	if (rnd(4))
		at += rnd(48 * PAGE);
	else
		at = rnd(MAX_SIZE);
	return at % below;
}

static uint64_t some_length(void)
{
	switch (rnd(4)) {
	case 0:
		return 1 + rnd(PAGE);
	case 1:
		return PAGE * (1 + rnd(16));
	case 2:
		return 1 + rnd(64 * PAGE);
	}
	return 1 + rnd(200 * PAGE);
}

static void change(struct file *f, enum what op)
{
	uint64_t from, to, old = f->size, n;
	char *buf = self->buf;
	ssize_t ret;

	switch (op) {
	case WRITE:
	case STORE:
	case PUNCH:
		if (!old)
			return;
		from = hot_place(old) & ~(GRAIN - 1);
		to = from + ((some_length() / (op == PUNCH ? 1 : 3) + GRAIN) & ~(GRAIN - 1));
		if (to > old)
			to = old;
		break;
	case APPEND:
		/* often right behind the end, sometimes leaving a hole */
		from = old + (rnd(4) ? 0 : rnd(32) * GRAIN * 8);
		to = from + GRAIN * (1 + rnd(100));
		break;
	case EXTEND:
	case FALLOCATE:
		from = old;
		to = old + GRAIN * rnd(1500);
		if (op == FALLOCATE && rnd(2)) {
			from = hot_place(MAX_SIZE) & ~(GRAIN - 1);
			to = from + (some_length() & ~(GRAIN - 1)) + GRAIN;
		}
		break;
	default:
		from = rnd(3) ? old - (old > 40 * PAGE ? rnd(160) * GRAIN : 0) : rnd(MAX_SIZE);
		from &= ~(GRAIN - 1);
		to = MAX_SIZE;
		if (from > old)
			return;
	}
	if (to > MAX_SIZE || from >= to)
		return;
	n = to - from;

	switch (op) {
	case WRITE:
	case APPEND:
		if (op == APPEND) {
			begin_size(f, to);
			begin(f, old, from, ZERO);
		}
		begin(f, from, to, DATA);
		fill(f, buf, from, to);
		enter(op);
		ret = pwrite(f->fd, buf, n, from);
		leave(op);
		if (ret != (ssize_t)n) {
			must(ret >= 0 || errno == ENOSPC);
			make_zero(f, op == APPEND ? old : from, to);
		}
		if (op == APPEND) {
			finish(f, old, from);
			finish_size(f);
		}
		finish(f, from, to);
		break;
	case STORE:
		begin(f, from, to, DATA);
		fill(f, buf, from, to);
		enter(op);
		/* there may be no room for the page of a hole */
		self->mapped = true;
		ret = sigsetjmp(self->jump, 1);
		if (!ret)
			memcpy(f->map + from, buf, n);
		self->mapped = false;
		leave(op);
		if (ret)
			make_zero(f, from, to);
		finish(f, from, to);
		break;
	case PUNCH:
		begin(f, from, to, ZERO);
		enter(op);
		must(!fallocate(f->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, from, n));
		leave(op);
		finish(f, from, to);
		break;
	case EXTEND:
		begin_size(f, to);
		begin(f, old, to, ZERO);
		enter(op);
		must(!ftruncate(f->fd, to));
		leave(op);
		finish(f, old, to);
		finish_size(f);
		break;
	case FALLOCATE:
		/* no byte changes, whether there is room or not */
		if (to > old) {
			begin_size(f, to);
			begin(f, old, to, ZERO);
		}
		enter(op);
		ret = fallocate(f->fd, 0, from, n);
		must(!ret || errno == ENOSPC);
		leave(ret ? NO_ROOM : op);
		if (to > old) {
			if (ret) {
				begin_size(f, old);
				begin(f, old, to, GONE);
			}
			finish(f, old, to);
			finish_size(f);
		}
		break;
	default:
		begin_size(f, from);
		begin(f, from, old, GONE);
		enter(op);
		must(!ftruncate(f->fd, from));
		leave(op);
		finish(f, from, old);
		finish_size(f);
	}
}

static void *changer(void *arg)
{
	/* more that grows than that shrinks, or little would be left to read */
	static const enum what what[] = {
		WRITE, WRITE, WRITE, STORE, STORE, APPEND, APPEND, APPEND, EXTEND,
		TRUNCATE, PUNCH, PUNCH, PUNCH, FALLOCATE, FALLOCATE,
	};

	self = arg;
	while (!stop) {
		struct file *f = some_file();

		pthread_mutex_lock(&f->lock);
		change(f, what[rnd(ARRAY_SIZE(what))]);
		pthread_mutex_unlock(&f->lock);
		if (!rnd(16))
			usleep(rnd(2000));
	}
	return NULL;
}

static void bad(const char *what, const struct file *f, enum what op, uint64_t at,
		uint64_t word, uint32_t lo)
{
	uint64_t g = at / GRAIN;

	if (add(failures, 1) > 20)
		return;
	printf("huge=%s %s: %s: byte %#llx of %s is %#llx: number %u, from %u to %u, zero %u, behind the end %u\n",
	       mode, op_names[op], what, (unsigned long long)at, f->name,
	       (unsigned long long)word, (uint32_t)(word >> 28 & 0xfffffff), lo,
	       g < GRAINS ? get(f->begun[g]) : 0, g < GRAINS ? get(f->zero[g]) : 0,
	       g < GRAINS ? get(f->absent[g]) : 0);
}

/*
 * A word that was copied while it was written: each byte is that of one of the
 * states that there were.  A number's carry is in two bytes, so the number as a
 * whole tells nothing: 15 and 16 make 31.
 */
static bool is_torn(const struct file *f, uint64_t w, uint64_t word, uint32_t lo,
		    uint32_t hi, bool zero)
{
	unsigned int b;
	uint32_t seq;

	if (lo == hi)
		return false;
	for (b = 0; b < 8; b++) {
		unsigned char c = word >> 8 * b;

		if (zero && !c)
			continue;
		for (seq = lo; c != (unsigned char)(word_of(f, w, seq) >> 8 * b); seq++)
			if (seq == hi)
				return false;
	}
	return true;
}

/* What the reader got, @n bytes from @pos on, against what it may get */
static void judge(struct file *f, enum what op, const char *buf, uint64_t pos, uint64_t n)
{
	uint64_t first = pos / GRAIN, at = pos;
	bool old = false, new = false;

	while (at < pos + n) {
		uint64_t g = at / GRAIN, w = at / 8, word;
		uint32_t lo = self->lo[g - first], hi = get(f->begun[g]), seq;

		if (at % 8 || pos + n - at < 8) {
			/* part of a word: the bytes that do not depend on the number */
			unsigned char c = buf[at - pos];
			unsigned int b = at % 8;

			word = word_of(f, w, 0);
			if (op == MMAP && c == (unsigned char)POISON)
				add(poison_mapped, 1);
			else if (c && (b < 3 || b == 7) && c != (unsigned char)(word >> 8 * b))
				bad("foreign byte", f, op, at, c, lo);
			at++;
			continue;
		}
		memcpy(&word, buf + (at - pos), 8);
		seq = word >> 28 & 0xfffffff;
		if (word && (word & ~(0xfffffffULL << 28)) == word_of(f, w, 0) &&
		    seq >= lo && seq <= hi) {
			old |= seq == lo && hi != lo;
			new |= seq != lo;
		} else if (word) {
			bool zero = get(f->zero[g]) >= lo || get(f->absent[g]) >= lo;

			if (op == MMAP && word == POISON) {
				add(poison_mapped, 1);
				at += 8;
				continue;
			}
			if (!is_torn(f, w, word, lo, hi, zero)) {
				bad(seq < lo ? "foreign or stale word" : seq > hi ?
				    "foreign word, or one from the future" :
				    "foreign, lost or repeated word", f, op, at, word, lo);
				return;
			}
			add(torn, 1);
		} else if (get(f->zero[g]) < lo) {
			if (get(f->absent[g]) < lo) {
				bad("zeroes for data", f, op, at, word, lo);
				return;
			}
			/* each is counted by the granule that it begins in */
			if (get(f->absent[g]) == lo)
				add(zeroes_appended, 1);
			else
				add(zeroes_truncated, 1);
			at = (g + 1) * GRAIN;
			continue;
		}
		at += 8;
	}
	if (old)
		add(seen_old, 1);
	if (new)
		add(seen_new, 1);
}

static ssize_t read_pipe(char *buf, ssize_t n)
{
	ssize_t done = 0;

	while (done < n) {
		ssize_t m = read(self->pipe[0], buf + done, n - done);

		must(m > 0);
		done += m;
	}
	return n;
}

static ssize_t do_read(struct file *f, enum what op, char *buf, uint64_t len, uint64_t pos)
{
	struct iovec iov[3] = { { buf, len / 3 }, { buf + len / 3, len / 4 } };
	loff_t at = pos;
	off_t from = pos;
	ssize_t n;

	iov[2].iov_base = buf + len / 3 + len / 4;
	iov[2].iov_len = len - len / 3 - len / 4;
	switch (op) {
	case NOWAIT:
		return preadv2(f->fd, iov, 3, pos, RWF_NOWAIT);
	case SPLICE:
		n = splice(f->fd, &at, self->pipe[1], NULL, len, 0);
		return n > 0 ? read_pipe(buf, n) : n;
	case SENDFILE:
		must(!lseek(self->to, 0, SEEK_SET));
		n = sendfile(self->to, f->fd, &from, len);
		if (n > 0) {
			n = pread(self->to, buf, n, 0);
			must(n > 0);
		}
		must(!ftruncate(self->to, 0));
		return n;
	case URING:
		return uring_read(&self->ring, f->fd, buf, len, pos);
	case DIRECT:
		return pread(f->direct, buf, len, pos);
	case MMAP:
		self->mapped = true;
		n = -1;
		errno = ENXIO;
		if (!sigsetjmp(self->jump, 1)) {
			memcpy(buf, f->map + pos, len);
			n = len;
		}
		self->mapped = false;
		return n;
	default:
		return pread(f->fd, buf, len, pos);
	}
}

static void read_once(void)
{
	struct file *f = some_file();
	enum what op = rnd(NR_READS);
	uint64_t pos = hot_place(MAX_SIZE), len = some_length(), s0, s1, lowest, highest;
	uint64_t g, first, seen;
	ssize_t n;

	/* what goes on at the end of the file is half of it all */
	if (rnd(2)) {
		uint64_t size = get(f->size);

		pos = size > len ? size - rnd(len) : 0;
	}
	if (pos + len > MAX_SIZE)
		len = pos < MAX_SIZE ? MAX_SIZE - pos : 0;
	if (!len)
		return;
	first = pos / GRAIN;
	for (g = first; g * GRAIN < pos + len; g++)
		self->lo[g - first] = get(f->done[g]);
	s0 = get(f->size_done);
	enter(op);
	n = do_read(f, op, self->buf, len, pos);
	leave(op);
	s1 = get(f->size_begun);
	if (n < 0) {
		/* a hole may need a page that there is no room for */
		if ((op == NOWAIT && (errno == EAGAIN || errno == EOPNOTSUPP)) ||
		    (op == MMAP && errno == ENXIO) ||
		    (op == SENDFILE && errno == ENOSPC))
			return;
		if (add(failures, 1) <= 20)
			printf("huge=%s %s: %llu bytes at %#llx: %s\n", mode, op_names[op],
			       (unsigned long long)len, (unsigned long long)pos, strerror(errno));
		return;
	}
	lowest = MAX_SIZE;
	highest = 0;
	for (seen = s0; seen <= s1; seen++) {
		uint64_t size = f->sizes[seen % SIZES];

		if (size < lowest)
			lowest = size;
		if (size > highest)
			highest = size;
	}
	if (op == MMAP) {
		/* a page goes beyond the end, and is zeroes there */
		if (pos >= lowest)
			return;
		if (pos + n > lowest)
			n = lowest - pos;
	} else if (s1 - s0 < SIZES - 100) {
		if (n && pos + n > highest && add(failures, 1) <= 20)
			printf("huge=%s %s: %zd bytes at %#llx, and the file never was larger than %#llx\n",
			       mode, op_names[op], n, (unsigned long long)pos,
			       (unsigned long long)highest);
		/* a pipe holds so much, and a page is refused with NOWAIT */
		if (op != NOWAIT && op != SPLICE && op != SENDFILE &&
		    (uint64_t)n < len && pos + n < lowest && add(failures, 1) <= 20)
			printf("huge=%s %s: only %zd of %llu bytes at %#llx, and the file never was smaller than %#llx\n",
			       mode, op_names[op], n, (unsigned long long)len,
			       (unsigned long long)pos, (unsigned long long)lowest);
	}
	add(bytes_read, n);
	judge(f, op, self->buf, pos, n);
}

static void *reader(void *arg)
{
	self = arg;
	while (!stop)
		read_once();
	return NULL;
}

static void write_to(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0)
		printf("%s: ", path);
	must(fd >= 0);
	/* that nothing could be split is no failure */
	must(write(fd, text, strlen(text)) >= 0 || errno == EBUSY || errno == EINVAL);
	close(fd);
}

/* What moves the data about, and changes none of it */
static void *mover(void *arg)
{
	char text[64];

	self = arg;
	while (!stop) {
		struct file *f = some_file();
		uint64_t from = hot_place(MAX_SIZE) & ~(PAGE - 1), len = some_length();
		int ret;

		if (from + len > MAX_SIZE)
			len = MAX_SIZE - from;
		switch (rnd(16)) {
		case 0 ... 7:
			enter(PAGEOUT);
			madvise(f->map + from, len, MADV_PAGEOUT);
			leave(PAGEOUT);
			break;
		case 8 ... 11:
			enter(COLLAPSE);
			ret = madvise(f->map, PMD, MADV_COLLAPSE);
			leave(COLLAPSE);
			if (ret)
				__atomic_sub_fetch(&counts[COLLAPSE], 1, __ATOMIC_RELAXED);
			break;
		case 12 ... 14:
			snprintf(text, sizeof(text), "%s,0x%llx,0x%llx,%d", f->name, 0ULL,
				 (unsigned long long)(MAX_SIZE / PAGE), rnd(2) ? 0 : (int)rnd(9));
			enter(SPLIT);
			write_to("/sys/kernel/debug/split_huge_pages", text);
			leave(SPLIT);
			break;
		default:
			enter(COMPACT);
			write_to("/proc/sys/vm/compact_memory", "1");
			leave(COMPACT);
			usleep(100000);
		}
		usleep(rnd(3000));
	}
	return NULL;
}

/* Takes the room from the others, and gives it back */
static void *filler(void *arg)
{
	int fd = open(MNT "/full", O_RDWR | O_CREAT | O_TRUNC, 0600);

	self = arg;
	must(fd >= 0);
	while (!stop) {
		uint64_t size = 0;

		while (!stop && !fallocate(fd, 0, size, PMD / 8))
			size += PMD / 8;
		usleep(rnd(60000));
		must(!ftruncate(fd, 0));
		usleep(rnd(120000));
	}
	close(fd);
	return NULL;
}

/*
 * Done, or not yet: pages and files are held for a moment by who moves, collapses
 * or scans them.  What is busy for longer than 10 s is held for ever.
 */
static bool busy(int ret, int tries, const char *what)
{
	if (!ret)
		return false;
	if (errno != EBUSY || tries == 1000)
		give_up(__LINE__, what);
	usleep(10000);
	return true;
}

/* A memfd, filled, sealed, and read by all ways: it is what it was */
static void *sealer(void *arg)
{
	static struct file m;

	self = arg;
	while (!stop) {
		uint64_t size = PAGE * (4 + rnd(160)) + 8 * rnd(500), pos, len, i;
		uint64_t hole = (size / 4) & ~7ULL, end = (size / 2) & ~7ULL;
		int p[2] = { self->pipe[0], self->pipe[1] };
		uint64_t *w = (uint64_t *)self->buf;

		strcpy(m.name, "memfd");
		m.fd = memfd_create("sealed", MFD_ALLOW_SEALING);
		if (m.fd < 0 || ftruncate(m.fd, size))
			must(0);
		for (i = 0; i < size / 8; i++)
			w[i] = 0x6000000000000000ULL | i;
		must(pwrite(m.fd, w, hole, 0) == (ssize_t)hole);
		must(pwrite(m.fd, w + end / 8, size - end, end) == (ssize_t)(size - end));
		for (i = 0; busy(fcntl(m.fd, F_ADD_SEALS,
				       F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK),
				  i, "F_ADD_SEALS"); i++)
			;
		enter(SEAL);
		for (i = 0; i < 8; i++) {
			enum what op = rnd(DIRECT);
			ssize_t n, k;

			pos = rnd(size / 8) * 8;
			len = some_length();
			if (op == MMAP)
				op = PREAD;
			n = do_read(&m, op, self->buf, len, pos);
			if (n < 0 && (op == NOWAIT || (op == SENDFILE && errno == ENOSPC)))
				continue;
			must(n >= 0);
			if (pos + n > size && add(failures, 1) <= 20)
				printf("huge=%s %s: %zd bytes at %#llx of a sealed file of %#llx\n",
				       mode, op_names[op], n, (unsigned long long)pos,
				       (unsigned long long)size);
			for (k = 0; k + 8 <= n; k += 8) {
				uint64_t at = pos + k, want = 0x6000000000000000ULL | at / 8, got;

				if (at >= hole && at < end)
					want = 0;
				memcpy(&got, self->buf + k, 8);
				if (got == want)
					continue;
				if (add(failures, 1) <= 20)
					printf("huge=%s %s: byte %#llx of a sealed file is %#llx, not %#llx\n",
					       mode, op_names[op], (unsigned long long)at,
					       (unsigned long long)got, (unsigned long long)want);
				break;
			}
		}
		leave(SEAL);
		must(p[0] == self->pipe[0]);
		close(m.fd);
		usleep(rnd(5000));
	}
	return NULL;
}

static void on_sigbus(int sig)
{
	if (self && self->mapped)
		siglongjmp(self->jump, sig);
	signal(sig, SIG_DFL);
}

static void start(int *nr, void *(*fn)(void *), uint64_t seed)
{
	struct thread *t = &threads[*nr];

	must(*nr < MAX_THREADS);
	t->nr = (*nr)++;
	t->rnd = (seed + 1) * 0x9e3779b97f4a7c15ULL + t->nr * 0xbf58476d1ce4e5b9ULL;
	t->since = 0;
	if (!t->buf) {
		t->buf = malloc(MAX_SIZE + PAGE);
		t->lo = malloc((GRAINS + 2) * sizeof(*t->lo));
		must(t->buf && t->lo);
		must(!uring_open(&t->ring, 4, 0));
		must(!pipe(t->pipe));
		must(fcntl(t->pipe[1], F_SETPIPE_SZ, 1 << 20) > 0);
	}
	t->to = open(MNT, O_TMPFILE | O_RDWR, 0600);
	must(t->to >= 0);
	must(!pthread_create(&t->id, NULL, fn, t));
}

static uint64_t kernel_count(const char *name)
{
	FILE *f = fopen("/proc/vmstat", "r");
	unsigned long long v, found = 0;
	char key[64];

	must(f);
	while (fscanf(f, "%63s %llu", key, &v) == 2)
		if (!strcmp(key, name))
			found = v;
	fclose(f);
	return found;
}

static void make_swap(void)
{
	int fd = open("/dev/ram0", O_RDWR);
	uint32_t h[PAGE / 4] = { 0 };
	uint64_t bytes;

	must(fd >= 0 && !ioctl(fd, BLKGETSIZE64, &bytes));
	h[256] = 1;
	h[257] = bytes / PAGE - 1;
	memcpy((char *)h + PAGE - 10, "SWAPSPACE2", 10);
	must(pwrite(fd, h, PAGE, 0) == (ssize_t)PAGE && !fsync(fd));
	close(fd);
	must(!swapon("/dev/ram0", 0));
}

static void open_file(int i)
{
	struct file *f = &files[i];
	char *at;
	size_t g;

	memset(f, 0, sizeof(*f));
	snprintf(f->name, sizeof(f->name), MNT "/f%d", i);
	pthread_mutex_init(&f->lock, NULL);
	f->fd = open(f->name, O_RDWR | O_CREAT | O_TRUNC, 0600);
	f->direct = open(f->name, O_RDONLY | O_DIRECT);
	must(f->fd >= 0 && f->direct >= 0);
	for (g = 0; g < GRAINS; g++) {
		f->begun[g] = 1;
		f->done[g] = 1;
		f->absent[g] = 1;
	}
	at = mmap(NULL, MAX_SIZE + PMD, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	must(at != MAP_FAILED);
	at = (char *)(((uintptr_t)at + PMD - 1) & ~(PMD - 1));
	f->map = mmap(at, MAX_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, f->fd, 0);
	must(f->map != MAP_FAILED);
	if (!strcmp(mode, "advise"))
		must(!madvise(f->map, MAX_SIZE, MADV_HUGEPAGE));
}

static int run_mode(double seconds, uint64_t seed)
{
	uint64_t t0 = now(), end = t0 + seconds * 1e9, said = t0;
	char options[64];
	int i, nr = 0;

	mkdir(MNT, 0755);
	snprintf(options, sizeof(options), "size=" FS_SIZE ",huge=%s", mode);
	must(!mount("tmpfs", MNT, "tmpfs", 0, options));
	write_to("/sys/kernel/mm/transparent_hugepage/shmem_enabled", mode);
	stop = false;
	for (i = 0; i < FILES; i++)
		open_file(i);
	for (i = 0; i < 4; i++)
		start(&nr, reader, seed);
	for (i = 0; i < 4; i++)
		start(&nr, changer, seed);
	start(&nr, mover, seed);
	start(&nr, filler, seed);
	start(&nr, sealer, seed);
	while (now() < end && !failures) {
		usleep(200000);
		for (i = 0; i < nr; i++) {
			uint64_t since = get(threads[i].since), t = now();

			if (since && t > since && t - since > LIMIT_S * 1000000000ULL) {
				printf("huge=%s %s: not done after %d s\n", mode, threads[i].doing,
				       LIMIT_S);
				fflush(stdout);
				_exit(1);
			}
		}
		if (now() - said > 10000000000ULL) {
			uint64_t reads = 0, changes = 0;

			said = now();
			for (i = 0; i < NR_OPS; i++)
				*(i < NR_READS ? &reads : &changes) += get(counts[i]);
			printf("# huge=%s, %d s of %d: %llu reads, %llu changes\n", mode,
			       (int)((said - t0) / 1000000000), (int)seconds,
			       (unsigned long long)reads, (unsigned long long)changes);
		}
	}
	stop = true;
	for (i = 0; i < nr; i++) {
		pthread_join(threads[i].id, NULL);
		close(threads[i].to);
	}
	for (i = 0; i < FILES; i++) {
		munmap(files[i].map, MAX_SIZE);
		close(files[i].fd);
		close(files[i].direct);
	}
	for (i = 0; busy(umount(MNT), i, "umount"); i++)
		;
	return failures;
}

int main(int argc, char **argv)
{
	static const char * const events[] = {
		"pswpout", "pswpin", "thp_file_alloc", "thp_split_page", "thp_collapse_alloc",
		"compact_migrate_scanned",
	};
	struct sigaction sa = { .sa_handler = on_sigbus, .sa_flags = SA_NODEFER };
	double seconds = argc > 1 ? atof(argv[1]) : 0;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	size_t i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (seconds < 1) {
		printf("usage: shmem-stress SECONDS [SEED]\n");
		return 2;
	}
	must(!sigaction(SIGBUS, &sa, NULL));
	make_swap();
	for (i = 0; i < ARRAY_SIZE(modes) && !failures; i++) {
		mode = modes[i];
		run_mode(seconds / ARRAY_SIZE(modes), seed * 4 + i);
	}
	printf("%-18s %10s %14s\n", "operation", "times", "the worst, ms");
	for (i = 0; i < NR_OPS; i++) {
		printf("%-18s %10llu %14.1f\n", op_names[i], (unsigned long long)counts[i],
		       worst[i] / 1e6);
		if (!counts[i] && !failures) {
			printf("shmem-stress: %s never happened\n", op_names[i]);
			failures++;
		}
	}
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		unsigned long long n = kernel_count(events[i]);

		printf("%-24s %llu\n", events[i], n);
		if (!n && !failures) {
			printf("shmem-stress: %s: the kernel counts none\n", events[i]);
			failures++;
		}
	}
	printf("%llu MiB read; %llu reads saw what was changed meanwhile, %llu what it had been; %llu words were both\n",
	       (unsigned long long)bytes_read >> 20, (unsigned long long)seen_new,
	       (unsigned long long)seen_old, (unsigned long long)torn);
	printf("zeroes where data was appended: %llu granules; where the end came nearer: %llu\n",
	       (unsigned long long)zeroes_appended, (unsigned long long)zeroes_truncated);
	printf("free memory seen through a mapping: %llu words or bytes\n",
	       (unsigned long long)poison_mapped);
	if (!seen_new && !failures) {
		printf("shmem-stress: no read raced with a change\n");
		failures++;
	}
	printf("shmem-stress: seed %llu: %s\n", (unsigned long long)seed, failures ? "FAILED" : "passed");
	return !!failures;
}
