// SPDX-License-Identifier: GPL-2.0
/*
 * picture-test.c - known answers for picture.c and windows.c
 *
 * Events are made by hand, so that a test holds whatever kernel there is.
 */
#include <stdlib.h>
#include <string.h>

#include "picture.h"
#include "windows.h"

static int failures;

static struct picture picture;

/* What is printed, and what was expected; neither may be too wide. */
static char *text;
static size_t text_size;

static FILE *begin(void)
{
	FILE *out = open_memstream(&text, &text_size);

	if (!out) {
		perror("picture-test");
		exit(2);
	}
	return out;
}

static void fail(const char *what, const char *expected)
{
	failures++;
	printf("picture: %s\nexpected:\n%sgot:\n%s", what, expected, text);
}

static void matches(FILE *out, const char *what, const char *expected,
		    size_t width)
{
	const char *line, *next;

	fclose(out);
	if (strcmp(text, expected)) {
		fail(what, expected);
	} else {
		for (line = text; (next = strchr(line, '\n')); line = next + 1)
			if ((size_t)(next - line) > width ||
			    (next > line && next[-1] == ' ')) {
				fail(what, "no long line, no space at an end\n");
				break;
			}
	}
	free(text);
	text = NULL;
}

static void is_true(const char *what, bool ok)
{
	if (ok)
		return;
	failures++;
	printf("picture: %s\n", what);
}

static void drawn(const char *what, uint64_t from, uint64_t to,
		  const char *expected)
{
	FILE *out = begin();

	picture_draw(&picture, out, "T", from, to);
	matches(out, what, expected, PICTURE_WIDTH);
	picture_free(&picture);
}

static void event(enum sim_event_type type, uint64_t index, uint64_t a,
		  uint64_t b, uint64_t c)
{
	struct sim_event ev = { type, 0, index, a, b, c };

	picture_event(&picture, &ev);
}

/* A window that is all read, in folios of @order, the first one marked. */
static void filled(uint64_t start, uint64_t size, uint64_t async_size,
		   unsigned int order)
{
	uint64_t i, mark = start + size - async_size;

	event(EVENT_WINDOW, start, size, async_size, order);
	for (i = start; i < start + size; i += 1ULL << order)
		event(EVENT_FOLIO, i, order, i == mark, 0);
	event(EVENT_DEVICE, start, size, 0, 0);
}

static void sync(uint64_t start, uint64_t size, uint64_t async_size)
{
	event(EVENT_SYNC, start, 1, 0, 0);
	filled(start, size, async_size, 0);
	event(EVENT_STATE, start, size, async_size, 0);
}

static void async(uint64_t index, uint64_t start, uint64_t size,
		  unsigned int order)
{
	event(EVENT_ASYNC, index, 1, 0, 0);
	filled(start, size, size, order);
	event(EVENT_STATE, start, size, size, order);
}

static void test_empty(void)
{
	char title[200];
	FILE *out;

	drawn("no events", 0, 0, "T: no windows\n");

	event(EVENT_STATE, 5, 6, 7, 0);
	drawn("a state of nothing", 0, 0, "T: no windows\n");

	memset(title, 'x', sizeof(title) - 1);
	title[sizeof(title) - 1] = 0;
	sync(0, 4, 3);
	out = begin();
	picture_draw(&picture, out, title, 0, 0);
	matches(out, "a title that does not fit",
		"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n"
		"               pages  folios ra->size\n"
		"    0       4\n"
		"s 0 |=#=====|      4  4x1           4\n",
		PICTURE_WIDTH);
	picture_free(&picture);

	out = begin();
	picture_legend(out);
	matches(out, "legend",
		"|==#==| read, # marked PG_readahead, . cached or only in ra, || nothing\n"
		"s sync a async m mmap f forced r single c cached; < below last ra->size\n",
		PICTURE_WIDTH);
}

