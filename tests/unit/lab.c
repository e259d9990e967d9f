// SPDX-License-Identifier: GPL-2.0
/*
 * lab.c - unit tests of the parts of tools/lab that decide
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "claim.h"
#include "pattern.h"
#include "plan.h"
#include "report.h"
#include "util.h"
#include "verdict.h"

#define SEED	0x1234567890abcdefULL

static const struct boot boot = { .mb = 1024 };

static void sizes(void **state)
{
	static const struct {
		const char *text;
		uint64_t value;
		bool good;
	} t[] = {
		{ "0", 0, true }, { "4k", 4096, true }, { "4K", 4096, true },
		{ "3M", 3 << 20, true }, { "1G", 1 << 30, true },
		{ "", 0, false }, { "-1", 0, false }, { "k", 0, false },
		{ "99999999999999999999", 0, false },
		{ "9999999999G", 0, false },
	};
	const char *end;
	unsigned int i;
	uint64_t v;
	char text[24];

	(void)state;
	for (i = 0; i < ARRAY_SIZE(t); i++) {
		assert_int_equal(parse_size(t[i].text, &end, &v), t[i].good);
		if (t[i].good)
			assert_int_equal(v, t[i].value);
	}
	print_size(text, sizeof(text), 3 << 20);
	assert_string_equal(text, "3M");
	print_size(text, sizeof(text), 4097);
	assert_string_equal(text, "4097");
}

/* The closed form against adding up, and a wrong word is found where it is. */
static void pattern(void **state)
{
	static const uint64_t starts[] = { 0, 8, 4096, 69632, 536866816 };
	static const size_t lens[] = { 8, 16, 4096, 4104, 65536 };
	uint64_t *data = malloc(65536), sum;
	unsigned int s, l;

	(void)state;
	for (s = 0; s < ARRAY_SIZE(starts); s++) {
		for (l = 0; l < ARRAY_SIZE(lens); l++) {
			size_t last = lens[l] / 8 - 1;

			pattern_fill(data, lens[l], starts[s], SEED);
			sum = 0;
			assert_int_equal(pattern_check(data, lens[l], starts[s],
						       SEED, &sum), -1);
			assert_true(sum == pattern_sum(starts[s], starts[s] +
						       lens[l], SEED));
			data[last] ^= 1ULL << 63;
			assert_int_equal(pattern_check(data, lens[l], starts[s],
						       SEED, &sum),
					 starts[s] + 8 * last);
		}
	}
	/* data of the next page is not taken for this one's */
	pattern_fill(data, 4096, 4096, SEED);
	assert_int_equal(pattern_check(data, 4096, 0, SEED, &sum), 0);
	free(data);
}

/* What was never written is zeroes, and their sum is 0. */
static void zeroes(void **state)
{
	uint64_t *data = calloc(512, 8), sum = 5;

	(void)state;
	assert_int_equal(pattern_check_zeroes(data, 4096, 8192, &sum), -1);
	assert_int_equal(sum, 5);
	data[511] = 1;
	assert_int_equal(pattern_check_zeroes(data, 4096, 8192, &sum),
			 8192 + 4088);
	assert_int_equal(sum, 6);
	/* the pattern is not taken for them */
	pattern_fill(data, 4096, 0, SEED);
	assert_int_equal(pattern_check_zeroes(data, 4096, 0, &sum), 0);
	free(data);
}

static const char whole_report[] =
	"hello 1 7.3.4-base-0\n"
	"pass A1\n"
	"set A1 read_ahead_kb 128 128\n"
	"at A1 read\n"
	"cold A1 0\n"
	"pieces A1 1\n"
	"folio A1 0 4\n"
	"folio A1 2 3\n"
	"stat A1 5 1 136\n"
	"w 0 4 3 0\n"
	"w 4 8 8 2\n"
	"d 0 4\n"
	"m 128 32\n"
	"data A1 4 128\n"
	"sent A1 5\n"
	"meta A1 1 8\n"
	"resident A1 16\n"
	"read A1 65536 00000000000000ff\n"
	"time A1 12345\n"
	"done A1\n"
	"end 20\n";

