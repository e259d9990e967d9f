// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#include "stats.h"
#include "util.h"

/* What rounding may make of two numbers that are the same, relative */
#define SAME	(1 / 1e12)

const char *stats_verdict_name(enum stats_verdict v)
{
	static const char * const names[] = {
		"gain", "loss", "within noise", "too few boots", "void",
	};

	return names[v];
}

uint64_t stats_random(uint64_t *state)
{
	uint64_t x = *state;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	*state = x;
	return x * 0x2545f4914f6cdd1dULL;
}

uint64_t stats_seed(uint64_t seed)
{
	uint64_t x = seed + 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	x ^= x >> 31;
	return x ? x : 1;
}

void stats_order(uint64_t seed, int blocks, int kernels, int *order)
{
	uint64_t state = stats_seed(seed);
	int b, i, k, tmp;

	for (b = 0; b < blocks; b++, order += 2 * kernels) {
		for (i = 0; i < kernels; i++)
			order[i] = i;
		for (i = kernels - 1; i > 0; i--) {
			k = (stats_random(&state) >> 32) * (i + 1) >> 32;
			tmp = order[i];
			order[i] = order[k];
			order[k] = tmp;
		}
		for (i = 0; i < kernels; i++)
			order[2 * kernels - 1 - i] = order[i];
	}
}

int stats_boot(const int *order, int kernels, int pair, int kernel)
{
	int i;

	for (i = pair * kernels; i < (pair + 1) * kernels; i++)
		if (order[i] == kernel)
			return i;
	return -1;
}

double stats_change(const struct stats_pair *p)
{
	return 100 * (p->patched - p->base) / p->base;
}

static double *sorted(const double *x, int n)
{
	double *s = xcalloc(n, sizeof(*s));

	memcpy(s, x, n * sizeof(*s));
	gsl_sort(s, 1, n);
	return s;
}

double stats_median(const double *x, int n)
{
	double *s = sorted(x, n), median;

	median = gsl_stats_median_from_sorted_data(s, 1, n);
	free(s);
	return median;
}

double stats_mad(const double *x, int n)
{
	double *work = xcalloc(n, sizeof(*work)), mad;

	mad = gsl_stats_mad0(x, 1, n, work);
	free(work);
	return mad;
}

void stats_interval(const double *d, int n, double *mean, double *half)
{
	*mean = gsl_stats_mean(d, 1, n);
	*half = gsl_cdf_tdist_Pinv(1 - STATS_ALPHA / 2, n - 1) *
		gsl_stats_sd_m(d, 1, n, *mean) / sqrt(n);
}

double stats_hodges_lehmann(const double *d, int n)
{
	double walsh[STATS_MAX_PAIRS * (STATS_MAX_PAIRS + 1) / 2];
	int i, j, m = 0;

	for (i = 0; i < n; i++)
		for (j = 0; j <= i; j++)
			walsh[m++] = (d[i] + d[j]) / 2;
	return stats_median(walsh, m);
}

void stats_signed_ranks(const double *d, int n, double *rank)
{
	double max = 0;
	int i, j;

	for (i = 0; i < n; i++)
		max = fmax(max, fabs(d[i]));
	for (i = 0; i < n; i++) {
		/* half of the equal ones, itself among them, are below it */
		rank[i] = 0.5;
		for (j = 0; j < n; j++) {
			double above = fabs(d[i]) - fabs(d[j]);

			if (above > SAME * max)
				rank[i]++;
			else if (above >= -SAME * max)
				rank[i] += 0.5;
		}
		if (d[i] < 0)
			rank[i] = -rank[i];
		else if (d[i] == 0)
			rank[i] = 0;
	}
}

/* How many of the 2^n sums are as far from 0 as @bound? */
static uint32_t as_far(const double *d, int n, double sum, double bound)
{
	if (!n)
		return fabs(sum) >= bound;
	return as_far(d + 1, n - 1, sum + d[0], bound) +
	       as_far(d + 1, n - 1, sum - d[0], bound);
}

double stats_sign_flip(const double *d, int n)
{
	double sum = 0, size = 0;
	int i;

	if (!n)
		return 1;
	for (i = 0; i < n; i++) {
		sum += d[i];
		size += fabs(d[i]);
	}
	/* both signs of the first give the same, but for the sign */
	return ldexp(as_far(d + 1, n - 1, d[0], fabs(sum) - SAME * size), 1 - n);
}

double stats_min_p(int n)
{
	return fmin(1, ldexp(1, 1 - n));
}

void stats_holm(const double *p, int n, double *adjusted)
{
	size_t *by_size = xcalloc(n, sizeof(*by_size));
	double least = 0;
	int k;

	gsl_sort_index(by_size, p, 1, n);
	for (k = 0; k < n; k++) {
		least = fmax(least, fmin(1, (n - k) * p[by_size[k]]));
		adjusted[by_size[k]] = least;
	}
	free(by_size);
}

