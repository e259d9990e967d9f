// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "picture.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define fallthrough	__attribute__((__fallthrough__))
#define PAGE		4096ULL

static const unsigned int windows[] = {
	32, 0, 1, 2, 3, 4, 8, 16, 31, 33, 64, 100, 125, 128, 384, 1024,
};

static const unsigned int limits[] = {
	128, 32, 33, 64, 100, 192, 255, 256, 320, 384, 512, 1024,
};

/* in pages; the last is 1 MiB and a byte, cut at the file's end */
static const unsigned int sizes[] = { 1, 2, 3, 4, 7, 16, 17, 64, 100, 256, 768 };

enum step_type {
	STEP_SEQ,	/* the next read of a stream */
	STEP_SEQ2,	/* twice as likely */
	STEP_PREAD,	/* somewhere else */
	STEP_BYTES,	/* a few bytes, on no page boundary */
	STEP_TOUCH,
	STEP_HUGE,
	STEP_DROP,
	STEP_INSERT,
	STEP_SIZE,
	STEP_RANDOM,
	STEP_WILLNEED,
	STEP_RUN,	/* several sequential reads */
	NR_STEPS
};

struct step {
	enum step_type type;
	unsigned int file;
	uint64_t page, nr, bytes;
};

struct check {
	const struct engine *e;
	struct sim *sim;
	struct sim_params p;
	uint64_t size;			/* of the file, now */
	uint64_t pos[2];		/* of the two streams */
	uint64_t cap[2];		/* largest window allowed so far, pages */
	uint64_t expanded;		/* pages that FS_EXPAND may have added */
	bool huge[2];			/* MADV_HUGEPAGE has asked for more */
	bool only_stream;		/* nothing but one stream so far */
	unsigned int seq;		/* reads of it */

	/* of the window that is being read */
	bool window;
	uint64_t start, nr;
	unsigned int marks;

	struct picture *picture;	/* drawn, if there is one */
	char why[256];
};

__attribute__((format(printf, 2, 3)))
static void broken(struct check *c, const char *fmt, ...)
{
	va_list ap;

	if (c->why[0])
		return;
	va_start(ap, fmt);
	vsnprintf(c->why, sizeof(c->why), fmt, ap);
	va_end(ap);
}

/* mm/readahead.c:ractl_max_pages() */
static uint64_t max_pages(const struct check *c, uint64_t req)
{
	uint64_t most = req < c->p.io_pages ? req : c->p.io_pages;

	if (req > c->p.ra_pages && c->p.io_pages > c->p.ra_pages)
		return most;
	return c->p.ra_pages;
}