static void report_whole(void **state)
{
	char *text = xstrdup(whole_report);
	struct report r;

	(void)state;
	assert_null(report_parse(&r, text));
	assert_true(r.complete);
	assert_string_equal(r.release, "7.3.4-base-0");
	assert_int_equal(r.nr, 1);
	assert_true(r.samples[0].done);
	assert_null(r.samples[0].bad);
	assert_int_equal(r.samples[0].windows, 2);
	assert_int_equal(r.samples[0].sum, 255);
	assert_int_equal(sample_value(&r.samples[0], METRIC_READS), 5);
	assert_int_equal(sample_value(&r.samples[0], METRIC_DATA), 4);
	assert_int_equal(sample_value(&r.samples[0], METRIC_BYTES), 65536);
	/* 16 pages in 7 folios are 9.14 KiB each */
	assert_int_equal(sample_value(&r.samples[0], METRIC_FOLIO), 91);
	report_free(&r);
	free(text);
}

/* Without trace points there are no windows, which is not 0 of them. */
static void report_untraced(void **state)
{
	char *windows = strstr(whole_report, "w 0 4"), *text, *why;
	const char *rest = strstr(whole_report, "d 0 4");
	struct report r;

	(void)state;
	text = xasprintf("%.*suntraced A1\n%s", (int)(windows - whole_report),
			 whole_report, rest);
	strcpy(strstr(text, "end "), "end 19\n");
	assert_null(report_parse(&r, text));
	assert_true(r.complete);
	assert_true(r.samples[0].untraced);
	assert_int_equal(sample_value(&r.samples[0], METRIC_WINDOWS), -1);
	assert_int_equal(sample_value(&r.samples[0], METRIC_SYNC), -1);
	assert_int_equal(sample_value(&r.samples[0], METRIC_DATA), 4);
	/* all that was traced is requests */
	assert_true(r.samples[0].trace);
	assert_int_equal(r.samples[0].trace, r.samples[0].requests);
	report_free(&r);
	free(text);

	/* and one of them is a contradiction */
	text = xasprintf("%.*suntraced A1\n%s", (int)(windows - whole_report),
			 whole_report, windows);
	why = report_parse(&r, text);
	assert_non_null(why);
	free(why);
	report_free(&r);
	free(text);
}

/* A report cut anywhere is never taken for a whole one. */
static void report_cut(void **state)
{
	size_t n;

	(void)state;
	for (n = 0; n < sizeof(whole_report) - 1; n++) {
		char *text = xstrdup(whole_report), *why;
		struct report r;

		text[n] = '\0';
		why = report_parse(&r, text);
		assert_false(!why && r.complete);
		free(why);
		report_free(&r);
		free(text);
	}
}

/* Nor is one that lost a line, or got one that does not belong there. */
static void report_damaged(void **state)
{
	const char *line = whole_report;
	struct report r;
	char *why;

	(void)state;
	while (*line) {
		size_t n = strchr(line, '\n') + 1 - line;
		char *text = xasprintf("%.*s%s", (int)(line - whole_report),
				       whole_report, line + n);

		why = report_parse(&r, text);
		assert_false(!why && r.complete);
		free(why);
		report_free(&r);
		free(text);

		text = xasprintf("%.*sstray line\n%s",
				 (int)(line - whole_report), whole_report, line);
		why = report_parse(&r, text);
		assert_false(!why && r.complete);
		free(why);
		report_free(&r);
		free(text);
		line += n;
	}
}

static void make_claim(struct claim *c)
{
	unsigned int m;

	memset(c, 0, sizeof(*c));
	c->id = "T";
	c->fs = "xfs";
	c->file = 1 << 20;
	c->mdts = 7;
	c->max_sectors_kb = 512;
	c->read_ahead_kb = 128;
	for (m = 0; m < NR_METRICS; m++) {
		c->posted_before[m] = -1;
		c->posted_after[m] = -1;
		c->stock[m] = -1;
		c->rival[m] = -1;
	}
	c->nr_ops = 1;
	c->ops[0].times = 1;
	c->ops[0].bytes = 1 << 20;
	c->ops[0].end = 1 << 20;
	c->nr_promises = 1;
	c->promises[0] = (struct promise){ METRIC_READS, CMP_LE, true, 0 };
}