/* How a stream starts, with a window that is cut at page 64. */
static void test_stream(void)
{
	sync(0, 4, 3);
	async(1, 4, 16, 2);
	async(4, 20, 28, 2);
	async(20, 48, 16, 4);
	async(48, 64, 32, 5);
	async(64, 96, 2, 1);
	drawn("a stream", 0, 0,
	      "T, 4 pages a column              pages  folios ra->size\n"
	      "     0       32      64      96\n"
	      "s  0 |#|                             4  4x1           4\n"
	      "a  4  |#==|                         16  4x4          16\n"
	      "a 20      |#=====|                  28  7x4          28\n"
	      "a 48             |#==|              16< 16           16\n"
	      "a 64                 |#======|      32  32           32\n"
	      "a 96                         |#|     2< 2             2\n");

	/* the same cut, recorded as what was wanted: from page 8 on */
	sync(0, 4, 3);
	event(EVENT_ASYNC, 1, 1, 0, 0);
	filled(48, 16, 16, 4);
	event(EVENT_STATE, 8, 56, 16, 4);
	async(48, 64, 64, 6);
	drawn("a window recorded larger than read", 0, 128,
	      "T, 4 pages a column                     pages  folios ra->size\n"
	      "     0       32      64      96      128\n"
	      "s  0 |#|                                    4  4x1           4\n"
	      "a 48   |.........#===|                     16  16           56\n"
	      "a 64                 |#==============|     64  64           64\n");
}

static void test_short(void)
{
	/* the shortest ones: at a label, to an edge, in the middle, last */
	async(0, 512, 4, 2);
	async(0, 516, 8, 3);
	async(0, 636, 4, 2);
	async(0, 640, 16, 4);
	async(0, 768, 64, 6);
	async(0, 896, 16, 4);
	async(0, 1022, 2, 1);
	drawn("windows of less than a column", 512, 1024,
	      "T, 16 pages a column                      pages  folios ra->size\n"
	      "       512     640     768     896     1024\n"
	      "a  512 |#|                                    4  4             4\n"
	      "a  516 |#|                                    8  8             8\n"
	      "a  636       |#|                              4< 4             4\n"
	      "a  640         |#|                           16  16           16\n"
	      "a  768                 |#==|                 64  64           64\n"
	      "a  896                         |#|           16< 16           16\n"
	      "a 1022                               |#|      2< 2             2\n");

	/* what the bars hide is shown beside them */
	event(EVENT_SYNC, 0, 1, 0, 0);
	event(EVENT_WINDOW, 0, 18, 0, 0);
	event(EVENT_DEVICE, 16, 2, 0, 0);
	event(EVENT_STATE, 0, 18, 0, 0);
	event(EVENT_SYNC, 0, 1, 0, 0);
	event(EVENT_WINDOW, 32, 16, 0, 0);
	event(EVENT_DEVICE, 32, 1, 0, 0);
	event(EVENT_STATE, 32, 16, 0, 0);
	drawn("pages below the bars", 0, 128,
	      "T, 4 pages a column                     pages  folios ra->size\n"
	      "     0       32      64      96      128\n"
	      "s  0 |..=|                                  2  -            18\n"
	      "s 32         |=..|                          1  -            16\n");
}

static void test_islands(void)
{
	uint64_t i;

	/* what was there ends page_cache_ra_order(); the rest is in singles */
	event(EVENT_SYNC, 0, 16, 0, 0);
	event(EVENT_WINDOW, 0, 32, 16, 0);
	for (i = 0; i < 8; i++)
		event(EVENT_FOLIO, i, 0, 0, 0);
	event(EVENT_DEVICE, 0, 8, 0, 0);
	event(EVENT_UNBOUNDED, 8, 24, 15, 0);
	for (i = 12; i < 32; i++)
		event(EVENT_FOLIO, i, 0, 0, 0);
	event(EVENT_DEVICE, 12, 20, 0, 0);
	event(EVENT_STATE, 0, 32, 16, 0);
	/* the page to mark is there: no marker */
	event(EVENT_SYNC, 32, 1, 0, 0);
	event(EVENT_WINDOW, 32, 16, 8, 0);
	event(EVENT_UNBOUNDED, 32, 16, 8, 0);
	for (i = 32; i < 39; i++)
		event(EVENT_FOLIO, i, 0, 0, 0);
	event(EVENT_DEVICE, 32, 7, 0, 0);
	for (i = 42; i < 48; i++)
		event(EVENT_FOLIO, i, 0, 0, 0);
	event(EVENT_DEVICE, 42, 6, 0, 0);
	event(EVENT_STATE, 32, 16, 8, 0);
	drawn("cached islands", 0, 0,
	      "T, 2 pages a column             pages  reads folios ra->size\n"
	      "     0       16      32      48\n"
	      "s  0 |===..==#=======|             28      2 28x1         32\n"
	      "s 32                 |===.===|     13      2 13x1         16\n");
}

