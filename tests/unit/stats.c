// SPDX-License-Identifier: GPL-2.0
/*
 * stats.c - unit tests of the statistics of measured times
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "stats-file.h"
#include "util.h"

#define ROUNDING	(1 / 1e12)

/* As many digits as the numbers beside it have */
static void near(double got, double want, double by)
{
	if (!(fabs(got - want) <= by))
		fail_msg("%.9g is not %.9g", got, want);
}

/* The numbers that the generators' authors give */
static void generator(void **state)
{
	uint64_t s = 1;

	(void)state;
	assert_true(stats_random(&s) == 5180492295206395165ULL);
	assert_true(stats_random(&s) == 12380297144915551517ULL);
	assert_true(stats_random(&s) == 13389498078930870103ULL);
	assert_true(stats_seed(0) == 0xe220a8397b1dcdafULL);
	/* the one seed that would end at 0 */
	assert_true(stats_seed(-0x9e3779b97f4a7c15ULL) == 1);
}

/* By another implementation, in a language with long integers */
static void order_is_known(void **state)
{
	static const int two[] = { 1, 0, 0, 1, 0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1 };
	static const int three[] = {
		1, 2, 0, 0, 2, 1, 0, 2, 1, 1, 2, 0, 0, 2, 1, 1, 2, 0,
	};
	int order[18];

	(void)state;
	stats_order(1, 4, 2, order);
	assert_memory_equal(order, two, sizeof(two));
	stats_order(7, 3, 3, order);
	assert_memory_equal(order, three, sizeof(three));
}

/* Every block is balanced, and which kernel is first is left to chance. */
static void order_is_fair(void **state)
{
	int order[16], first[4] = { 0 }, k, i;
	uint64_t seed;

	(void)state;
	for (k = 1; k <= 4; k++) {
		for (seed = 0; seed < 200; seed++) {
			int place[4] = { 0 };

			stats_order(seed, 2, k, order);
			for (i = 0; i < 4 * k; i++)
				place[order[i]] += i;
			for (i = 0; i < k; i++)
				assert_int_equal(place[i], 2 * (4 * k - 1));
			for (i = 0; i < 2 * k; i++)
				assert_int_equal(order[2 * k + i],
						 order[4 * k - 1 - i]);
			if (k == 4)
				first[order[0]]++;
		}
	}
	for (i = 0; i < 4; i++)
		assert_in_range(first[i], 30, 70);
}

static void order_has_pairs(void **state)
{
	int order[12], pair, k, i;

	(void)state;
	stats_order(5, 2, 3, order);
	for (pair = 0; pair < 4; pair++) {
		for (k = 0; k < 3; k++) {
			i = stats_boot(order, 3, pair, k);
			assert_in_range(i, 3 * pair, 3 * pair + 2);
			assert_int_equal(order[i], k);
		}
		assert_int_equal(stats_boot(order, 3, pair, 3), -1);
	}
}

static void change(void **state)
{
	(void)state;
	near(stats_change(&(struct stats_pair){ 200, 150 }), -25, 0);
	near(stats_change(&(struct stats_pair){ 200, 250 }), 25, 0);
	near(stats_change(&(struct stats_pair){ 3, 3 }), 0, 0);
}

static void medians(void **state)
{
	static const double x[] = { 9, 1, 4, 2, 100 };

	(void)state;
	near(stats_median(x, 5), 4, 0);
	near(stats_median(x, 4), 3, 0);
	near(stats_median(x, 1), 9, 0);
	/* distances of 5 3 0 2 96 */
	near(stats_mad(x, 5), 3, 0);
	/* it is left as it was */
	near(x[0], 9, 0);
}