static void make_sample(struct sample *s, uint64_t data)
{
	memset(s, 0, sizeof(*s));
	s->claim = "T";
	s->done = true;
	s->pieces = 1;
	s->data = data;
	s->sent = data;
	s->data_sectors = 2048;
	s->meta = 1;
	s->meta_sectors = 8;
	s->reads = data + 1;
	s->sectors = 2056;
	s->folios[2] = 64;
	s->resident = 256;
	strcpy(s->settings, " max_hw_sectors_kb=512  max_sectors_kb=512  read_ahead_kb=128 ");
	s->bytes = 1 << 20;
	s->sum = pattern_sum(0, 1 << 20, SEED);
}

static const int two_kernels[NR_KERNELS] = { 2, 2, 0 };
static const int all_kernels[NR_KERNELS] = { 2, 2, 2 };
static const int once[NR_KERNELS] = { 1, 1, 0 };

/* base and patched (and rival) in two boots each, with these data reads */
static void judge_three(struct judged *j, const struct claim *c, int base,
			int patched, int rival)
{
	const struct sample *p[NR_KERNELS][MAX_RUNS] = { { NULL } };
	const char *why[NR_KERNELS][MAX_RUNS] = { { NULL } };
	struct sample s[NR_KERNELS];
	int k;

	make_sample(&s[BASE], base);
	make_sample(&s[PATCHED], patched);
	make_sample(&s[RIVAL], rival);
	for (k = 0; k < NR_KERNELS; k++) {
		p[k][0] = &s[k];
		p[k][1] = &s[k];
	}
	judge(j, c, p, why, rival ? all_kernels : two_kernels, NULL, 0, SEED);
}

static void verdicts(void **state)
{
	struct claim c;
	struct judged j;

	(void)state;
	make_claim(&c);
	judge_three(&j, &c, 100, 100, 0);
	assert_int_equal(j.verdict, VERDICT_HOLDS);
	assert_null(j.reason);
	judged_free(&j);

	judge_three(&j, &c, 100, 101, 0);
	assert_int_equal(j.verdict, VERDICT_FAILS);
	assert_string_equal(j.reason, "reads 102, promised <= 101 (stock)");
	judged_free(&j);

	/* better than posted: fewer than the mail has, with any metadata */
	c.posted_before[METRIC_READS] = 102;
	c.posted_after[METRIC_READS] = 92;
	judge_three(&j, &c, 100, 88, 0);
	assert_int_equal(j.verdict, VERDICT_BETTER);
	assert_int_equal(j.before, REPEATED_YES);
	assert_int_equal(j.after, REPEATED_UNKNOWN);
	judged_free(&j);
	judge_three(&j, &c, 100, 89, 0);
	assert_int_equal(j.verdict, VERDICT_HOLDS);
	judged_free(&j);

	/* a total holds one to three reads of metadata */
	judge_three(&j, &c, 99, 90, 91);
	assert_int_equal(j.before, REPEATED_YES);
	assert_int_equal(j.after, REPEATED_YES);
	judged_free(&j);
	judge_three(&j, &c, 98, 90, 92);
	assert_int_equal(j.before, REPEATED_NO);
	assert_int_equal(j.after, REPEATED_NO);
	judged_free(&j);

	/* what is known of the stock kernel voids, of the rival it does not */
	c.stock[METRIC_DATA] = 100;
	c.rival[METRIC_DATA] = 95;
	judge_three(&j, &c, 100, 88, 96);
	assert_int_equal(j.verdict, VERDICT_BETTER);
	assert_non_null(j.rival);
	judged_free(&j);
	judge_three(&j, &c, 101, 90, 95);
	assert_int_equal(j.verdict, VERDICT_VOID);
	judged_free(&j);

	/* bounds are exact */
	c.stock[METRIC_DATA] = -1;
	c.promises[0] = (struct promise){ METRIC_FOLIO, CMP_GE, false, 160 };
	judge_three(&j, &c, 100, 100, 0);
	assert_int_equal(j.verdict, VERDICT_HOLDS);
	judged_free(&j);
	c.promises[0].bound = 161;
	judge_three(&j, &c, 100, 100, 0);
	assert_int_equal(j.verdict, VERDICT_FAILS);
	assert_string_equal(j.reason, "folio 16.0 KiB, promised >= 16.1 KiB");
	judged_free(&j);
}

