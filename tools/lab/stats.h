/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stats.h - from measured times to a verdict
 *
 * The unit is the boot: what is repeated within one is averaged before it comes
 * here.  A boot of each kernel is a pair, and all that follows is of the
 * changes within pairs, in percent of the base.  Nothing here reads or prints.
 *
 * A row is a gain or a loss only if all of these agree: the mean change is
 * beyond the noise floor, its interval does not hold 0, and the sign-flip test
 * finds it, corrected for the number of rows; and the same of an estimate that
 * one outlying boot cannot move.  All else is within noise.
 */
#ifndef STATS_H
#define STATS_H

#include <stdbool.h>
#include <stdint.h>

/* Intervals are of 1 - STATS_ALPHA, and a p counts if it is below it */
#define STATS_ALPHA	0.05
/* The sign-flip test tries all signs of the pairs of a row: 2^20 at most */
#define STATS_MAX_PAIRS	20
#define STATS_MAX_KERNELS	8
/* Beyond the median by more than so many MAD a pair is outlying */
#define STATS_MAD	5.0

enum stats_better { STATS_LOWER, STATS_HIGHER };

enum stats_verdict {
	STATS_GAIN,
	STATS_LOSS,
	STATS_NOISE,		/* no difference is proven */
	STATS_TOO_FEW,		/* of so few boots none could be */
	STATS_VOID,		/* the numbers are worth nothing */
	NR_STATS_VERDICTS
};

const char *stats_verdict_name(enum stats_verdict v);

/**
 * stats_random() - The next number of a generator that is the same everywhere.
 * @state: Of the generator, not 0; changed.
 *
 * xorshift64*, ACM Transactions on Mathematical Software 42 (2016), article 30.
 *
 * Return: 64 bits, of which the upper ones are the better ones.
 */
uint64_t stats_random(uint64_t *state);

/**
 * stats_seed() - A state for stats_random().
 * @seed: Any number; small ones that follow one another are fine.
 *
 * The finalizer of SplitMix64 (OOPSLA 2014), since xorshift starts badly from
 * states with few bits set, and never leaves 0.
 *
 * Return: A state that is not 0.
 */
uint64_t stats_seed(uint64_t seed);

/**
 * stats_order() - Which kernel each boot runs.
 * @seed: Decides; the same seed gives the same order on every machine.
 * @blocks: How many, 0 or more.
 * @kernels: How many there are, 1 to STATS_MAX_KERNELS.
 * @order: Room for 2 * @blocks * @kernels; each boot's kernel, from 0.
 *
 * A block is a random order of the kernels and then its reverse: ABBA or BAAB
 * for two.  So each kernel's boots are in the middle of the block on average,
 * and a machine that gets slower steadily favours none.  A block gives two
 * pairs, one in each half; see stats_boot().
 *
 * Pairs are taken as independent.  A drift moves the two of a block in opposite
 * directions, which makes the interval wider, and never narrower.
 */
void stats_order(uint64_t seed, int blocks, int kernels, int *order);

/**
 * stats_boot() - Where the boot of a kernel in a pair is.
 * @order: By stats_order().
 * @kernels: As given there.
 * @pair: From 0 to 2 * blocks - 1.
 * @kernel: From 0 to @kernels - 1.
 *
 * Return: The index into @order, or -1 if there is no such kernel.
 */
int stats_boot(const int *order, int kernels, int pair, int kernel);

/**
 * struct stats_pair - What was measured in two boots side by side.
 * @base: In any unit, above 0.
 * @patched: In the same unit, above 0; for an A/A pair, base once more.
 */
struct stats_pair {
	double base;
	double patched;
};

/**
 * stats_change() - How much a pair changed.
 * @p: The pair; both above 0.
 *
 * Return: 100 * (patched - base) / base, percent of the base.
 */
double stats_change(const struct stats_pair *p);

/**
 * stats_median() - The middle one, or the mean of the two in the middle.
 * @x: The numbers; left as they are.
 * @n: How many, 1 or more.
 *
 * Return: That, in the unit of @x.
 */
double stats_median(const double *x, int n);

/**
 * stats_mad() - The median distance from the median.
 * @x: The numbers; left as they are.
 * @n: How many, 1 or more.
 *
 * Journal of the American Statistical Association 69 (1974) 383.
 *
 * Return: The distance as it is, not scaled to a standard deviation.
 */
double stats_mad(const double *x, int n);

/**
 * stats_interval() - The mean, and where the true one is with 95 %.
 * @d: The changes, percent.
 * @n: How many, 2 or more.
 * @mean: Set to their mean.
 * @half: Set to half the width of the interval, 0 if all are the same.
 *
 * Student's t for paired differences: the quantile at 0.975 of n - 1 degrees of
 * freedom, by the standard deviation, by the root of n; Biometrika 6 (1908) 1.
 */
void stats_interval(const double *d, int n, double *mean, double *half);

/**
 * stats_hodges_lehmann() - A centre that one outlier hardly moves.
 * @d: The changes, percent.
 * @n: How many, 1 to STATS_MAX_PAIRS.
 *
 * Annals of Mathematical Statistics 34 (1963) 598.  29 % of the numbers may be
 * arbitrarily wrong before it can be.
 *
 * Return: The median of the means of all two, each with itself included.
 */
double stats_hodges_lehmann(const double *d, int n);

/**
 * stats_signed_ranks() - Changes by the rank of their size, with their sign.
 * @d: The changes, percent.
 * @n: How many, 1 to STATS_MAX_PAIRS.
 * @rank: Room for @n.
 *
 * The signed rank test, Biometrics Bulletin 1 (1945) 80, is stats_sign_flip()
 * of these.  Equal sizes share the mean of their ranks; a change of 0 takes a
 * rank and counts as 0, as in the Journal of the American Statistical
 * Association 54 (1959) 655.
 */