double stats_floor(const double *d, int n)
{
	double mean, half;

	stats_interval(d, n, &mean, &half);
	return fabs(mean) + half;
}

static char *bad_pairs(const char *what, const struct stats_pair *p, int n)
{
	int i;

	if (n > STATS_MAX_PAIRS)
		return xasprintf("%d %spairs, at most %d can be judged", n, what,
				 STATS_MAX_PAIRS);
	for (i = 0; i < n; i++)
		/* nor is a change finite if either is not */
		if (p[i].base <= 0 || p[i].patched <= 0 ||
		    !isfinite(stats_change(&p[i])))
			return xasprintf("%spair %d is not of numbers above 0: %g %g",
					 what, i + 1, p[i].base, p[i].patched);
	return NULL;
}

static char *varies(const struct stats_exact *e)
{
	int i;

	for (i = 1; i < e->nr; i++)
		if (e->value[i] != e->value[0])
			return xasprintf("%s is exact, but %" PRId64 " in boot %d and %" PRId64 " in boot 1",
					 e->name, e->value[i], i + 1, e->value[0]);
	return NULL;
}

static void changes(const struct stats_pair *p, int n, double *d)
{
	int i;

	for (i = 0; i < n; i++)
		d[i] = stats_change(&p[i]);
}

/* Has nothing but rounding made these differ? */
static bool all_same(const double *d, int n)
{
	double min, max;

	gsl_stats_minmax(&min, &max, d, 1, n);
	return max - min <= SAME * (fabs(min) + fabs(max));
}

/* Why nothing can be said of a row; NULL if something can. */
static char *worthless(const struct stats_row *row)
{
	double d[STATS_MAX_PAIRS];
	char *why;
	int i;

	why = bad_pairs("", row->pair, row->nr_pairs);
	if (!why)
		why = bad_pairs("A/A ", row->aa, row->nr_aa);
	for (i = 0; i < row->nr_exact && !why; i++)
		why = varies(&row->exact[i]);
	if (why || row->nr_aa < 2)
		return why;
	changes(row->aa, row->nr_aa, d);
	if (all_same(d, row->nr_aa))
		return xasprintf("all A/A pairs differ by %.4f %%: what perturbs boots does not reach them",
				 d[0]);
	return NULL;
}

static uint32_t outlying(const double *d, int n, double median)
{
	double bound = STATS_MAD * stats_mad(d, n) + SAME * fabs(median);
	uint32_t bits = 0;
	int i;

	for (i = 0; i < n; i++)
		if (fabs(d[i] - median) > bound)
			bits |= 1U << i;
	return bits;
}

static void measure(const struct stats_row *row, struct stats_result *r)
{
	double d[STATS_MAX_PAIRS], ranks[STATS_MAX_PAIRS], half;
	int n = row->nr_pairs;

	changes(row->aa, row->nr_aa, d);
	if (row->nr_aa >= 2)
		r->floor = fmax(stats_floor(d, row->nr_aa), row->least);
	r->p_min = stats_min_p(n);
	if (!n)
		return;
	changes(row->pair, n, d);
	r->mean = d[0];
	if (n >= 2) {
		stats_interval(d, n, &r->mean, &half);
		r->low = r->mean - half;
		r->high = r->mean + half;
	}
	r->median = stats_median(d, n);
	r->robust = stats_hodges_lehmann(d, n);
	r->p = stats_sign_flip(d, n);
	stats_signed_ranks(d, n, ranks);
	r->p_ranks = stats_sign_flip(ranks, n);
	r->outlying = outlying(d, n, r->median);
}

/* What an estimate says by itself; @why has room for a sentence. */
static enum stats_verdict opinion(double change, double p, bool holds_0,
				  const struct stats_result *r,
				  enum stats_better better,
				  char *why, size_t len)
{
	if (fabs(change) <= r->floor)
		snprintf(why, len, "%.2f %% is not beyond the floor of %.2f %%",
			 change, r->floor);
	else if (p >= STATS_ALPHA)
		snprintf(why, len, "p after Holm is %.4f, not below %g", p,
			 STATS_ALPHA);
	else if (holds_0)
		snprintf(why, len, "the interval holds 0");
	else
		return (change < 0) == (better == STATS_LOWER) ?
			STATS_GAIN : STATS_LOSS;
	return STATS_NOISE;
}

/* Of the two boots of a pair, the one that is farther from its kernel's others */
static char *outlier(const struct stats_row *row, int i)
{
	double base[STATS_MAX_PAIRS], patched[STATS_MAX_PAIRS], b, p;
	int k;

	for (k = 0; k < row->nr_pairs; k++) {
		base[k] = row->pair[k].base;
		patched[k] = row->pair[k].patched;
	}
	b = stats_median(base, row->nr_pairs);
	p = stats_median(patched, row->nr_pairs);
	if (fabs(base[i] / b - 1) > fabs(patched[i] / p - 1))
		return xasprintf("pair %d is outlying, base %g beside a median of %g",
				 i + 1, base[i], b);
	return xasprintf("pair %d is outlying, patched %g beside a median of %g",
			 i + 1, patched[i], p);
}