static void check_event(void *data, const struct sim_event *ev)
{
	struct check *c = data;
	uint64_t least = 1ULL << c->p.min_order, bound, end;

	if (c->picture)
		picture_event(c->picture, ev);
	switch (ev->type) {
	case EVENT_SYNC:
	case EVENT_ASYNC:
		bound = max_pages(c, ev->a);
		if (c->cap[ev->file] < bound)
			c->cap[ev->file] = bound;
		c->window = false;
		break;
	case EVENT_WINDOW:
		if (ev->b > ev->a)
			broken(c, "window at %llu: async_size %llu is above size %llu",
			       (unsigned long long)ev->index,
			       (unsigned long long)ev->b,
			       (unsigned long long)ev->a);
		bound = c->cap[ev->file];
		/* readahead_expand() adds to ra->size each time, to a block */
		if (c->p.fs == FS_EXPAND)
			bound += c->expanded;
		c->expanded += c->p.fs_arg + least;
		if (ev->a > bound && !c->huge[ev->file])
			broken(c, "window at %llu: %llu pages, above the largest, %llu",
			       (unsigned long long)ev->index,
			       (unsigned long long)ev->a,
			       (unsigned long long)bound);
		c->window = true;
		c->start = ev->index & ~(least - 1);
		c->nr = ev->a + (ev->index - c->start);
		c->marks = 0;
		break;
	case EVENT_FOLIO:
	case EVENT_MARK:
		if (ev->type == EVENT_FOLIO && !ev->b)
			break;
		end = ev->index + (1ULL << ev->a);
		if (!c->window)
			broken(c, "page %llu marked outside of a window",
			       (unsigned long long)ev->index);
		else if (end <= c->start ||
			 ev->index >= c->start + c->nr + least - 1 +
				      (c->p.fs == FS_EXPAND ? c->expanded : 0))
			broken(c, "page %llu marked, the window is %llu to %llu",
			       (unsigned long long)ev->index,
			       (unsigned long long)c->start,
			       (unsigned long long)(c->start + c->nr));
		if (++c->marks > 1)
			broken(c, "page %llu is the second one marked in a window",
			       (unsigned long long)ev->index);
		break;
	case EVENT_UNBOUNDED:
		c->expanded += c->p.fs_arg + least;
		if (ev->a > 1U << 30 || (ev->b > ev->a && ev->b > 1U << 30))
			broken(c, "%llu pages to read at %llu: an underflow",
			       (unsigned long long)ev->a,
			       (unsigned long long)ev->index);
		break;
	case EVENT_STATE:
		if (ev->index > 1ULL << 40)
			broken(c, "start %lld: an underflow",
			       (long long)ev->index);
		if (ev->a > 1U << 30 || ev->b > 1U << 30)
			broken(c, "size %llu, async_size %llu: an underflow",
			       (unsigned long long)ev->a,
			       (unsigned long long)ev->b);
		else if (ev->b > ev->a)
			broken(c, "state: async_size %llu is above size %llu",
			       (unsigned long long)ev->b,
			       (unsigned long long)ev->a);
		break;
	case EVENT_DEVICE:
		break;
	}
}

static void decode(const uint8_t *data, size_t size, struct check *c)
{
	static const unsigned int max_order[] = { 9, 9, 0, 4 };
	uint8_t h[CHECK_HEADER] = { 0 };
	uint64_t pages;

	memcpy(h, data, size < CHECK_HEADER ? size : CHECK_HEADER);
	pages = 1 + (h[0] | (h[1] & 7) << 8);
	c->p.file_bytes = pages * PAGE - (h[2] & 1 ? 1 + h[2] * 15 : 0);
	c->p.ra_pages = windows[h[3] % ARRAY_SIZE(windows)];
	c->p.io_pages = limits[h[4] % ARRAY_SIZE(limits)];
	c->p.max_order = max_order[h[5] & 3];
	c->p.min_order = h[5] >> 2 & 3;
	if (!c->e->any_orders) {
		c->p.min_order = 0;
		c->p.max_order = c->p.max_order ? 9 : 0;
	}
	if (c->p.min_order > c->p.max_order)
		c->p.min_order = 0;
	c->p.fs = h[6] % (FS_READ_FOLIO + 1);
	c->p.fs_arg = 1 + h[7] % 64;
	/* blocks are at least as large as the smallest folio, and of its kind */
	if (c->p.fs == FS_EXPAND)
		c->p.fs_arg = (1U << c->p.min_order) * (1U << (h[7] & 3));
	if (h[8] & 1) {
		c->p.fail_every = 1 + (h[8] >> 1);
		c->p.fail_order = h[9] % 10;
	}
	c->p.lazy = h[10] & 1;
	if (h[11]) {
		c->p.nr_holes = 1;
		c->p.hole[0].start = h[11] * 8;
		c->p.hole[0].nr = 1 + h[10] / 2;
	}
	c->size = c->p.file_bytes;
}

static void decode_step(const struct check *c, const uint8_t *s,
			struct step *step)
{
	uint64_t pages = (c->size + PAGE - 1) / PAGE;

	step->type = s[0] % NR_STEPS;
	step->file = s[0] >> 7;
	step->page = pages ? (s[2] | s[3] << 8) % pages : 0;
	step->nr = sizes[s[1] % ARRAY_SIZE(sizes)];
	step->bytes = step->nr * PAGE;
	if (step->type == STEP_BYTES)
		step->bytes = 1 + s[1] * 37;
}