static void test_nothing(void)
{
	event(EVENT_SYNC, 4, 1, 0, 0);
	event(EVENT_STATE, 0, 0, 0, 0);
	event(EVENT_ASYNC, 8, 1, 0, 0);
	event(EVENT_WINDOW, 9, 0, 0, 0);
	event(EVENT_STATE, 9, 0, 0, 0);
	event(EVENT_ASYNC, 10, 1, 0, 0);
	event(EVENT_WINDOW, 12, 4, 4, 0);
	event(EVENT_STATE, 12, 4, 4, 0);
	event(EVENT_ASYNC, 15, 1, 0, 0);
	drawn("calls that read nothing", 0, 0,
	      "T, 2 columns a page             pages  reads folios ra->size\n"
	      "     4       8       12      16\n"
	      "s  4 ||                             0      0 -             -\n"
	      "a  9           ||                   0      0 -             0\n"
	      "a 12                 |.......|      0      0 -             4\n"
	      "a 15                       ||       0      0 -             -\n");
}

static void test_other_kinds(void)
{
	/* in two chunks, then one elsewhere */
	event(EVENT_UNBOUNDED, 0, 2, 0, 0);
	event(EVENT_FOLIO, 0, 1, 0, 0);
	event(EVENT_DEVICE, 0, 2, 0, 0);
	event(EVENT_UNBOUNDED, 2, 2, 0, 0);
	event(EVENT_FOLIO, 2, 1, 0, 0);
	event(EVENT_DEVICE, 2, 2, 0, 0);
	event(EVENT_UNBOUNDED, 8, 1, 0, 0);
	event(EVENT_FOLIO, 8, 0, 0, 0);
	event(EVENT_DEVICE, 8, 1, 0, 0);
	/* put into the cache, and at once after them one that is read */
	event(EVENT_FOLIO, 10, 0, 0, 0);
	event(EVENT_FOLIO, 11, 0, 0, 0);
	event(EVENT_FOLIO, 12, 0, 0, 0);
	event(EVENT_DEVICE, 12, 1, 0, 0);
	event(EVENT_FOLIO, 16, 2, 0, 0);
	event(EVENT_DEVICE, 16, 2, 0, 0);
	event(EVENT_DEVICE, 18, 2, 0, 0);
	/* a fault's read-around, its marker in the middle */
	filled(20, 8, 2, 0);
	event(EVENT_STATE, 20, 8, 2, 0);
	/* a random read leaves ra alone */
	event(EVENT_SYNC, 30, 2, 0, 0);
	event(EVENT_UNBOUNDED, 30, 2, 0, 0);
	event(EVENT_FOLIO, 30, 0, 0, 0);
	event(EVENT_FOLIO, 31, 0, 0, 0);
	event(EVENT_DEVICE, 30, 2, 0, 0);
	event(EVENT_STATE, 20, 8, 2, 0);
	drawn("what is not page_cache_sync_ra() or _async_ra()", 0, 0,
	      "T, a page a column                      pages  reads folios ra->size\n"
	      "     0       8       16      24      32\n"
	      "f  0 |===|                                  4      2 2x2           -\n"
	      "f  8         |=|                            1      1 1             -\n"
	      "c 10           |.|                          0      0 2x1           -\n"
	      "r 12             |=|                        1      1 1             -\n"
	      "r 16                 |===|                  4      2 4             -\n"
	      "m 20                     |=====#=|          8      1 8x1           8\n"
	      "s 30                               |=|      2      1 2x1           -\n");
}