static void interval(void **state)
{
	/* 2 4 4 4 5 5 7 9: mean 5, squares add up to 32 */
	static const double x[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	static const double same[] = { 0.1, 0.1, 0.1 };
	double mean, half;

	(void)state;
	stats_interval(x, 8, &mean, &half);
	near(mean, 5, ROUNDING);
	/* t of 7 degrees of freedom is 2.364624 */
	near(half, 2.364624 * sqrt(32.0 / 7) / sqrt(8), .000001);
	/* of 1: 12.706205 */
	stats_interval(x, 2, &mean, &half);
	near(mean, 3, ROUNDING);
	near(half, 12.706205, .000001);
	stats_interval(same, 3, &mean, &half);
	near(half, 0, 0);
}

static void hodges_lehmann(void **state)
{
	static const double x[] = { 1, 5, 2 };
	static const double outlier[] = { 1, 2, 3, 4, 1000 };

	(void)state;
	/* 1 2 5, and 1.5 3 3.5 */
	near(stats_hodges_lehmann(x, 3), 2.5, 0);
	near(stats_hodges_lehmann(x, 1), 1, 0);
	/* 1 1.5 2 2 2.5 2.5 3 3 3.5 4 ... */
	near(stats_hodges_lehmann(outlier, 5), 3, 0);
}

static void signed_ranks(void **state)
{
	static const double d[] = { -3, 1, 2, -2, 0, 7 };
	static const double want[] = { -5, 2, 3.5, -3.5, 0, 6 };
	/* 0.1 + 0.2 is not 0.3 to the last bit */
	static const double tie[] = { 0.1 + 0.2, -0.3 };
	double rank[6];
	int i;

	(void)state;
	stats_signed_ranks(d, 6, rank);
	for (i = 0; i < 6; i++)
		near(rank[i], want[i], 0);
	stats_signed_ranks(tie, 2, rank);
	near(rank[0], 1.5, 0);
	near(rank[1], -1.5, 0);
}

static void sign_flip(void **state)
{
	static const double all[] = { 1, 2, 3, 4, 5, 6, 7 };
	static const double one[] = { -1, 2, 3, 4, 5, 6, 7 };
	static const double three[] = { 1, 2, -3, 4, 5, 6, 7 };
	static const double none[] = { 5, -5, 3, -3 };
	static const double zero[] = { 0, 0, 0 };
	/* 0.3 and 0.1 + 0.2 differ in the last bit */
	static const double tie[] = { 0.1, 0.2, -0.3, 0.6 };
	double many[STATS_MAX_PAIRS];
	int i;

	(void)state;
	near(stats_sign_flip(all, 7), 2 / 128.0, 0);
	near(stats_sign_flip(all, 6), 2 / 64.0, 0);
	near(stats_sign_flip(all, 1), 1, 0);
	near(stats_sign_flip(all, 0), 1, 0);
	/* at most 1 against: {} {1} */
	near(stats_sign_flip(one, 7), 4 / 128.0, 0);
	/* at most 3 against: {} {1} {2} {3} {1,2} */
	near(stats_sign_flip(three, 7), 10 / 128.0, 0);
	near(stats_sign_flip(none, 4), 1, 0);
	near(stats_sign_flip(zero, 3), 1, 0);
	/* 0.6 and 0.6, 0.4, 0.2, 0 or 0 of the others, and all the other way */
	near(stats_sign_flip(tie, 4), 10 / 16.0, 0);
	for (i = 0; i < STATS_MAX_PAIRS; i++)
		many[i] = i + 1;
	near(stats_sign_flip(many, STATS_MAX_PAIRS), 2 / 1048576.0, 0);
}

static void min_p(void **state)
{
	(void)state;
	near(stats_min_p(0), 1, 0);
	near(stats_min_p(1), 1, 0);
	near(stats_min_p(5), 0.0625, 0);
	near(stats_min_p(6), 0.03125, 0);
	near(stats_min_p(20), 2 / 1048576.0, 0);
}

static void holm(void **state)
{
	static const struct {
		double p[4], want[4];
		int n;
	} t[] = {
		/* .005 * 4, .01 * 3, .03 * 2, and .04 is not below .06 */
		{ { .01, .04, .03, .005 }, { .03, .06, .06, .02 }, 4 },
		{ { .02 }, { .02 }, 1 },
		{ { .5, .6, .9 }, { 1, 1, 1 }, 3 },
		{ { .02, .02 }, { .04, .04 }, 2 },
		{ { 0, 1 }, { 0, 1 }, 2 },
	};
	double got[4];
	unsigned int i;
	int k;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(t); i++) {
		stats_holm(t[i].p, t[i].n, got);
		for (k = 0; k < t[i].n; k++)
			near(got[k], t[i].want[k], ROUNDING);
	}
}