static void check_read(struct check *c, unsigned int file, uint64_t pos,
		       uint64_t bytes)
{
	uint64_t want = pos >= c->size ? 0 : c->size - pos;
	int64_t got = c->e->read(c->sim, file, pos, bytes);

	if (want > bytes)
		want = bytes;
	if (got == (int64_t)want)
		return;
	/* no memory is no fault of readahead; less than asked for follows */
	if (c->p.fail_every && got <= (int64_t)want)
		return;
	broken(c, "read of %llu bytes at %llu gave %lld, not %llu",
	       (unsigned long long)bytes, (unsigned long long)pos,
	       (long long)got, (unsigned long long)want);
}

/*
 * A stream that goes on and is ahead of what it has read is to meet a marker
 * before the first page that is missing, or the end of the file.  Without, it
 * would wait for a device that had nothing to do.
 */
static void check_marker(struct check *c)
{
	uint64_t eof = (c->size + PAGE - 1) / PAGE, i = c->pos[0] / PAGE;
	uint64_t gap;

	if (!c->only_stream || c->seq < 3 || c->p.fail_every ||
	    c->p.ra_pages < 4 || i >= eof || c->p.min_order ||
	    (c->p.fs != FS_FULL && c->p.fs != FS_EXPAND))
		return;
	for (gap = i; gap < eof && c->e->cached(c->sim, gap, gap + 1); gap++)
		;
	if (gap == eof || gap == i || c->e->marker(c->sim, i, gap) >= 0)
		return;
	broken(c, "after page %llu: no marker before the first missing page, %llu",
	       (unsigned long long)i, (unsigned long long)gap);
}

static void check_stream(struct check *c, unsigned int file, uint64_t bytes)
{
	if (c->pos[file] >= c->size) {
		c->pos[file] = 0;
		c->only_stream = false;
	}
	if (file)
		c->only_stream = false;
	check_read(c, file, c->pos[file], bytes);
	c->pos[file] += bytes;
	c->seq++;
	check_marker(c);
}

static void check_step(struct check *c, const struct step *s)
{
	const struct engine *e = c->e;
	unsigned int i;

	switch (s->type) {
	case STEP_SEQ:
	case STEP_SEQ2:
		check_stream(c, s->file, s->bytes);
		return;
	case STEP_RUN:
		for (i = 0; i < 8; i++)
			check_stream(c, s->file, s->bytes);
		return;
	case STEP_PREAD:
		check_read(c, s->file, s->page * PAGE, s->bytes);
		break;
	case STEP_BYTES:
		check_read(c, s->file, s->page * PAGE + s->bytes % PAGE,
			   s->bytes);
		break;
	case STEP_HUGE:
		c->huge[s->file] = true;
		fallthrough;
	case STEP_TOUCH:
		/* mmap read-around is one of ra_pages */
		if (c->cap[s->file] < c->p.ra_pages)
			c->cap[s->file] = c->p.ra_pages;
		for (i = 0; i < 32 && s->page + i < (c->size + PAGE - 1) / PAGE; i++)
			e->touch(c->sim, s->file, s->page + i,
				 s->type == STEP_HUGE);
		break;
	case STEP_DROP:
		e->drop(c->sim, s->page, s->page + s->nr);
		break;
	case STEP_INSERT:
		e->insert(c->sim, s->page, s->nr > 64 ? 64 : s->nr);
		break;
	case STEP_SIZE:
		c->size = s->page * PAGE + (s->nr > 256 ? PAGE : s->nr);
		if (c->size > c->p.file_bytes)
			c->size = c->p.file_bytes;
		e->truncate(c->sim, c->size);
		break;
	case STEP_RANDOM:
		e->random(c->sim, s->file, s->nr > 16);
		break;
	case STEP_WILLNEED:
		c->window = false;
		e->willneed(c->sim, s->file, s->page, s->nr);
		break;
	case NR_STEPS:
		break;
	}
	c->only_stream = false;
}

static struct sim *kept;		/* making one costs more than a run */
static const struct engine *kept_of;

static const uint8_t *running;
static size_t running_size;