/* Makes a sample worthless in the i-th way; returns what is said of it. */
static const char *spoil(struct sample *s, int i)
{
	switch (i) {
	case 0:
		s->done = false;
		return "the pass did not end";
	case 1:
		s->cold = 3;
		return "3 pages of the file were cached";
	case 2:
		s->pieces = 2;
		return "lies in 2 pieces";
	case 3:
		s->bytes -= 4096;
		return "the reader got 1044480 bytes";
	case 4:
		s->sum++;
		return "checksum";
	case 5:
		s->data_sectors -= 8;
		s->sectors -= 8;
		return "a cold pass needs";
	case 6:
		s->meta++;
		return "the device counts 101 reads, the trace 102";
	case 7:
		s->sent++;
		return "the device counts 101 reads, the trace 102";
	case 8:
		s->windows++;
		return "windows differ";
	case 9:
		s->resident++;
		return "the folios hold 256 pages, 257 are cached";
	case 10:
		s->folios[0] += 4;
		s->folios[2]--;
		return "folio sizes differ";
	case 11:
		s->data++;
		s->sent++;
		s->reads++;
		return "reads differ from those of boot 1";
	case 12:
		s->resident++;
		s->folios[0]++;
		return "resident pages differ";
	case 13:
		strcpy(s->settings, " max_hw_sectors_kb=512  max_sectors_kb=512 ");
		return "read_ahead_kb was not read back as 128";
	}
	return NULL;
}

static void voids(void **state)
{
	struct sample good, bad;
	const char *words;
	struct claim c;
	int i;

	(void)state;
	make_claim(&c);
	make_sample(&good, 100);
	for (i = 0; bad = good, (words = spoil(&bad, i)); i++) {
		const struct sample *p[NR_KERNELS][MAX_RUNS] = { { NULL } };
		const char *why[NR_KERNELS][MAX_RUNS] = { { NULL } };
		struct judged j;

		p[BASE][0] = &good;
		p[BASE][1] = &good;
		p[PATCHED][0] = &good;
		p[PATCHED][1] = &bad;
		judge(&j, &c, p, why, two_kernels, NULL, 0, SEED);
		assert_int_equal(j.verdict, VERDICT_VOID);
		assert_non_null(strstr(j.reason, "patched, boot 2: "));
		if (!strstr(j.reason, words))
			fail_msg("\"%s\" is not in \"%s\"", words, j.reason);
		judged_free(&j);
	}
	assert_int_equal(i, 14);
}

static void make_tmpfs(struct claim *c, enum content content)
{
	make_claim(c);
	c->fs = "tmpfs";
	c->mdts = 0;
	c->max_sectors_kb = 0;
	c->huge = HUGE_WITHIN_SIZE;
	c->content = content;
}