static void noise_floor(void **state)
{
	static const double d[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	double minus[8], half, mean;
	int i;

	(void)state;
	for (i = 0; i < 8; i++)
		minus[i] = -d[i];
	stats_interval(d, 8, &mean, &half);
	near(stats_floor(d, 8), 5 + half, ROUNDING);
	near(stats_floor(minus, 8), 5 + half, ROUNDING);
}

/* A row that tests change: eight pairs, and as many A/A ones, of 1 % at most */
static const double quiet[] = { .3, -.5, .2, .6, -.4, -.1, .5, -.6 };

struct made {
	struct stats_row row;
	struct stats_pair pair[STATS_MAX_PAIRS + 1], aa[STATS_MAX_PAIRS + 1];
};

static void make_pairs(struct stats_pair *p, int n, double percent)
{
	int i;

	for (i = 0; i < n; i++) {
		p[i].base = 1000 + 3 * i;
		p[i].patched = p[i].base * (1 + (percent + quiet[i % 8]) / 100);
	}
}

/* So many times the noise */
static void spread(struct stats_pair *p, int n, double times)
{
	int i;

	for (i = 0; i < n; i++)
		p[i].patched = p[i].base * (1 + times * quiet[i % 8] / 100);
}

static void make_row(struct made *m, int n, double percent)
{
	memset(m, 0, sizeof(*m));
	make_pairs(m->aa, 8, 0);
	make_pairs(m->pair, n, percent);
	m->row.pair = m->pair;
	m->row.nr_pairs = n;
	m->row.aa = m->aa;
	m->row.nr_aa = 8;
}

/* The row is of this verdict, with these words in the reason. */
static void is(const struct stats_row *row, enum stats_verdict verdict,
	       const char *words)
{
	struct stats_result r;

	stats_judge(row, 1, &r);
	if (r.verdict != verdict || !strstr(r.reason, words))
		fail_msg("%s: %s, expected %s: %s",
			 stats_verdict_name(r.verdict), r.reason,
			 stats_verdict_name(verdict), words);
	if (verdict == STATS_VOID)
		assert_true(isnan(r.mean) && isnan(r.p_holm) && isnan(r.floor));
	stats_free(&r, 1);
}

static void verdicts(void **state)
{
	struct made m;

	(void)state;
	make_row(&m, 8, -3);
	is(&m.row, STATS_GAIN, "mean and robust estimate");
	m.row.better = STATS_HIGHER;
	is(&m.row, STATS_LOSS, "mean and robust estimate");
	make_row(&m, 8, 3);
	is(&m.row, STATS_LOSS, "mean and robust estimate");
	m.row.better = STATS_HIGHER;
	is(&m.row, STATS_GAIN, "mean and robust estimate");
	make_row(&m, 8, 0);
	is(&m.row, STATS_NOISE, "is not beyond the floor");
}

/* However small its p: 10 times the noise of A/A, and it is no gain. */
static void below_the_floor(void **state)
{
	struct made m;

	(void)state;
	make_row(&m, 8, -3);
	spread(m.aa, 8, 10);
	is(&m.row, STATS_NOISE, "-3.00 % is not beyond the floor of 3.");
	/* so does a difference of two equal kernels that is always the same */
	make_row(&m, 8, -3);
	make_pairs(m.aa, 8, 2.9);
	is(&m.row, STATS_NOISE, "is not beyond the floor");
}

/* A mean beyond the floor that comes of a few pairs only */
static void not_significant(void **state)
{
	struct made m;
	int i;

	(void)state;
	make_row(&m, 8, -3);
	for (i = 0; i < 4; i++)
		m.pair[i].patched = m.pair[i].base * (1.0 + .01 * i);
	is(&m.row, STATS_NOISE, "p after Holm is 0.");
}

static void too_few(void **state)
{
	struct stats_result r[2];
	struct stats_row rows[2];
	struct made m;
	int n;

	(void)state;
	for (n = 0; n < 9; n++) {
		make_row(&m, n, -30);
		if (n < 6)
			is(&m.row, STATS_TOO_FEW, "it takes 6");
		else
			is(&m.row, STATS_GAIN, "");
	}
	/* six are too few for one row of two */
	make_row(&m, 6, -30);
	rows[0] = m.row;
	rows[1] = m.row;
	stats_judge(rows, 2, r);
	assert_int_equal(r[0].verdict, STATS_TOO_FEW);
	assert_int_equal(r[1].verdict, STATS_TOO_FEW);
	assert_non_null(strstr(r[0].reason, "0.0625 after Holm; it takes 7"));
	stats_free(r, 2);
	/* even if the other one is void, so that it cannot be dropped for that */
	rows[1].nr_pairs = 0;
	rows[1].nr_aa = 0;
	stats_judge(rows, 2, r);
	assert_int_equal(r[0].verdict, STATS_TOO_FEW);
	assert_int_equal(r[1].verdict, STATS_TOO_FEW);
	stats_free(r, 2);
	/* no floor */
	make_row(&m, 8, -30);
	m.row.nr_aa = 1;
	is(&m.row, STATS_TOO_FEW, "A/A pairs: 1");
	m.row.nr_aa = 0;
	is(&m.row, STATS_TOO_FEW, "A/A pairs: 0");
}

static void voids(void **state)
{
	static const double bad[] = { 0, -1, NAN, INFINITY };
	static const int64_t same[] = { 3, 3, 3 }, other[] = { 3, 3, 4 };
	struct stats_exact e[] = { { "base.reads", same, 3 },
				   { "patched.reads", other, 3 } };
	struct made m;
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		make_row(&m, 8, -3);
		m.pair[7].patched = bad[i];
		is(&m.row, STATS_VOID, "pair 8 is not of numbers above 0");
		make_row(&m, 8, -3);
		m.pair[0].base = bad[i];
		is(&m.row, STATS_VOID, "pair 1 is not of numbers above 0");
		make_row(&m, 8, -3);
		m.aa[1].base = bad[i];
		is(&m.row, STATS_VOID, "A/A pair 2 is not of numbers above 0");
	}
	make_row(&m, STATS_MAX_PAIRS + 1, -3);
	is(&m.row, STATS_VOID, "21 pairs, at most 20");
	m.row.nr_pairs--;
	is(&m.row, STATS_GAIN, "");
	make_row(&m, 8, -3);
	m.row.nr_aa = STATS_MAX_PAIRS + 1;
	is(&m.row, STATS_VOID, "21 A/A pairs, at most 20");

	make_row(&m, 8, -3);
	m.row.exact = e;
	m.row.nr_exact = 1;
	is(&m.row, STATS_GAIN, "");
	m.row.nr_exact = 2;
	is(&m.row, STATS_VOID,
	   "patched.reads is exact, but 4 in boot 3 and 3 in boot 1");
	/* nor is it "too few" then */
	m.row.nr_pairs = 2;
	is(&m.row, STATS_VOID, "patched.reads");

	/* equal to the bit, and equally different */
	make_row(&m, 8, -3);
	for (i = 0; i < 8; i++)
		m.aa[i] = (struct stats_pair){ 1000, 1000 };
	is(&m.row, STATS_VOID, "all A/A pairs differ by 0.0000 %");
	for (i = 0; i < 8; i++)
		m.aa[i] = (struct stats_pair){ 100 + i, 1.1 * (100 + i) };
	is(&m.row, STATS_VOID, "all A/A pairs differ by 10.0000 %");
}