/* A loop in the kernel's code has no end: say so, and with what. */
static void hung(int sig)
{
	size_t i;

	(void)sig;
	fprintf(stderr, "check: no progress for 10 s on the sequence");
	for (i = 0; i < running_size; i++)
		fprintf(stderr, " %02x", running[i]);
	fprintf(stderr, "\n");
	_exit(1);
}

static int run(const struct engine *e, const uint8_t *data, size_t size,
	       struct picture *picture, const char **why)
{
	static struct check c;
	size_t at;
	int n;

	memset(&c, 0, sizeof(c));
	c.e = e;
	c.only_stream = true;
	c.picture = picture;
	decode(data, size, &c);
	if (kept_of != e) {
		kept = e->create(&c.p);
		kept_of = e;
	} else {
		e->reset(kept, &c.p);
	}
	c.sim = kept;
	e->listen(c.sim, check_event, &c);
	running = data;
	running_size = size;
	for (n = 0, at = CHECK_HEADER; n < CHECK_STEPS && at + CHECK_STEP <= size;
	     n++, at += CHECK_STEP) {
		struct step s;

		decode_step(&c, data + at, &s);
		check_step(&c, &s);
		if (e->bad(c.sim))
			broken(&c, "%s", e->bad(c.sim));
		if (c.why[0])
			break;
	}
	e->listen(c.sim, NULL, NULL);
	*why = c.why;
	return !!c.why[0];
}

int check_run(const struct engine *e, const uint8_t *data, size_t size,
	      const char **why)
{
	return run(e, data, size, NULL, why);
}

size_t check_shrink(const struct engine *e, uint8_t *data, size_t size)
{
	uint8_t *try = malloc(size + 1);
	const char *why;
	bool better = true;
	size_t i;
	int v;

	if (!try)
		return size;
	while (better) {
		better = false;
		/* whole steps */
		for (i = CHECK_HEADER; i + CHECK_STEP <= size;) {
			memcpy(try, data, i);
			memcpy(try + i, data + i + CHECK_STEP,
			       size - i - CHECK_STEP);
			if (check_run(e, try, size - CHECK_STEP, &why)) {
				size -= CHECK_STEP;
				memcpy(data, try, size);
				better = true;
			} else {
				i += CHECK_STEP;
			}
		}
		/* single values, to the lowest that still does it */
		for (i = 0; i < size; i++) {
			for (v = 0; v < data[i]; v++) {
				memcpy(try, data, size);
				try[i] = v;
				if (check_run(e, try, size, &why)) {
					data[i] = v;
					better = true;
					break;
				}
			}
		}
	}
	free(try);
	return size;
}

static void print_step(const struct check *c, const struct step *s)
{
	static const char * const name[NR_STEPS] = {
		"read", "read", "pread", "pread", "touch",
		"touch with MADV_HUGEPAGE", "evict", "insert", "truncate to",
		"fadvise", "willneed", "8 reads",
	};

	printf("  %s", name[s->type]);
	switch (s->type) {
	case STEP_SEQ:
	case STEP_SEQ2:
	case STEP_RUN:
		printf(" of %llu pages, at page %llu, through file %u\n",
		       (unsigned long long)s->nr,
		       (unsigned long long)c->pos[s->file] / 4096, s->file);
		break;
	case STEP_BYTES:
		printf(" of %llu bytes at %llu, through file %u\n",
		       (unsigned long long)s->bytes,
		       (unsigned long long)(s->page * PAGE + s->bytes % PAGE),
		       s->file);
		break;
	case STEP_TOUCH:
	case STEP_HUGE:
		printf(", 32 pages from page %llu\n", (unsigned long long)s->page);
		break;
	case STEP_SIZE:
		printf(" %llu bytes\n", (unsigned long long)
		       (s->page * PAGE + (s->nr > 256 ? PAGE : s->nr)));
		break;
	case STEP_RANDOM:
		printf(" %s, file %u\n", s->nr > 16 ? "RANDOM" : "NORMAL", s->file);
		break;
	default:
		printf(" %llu pages from page %llu, file %u\n",
		       (unsigned long long)s->nr, (unsigned long long)s->page,
		       s->file);
	}
}