static void add_outliers(const struct stats_row *row, struct stats_result *r)
{
	int i;

	for (i = 0; i < row->nr_pairs; i++) {
		char *more, *all;

		if (!(r->outlying & 1U << i))
			continue;
		more = outlier(row, i);
		all = xasprintf("%s; %s", r->reason, more);
		free(more);
		free(r->reason);
		r->reason = all;
	}
}

/* Pairs with which a row alone could pass, whatever the others of the table do */
static int pairs_needed(int nr)
{
	int n = 1;

	while (n < STATS_MAX_PAIRS && nr * stats_min_p(n) >= STATS_ALPHA)
		n++;
	return n;
}

static void decide(const struct stats_row *row, int nr, double best,
		   struct stats_result *r)
{
	enum stats_verdict mean, robust;
	char why_mean[128], why_robust[128];

	if (row->nr_aa < 2) {
		r->verdict = STATS_TOO_FEW;
		r->reason = xasprintf("A/A pairs: %d, no floor without 2",
				      row->nr_aa);
		return;
	}
	if (best >= STATS_ALPHA) {
		r->verdict = STATS_TOO_FEW;
		r->reason = xasprintf("pairs: %d, so p is %.4f at best, and %.4f after Holm; it takes %d",
				      row->nr_pairs, r->p_min, best,
				      pairs_needed(nr));
		return;
	}
	mean = opinion(r->mean, r->p_holm, r->low <= 0 && r->high >= 0, r,
		       row->better, why_mean, sizeof(why_mean));
	robust = opinion(r->robust, r->p_ranks_holm, false, r, row->better,
			 why_robust, sizeof(why_robust));
	r->verdict = mean == robust ? mean : STATS_NOISE;
	if (mean == robust)
		r->reason = xstrdup(mean == STATS_NOISE ? why_mean :
				    "mean and robust estimate are beyond the floor");
	else if (mean != STATS_NOISE && robust != STATS_NOISE)
		r->reason = xasprintf("the mean is a %s, but the robust estimate a %s",
				      stats_verdict_name(mean),
				      stats_verdict_name(robust));
	else if (mean == STATS_NOISE)
		r->reason = xasprintf("the robust estimate is a %s, but not the mean: %s",
				      stats_verdict_name(robust), why_mean);
	else
		r->reason = xasprintf("the mean is a %s, but not the robust estimate: %s",
				      stats_verdict_name(mean), why_robust);
}

static void blank(struct stats_result *r)
{
	*r = (struct stats_result){
		.mean = NAN, .low = NAN, .high = NAN, .median = NAN,
		.robust = NAN, .p = NAN, .p_holm = NAN, .p_ranks = NAN,
		.p_ranks_holm = NAN, .p_min = NAN, .floor = NAN,
	};
}

/* A p that is not there counts as 1: it makes it no easier for the others */
static double p_or_1(double p)
{
	return isnan(p) ? 1 : p;
}

void stats_judge(const struct stats_row *row, int nr,
		 struct stats_result *result)
{
	enum { MEAN, RANKS, MIN, NR };
	double *p[NR], *holm[NR];
	int i, k;

	for (k = 0; k < NR; k++) {
		p[k] = xcalloc(nr, sizeof(*p[k]));
		holm[k] = xcalloc(nr, sizeof(*holm[k]));
	}
	for (i = 0; i < nr; i++) {
		struct stats_result *r = &result[i];

		blank(r);
		r->reason = worthless(&row[i]);
		if (r->reason)
			r->verdict = STATS_VOID;
		else
			measure(&row[i], r);
		p[MEAN][i] = p_or_1(r->p);
		p[RANKS][i] = p_or_1(r->p_ranks);
		p[MIN][i] = p_or_1(r->p_min);
	}
	/* no p can be below its smallest, so none corrected below that corrected */
	for (k = 0; k < NR; k++)
		stats_holm(p[k], nr, holm[k]);
	for (i = 0; i < nr; i++) {
		struct stats_result *r = &result[i];

		if (r->verdict == STATS_VOID)
			continue;
		if (row[i].nr_pairs) {
			r->p_holm = holm[MEAN][i];
			r->p_ranks_holm = holm[RANKS][i];
		}
		decide(&row[i], nr, holm[MIN][i], r);
		if (r->verdict != STATS_TOO_FEW)
			add_outliers(&row[i], r);
	}
	for (k = 0; k < NR; k++) {
		free(p[k]);
		free(holm[k]);
	}
}

void stats_free(struct stats_result *result, int nr)
{
	int i;

	for (i = 0; i < nr; i++) {
		free(result[i].reason);
		result[i].reason = NULL;
	}
}