static void set_changes(struct made *m, const double *d, int n)
{
	int i;

	make_row(m, n, 0);
	for (i = 0; i < n; i++)
		m->pair[i].patched = m->pair[i].base * (1 + d[i] / 100);
}

/* Enough by itself, and not as one of two */
static void one_of_two(void **state)
{
	/* at most 3 against: {} {1} {2} {3} {1,2}, of 2^8 and two-sided */
	static const double d[] = { -1, -2, 3, -4, -5, -6, -7, -8 };
	struct stats_result r[2];
	struct stats_row rows[2];
	struct made m;

	(void)state;
	set_changes(&m, d, 8);
	is(&m.row, STATS_GAIN, "mean and robust estimate");
	rows[0] = m.row;
	rows[1] = m.row;
	stats_judge(rows, 2, r);
	assert_int_equal(r[0].verdict, STATS_NOISE);
	assert_string_equal(r[0].reason,
			    "p after Holm is 0.0781, not below 0.05");
	assert_int_equal(r[1].verdict, STATS_NOISE);
	stats_free(r, 2);
}

/* A void row counts as one that found nothing. */
static void void_rows_count(void **state)
{
	struct stats_result r[2];
	struct stats_row rows[2];
	struct made m, broken;

	(void)state;
	make_row(&m, 8, -3);
	make_row(&broken, 8, -3);
	broken.pair[0].base = 0;
	rows[0] = m.row;
	rows[1] = broken.row;
	stats_judge(rows, 2, r);
	assert_int_equal(r[0].verdict, STATS_GAIN);
	near(r[0].p, 2 / 256.0, 0);
	near(r[0].p_holm, 4 / 256.0, 0);
	near(r[0].p_ranks_holm, 4 / 256.0, 0);
	assert_int_equal(r[1].verdict, STATS_VOID);
	assert_true(isnan(r[1].p_holm));
	stats_free(r, 2);
}