static void test_broken(void)
{
	struct sim_event ev = { EVENT_ASYNC, 1, 100, 1, 0, 0 };

	/* overlapping, out of order, two marks, another file */
	sync(16, 16, 8);
	sync(0, 24, 8);
	event(EVENT_ASYNC, 8, 1, 0, 0);
	event(EVENT_WINDOW, 8, 16, 8, 2);
	event(EVENT_FOLIO, 8, 3, 1, 0);
	event(EVENT_FOLIO, 16, 3, 1, 0);
	event(EVENT_DEVICE, 8, 16, 0, 0);
	event(EVENT_STATE, 8, 16, 8, 2);
	ev.index = 24;
	picture_event(&picture, &ev);
	ev.type = EVENT_WINDOW;
	ev.a = 8;
	ev.b = 8;
	picture_event(&picture, &ev);
	ev.type = EVENT_DEVICE;
	picture_event(&picture, &ev);
	drawn("overlapping and out of order", 0, 0,
	      "T, a page a column                       pages  folios ra->size\n"
	      "      0       8       16      24      32\n"
	      "s  16                 |=======#=======|     16  16x1         16\n"
	      "s   0 |===============#=======|             24  24x1         24\n"
	      "a   8         |#======#=======|             16< 2x8          16\n"
	      "a1 24                         |=======|      8  -             -\n");

	/* 4 - 5 pages, and a state that has wrapped around too */
	event(EVENT_SYNC, 0, 1, 0, 0);
	event(EVENT_WINDOW, 0, UINT32_MAX, 3, 0);
	event(EVENT_FOLIO, 0, 0, 0, 0);
	event(EVENT_DEVICE, 0, 1, 0, 0);
	event(EVENT_STATE, 0, UINT32_MAX, 4, 0);
	event(EVENT_UNBOUNDED, 3, -2ULL, 0, 0);
	event(EVENT_SYNC, -3ULL, 1, 0, 0);
	event(EVENT_STATE, 0, UINT32_MAX, 4, 0);
	sync(4, 4, 2);
	drawn("underflows", 0, 0,
	      "T, 2 columns a page       pages  folios   ra->size\n"
	      "       0       4       8\n"
	      "s    0 |=..............>      1  1      4294967295\n"
	      "f    3       |.........>      0  -               -\n"
	      "s    4         |===#===|      4  4x1             4\n"
	      "(1 window outside)\n");
}

static void test_range(void)
{
	sync(0, 16, 8);
	async(8, 16, 32, 0);
	async(16, 48, 16, 0);
	async(48, 64, 16, 0);
	drawn("windows cut by the scale, and two outside", 32, 56,
	      "T, a page a column              pages  folios ra->size\n"
	      "     32      40      48      56\n"
	      "a 16 <===============|             32  32x1         32\n"
	      "a 48                 |#======>     16< 16x1         16\n"
	      "(2 windows outside)\n");

	async(1, 1 << 20, 512, 9);
	async(1, (1 << 20) + 512, 512, 9);
	drawn("large page numbers", 0, 0,
	      "T, 32 pages a column                         pages  folios ra->size\n"
	      "          1048576 1048832 1049088 1049344 1049600\n"
	      "a 1048576 |#==============|                    512  512         512\n"
	      "a 1049088                 |#==============|    512  512         512\n");

	sync(0, 16, 8);
	drawn("a scale with nothing on it", 100, 200,
	      "T, 4 pages a column             pages  folios ra->size\n"
	      "           128     160     192\n"
	      "(1 window outside)\n");

	sync(0, 16, 8);
	drawn("a scale without end", 4, UINT64_MAX,
	      "T, 134217728 pages a column            pages  folios ra->size\n"
	      "                    2147483648\n"
	      "s 0 <#|                                   16  16x1         16\n");
}

static void test_many(void)
{
	char expected[8192], *at = expected;
	unsigned int i;

	for (i = 0; i < 100; i++)
		async(i, 128 + i, 1, 0);
	at += sprintf(at, "T, 4 pages a column               pages  folios ra->size\n"
		      "      128     160     192     224\n");
	for (i = 128; i < 228; i++) {
		if (i == 160)
			at += sprintf(at, "... 36 more windows ...\n");
		if (i < 160 || i >= 196)
			at += sprintf(at, "a %u %*s|#|%*s 1  1             1\n",
				      i, (i - 128) / 4, "",
				      28 - (i - 128) / 4, "");
	}
	drawn("more windows than fit", 0, 0, expected);

	/* those that are outside need no room */
	for (i = 0; i < 100; i++)
		async(i, 128 + i, 1, 0);
	at = expected;
	at += sprintf(at, "T, 2 pages a column                      pages  folios ra->size\n"
		      "      128     144     160     176     192\n");
	for (i = 128; i < 192; i++)
		at += sprintf(at, "a %u %*s|#|%*s 1  1             1\n", i,
			      (i - 128) / 2, "", 35 - (i - 128) / 2, "");
	sprintf(at, "(36 windows outside)\n");
	drawn("as many windows as fit, and more outside", 128, 192, expected);
}