void stats_signed_ranks(const double *d, int n, double *rank);

/**
 * stats_sign_flip() - How often is chance as far from 0 as this?
 * @d: The changes, or their signed ranks.
 * @n: How many, 0 to STATS_MAX_PAIRS.
 *
 * The randomization test of the sum, which takes the place of the mean: if the
 * kernels are the same, either sign of each change was as likely.  All 2^n are
 * tried, so it is exact, and nothing is taken to be normal.  Supplement to the
 * Journal of the Royal Statistical Society 4 (1937) 119.
 *
 * Kernels that change places turn a change of d percent into one of
 * -d / (1 + d/100), which for the small ones that noise makes is -d.
 *
 * Return: The two-sided p, stats_min_p() to 1.
 */
double stats_sign_flip(const double *d, int n);

/**
 * stats_min_p() - The smallest p that stats_sign_flip() can return.
 * @n: Pairs, 0 to STATS_MAX_PAIRS.
 *
 * Return: 2 / 2^n, at most 1: all signs as they are, or all the other way.  It
 * is below 0.05 from 6 pairs.
 */
double stats_min_p(int n);

/**
 * stats_holm() - p of each row of a table, corrected for there being others.
 * @p: From 0 to 1.
 * @n: How many.
 * @adjusted: Room for @n; from @p to 1.
 *
 * The chance that even one row of the table is wrongly found stays below
 * STATS_ALPHA.  Scandinavian Journal of Statistics 6 (1979) 65: the k-th
 * smallest of n, by n - k + 1, and none below one before it.
 */
void stats_holm(const double *p, int n, double *adjusted);

/**
 * stats_floor() - The difference that two equal kernels may seem to have.
 * @d: The changes of A/A pairs, percent: one kernel, paired with itself.
 * @n: How many, 2 or more.
 *
 * The end of the interval that is farther from 0: |mean| and half the width.
 * That is the margin within which this A/A run shows the two to be equivalent,
 * by two one-sided tests of 2.5 %: Journal of Pharmacokinetics and
 * Biopharmaceutics 15 (1987) 657.  It is never below half the width, nor below
 * the mean difference, and it falls as there are more A/A pairs.
 *
 * The A/A pairs have to be perturbed as the others, and the boots of a pair not
 * in the same way: on a machine that repeats itself to the bit they would be
 * equal, and tell nothing.
 *
 * Return: Percent, 0 or above.
 */
double stats_floor(const double *d, int n);

/**
 * struct stats_exact - A counter that has to be the same in all of these boots.
 * @name: With the kernel in it, if that matters: for the reason.
 * @value: Of each boot.
 * @nr: How many boots.
 */
struct stats_exact {
	const char *name;
	const int64_t *value;
	int nr;
};

/**
 * struct stats_row - A row of a table, as measured.
 * @better: Whether less or more is better.
 * @pair: The pairs.
 * @nr_pairs: How many; 6 or more, or the row is "too few boots".
 * @aa: A/A pairs, for the floor.
 * @nr_aa: How many; 2 or more, or the row is "too few boots".
 * @least: The floor is at least this, percent: what the measure itself cannot
 *	tell, however little it varies; 0 or above.
 * @exact: Counters declared to be exact; one that varies voids the row.
 * @nr_exact: How many.
 */
struct stats_row {
	enum stats_better better;
	const struct stats_pair *pair;
	int nr_pairs;
	const struct stats_pair *aa;
	int nr_aa;
	double least;
	const struct stats_exact *exact;
	int nr_exact;
};

/**
 * struct stats_result - What is to be said of a row.
 * @verdict: The verdict.
 * @reason: Why, never NULL.
 * @mean: Change, percent; NAN as all of these where there is none.
 * @low: Where its interval begins.
 * @high: Where it ends.
 * @median: Of the changes, percent.
 * @robust: The Hodges-Lehmann estimate of the change, percent.
 * @p: Of the sign-flip test of the mean.
 * @p_holm: The same, corrected.
 * @p_ranks: Of the sign-flip test of the ranks.
 * @p_ranks_holm: The same, corrected.
 * @p_min: The smallest that both could be with so many pairs.
 * @floor: Percent.
 * @outlying: Bit i is set if pair i is; it is not left out.
 */
struct stats_result {
	enum stats_verdict verdict;
	char *reason;
	double mean;
	double low;
	double high;
	double median;
	double robust;
	double p;
	double p_holm;
	double p_ranks;
	double p_ranks_holm;
	double p_min;
	double floor;
	uint32_t outlying;
};

/**
 * stats_judge() - A verdict on each row of a table.
 * @row: The rows.
 * @nr: How many.
 * @result: Room for @nr; stats_free() frees what they hold.
 *
 * In this order:
 *
 * void: a time that is not a number above 0; more pairs than STATS_MAX_PAIRS;
 * an exact counter that varies; A/A pairs that all differ by the same, so that
 * nothing is known of the noise.  There are no numbers then.
 *
 * too few boots: fewer than 2 A/A pairs, or so few pairs that p could not get
 * below STATS_ALPHA after the correction, had all of the table gone one way.
 *
 * gain, loss: the mean and the robust estimate, each with its p, agree.
 *
 * within noise: all else, even if one of the two is sure.
 *
 * All rows count in the correction, those that are void with a p of 1: what is
 * void makes it no easier for the others.
 */
void stats_judge(const struct stats_row *row, int nr,
		 struct stats_result *result);

void stats_free(struct stats_result *result, int nr);

#endif