/* Another value than asked for, or one that nobody read back */
static const char *spoil_tmpfs(struct sample *s, int i)
{
	static const struct {
		const char *settings, *words;
	} t[] = {
		{ " fs=ramfs  huge=within_size  shmem_enabled=never  content=written  disks=0 ",
		  "fs was not read back as tmpfs" },
		{ " fs=tmpfs  huge=always  shmem_enabled=never  content=written  disks=0 ",
		  "huge was not read back as within_size" },
		{ " fs=tmpfs  shmem_enabled=never  content=written  disks=0 ",
		  "huge was not read back as within_size" },
		{ " fs=tmpfs  huge=within_size  shmem_enabled=force  content=written  disks=0 ",
		  "shmem_enabled was not read back as never" },
		{ " fs=tmpfs  huge=within_size  shmem_enabled=never  content=hole  disks=0 ",
		  "content was not read back as written" },
		{ " fs=tmpfs  huge=within_size  shmem_enabled=never  content=written ",
		  "disks was not read back as 0" },
	};
	const int n = ARRAY_SIZE(t);

	if (i < n) {
		strcpy(s->settings, t[i].settings);
		return t[i].words;
	}
	switch (i - n) {
	case 0:
		s->sum = 0;
		return "checksum 0000000000000000, expected";
	case 1:
		s->reads = 1;
		s->sectors = 8;
		return "a device was read (it counts 1 reads, the trace 0)";
	case 2:
		s->meta = 1;
		s->meta_sectors = 8;
		return "a device was read (it counts 0 reads, the trace 1)";
	case 3:
		s->pieces = 1;
		return "1 pieces on the device, expected 0";
	case 4:
		s->resident--;
		return "the folios hold 256 pages, 255 are cached";
	}
	return NULL;
}

static void make_tmpfs_sample(struct sample *s, enum content content)
{
	make_sample(s, 0);
	s->pieces = 0;
	s->cold = 256;
	s->reads = 0;
	s->sectors = 0;
	s->data_sectors = 0;
	s->meta = 0;
	s->meta_sectors = 0;
	if (content != CONTENT_WRITTEN)
		s->sum = 0;
	if (content == CONTENT_HOLE) {
		s->cold = 0;
		s->folios[2] = 0;
		s->resident = 0;
	}
	snprintf(s->settings, sizeof(s->settings),
		 " fs=tmpfs  huge=within_size  shmem_enabled=never  content=%s  disks=0 ",
		 content_name(content));
}

/* Void with these words as the reason, or sound if there are none. */
static void judge_tmpfs(const struct claim *c, const struct sample *base,
			const struct sample *patched, const char *words)
{
	const struct sample *p[NR_KERNELS][MAX_RUNS] = { { base }, { patched } };
	const char *why[NR_KERNELS][MAX_RUNS] = { { NULL } };
	struct judged j;

	judge(&j, c, p, why, once, NULL, 0, SEED);
	if (words && (j.verdict != VERDICT_VOID || !strstr(j.reason, words)))
		fail_msg("\"%s\" is not in \"%s\"", words,
			 j.reason ? j.reason : "holds");
	if (!words && j.verdict != VERDICT_HOLDS)
		fail_msg("does not hold: \"%s\"", j.reason);
	judged_free(&j);
}

static void tmpfs_verdicts(void **state)
{
	struct sample good, bad;
	const char *words;
	struct claim c;
	int i;

	(void)state;
	for (i = 0; i < NR_CONTENTS; i++) {
		make_tmpfs(&c, i);
		make_tmpfs_sample(&good, i);
		judge_tmpfs(&c, &good, &good, NULL);
		/* what is right for a written file is wrong for zeroes */
		bad = good;
		bad.sum = pattern_sum(0, 1 << 20, SEED);
		if (i != CONTENT_WRITTEN)
			judge_tmpfs(&c, &good, &bad,
				    "expected 0000000000000000");
	}
	make_tmpfs(&c, CONTENT_WRITTEN);
	make_tmpfs_sample(&good, CONTENT_WRITTEN);
	for (i = 0; bad = good, (words = spoil_tmpfs(&bad, i)); i++)
		judge_tmpfs(&c, &good, &bad, words);
	assert_int_equal(i, 11);
}

/* What a second run of the pass, in model time, adds */
static void make_timed(struct sample *s, uint64_t ns)
{
	make_sample(s, 100);
	s->timed = true;
	s->timed_bytes = s->bytes;
	s->timed_reads = s->reads;
	s->timed_sectors = s->sectors;
	s->below = s->reads;
	s->ns = ns;
}