/* A row of this change, and in pair @i one boot that is off by @factor */
static void one_outlier(double change, int n, int i, bool patched, double factor)
{
	struct stats_result r;
	struct made m;
	char *words;

	make_row(&m, n, change);
	/* all of one sign, but below the floor: only that says it is nothing */
	if (fabs(change) < 1)
		spread(m.aa, 8, 4);
	if (patched)
		m.pair[i].patched *= factor;
	else
		m.pair[i].base *= factor;
	stats_judge(&m.row, 1, &r);
	if (change < -1)
		assert_int_not_equal(r.verdict, STATS_LOSS);
	else if (change > 1)
		assert_int_not_equal(r.verdict, STATS_GAIN);
	else
		assert_int_equal(r.verdict, STATS_NOISE);
	if (factor < .9 || factor > 1.1) {
		words = xasprintf("pair %d is outlying, %s", i + 1,
				  patched ? "patched" : "base");
		assert_int_equal(r.outlying & 1U << i, 1U << i);
		assert_non_null(strstr(r.reason, words));
		free(words);
	}
	stats_free(&r, 1);
}

/* Whatever one boot measures, a gain is no loss, and nothing is no difference. */
static void outliers(void **state)
{
	static const double change[] = { 0, -3, 3, -.9, .9 }, factor[] = {
		.01, .5, .8, .9, .95, .97, 1.03, 1.05, 1.1, 1.5, 3, 100,
	};
	unsigned int c, f;
	int n, i;

	(void)state;
	for (c = 0; c < ARRAY_SIZE(change); c++) {
		for (f = 0; f < ARRAY_SIZE(factor); f++) {
			for (n = 6; n <= 12; n += 2) {
				for (i = 0; i < 2 * n; i++)
					one_outlier(change[c], n, i / 2, i & 1,
						    factor[f]);
			}
		}
	}
}

/* Without one, no pair is named. */
static void no_outlier(void **state)
{
	struct stats_result r;
	struct made m;

	(void)state;
	make_row(&m, 8, -3);
	stats_judge(&m.row, 1, &r);
	assert_int_equal(r.outlying, 0);
	assert_null(strstr(r.reason, "outlying"));
	stats_free(&r, 1);
}

/* Both ways of not agreeing are told apart. */
static void two_opinions(void **state)
{
	/* 8 of 2^9 subsets are as small in sum as the last three, 14 in ranks */
	static const double ranks[] = {
		-10, -10.1, -10.2, -10.3, -10.4, -10.5, .1, .11, .12,
	};
	struct made m;
	int i;

	(void)state;
	/* but for pair 3 the mean would be below the floor, too */
	make_row(&m, 8, 0);
	spread(m.aa, 8, 1.8);
	for (i = 0; i < 8; i++)
		m.pair[i].patched = m.pair[i].base * (.9945 + quiet[i] / 10000);
	m.pair[2].patched *= .975;
	is(&m.row, STATS_NOISE,
	   "the mean is a gain, but not the robust estimate: -0.5");
	set_changes(&m, ranks, 9);
	is(&m.row, STATS_NOISE,
	   "the mean is a gain, but not the robust estimate: p after Holm is 0.0547");
	/* twelve of thirteen are, and one boot hides it from the mean */
	make_row(&m, 13, -8);
	m.pair[3].patched *= 1.9;
	is(&m.row, STATS_NOISE,
	   "the robust estimate is a gain, but not the mean: ");
	/* p is as small as can be, but one boot makes the interval hold 0 */
	make_row(&m, 8, -3);
	m.pair[3].patched *= .5;
	is(&m.row, STATS_NOISE, "not the mean: the interval holds 0; pair 4");
}

/* From the sum of twelve, near enough to a normal distribution of width 1 */
static double normal(uint64_t *random)
{
	double sum = -6;
	int i;

	for (i = 0; i < 12; i++)
		sum += ldexp(stats_random(random) >> 11, -53);
	return sum;
}

static int found(double percent, int rows, uint64_t *random)
{
	int i, k, n = 0;

	for (k = 0; k < rows; k++) {
		struct stats_result r;
		struct made m;

		make_row(&m, 8, 0);
		for (i = 0; i < 8; i++) {
			m.aa[i].base = 1000 * (1 + normal(random) / 100);
			m.aa[i].patched = 1000 * (1 + normal(random) / 100);
			m.pair[i].base = 1000 * (1 + normal(random) / 100);
			m.pair[i].patched = 1000 * (1 + percent / 100) *
					    (1 + normal(random) / 100);
		}
		stats_judge(&m.row, 1, &r);
		n += r.verdict == STATS_GAIN || r.verdict == STATS_LOSS;
		stats_free(&r, 1);
	}
	return n;
}