static void test_large(void)
{
	unsigned int i, k, order;

	sync(0, 4, 3);
	for (i = 4; i < 4 + 3 * 16383; i += 16383) {
		event(EVENT_ASYNC, i ? i - 1 : 0, 1, 0, 0);
		event(EVENT_WINDOW, i, 16383, 16383, 9);
		for (k = 0; k < 31; k++)
			event(EVENT_FOLIO, i + 512 * k, 9, !k, 0);
		for (order = 0; order < 9; order++)
			event(EVENT_FOLIO, i, order, 0, 0);
		for (k = 0; k < 16; k++)
			event(EVENT_DEVICE, i + 1024 * k, k < 15 ? 1024 : 1023, 0, 0);
		event(EVENT_STATE, i, 16383, 16383, 9);
	}
	drawn("windows of 16383 pages", 0, 0,
	      "T, 2048 pages a column              pages  reads folios        ra->size\n"
	      "        0       16384   32768   49152\n"
	      "s     0 |#|                             4      1 4x1                  4\n"
	      "a     4 |#======|                   16383     16 31x512+256+..    16383\n"
	      "a 16387         |#======|           16383     16 31x512+256+..    16383\n"
	      "a 32770                 |#======|   16383     16 31x512+256+..    16383\n");
}

static void test_period(void)
{
	struct picture_period period;
	unsigned int i;

	is_true("no windows, no period",
		!picture_period(&picture, 100, &period));
	sync(0, 3, 1);
	for (i = 0; i < 4; i++) {
		async(0, 8 + i * 24, 8, 0);
		async(0, 16 + i * 24, 16, 0);
	}
	/* the first one has not yet got a larger one before it */
	is_true("a period of two windows, 24 pages",
		picture_period(&picture, 1000, &period) && period.first == 2 &&
		period.nr == 2 && period.pages == 24);
	is_true("a last window at the end of the file is no part of it",
		picture_period(&picture, 104, &period) && period.nr == 2);
	is_true("twice and a half is no period",
		!picture_period(&picture, 80, &period));
	async(0, 104, 9, 0);
	is_true("one that does not go on to the end is none",
		!picture_period(&picture, 1000, &period));
	is_true("a last window that the end of the file has cut is no matter",
		picture_period(&picture, 113, &period) && period.nr == 2);
	is_true("the same window", picture_same(&picture, 3, &picture, 5, 24));
	is_true("the same, but elsewhere",
		!picture_same(&picture, 3, &picture, 5, 25));
	is_true("another window", !picture_same(&picture, 3, &picture, 4, 8));
	picture_free(&picture);
}

static void test_list(void)
{
	FILE *out;

	sync(0, 4, 3);
	event(EVENT_ASYNC, 1, 256, 0, 0);
	filled(4, 2, 2, 1);
	event(EVENT_STATE, 2, 4, 2, 1);
	event(EVENT_SYNC, 9, 1, 0, 0);
	out = begin();
	picture_list_header(out);
	picture_list(&picture, out, "base", 0, UINT64_MAX);
	picture_list(&picture, out, "part", 4, 9);
	matches(out, "list",
		"# name\tnr\tkind\tfile\tindex\treq\tstart\tsize\tasync_size\torder\tpages\treads\tfolios\tmark\tbefore\tra_start\tra_size\tra_async\n"
		"base\t0\ts\t0\t0\t1\t0\t4\t3\t0\t4\t1\t4x1\t1\t0\t0\t4\t3\n"
		"base\t1\ta\t0\t1\t256\t4\t2\t2\t1\t2\t1\t2\t4\t4\t2\t4\t2\n"
		"base\t2\ts\t0\t9\t1\t9\t0\t0\t0\t0\t0\t-\t-\t4\t-\t-\t-\n"
		"part\t1\ta\t0\t1\t256\t4\t2\t2\t1\t2\t1\t2\t4\t4\t2\t4\t2\n",
		SIZE_MAX);
	picture_free(&picture);
}