/* Two boots of each kernel: what becomes of it, or why it is void */
static void judge_timed(const struct claim *c, const struct sample *patched1,
			const struct sample *patched2,
			const struct stats_result *time, enum verdict verdict,
			const char *words)
{
	const struct sample *p[NR_KERNELS][MAX_RUNS] = { { NULL } };
	const char *why[NR_KERNELS][MAX_RUNS] = { { NULL } };
	struct sample base;
	struct judged j;

	make_timed(&base, 1000);
	if (c->engine == ENGINE_COUNTS)
		base.timed = false;
	p[BASE][0] = &base;
	p[BASE][1] = &base;
	p[PATCHED][0] = patched1;
	p[PATCHED][1] = patched2;
	/* a pair, and its boots once more */
	judge(&j, c, p, why, two_kernels,
	      c->engine != ENGINE_COUNTS ? time : NULL,
	      c->engine != ENGINE_COUNTS, SEED);
	assert_int_equal(j.verdict, verdict);
	if (words)
		assert_string_equal(j.reason, words);
	else
		assert_null(j.reason);
	judged_free(&j);
}

static void model_time(void **state)
{
	char words[] = "r";
	struct stats_result noise = { .verdict = STATS_NOISE, .reason = words };
	struct stats_result gain = { .verdict = STATS_GAIN, .reason = words };
	struct stats_result loss = { .verdict = STATS_LOSS, .reason = words };
	struct stats_result few = { .verdict = STATS_TOO_FEW, .reason = words };
	struct sample good, other;
	struct claim c;

	(void)state;
	make_claim(&c);
	c.engine = ENGINE_MODEL;
	c.model = model_by_name("sata");
	c.promises[0] = (struct promise){ METRIC_NS, CMP_LE, true, 0 };
	make_timed(&good, 1000);
	judge_timed(&c, &good, &good, &noise, VERDICT_HOLDS, NULL);
	judge_timed(&c, &good, &good, &gain, VERDICT_HOLDS, NULL);
	judge_timed(&c, &good, &good, &few, VERDICT_VOID, "too few boots: r");
	make_timed(&other, 1001);
	/* what statistics do not find is not there */
	judge_timed(&c, &other, &other, &noise, VERDICT_HOLDS, NULL);
	judge_timed(&c, &other, &other, &loss, VERDICT_FAILS,
		    "ns 1001, promised <= 1000 (stock): loss");
	c.promises[0].compare = CMP_LT;
	judge_timed(&c, &other, &other, &gain, VERDICT_HOLDS, NULL);
	judge_timed(&c, &other, &other, &noise, VERDICT_FAILS,
		    "ns 1001, promised < 1000 (stock): within noise");
	/* a bound of our own is one */
	c.promises[0] = (struct promise){ METRIC_NS, CMP_LE, false, 1000 };
	judge_timed(&c, &good, &good, &few, VERDICT_HOLDS, NULL);
	judge_timed(&c, &other, &other, &noise, VERDICT_FAILS,
		    "ns 1001, promised <= 1000");
	c.promises[0] = (struct promise){ METRIC_NS, CMP_LE, true, 0 };
	/* one nanosecond is enough */
	judge_timed(&c, &good, &other, &noise, VERDICT_VOID,
		    "patched, boot 2: ns varies: 1001, in boot 1, which is the same, 1000");
	make_timed(&other, 1000);
	other.timed = false;
	judge_timed(&c, &other, &good, &noise, VERDICT_VOID,
		    "patched, boot 1: there is no timed run");
	make_timed(&other, 1000);
	other.timed_bytes -= 8;
	judge_timed(&c, &good, &other, &noise, VERDICT_VOID,
		    "patched, boot 2: the timed reader got 1048568 bytes, expected 1048576");
	make_timed(&other, 1000);
	other.timed_reads--;
	judge_timed(&c, &good, &other, &noise, VERDICT_VOID,
		    "patched, boot 2: the timed run has 100 reads of 2056 sectors, the counted one 101 of 2056");
	make_timed(&other, 1000);
	other.timed_sectors += 8;
	judge_timed(&c, &good, &other, &noise, VERDICT_VOID,
		    "patched, boot 2: the timed run has 101 reads of 2064 sectors, the counted one 101 of 2056");
	make_timed(&other, 1000);
	other.below = 202;
	judge_timed(&c, &good, &other, &noise, VERDICT_VOID,
		    "patched, boot 2: the model made 202 reads of 101");

	/* natively it is, and nothing else */
	c.engine = ENGINE_NATIVE;
	judge_timed(&c, &good, &other, &noise, VERDICT_VOID,
		    "patched, boot 2: the model made 202 reads of 101");
	make_timed(&other, 1001);
	judge_timed(&c, &good, &other, &noise, VERDICT_HOLDS, NULL);
	c.promises[0].metric = METRIC_INSN;
	judge_timed(&c, &good, &other, &loss, VERDICT_FAILS,
		    "ns for a page 3, promised <= 3 (stock): loss");
	c.promises[0].metric = METRIC_NS;

	/* times of the host may be as they like; model time is none of them */
	c.engine = ENGINE_COUNTS;
	c.promises[0].metric = METRIC_READS;
	make_sample(&good, 100);
	make_sample(&other, 100);
	other.ns = 5;
	judge_timed(&c, &good, &other, &noise, VERDICT_HOLDS, NULL);
	make_timed(&other, 0);
	judge_timed(&c, &good, &other, &noise, VERDICT_VOID,
		    "patched, boot 2: it was measured in model time");
}