/* Nothing is rarely something, and 5 % at a noise of 1 % is mostly found. */
static void error_rates(void **state)
{
	uint64_t random = stats_seed(1);

	(void)state;
	assert_in_range(found(0, 2000, &random), 0, 2000 * STATS_ALPHA);
	assert_in_range(found(5, 200, &random), 190, 200);
}

static const char text[] =
	"# a table\n"
	"row A lower\n"
	"expect too few boots\n"
	"exact reads 3 3 -4\n"
	"aa 1 2\n"
	"aa 2.5 3\n"
	"\n"
	"10\t 9e0 # a pair\r\n"
	"row B higher\n"
	"1 2\n";

static void parse(void **state)
{
	char *copy = xstrdup(text);
	struct stats_table t;

	(void)state;
	assert_null(stats_parse(&t, copy));
	assert_int_equal(t.nr, 2);
	assert_string_equal(t.name[0], "A");
	assert_int_equal(t.line[1], 9);
	assert_int_equal(t.expect[0], STATS_TOO_FEW);
	assert_int_equal(t.expect[1], NR_STATS_VERDICTS);
	assert_int_equal(t.row[0].better, STATS_LOWER);
	assert_int_equal(t.row[1].better, STATS_HIGHER);
	assert_int_equal(t.row[0].nr_exact, 1);
	assert_string_equal(t.row[0].exact[0].name, "reads");
	assert_int_equal(t.row[0].exact[0].nr, 3);
	assert_int_equal(t.row[0].exact[0].value[2], -4);
	assert_int_equal(t.row[0].nr_aa, 2);
	near(t.row[0].aa[1].base, 2.5, 0);
	assert_int_equal(t.row[0].nr_pairs, 1);
	near(t.row[0].pair[0].patched, 9, 0);
	assert_int_equal(t.row[1].nr_aa, 0);
	stats_table_free(&t);
	free(copy);
}

static void parse_bad(void **state)
{
	static const char * const bad[] = {
		"", "# nothing\n", "1 2\n", "row\n", "row A\n", "row A less\n",
		"row A lower x\n", "row A lower\nexpect\n",
		"row A lower\nexpect better\n", "row A lower\n1\n",
		"row A lower\n1 2 3\n", "row A lower\n1 2x\n",
		"row A lower\nx 2\n", "row A lower\naa\n", "row A lower\naa 1\n",
		"row A lower\nexact\n", "row A lower\nexact reads 1\n",
		"row A lower\nexact reads 1 2.5\n",
		"row A lower\nexact reads 1 99999999999999999999\n",
		"row A lower\nfoo 1 2\n",
	};
	struct stats_table t;
	unsigned int i;
	size_t n;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		char *copy = xstrdup(bad[i]), *why = stats_parse(&t, copy);

		if (!why || strncmp(why, "line ", 5))
			fail_msg("\"%s\": %s", bad[i], why ? why : "is taken");
		free(why);
		stats_table_free(&t);
		free(copy);
	}
	/* cut anywhere, it is judged or refused, and nothing leaks */
	for (n = 0; n < sizeof(text); n++) {
		char *copy = xasprintf("%.*s", (int)n, text);

		free(stats_parse(&t, copy));
		stats_table_free(&t);
		free(copy);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(generator),
		cmocka_unit_test(order_is_known),
		cmocka_unit_test(order_is_fair),
		cmocka_unit_test(order_has_pairs),
		cmocka_unit_test(change),
		cmocka_unit_test(medians),
		cmocka_unit_test(interval),
		cmocka_unit_test(hodges_lehmann),
		cmocka_unit_test(signed_ranks),
		cmocka_unit_test(sign_flip),
		cmocka_unit_test(min_p),
		cmocka_unit_test(holm),
		cmocka_unit_test(noise_floor),
		cmocka_unit_test(verdicts),
		cmocka_unit_test(below_the_floor),
		cmocka_unit_test(not_significant),
		cmocka_unit_test(too_few),
		cmocka_unit_test(voids),
		cmocka_unit_test(one_of_two),
		cmocka_unit_test(void_rows_count),
		cmocka_unit_test(outliers),
		cmocka_unit_test(no_outlier),
		cmocka_unit_test(two_opinions),
		cmocka_unit_test(error_rates),
		cmocka_unit_test(parse),
		cmocka_unit_test(parse_bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