/*
 * Engines with a policy that is known: read() sends windows up to the end of
 * what it is asked for.  The first has windows of 4, 4 and 8 pages, for ever,
 * the second of 8, but starts with 4 and 4.
 */
struct sim {
	sim_event_fn fn;
	void *data;
	uint64_t pos, file;
	unsigned int nr;
	struct sim_stats stats;
};

static struct sim *fake_create(const struct sim_params *p)
{
	struct sim *sim = calloc(1, sizeof(*sim));

	if (!sim)
		exit(2);
	sim->file = p->file_bytes >> 12;
	return sim;
}

static void fake_destroy(struct sim *sim)
{
	free(sim);
}

static void fake_listen(struct sim *sim, sim_event_fn fn, void *data)
{
	sim->fn = fn;
	sim->data = data;
}

static void tell(struct sim *sim, enum sim_event_type type, uint64_t index,
		 uint64_t a, uint64_t b)
{
	struct sim_event ev = { type, 0, index, a, b, 0 };

	sim->fn(sim->data, &ev);
}

static void fake_window(struct sim *sim, unsigned int size)
{
	unsigned int order = size == 8 ? 3 : 2;

	tell(sim, EVENT_ASYNC, sim->pos, 1, 0);
	tell(sim, EVENT_WINDOW, sim->pos, size, size);
	tell(sim, EVENT_FOLIO, sim->pos, order, 1);
	tell(sim, EVENT_DEVICE, sim->pos, size, 0);
	tell(sim, EVENT_STATE, sim->pos, size, size);
	sim->pos += size;
	sim->nr++;
	sim->stats.reads++;
	sim->stats.pages += size;
	sim->stats.folios[order]++;
}

static int64_t fake_read(struct sim *sim, unsigned int file, uint64_t pos,
			 uint64_t bytes)
{
	(void)file;
	while (sim->pos < (pos + bytes) >> 12 && sim->pos < sim->file)
		fake_window(sim, sim->nr % 3 == 2 ? 8 : 4);
	return bytes;
}

static int64_t fake_read_patched(struct sim *sim, unsigned int file,
				 uint64_t pos, uint64_t bytes)
{
	(void)file;
	while (sim->pos < (pos + bytes) >> 12 && sim->pos < sim->file)
		fake_window(sim, sim->nr < 2 ? 4 : 8);
	return bytes;
}

/* Like the first for a hundred pages, then 8 pages and no more than once 6. */
static int64_t fake_read_late(struct sim *sim, unsigned int file, uint64_t pos,
			      uint64_t bytes)
{
	(void)file;
	while (sim->pos < (pos + bytes) >> 12 && sim->pos < sim->file)
		fake_window(sim, sim->pos == 512 ? 6 : sim->pos > 100 ||
			    sim->nr % 3 == 2 ? 8 : 4);
	return bytes;
}

static const struct sim_stats *fake_stats(const struct sim *sim)
{
	return &sim->stats;
}

static const char *fake_bad(const struct sim *sim)
{
	(void)sim;
	return NULL;
}