/* The model's settings are the plan's; a large request goes round nvme-loop. */
static void groups_model(void **state)
{
	struct claim c[4], *p[4] = { &c[0], &c[1], &c[2], &c[3] };
	struct boot moved = { 3, 1024, 5 };
	struct claims all = { p, 4 };
	struct groups gs;
	unsigned int i;
	char *text;

	(void)state;
	for (i = 0; i < 4; i++) {
		make_claim(&c[i]);
		c[i].engine = ENGINE_MODEL;
		c[i].model = model_by_name(i == 1 ? "disk-8ms" : "nvme-80us");
		c[i].ops[0].line = "read 0 0 1048576 4096";
	}
	c[2].mdts = 9;
	plan_groups(&gs, &all);
	/* what would go together when counted does not */
	assert_int_equal(gs.nr, 4);
	assert_int_equal(gs.group[0].nr, 1);
	assert_int_equal(gs.group[3].nr, 1);
	assert_string_equal(gs.group[0].name, "xfs-nvme-80us-mdts7-1M-T");
	assert_string_equal(gs.group[1].name, "xfs-disk-8ms-mdts7-1M-T");
	text = plan_text(&gs.group[1], &boot, SEED);
	assert_string_equal(text,
			    "seed 1234567890abcdef\n"
			    "model loop 7 1024 8000000 160 1\n"
			    "image\ntimed\n"
			    "fs xfs\n"
			    "file 1048576\n"
			    "pass T\n"
			    "trace 16384\n"
			    "expect-queue max_hw_sectors_kb 512\n"
			    "queue scheduler none\n"
			    "expect-queue rotational 0\n"
			    "queue max_sectors_kb 512\n"
			    "queue read_ahead_kb 128\n"
			    "op read 0 0 1048576 4096\n"
			    "go\n");
	free(text);
	text = plan_text(&gs.group[2], &moved, SEED);
	assert_non_null(strstr(text,
			       "model plain 9 1024 80000 0 128\nimage\ntimed\npad 5\nfs xfs\n"));
	free(text);
	for (i = 0; i < 4; i++)
		free(gs.group[i].claim);
	free(gs.group);
	assert_null(model_by_name("floppy"));

	/* natively as well: the device is of the guest, and the file is cold once */
	for (i = 0; i < 4; i++)
		c[i].engine = ENGINE_NATIVE;
	plan_groups(&gs, &all);
	assert_int_equal(gs.nr, 4);
	assert_true(gs.group[0].native);
	text = plan_text(&gs.group[1], &boot, SEED);
	assert_non_null(strstr(text, "model loop 7 1024 8000000 160 1\nimage\ntimed\nfs xfs\n"));
	free(text);
	for (i = 0; i < 4; i++)
		free(gs.group[i].claim);
	free(gs.group);
}