void check_print(const struct engine *e, const uint8_t *data, size_t size)
{
	static const char * const fs[] = {
		"reads the whole window", "leaves all but the first %u pages",
		"shrinks the window to %u pages", "expands it to blocks of %u pages",
		"has only ->read_folio()",
	};
	static struct picture picture;
	struct check c = { .e = e };
	const char *why;
	size_t at;
	int n;

	decode(data, size, &c);
	printf("  file of %llu bytes, ra_pages %u, io_pages %u, folios of order %u to %u\n",
	       (unsigned long long)c.p.file_bytes, c.p.ra_pages, c.p.io_pages,
	       c.p.min_order, c.p.max_order);
	printf("  the file system ");
	printf(fs[c.p.fs], c.p.fs_arg);
	printf("; reads complete %s", c.p.lazy ? "late" : "at once");
	if (c.p.fail_every)
		printf("; allocation %u of order %u and above fails",
		       c.p.fail_every, c.p.fail_order);
	if (c.p.nr_holes)
		printf("; hole of %llu pages at %llu",
		       (unsigned long long)c.p.hole[0].nr,
		       (unsigned long long)c.p.hole[0].start);
	printf("\n");
	for (n = 0, at = CHECK_HEADER; n < CHECK_STEPS && at + CHECK_STEP <= size;
	     n++, at += CHECK_STEP) {
		struct step s;

		decode_step(&c, data + at, &s);
		print_step(&c, &s);
		if (s.type == STEP_SIZE)
			c.size = s.page * PAGE + (s.nr > 256 ? PAGE : s.nr);
		if (s.type == STEP_SEQ || s.type == STEP_SEQ2)
			c.pos[s.file] += s.bytes;
		if (s.type == STEP_RUN)
			c.pos[s.file] += 8 * s.bytes;
	}
	picture_init(&picture);
	if (run(e, data, size, &picture, &why))
		printf("  broken: %s\n", why);
	picture_draw(&picture, stdout, "the windows", 0, 0);
	picture_free(&picture);
	printf("  as bytes:");
	for (at = 0; at < size; at++)
		printf(" %02x", data[at]);
	printf("\n");
}

/* xorshift64*: the same everywhere, which rand() is not */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dULL;
}

int check_random(const struct engine *e, uint64_t seed, uint64_t count)
{
	uint8_t data[CHECK_HEADER + CHECK_STEP * CHECK_STEPS];
	uint64_t state = seed * 2 + 1, n, v = 0;
	const char *why;
	size_t size, i;

	signal(SIGALRM, hung);
	for (n = 0; n < count; n++) {
		if (!(n & 1023))
			alarm(10);
		size = CHECK_HEADER + CHECK_STEP *
		       (1 + next_random(&state) % CHECK_STEPS);
		for (i = 0; i < size; i++) {
			if (i % 8 == 0)
				v = next_random(&state);
			data[i] = v >> i % 8 * 8;
		}
		/* odd set-ups hide what the common ones would show */
		v = next_random(&state);
		for (i = 5; i < CHECK_HEADER; i++)
			if (v >> i & 1)
				data[i] = 0;
		/* and so does a mixture of steps: here is one stream alone */
		if (v >> 20 & 1)
			for (i = CHECK_HEADER; i < size; i += CHECK_STEP)
				data[i] = v >> 21 & 1 ? STEP_RUN : STEP_SEQ;
		if (!check_run(e, data, size, &why))
			continue;
		printf("sequence %llu of seed %llu breaks a rule: %s\n",
		       (unsigned long long)n, (unsigned long long)seed, why);
		size = check_shrink(e, data, size);
		printf("the shortest like it:\n");
		check_print(e, data, size);
		alarm(0);
		return 1;
	}
	alarm(0);
	printf("%llu random sequences, seed %llu: every rule holds\n",
	       (unsigned long long)count, (unsigned long long)seed);
	return 0;
}