static void test_windows(void)
{
	static const struct engine fake[] = {
		{ .create = fake_create, .destroy = fake_destroy,
		  .listen = fake_listen, .read = fake_read,
		  .stats = fake_stats, .bad = fake_bad },
		{ .create = fake_create, .destroy = fake_destroy,
		  .listen = fake_listen, .read = fake_read_patched,
		  .stats = fake_stats, .bad = fake_bad },
		{ .create = fake_create, .destroy = fake_destroy,
		  .listen = fake_listen, .read = fake_read_late,
		  .stats = fake_stats, .bad = fake_bad },
	};
	static const char * const name[] = { "base", "patched" };
	const struct engine *e[] = { &fake[0], &fake[1] };
	struct windows_options o = WINDOWS_DEFAULT;
	FILE *out;

	o.file = 1024;
	o.lines = 16;
	out = begin();
	windows(e, 2, name, &o, out);
	matches(out, "two engines",
		"reads of 1, then 256 pages, 0 to 1024; ra_pages 32, io_pages 128\n"
		"|==#==| read, # marked PG_readahead, . cached or only in ra, || nothing\n"
		"s sync a async m mmap f forced r single c cached; < below last ra->size\n"
		"\n"
		"base: 3 windows, a page a column       pages  folios ra->size\n"
		"    0       8       16\n"
		"a 0 |#==|                                  4  4             4\n"
		"a 4     |#==|                              4  4             4\n"
		"a 8         |#======|                      8  8             8\n"
		"\n"
		"patched: 3 windows, a page a column    pages  folios ra->size\n"
		"    0       8       16\n"
		"a 0 |#==|                                  4  4             4\n"
		"a 4     |#==|                              4  4             4\n"
		"a 8         |#======|                      8  8             8\n"
		"\n"
		"base: 3 windows, a page a column        pages  folios ra->size\n"
		"     16      24      32\n"
		"a 16 |#==|                                  4< 4             4\n"
		"a 20     |#==|                              4  4             4\n"
		"a 24         |#======|                      8  8             8\n"
		"... and so on every 16 pages: 3 windows\n"
		"\n"
		"patched: 2 windows, a page a column     pages  folios ra->size\n"
		"     16      24      32\n"
		"a 16 |#======|                              8  8             8\n"
		"a 24         |#======|                      8  8             8\n"
		"... and so on every 16 pages: 2 windows\n"
		"\n"
		"All of the file:\n"
		"base: 192 reads of 1024 pages, 21.3 KiB a folio\n"
		"patched: 129 reads of 1024 pages, 31.8 KiB a folio\n",
		PICTURE_WIDTH);

	e[1] = e[0];
	out = begin();
	windows(e, 2, name, &o, out);
	matches(out, "twice the same engine",
		"reads of 1, then 256 pages, 0 to 1024; ra_pages 32, io_pages 128\n"
		"|==#==| read, # marked PG_readahead, . cached or only in ra, || nothing\n"
		"s sync a async m mmap f forced r single c cached; < below last ra->size\n"
		"\n"
		"No window differs.\n"
		"\n"
		"both: 3 windows, a page a column       pages  folios ra->size\n"
		"    0       8       16\n"
		"a 0 |#==|                                  4  4             4\n"
		"a 4     |#==|                              4  4             4\n"
		"a 8         |#======|                      8  8             8\n"
		"\n"
		"both: 3 windows, a page a column        pages  folios ra->size\n"
		"     16      24      32\n"
		"a 16 |#==|                                  4< 4             4\n"
		"a 20     |#==|                              4  4             4\n"
		"a 24         |#======|                      8  8             8\n"
		"... and so on every 16 pages: 3 windows\n"
		"\n"
		"All of the file:\n"
		"both: 192 reads of 1024 pages, 21.3 KiB a folio\n",
		PICTURE_WIDTH);

	e[1] = &fake[2];
	out = begin();
	windows(e, 2, name, &o, out);
	matches(out, "two that differ late",
		"reads of 1, then 256 pages, 0 to 1024; ra_pages 32, io_pages 128\n"
		"|==#==| read, # marked PG_readahead, . cached or only in ra, || nothing\n"
		"s sync a async m mmap f forced r single c cached; < below last ra->size\n"
		"\n"
		"both: 4 windows, a page a column        pages  folios ra->size\n"
		"     0       8       16\n"
		"a  0 |#==|                                  4  4             4\n"
		"a  4     |#==|                              4  4             4\n"
		"a  8         |#======|                      8  8             8\n"
		"a 16                 |#==|                  4< 4             4\n"
		"... 15 more windows the same, up to page 100\n"
		"\n"
		"base: 5 windows, a page a column         pages  folios ra->size\n"
		"          104     112     120     128\n"
		"a 100 |#==|                                  4  4             4\n"
		"a 104     |#======|                          8  8             8\n"
		"a 112             |#==|                      4< 4             4\n"
		"a 116                 |#==|                  4  4             4\n"
		"a 120                     |#======|          8  8             8\n"
		"\n"
		"patched: 4 windows, a page a column      pages  folios ra->size\n"
		"          104     112     120     128\n"
		"a 100 |#==|                                  4  4             4\n"
		"a 104     |#======|                          8  8             8\n"
		"a 112             |#======|                  8  8             8\n"
		"a 120                     |#======|          8  8             8\n"
		"\n"
		"base: 6 windows, a page a column         pages  folios ra->size\n"
		"      128     136     144     152     160\n"
		"a 128 |#==|                                  4< 4             4\n"
		"a 132     |#==|                              4  4             4\n"
		"a 136         |#======|                      8  8             8\n"
		"a 144                 |#==|                  4< 4             4\n"
		"a 148                     |#==|              4  4             4\n"
		"a 152                         |#======|      8  8             8\n"
		"\n"
		"patched: 4 windows, a page a column      pages  folios ra->size\n"
		"      128     136     144     152     160\n"
		"a 128 |#======|                              8  8             8\n"
		"a 136         |#======|                      8  8             8\n"
		"a 144                 |#======|              8  8             8\n"
		"a 152                         |#======|      8  8             8\n"
		"\n"
		"base: 5 windows, a page a column         pages  folios ra->size\n"
		"      160     168     176     184\n"
		"a 160 |#==|                                  4< 4             4\n"
		"a 164     |#==|                              4  4             4\n"
		"a 168         |#======|                      8  8             8\n"
		"a 176                 |#==|                  4< 4             4\n"
		"a 180                     |#==|              4  4             4\n"
		"... 63 more windows up to page 518\n"
		"\n"
		"patched: 3 windows, a page a column      pages  folios ra->size\n"
		"      160     168     176     184\n"
		"a 160 |#======|                              8  8             8\n"
		"a 168         |#======|                      8  8             8\n"
		"a 176                 |#======|              8  8             8\n"
		"... 42 more windows up to page 518\n"
		"\n"
		"base: 3 windows, a page a column         pages  folios ra->size\n"
		"        520     528\n"
		"a 520   |#======|                            8  8             8\n"
		"a 528           |#==|                        4< 4             4\n"
		"a 532               |#>                      4  4             4\n"
		"... and so on every 16 pages: 3 windows\n"
		"\n"
		"patched: 2 windows, a page a column      pages  folios ra->size\n"
		"        520     528\n"
		"a 518 |#======|                              8  8             8\n"
		"a 526         |#======|                      8  8             8\n"
		"... and so on every 16 pages: 2 windows\n"
		"\n"
		"All of the file:\n"
		"base: 192 reads of 1024 pages, 21.3 KiB a folio\n"
		"patched: 136 reads of 1030 pages, 30.3 KiB a folio\n",
		PICTURE_WIDTH);

	e[1] = &fake[1];
	o.from = 16;
	o.to = 40;
	out = begin();
	windows(e, 2, name, &o, out);
	matches(out, "from and to",
		"reads of 1, then 256 pages, 0 to 1024; ra_pages 32, io_pages 128\n"
		"|==#==| read, # marked PG_readahead, . cached or only in ra, || nothing\n"
		"s sync a async m mmap f forced r single c cached; < below last ra->size\n"
		"\n"
		"base: 5 windows, a page a column\n"
		"                                pages  folios ra->size\n"
		"     16      24      32      40\n"
		"a 16 |#==|                          4< 4             4\n"
		"a 20     |#==|                      4  4             4\n"
		"a 24         |#======|              8  8             8\n"
		"a 32                 |#==|          4< 4             4\n"
		"a 36                     |#==|      4  4             4\n"
		"\n"
		"patched: 3 windows, a page a column\n"
		"                                pages  folios ra->size\n"
		"     16      24      32      40\n"
		"a 16 |#======|                      8  8             8\n"
		"a 24         |#======|              8  8             8\n"
		"a 32                 |#======|      8  8             8\n"
		"\n"
		"All of the file:\n"
		"base: 192 reads of 1024 pages, 21.3 KiB a folio\n"
		"patched: 129 reads of 1024 pages, 31.8 KiB a folio\n",
		PICTURE_WIDTH);
}

int picture_tests(void)
{
	failures = 0;
	test_empty();
	test_stream();
	test_short();
	test_islands();
	test_nothing();
	test_other_kinds();
	test_broken();
	test_range();
	test_many();
	test_large();
	test_period();
	test_list();
	test_windows();
	return failures;
}