/* No device, no queue; the mount is of the pass, so all share a guest. */
static void groups_tmpfs(void **state)
{
	struct claim c[3], *p[3] = { &c[0], &c[1], &c[2] };
	struct claims all = { p, 3 };
	struct groups gs;
	unsigned int i;
	char *text;

	(void)state;
	for (i = 0; i < 3; i++) {
		make_tmpfs(&c[i], i == 1 ? CONTENT_HOLE : CONTENT_WRITTEN);
		c[i].ops[0].line = "read 0 0 1048576 4096";
	}
	c[1].huge = HUGE_NEVER;
	c[2].file = 2 << 20;
	plan_groups(&gs, &all);
	assert_int_equal(gs.nr, 2);
	assert_int_equal(gs.group[0].nr, 2);
	assert_int_equal(gs.group[0].mdts, 0);
	assert_string_equal(gs.group[0].name, "tmpfs-1M");
	assert_string_equal(gs.group[1].name, "tmpfs-2M");
	text = plan_text(&gs.group[0], &boot, SEED);
	assert_string_equal(text,
			    "seed 1234567890abcdef\n"
			    "fs tmpfs\n"
			    "file 1048576\n"
			    "pass T\n"
			    "tmpfs within_size written\n"
			    "op read 0 0 1048576 4096\n"
			    "go\n"
			    "pass T\n"
			    "tmpfs never hole\n"
			    "op read 0 0 1048576 4096\n"
			    "go\n");
	free(text);
	for (i = 0; i < 2; i++)
		free(gs.group[i].claim);
	free(gs.group);
	/* natively the same, and read over and over */
	for (i = 0; i < 3; i++)
		c[i].engine = ENGINE_NATIVE;
	plan_groups(&gs, &all);
	assert_int_equal(gs.nr, 2);
	assert_string_equal(gs.group[0].name, "tmpfs-1M");
	text = plan_text(&gs.group[0], &boot, SEED);
	assert_non_null(strstr(text, "\ntimed 400 ms\nfs tmpfs\n"));
	free(text);
	for (i = 0; i < 2; i++)
		free(gs.group[i].claim);
	free(gs.group);
}

/* Claims go together where file system, file and device are the same. */
static void groups(void **state)
{
	struct claim c[4], *p[4] = { &c[0], &c[1], &c[2], &c[3] };
	struct claims all = { p, 4 };
	struct groups gs;
	unsigned int i;
	char *text;

	(void)state;
	for (i = 0; i < 4; i++) {
		make_claim(&c[i]);
		c[i].max_sectors_kb = 256 << (i & 1);
		c[i].ops[0].line = "read 0 0 1048576 4096";
	}
	c[2].fs = "ext4";
	plan_groups(&gs, &all);
	assert_int_equal(gs.nr, 2);
	assert_int_equal(gs.group[0].nr, 3);
	assert_string_equal(gs.group[1].name, "ext4-mdts7-1M");
	text = plan_text(&gs.group[1], &boot, SEED);
	assert_string_equal(text,
			    "seed 1234567890abcdef\n"
			    "device data\n"
			    "fs ext4\n"
			    "file 1048576\n"
			    "pass T\n"
			    "trace 16384\n"
			    "expect-queue max_hw_sectors_kb 512\n"
			    "expect-queue scheduler none\n"
			    "expect-queue rotational 0\n"
			    "queue max_sectors_kb 256\n"
			    "queue read_ahead_kb 128\n"
			    "op read 0 0 1048576 4096\n"
			    "go\n");
	free(text);
	for (i = 0; i < 2; i++)
		free(gs.group[i].claim);
	free(gs.group);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes),
		cmocka_unit_test(pattern),
		cmocka_unit_test(zeroes),
		cmocka_unit_test(report_whole),
		cmocka_unit_test(report_untraced),
		cmocka_unit_test(report_cut),
		cmocka_unit_test(report_damaged),
		cmocka_unit_test(verdicts),
		cmocka_unit_test(voids),
		cmocka_unit_test(tmpfs_verdicts),
		cmocka_unit_test(groups),
		cmocka_unit_test(groups_tmpfs),
		cmocka_unit_test(groups_model),
		cmocka_unit_test(model_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
