// SPDX-License-Identifier: GPL-2.0
/*
 * tests.c - what readahead does, case by case
 *
 * Tests called fixed_* are about what a patch mends: they fail on a kernel
 * without it, and "readahead test --unfixed" wants them to.  Those called
 * fixed_6_1_* are about what the quilt for 6.1 mends, and 7.3 has not;
 * fixed_in_both_* about what both do, the others about the quilt for 7.3.  What
 * is new since 6.1 is left out there.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine.h"
#include "picture.h"
#include "readahead.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define PAGE		4096ULL
#define MAX_EVENTS	8192

static const struct engine *e;

/* What a test has seen */
static struct sim_event events[MAX_EVENTS];
static unsigned int nr_events;

static void record(void *data, const struct sim_event *ev)
{
	(void)data;
	if (nr_events < MAX_EVENTS)
		events[nr_events++] = *ev;
}

#define ASSERT_EQ(got, want)						\
	do {								\
		int64_t _got = (got), _want = (want);			\
									\
		if (_got != _want) {					\
			fprintf(stderr, "%s:%d: %s: %s is %" PRId64	\
				", expected %" PRId64 "\n", __FILE__,	\
				__LINE__, __func__, #got, _got, _want);	\
			return false;					\
		}							\
	} while (0)

#define ASSERT_TRUE(condition)						\
	do {								\
		if (!(condition)) {					\
			fprintf(stderr, "%s:%d: %s: expected %s\n",	\
				__FILE__, __LINE__, __func__, #condition); \
			return false;					\
		}							\
	} while (0)

/* every test ends with it: no rule of the kernel's was broken on the way */
#define ASSERT_SOUND(sim)						\
	do {								\
		const char *_bad = e->bad(sim);				\
									\
		if (_bad) {						\
			fprintf(stderr, "%s:%d: %s: %s\n", __FILE__,	\
				__LINE__, __func__, _bad);		\
			return false;					\
		}							\
	} while (0)

static struct sim *sim;

static void start(const struct sim_params *p)
{
	nr_events = 0;
	if (!sim)
		sim = e->create(p);
	else
		e->reset(sim, p);
	e->listen(sim, record, NULL);
}

/* The n-th event of a type, or one that is all zero */
static const struct sim_event *nth(enum sim_event_type type, unsigned int n)
{
	static const struct sim_event none;
	unsigned int i;

	for (i = 0; i < nr_events; i++)
		if (events[i].type == type && !n--)
			return &events[i];
	return &none;
}

/* A first read of some pages, 0 for none, then reads of one size to the end */
static void stream(uint64_t from, uint64_t first, uint64_t request,
		   uint64_t pages)
{
	uint64_t at = from;

	if (first) {
		e->read(sim, 0, at * PAGE, first * PAGE);
		at += first;
	}
	for (; at < pages; at += request)
		e->read(sim, 0, at * PAGE, request * PAGE);
}

#define PARAMS(pages, ra, io)						\
	{ .file_bytes = (pages) * PAGE, .ra_pages = ra, .io_pages = io,	\
	  .max_order = 9 }

static bool test_start_of_file(void)
{
	const struct sim_params p = PARAMS(1024, 32, 128);
	const struct sim_event *w;

	start(&p);
	e->sync_ra(sim, 0, 0, 1);
	w = nth(EVENT_WINDOW, 0);
	ASSERT_EQ(w->index, 0);
	ASSERT_EQ(w->a, 4);
	ASSERT_EQ(w->b, 3);
	/* or on the folio that holds it */
	ASSERT_EQ(e->marker(sim, 0, 1024), e->keeps_order ? 1 : 0);
	ASSERT_EQ(e->stats(sim)->reads, 1);
	ASSERT_EQ(e->stats(sim)->pages, 4);
	ASSERT_SOUND(sim);
	return true;
}

/*
 * With folios of 16 KiB at least, the marker of the first window is on the
 * folio at index 0.  The hit there is the expected one: (4,8,8), not (0,4,3)
 * all over again.
 */
static bool test_marker_at_index_0(void)
{
	struct sim_params p = PARAMS(1024, 32, 128);
	const struct sim_event *w;

	p.min_order = 2;
	start(&p);
	e->sync_ra(sim, 0, 0, 1);
	w = nth(EVENT_WINDOW, 0);
	ASSERT_EQ(w->a, 4);
	ASSERT_EQ(w->b, 3);
	ASSERT_EQ(e->marker(sim, 0, 1024), 0);
	e->read(sim, 0, 0, PAGE);
	ASSERT_EQ(nth(EVENT_ASYNC, 0)->index, 0);
	w = nth(EVENT_WINDOW, 1);
	ASSERT_EQ(w->index, 4);
	ASSERT_EQ(w->a, 8);
	ASSERT_EQ(w->b, 8);
	ASSERT_SOUND(sim);
	return true;
}

/*
 * Before 6.17 the first window has a folio of 16 KiB, which is at index 0 and
 * has the marker; later ones have single pages.
 */
static bool test_fixed_6_1_marker_at_index_0(void)
{
	const struct sim_params p = PARAMS(1024, 32, 128);
	struct sim_event state;

	start(&p);
	e->read(sim, 0, 0, PAGE);
	e->read(sim, 0, PAGE, PAGE);
	e->state(sim, 0, &state);
	ASSERT_EQ(state.index, 4);
	ASSERT_EQ(state.a, 8);
	ASSERT_EQ(state.b, 8);
	/* nobody has found nothing but the first one */
	ASSERT_EQ(e->stats(sim)->sync, 1);
	ASSERT_SOUND(sim);
	return true;
}

/* One that takes the whole window is to meet the marker half-way. */
static bool test_async_size_after_a_large_first_read(void)
{
	const struct sim_params p = PARAMS(4096, 32, 128);
	const struct sim_event *w;

	start(&p);
	e->sync_ra(sim, 0, 0, 256);
	w = nth(EVENT_WINDOW, 0);
	ASSERT_EQ(w->a, 128);
	ASSERT_EQ(w->b, 64);
	start(&p);
	e->sync_ra(sim, 0, 0, 32);
	w = nth(EVENT_WINDOW, 0);
	ASSERT_EQ(w->a, 32);
	ASSERT_EQ(w->b, 16);
	/* and one that does not, where it ends */
	start(&p);
	e->sync_ra(sim, 0, 0, 9);
	w = nth(EVENT_WINDOW, 0);
	ASSERT_EQ(w->a, 32);
	ASSERT_EQ(w->b, 23);
	ASSERT_SOUND(sim);
	return true;
}

/* An async window ends on a boundary of the folio size in use. */
static bool test_trim(void)
{
	const struct sim_params p = PARAMS(1024, 32, 128);
	const struct sim_event *w;

	start(&p);
	stream(0, 1, 256, 257);
	/* 20 to 52, of which order 4 leaves 20 to 48 */
	w = nth(EVENT_WINDOW, 2);
	ASSERT_EQ(w->index, 20);
	ASSERT_EQ(w->a, 28);
	ASSERT_EQ(w->c, 4);
	ASSERT_EQ(nth(EVENT_WINDOW, 3)->index, 48);
	ASSERT_EQ(nth(EVENT_WINDOW, 3)->a, 16);
	ASSERT_SOUND(sim);
	return true;
}

/*
 * 56 pages were wanted at 48, and order 6 has left 16.  Without the patch the
 * next windows are of 32, 64 and 128 pages; and every 512 pages a window of 2
 * pages makes them begin with 4 again.
 */
static bool test_fixed_ramp_after_trim(void)
{
	const struct sim_params p = PARAMS(131072, 32, 128);

	start(&p);
	stream(0, 1, 256, 1025);
	ASSERT_EQ(nth(EVENT_WINDOW, 3)->a, 16);
	ASSERT_EQ(nth(EVENT_WINDOW, 4)->a, 64);
	ASSERT_EQ(nth(EVENT_WINDOW, 5)->a, 128);
	ASSERT_EQ(nth(EVENT_WINDOW, 6)->a, 128);
	start(&p);
	stream(0, 1, 256, 131072);
	ASSERT_EQ(e->stats(sim)->reads, 1028);
	ASSERT_EQ(e->stats(sim)->pages, 131072);
	ASSERT_SOUND(sim);
	return true;
}

/* The cut window's record: as large as wanted, ending where it ended. */
static bool test_fixed_state_after_trim(void)
{
	const struct sim_params p = PARAMS(1024, 32, 128);

	/* the request that hits the marker at 20 goes on for 237 pages */
	start(&p);
	e->read(sim, 0, 0, PAGE);
	e->read(sim, 0, PAGE, 256 * PAGE);
	ASSERT_EQ(nth(EVENT_STATE, 3)->index, 8);
	ASSERT_EQ(nth(EVENT_STATE, 3)->a, 56);
	ASSERT_EQ(nth(EVENT_STATE, 3)->b, 16);
	ASSERT_SOUND(sim);
	return true;
}

static bool test_fixed_512_kib_reads(void)
{
	const struct sim_params p = PARAMS(131072, 32, 64);

	start(&p);
	stream(0, 1, 128, 131072);
	ASSERT_EQ(e->stats(sim)->reads, 2053);
	return true;
}

static bool test_fixed_3_mib_reads(void)
{
	const struct sim_params p = PARAMS(131072, 32, 512);

	start(&p);
	stream(0, 1, 768, 131072);
	ASSERT_EQ(e->stats(sim)->reads, 261);
	return true;
}

static bool test_fixed_60_kib_first(void)
{
	const struct sim_params p = PARAMS(131072, 32, 128);

	start(&p);
	stream(0, 15, 256, 131072);
	ASSERT_EQ(e->stats(sim)->reads, 1027);
	return true;
}

/* One read a window where none is cut: the boundary costs nothing here. */
static bool test_untrimmed(void)
{
	const struct sim_params p = PARAMS(131072, 32, 256);

	start(&p);
	stream(0, 1, 256, 131072);
	ASSERT_EQ(e->stats(sim)->reads, 1027);
	start(&p);
	stream(0, 0, 256, 131072);
	ASSERT_EQ(e->stats(sim)->reads, 512);
	return true;
}

/* What the alignment was made for: from page 17, folios grow all the same. */
static bool test_page_17(void)
{
	const struct sim_params p = PARAMS(2048, 32, 128);
	const struct sim_stats *st;

	start(&p);
	stream(17, 0, 1, 2048);
	st = e->stats(sim);
	ASSERT_TRUE(st->folios[5] >= 60);
	ASSERT_EQ(st->pages, 2048 - 17);
	ASSERT_SOUND(sim);
	return true;
}

/*
 * Small requests say nothing about what a stream wants: what they read, and in
 * which windows, is as it always was.
 */
static bool test_small_requests_as_before(void)
{
	const struct sim_params p = PARAMS(2048, 32, 128);

	start(&p);
	stream(17, 0, 1, 2048);
	ASSERT_EQ(e->stats(sim)->reads, 70);
	start(&p);
	stream(1, 3, 17, 2048);
	ASSERT_EQ(e->stats(sim)->reads, 65);
	return true;
}

/*
 * Where the largest window is no power of two, a boundary takes at most a third
 * of it: nothing to mend, and nothing to lose.
 */
static bool test_odd_limits_as_before(void)
{
	struct sim_params p = PARAMS(694, 32, 48);

	start(&p);
	stream(17, 33, 64, 694);
	ASSERT_EQ(e->stats(sim)->reads, 21);
	p = (struct sim_params)PARAMS(131072, 32, 384);
	start(&p);
	stream(0, 1, 768, 131072);
	ASSERT_EQ(e->stats(sim)->reads, 346);
	return true;
}

/* A device of 384 pages: no full window is cut below two thirds of that. */
static bool test_384_pages(void)
{
	const struct sim_params p = PARAMS(16384, 384, 384);
	unsigned int i;

	start(&p);
	stream(0, 0, 1, 16384);
	for (i = 6; nth(EVENT_WINDOW, i + 1)->a; i++)
		ASSERT_TRUE(nth(EVENT_WINDOW, i)->a >= 256);
	ASSERT_TRUE(i > 20);
	ASSERT_SOUND(sim);
	return true;
}

static bool test_eof(void)
{
	struct sim_params p = PARAMS(100, 32, 128);

	p.file_bytes -= 1000;
	start(&p);
	stream(0, 0, 8, 100);
	ASSERT_EQ(e->stats(sim)->bytes, p.file_bytes);
	ASSERT_EQ(e->stats(sim)->pages, 100);
	/* all was used, and the last window had no marker */
	ASSERT_EQ(e->marker(sim, 0, 100), -1);
	ASSERT_EQ(e->read(sim, 0, 100 * PAGE, PAGE), 0);
	ASSERT_EQ(e->read(sim, 0, p.file_bytes, PAGE), 0);
	ASSERT_SOUND(sim);
	return true;
}

static bool test_empty_file(void)
{
	const struct sim_params p = { .ra_pages = 32, .io_pages = 128,
				      .max_order = 9 };

	start(&p);
	ASSERT_EQ(e->read(sim, 0, 0, PAGE), 0);
	e->willneed(sim, 0, 0, 10);
	ASSERT_EQ(e->stats(sim)->reads, 0);
	ASSERT_SOUND(sim);
	return true;
}

/* ra_pages 0: the page that is wanted, and no other */
static bool test_disabled(void)
{
	const struct sim_params p = PARAMS(256, 0, 128);

	start(&p);
	e->read(sim, 0, 10 * PAGE, 4 * PAGE);
	ASSERT_EQ(e->stats(sim)->reads, 4);
	ASSERT_EQ(e->stats(sim)->pages, 4);
	ASSERT_EQ(e->cached(sim, 0, 256), 4);
	ASSERT_EQ(e->stats(sim)->single, 0);
	ASSERT_SOUND(sim);
	return true;
}

static bool test_random_reads(void)
{
	const struct sim_params p = PARAMS(4096, 32, 128);
	unsigned int i;

	start(&p);
	for (i = 0; i < 16; i++)
		e->read(sim, 0, (100 + i * 613 % 3900) * PAGE, PAGE);
	ASSERT_EQ(e->stats(sim)->pages, 16);
	ASSERT_EQ(e->stats(sim)->windows, 0);
	ASSERT_SOUND(sim);
	return true;
}

/* Two readers of one open file: a sync call must read the page asked for. */
static bool test_two_readers_of_one_file(void)
{
	const struct sim_params p = PARAMS(8192, 32, 128);
	unsigned int i;

	start(&p);
	for (i = 0; i < 256; i++) {
		e->read(sim, 0, i * 4 * PAGE, 4 * PAGE);
		e->read(sim, 0, (4096 + i * 4) * PAGE, 4 * PAGE);
	}
	/* not a page had to be read by itself */
	ASSERT_EQ(e->stats(sim)->single, 0);
	ASSERT_TRUE(e->stats(sim)->reads < 256);
	ASSERT_SOUND(sim);
	return true;
}

/* Another thread reads on before the window of the first is in the page cache */
static void overtake(void *data, const struct sim_event *ev)
{
	bool *once = data;

	record(NULL, ev);
	if (ev->type != EVENT_WINDOW || *once)
		return;
	*once = true;
	e->read(sim, 0, (ev->index + ev->a - ev->b) * PAGE, PAGE);
}

/*
 * It finds nothing where the window has its marker.  That is no hit of the
 * marker: its page is to be read.
 */
static bool test_fixed_6_1_sync_reads_the_page(void)
{
	const struct sim_params p = PARAMS(1024, 32, 128);
	bool once = false;

	start(&p);
	e->listen(sim, overtake, &once);
	e->read(sim, 0, 100 * PAGE, PAGE);
	e->read(sim, 0, 101 * PAGE, PAGE);
	ASSERT_TRUE(once);
	ASSERT_EQ(e->stats(sim)->single, 0);
	ASSERT_SOUND(sim);
	return true;
}

/* The same for one reader, when the page with the marker is evicted */
static bool test_fixed_6_1_evicted_marker(void)
{
	const struct sim_params p = PARAMS(4096, 32, 128);
	struct sim_event s;
	uint64_t marker;

	start(&p);
	stream(0, 0, 4, 256);
	e->state(sim, 0, &s);
	marker = s.index + s.a - s.b;
	e->drop(sim, marker, 4096);
	ASSERT_EQ(e->cached(sim, marker, 4096), 0);
	stream(marker, 0, 4, marker + 64);
	ASSERT_EQ(e->stats(sim)->single, 0);
	ASSERT_SOUND(sim);
	return true;
}

/* Right behind the window is not in it: a read there is like any other one. */
static bool test_fixed_6_1_behind_the_window(void)
{
	const struct sim_params p = PARAMS(1024, 32, 128);
	struct sim_event s;

	start(&p);
	e->read(sim, 0, 100 * PAGE, PAGE);
	e->read(sim, 0, 101 * PAGE, PAGE);
	e->state(sim, 0, &s);
	ASSERT_EQ(s.index, 101);
	ASSERT_EQ(s.a, 4);
	e->drop(sim, 102, 105);
	e->read(sim, 0, 105 * PAGE, PAGE);
	e->state(sim, 0, &s);
	ASSERT_EQ(s.index, 101);
	ASSERT_EQ(s.a, 4);
	ASSERT_EQ(e->cached(sim, 102, 1024), 1);
	ASSERT_SOUND(sim);
	return true;
}

/* A marker that another open file has set: no page of a full window is missing */
static uint64_t foreign_marker(const struct sim_params *p)
{
	start(p);
	stream(0, 0, 1, 9);
	return e->marker(sim, 0, 1024);
}

static bool test_fixed_6_1_none_missing(void)
{
	const struct sim_params p = PARAMS(1024, 32, 128);
	uint64_t marker = foreign_marker(&p);

	e->insert(sim, marker, 200);
	nr_events = 0;
	e->read(sim, 1, marker * PAGE, PAGE);
	ASSERT_EQ(nth(EVENT_ASYNC, 0)->index, marker);
	ASSERT_EQ(nth(EVENT_WINDOW, 0)->a, 0);
	ASSERT_EQ(nth(EVENT_DEVICE, 0)->a, 0);
	ASSERT_SOUND(sim);
	return true;
}

/* But one page less, and that one is where the next window begins. */
static bool one_missing(unsigned int max_order)
{
	struct sim_params p = PARAMS(1024, 32, 128);
	uint64_t marker, gap;

	p.max_order = max_order;
	marker = foreign_marker(&p);
	gap = marker + 31;
	e->insert(sim, marker, gap - marker);
	e->insert(sim, gap + 1, 100);
	ASSERT_EQ(e->cached(sim, marker, gap + 2), gap + 1 - marker);
	nr_events = 0;
	e->read(sim, 1, marker * PAGE, PAGE);
	ASSERT_EQ(nth(EVENT_ASYNC, 0)->index, marker);
	ASSERT_EQ(e->cached(sim, gap, gap + 1), 1);
	ASSERT_EQ(e->stats(sim)->single, 0);
	ASSERT_SOUND(sim);
	return true;
}

static bool test_one_missing(void)
{
	return one_missing(0);
}

/* The walk to it begins in the middle of the folio that has the marker. */
static bool test_fixed_in_both_one_missing_behind_a_large_folio(void)
{
	return one_missing(9);
}

/*
 * Each meets the other's markers, on large folios: the page behind such a folio
 * is the first one missing, and neither reader ever finds nothing.
 */
static bool test_fixed_two_streams_of_one_file(void)
{
	const struct sim_params p = PARAMS(8192, 32, 128);
	const struct sim_stats *st;
	unsigned int i;

	start(&p);
	for (i = 0; i < 256; i++) {
		e->read(sim, 0, i * 16 * PAGE, 16 * PAGE);
		e->read(sim, 0, (4096 + i * 16) * PAGE, 16 * PAGE);
	}
	st = e->stats(sim);
	ASSERT_EQ(st->pages, 8192);
	ASSERT_EQ(st->sync, 4);
	ASSERT_TRUE(st->folios[5] > 200);
	ASSERT_SOUND(sim);
	return true;
}

/* A large folio is as much history as its pages. */
static bool test_fixed_in_both_history_of_a_large_folio(void)
{
	const struct sim_params p = PARAMS(4096, 32, 128);

	start(&p);
	stream(0, 0, 16, 512);
	/* one folio of 32 pages is left, and behind it is a gap */
	e->drop(sim, 0, 256);
	e->drop(sim, 288, 4096);
	ASSERT_EQ(e->cached(sim, 0, 4096), 32);
	nr_events = 0;
	e->read(sim, 1, 288 * PAGE, 4 * PAGE);
	ASSERT_EQ(nth(EVENT_WINDOW, 0)->index, 288);
	ASSERT_EQ(nth(EVENT_WINDOW, 0)->a, 32);
	ASSERT_SOUND(sim);
	return true;
}

/* Reads somewhere else, through the same open file, while a window is read */
struct intruder {
	bool inside, done, seen;
	struct sim_event left;		/* the state as it leaves it */
	struct sim_event then;		/* when the call it broke into is over */
};

static void intrude(void *data, const struct sim_event *ev)
{
	struct intruder *in = data;

	if (ev->type == EVENT_STATE && in->done && !in->seen) {
		in->then = *ev;
		in->seen = true;
	}
	if (ev->type != EVENT_DEVICE || ev->index != 48 || in->inside)
		return;
	in->inside = true;
	/* the second of two reads in a row begins a stream */
	e->read(sim, 0, 8192 * PAGE, PAGE);
	e->read(sim, 0, 8193 * PAGE, PAGE);
	e->state(sim, 0, &in->left);
	in->done = true;
}

/*
 * The state is not locked: another reader may move it while a window is on its
 * way, and what it has left there is newer.
 */
static bool test_state_of_another_reader(void)
{
	const struct sim_params p = PARAMS(16384, 32, 128);
	struct intruder in = { .done = false };

	start(&p);
	e->listen(sim, intrude, &in);
	e->read(sim, 0, 0, PAGE);
	e->read(sim, 0, PAGE, 256 * PAGE);
	ASSERT_TRUE(in.seen);
	ASSERT_EQ(in.left.index, 8193);
	ASSERT_EQ(in.left.a, 4);
	ASSERT_EQ(in.then.index, in.left.index);
	ASSERT_EQ(in.then.a, in.left.a);
	ASSERT_EQ(in.then.b, in.left.b);
	return true;
}

/* Nothing is recorded as if it began before the file does. */
static bool test_start_is_in_the_file(void)
{
	const struct sim_params p = PARAMS(1024, 2, 32);
	unsigned int first, i;

	for (first = 1; first < 32; first++) {
		start(&p);
		stream(0, first, 64, 1024);
		for (i = 0; i < nr_events; i++)
			if (events[i].type == EVENT_STATE)
				ASSERT_TRUE(events[i].index <= 1024 + 32);
		ASSERT_SOUND(sim);
	}
	return true;
}

static bool test_shrunk_window(void)
{
	struct sim_params p = PARAMS(4096, 32, 128);
	unsigned int arg;

	/* the regression of 2024: the rest was negative, so it became huge */
	p.fs = FS_SHRINK;
	for (arg = 1; arg < 40; arg++) {
		p.fs_arg = arg;
		start(&p);
		stream(0, 1, 64, 4096);
		ASSERT_EQ(e->stats(sim)->bytes, 4096 * PAGE);
		ASSERT_EQ(e->stats(sim)->pages, 4096);
		ASSERT_SOUND(sim);
	}
	return true;
}

static bool test_left_window(void)
{
	struct sim_params p = PARAMS(4096, 32, 128);

	p.fs = FS_STOP;
	p.fs_arg = 3;
	start(&p);
	stream(0, 1, 64, 4096);
	ASSERT_EQ(e->stats(sim)->bytes, 4096 * PAGE);
	ASSERT_SOUND(sim);
	return true;
}

static bool test_expanded_window(void)
{
	struct sim_params p = PARAMS(4096, 32, 128);

	p.fs = FS_EXPAND;
	p.fs_arg = 32;
	start(&p);
	stream(5, 1, 64, 4096);
	/* blocks of 32 from page 0: each is read once, the first for page 5 */
	ASSERT_EQ(e->stats(sim)->pages, 4096);
	ASSERT_EQ(e->stats(sim)->again, 0);
	ASSERT_EQ(e->stats(sim)->single, 0);
	ASSERT_SOUND(sim);
	return true;
}

static bool test_read_folio_only(void)
{
	struct sim_params p = PARAMS(256, 32, 128);

	p.fs = FS_READ_FOLIO;
	p.max_order = 0;
	start(&p);
	stream(0, 0, 8, 256);
	ASSERT_EQ(e->stats(sim)->reads, 256);
	ASSERT_SOUND(sim);
	return true;
}

/* Falling back from large folios reads nothing twice and marks once. */
static bool test_no_large_folio_to_be_had(void)
{
	struct sim_params p = PARAMS(4096, 32, 128);
	unsigned int i, marks;

	p.fail_order = 3;
	p.fail_every = 2;
	start(&p);
	stream(0, 1, 16, 4096);
	ASSERT_EQ(e->stats(sim)->pages, 4096);
	ASSERT_EQ(e->stats(sim)->single, 0);
	for (i = 0, marks = 0; i < nr_events; i++) {
		if (events[i].type == EVENT_WINDOW)
			marks = 0;
		if (events[i].type == EVENT_FOLIO)
			marks += events[i].b;
		ASSERT_TRUE(marks <= 1);
	}
	ASSERT_SOUND(sim);
	return true;
}

/*
 * Some of a window has come in large folios, then there was none to be had: the
 * rest of the window is read, no page behind it, and one marker is set.
 */
static bool window_was_kept(const struct sim_params *p)
{
	uint64_t end = 0, marks = 0;
	unsigned int i;

	start(p);
	stream(0, 1, 16, 4096);
	ASSERT_EQ(e->stats(sim)->bytes, 4096 * PAGE);
	for (i = 0; i < nr_events; i++) {
		const struct sim_event *ev = &events[i];

		if (ev->type == EVENT_WINDOW) {
			marks = 0;
			end = ev->index + ev->a;
		}
		if (ev->type == EVENT_FOLIO)
			ASSERT_TRUE(ev->index + (1ULL << ev->a) <= end);
		marks += ev->type == EVENT_MARK ||
			 (ev->type == EVENT_FOLIO && ev->b);
		ASSERT_TRUE(marks <= 1);
	}
	ASSERT_TRUE(i < MAX_EVENTS);
	ASSERT_SOUND(sim);
	return true;
}

static bool test_fixed_6_1_fallback(void)
{
	struct sim_params p = PARAMS(4096, 32, 128);

	p.fail_order = 3;
	for (p.fail_every = 2; p.fail_every < 12; p.fail_every++)
		if (!window_was_kept(&p))
			return false;
	return true;
}

/*
 * The window in the state is the one that was wanted, also if the file system
 * has left some of it: it sizes the next one, and may be shared.
 */
static bool test_fixed_6_1_window_is_what_was_wanted(void)
{
	struct sim_params p = PARAMS(4096, 32, 128);
	struct sim_event s;

	p.fs = FS_STOP;
	p.fs_arg = 8;
	start(&p);
	e->sync_ra(sim, 0, 0, 16);
	e->state(sim, 0, &s);
	ASSERT_EQ(s.a, 32);
	ASSERT_EQ(s.b, 16);
	ASSERT_SOUND(sim);
	return true;
}

/* What is left is then less than none: nothing is read, not all of memory. */
static bool test_fixed_6_1_fallback_in_a_shrunk_window(void)
{
	static const enum fs_model how[] = { FS_STOP, FS_SHRINK };
	struct sim_params p = PARAMS(4096, 32, 128);
	unsigned int i, n;

	p.fail_order = 2;
	for (n = 0; n < ARRAY_SIZE(how) * 40; n++) {
		p.fs = how[n % ARRAY_SIZE(how)];
		p.fs_arg = 1 + n / ARRAY_SIZE(how);
		for (p.fail_every = 1; p.fail_every < 6; p.fail_every++) {
			start(&p);
			stream(0, 0, 64, 1024);
			ASSERT_EQ(e->stats(sim)->bytes, 1024 * PAGE);
			/* no request was above two windows of 64 pages */
			for (i = 0; i < nr_events; i++)
				if (events[i].type == EVENT_FOLIO)
					ASSERT_TRUE(events[i].index < 1024 + 128);
				else if (events[i].type == EVENT_STATE)
					ASSERT_TRUE(events[i].a < 1 << 16);
			ASSERT_SOUND(sim);
		}
	}
	return true;
}

static bool test_cached_island(void)
{
	const struct sim_params p = PARAMS(1024, 32, 128);

	start(&p);
	e->insert(sim, 40, 3);
	stream(0, 1, 16, 1024);
	ASSERT_EQ(e->stats(sim)->pages, 1024 - 3);
	ASSERT_EQ(e->stats(sim)->single, 0);
	ASSERT_SOUND(sim);
	return true;
}

static bool test_hole(void)
{
	struct sim_params p = PARAMS(1024, 32, 128);

	p.nr_holes = 1;
	p.hole[0].start = 100;
	p.hole[0].nr = 50;
	start(&p);
	stream(0, 1, 16, 1024);
	ASSERT_EQ(e->stats(sim)->pages, 1024 - 50);
	ASSERT_EQ(e->stats(sim)->zeroed, 50);
	ASSERT_EQ(e->stats(sim)->bytes, 1024 * PAGE);
	ASSERT_SOUND(sim);
	return true;
}

/* MADV_HUGEPAGE: windows of 2 MiB, whatever ra_pages says, each read once */
static bool test_hugepage(void)
{
	const struct sim_params p = PARAMS(8192, 32, 128);
	unsigned int i;

	start(&p);
	for (i = 0; i < 8192; i++)
		ASSERT_EQ(e->touch(sim, 0, i, true), 0);
	ASSERT_EQ(e->stats(sim)->folios[9], 16);
	ASSERT_EQ(e->stats(sim)->reads, 64);
	ASSERT_SOUND(sim);
	return true;
}

/* When reads complete is not what decides. */
static bool test_timing_does_not_matter(void)
{
	struct sim_params p = PARAMS(16384, 32, 128);
	struct sim_stats st;

	start(&p);
	stream(0, 1, 256, 16384);
	st = *e->stats(sim);
	p.lazy = true;
	start(&p);
	stream(0, 1, 256, 16384);
	ASSERT_EQ(memcmp(&st, e->stats(sim), sizeof(st)), 0);
	ASSERT_SOUND(sim);
	return true;
}

/* Evicted and read again, and only that */
static bool test_evicted(void)
{
	const struct sim_params p = PARAMS(1024, 32, 128);

	start(&p);
	stream(0, 1, 16, 1024);
	e->drop(sim, 512, 600);
	ASSERT_TRUE(e->cached(sim, 0, 1024) <= 1024 - 88);
	stream(0, 0, 16, 1024);
	ASSERT_EQ(e->stats(sim)->again, e->stats(sim)->pages - 1024);
	ASSERT_TRUE(e->stats(sim)->again >= 88);
	ASSERT_SOUND(sim);
	return true;
}

#define TEST(name)	{ #name, test_##name, NULL }
#define NEW(name)	{ #name, test_##name, keeps_order }
#define RANGE(name)	{ #name, test_##name, any_orders }

/* What a kernel has to have, and what is said if it has not */
static const char *keeps_order(void)
{
	return e->keeps_order ? NULL : "no window ends where a folio of the order in use does";
}

static const char *any_orders(void)
{
	return e->any_orders ? NULL : "a mapping has no smallest order";
}

static const struct {
	const char *name;
	bool (*run)(void);
	const char *(*lacks)(void);	/* NULL, or why it is left out */
} tests[] = {
	TEST(start_of_file),
	RANGE(marker_at_index_0),
	TEST(fixed_6_1_marker_at_index_0),
	TEST(async_size_after_a_large_first_read),
	NEW(trim),
	NEW(fixed_ramp_after_trim),
	NEW(fixed_state_after_trim),
	NEW(fixed_512_kib_reads),
	NEW(fixed_3_mib_reads),
	NEW(fixed_60_kib_first),
	NEW(untrimmed),
	NEW(page_17),
	NEW(small_requests_as_before),
	NEW(odd_limits_as_before),
	TEST(384_pages),
	TEST(eof),
	TEST(empty_file),
	TEST(disabled),
	TEST(random_reads),
	TEST(two_readers_of_one_file),
	TEST(fixed_6_1_sync_reads_the_page),
	TEST(fixed_6_1_evicted_marker),
	TEST(fixed_6_1_behind_the_window),
	TEST(fixed_6_1_none_missing),
	TEST(one_missing),
	TEST(fixed_in_both_one_missing_behind_a_large_folio),
	NEW(fixed_two_streams_of_one_file),
	TEST(fixed_in_both_history_of_a_large_folio),
	NEW(state_of_another_reader),
	TEST(start_is_in_the_file),
	TEST(shrunk_window),
	TEST(left_window),
	TEST(expanded_window),
	TEST(read_folio_only),
	TEST(no_large_folio_to_be_had),
	TEST(fixed_6_1_fallback),
	TEST(fixed_6_1_window_is_what_was_wanted),
	TEST(fixed_6_1_fallback_in_a_shrunk_window),
	TEST(cached_island),
	TEST(hole),
	TEST(hugepage),
	TEST(timing_does_not_matter),
	TEST(evicted),
};

int run_tests(const struct engine *engine, bool unfixed)
{
	unsigned int i, failed = 0, skipped = 0, nr = ARRAY_SIZE(tests);

	e = engine;
	for (i = 0; i < nr; i++) {
		const char *why = tests[i].lacks ? tests[i].lacks() : NULL;
		bool passed, want, old, both;

		if (why) {
			printf("skipped: %s: %s\n", tests[i].name, why);
			skipped++;
			continue;
		}
		old = !strncmp(tests[i].name, "fixed_6_1_", 10);
		both = !strncmp(tests[i].name, "fixed_in_both_", 14);
		want = !unfixed || strncmp(tests[i].name, "fixed_", 6) ||
		       (!both && old == e->keeps_order);
		if (!want)
			fprintf(stderr, "%s: is to fail here\n", tests[i].name);
		passed = tests[i].run();
		if (passed == want)
			continue;
		if (passed)
			fprintf(stderr, "%s: passed without what it is about\n",
				tests[i].name);
		failed++;
	}
	if (sim)
		e->destroy(sim);
	sim = NULL;
	nr -= skipped;
	printf("%u tests run, %u passed, %u failed", nr, nr - failed, failed);
	printf(skipped ? ", %u skipped.\n" : ".\n", skipped);
	return !!failed;
}
