/* SPDX-License-Identifier: GPL-2.0 */
/*
 * verdict.h - from samples to a verdict
 */
#ifndef VERDICT_H
#define VERDICT_H

#include "claim.h"
#include "sample.h"
#include "stats.h"

enum kernel { BASE, PATCHED, RIVAL, NR_KERNELS };

const char *kernel_name(enum kernel k);

/*
 * In model time the boots of a kernel are, from 0: a pair each, perturbed as
 * the boot of the other kernel is; then boot 0 over again, to the nanosecond;
 * and then, of the base kernel, the second of each A/A pair, perturbed otherwise
 * than the first, which is the boot of that pair.
 */
#define MAX_RUNS	(2 * STATS_MAX_PAIRS + 1)

enum verdict {
	VERDICT_HOLDS,
	VERDICT_BETTER,		/* holds, with fewer reads than the posted policy */
	VERDICT_FAILS,		/* a promise of ours is not kept */
	VERDICT_VOID,		/* nothing can be said: the reason tells why */
	NR_VERDICTS
};

const char *verdict_name(enum verdict v);

/* Is a figure of the mail reproduced? */
enum repeated { REPEATED_UNKNOWN, REPEATED_YES, REPEATED_NO };

struct judged {
	enum verdict verdict;
	char *reason;		/* for VERDICT_FAILS and VERDICT_VOID */
	char *rival;		/* why the rival was not measured, or is not as known */
	bool measured[NR_KERNELS];
	int64_t value[NR_KERNELS][NR_METRICS];
	int64_t meta[NR_KERNELS];	/* reads of metadata */
	/* requests that the device got, metadata included, in any boot; not judged */
	int64_t device_least[NR_KERNELS], device_most[NR_KERNELS];
	enum stats_verdict time;	/* in model time: of patched against base */
	enum repeated before, after;
};

/**
 * judge() - Decide on a claim.
 * @j: The result; judged_free() frees it.
 * @c: The claim.
 * @s: A sample for each kernel and run; NULL where a guest gave none.
 * @why: For each kernel and run, why there is none.
 * @runs: Boots of each kernel, 0 for one that is not run.
 * @time: In model time, what statistics say of it in all pairs; else NULL.
 * @pairs: How many they are.
 * @seed: Of the file's content.
 *
 * Counts are compared exactly: between boots of one kernel, with what is
 * known of the stock kernel, with what the reader must have got.  So is model
 * time between boots that are the same.  Whatever is amiss there voids the
 * claim, since nothing else can be trusted then.
 */
void judge(struct judged *j, const struct claim *c,
	   const struct sample *s[NR_KERNELS][MAX_RUNS],
	   const char *why[NR_KERNELS][MAX_RUNS],
	   const int runs[NR_KERNELS], const struct stats_result *time,
	   int pairs, uint64_t seed);

/**
 * judge_values() - The last part of it: what the values are worth.
 * @j: Measured, and its values; the verdict is set.
 * @c: The claim, whose promises count.
 * @time: As above.
 * @reason: Why it is void, which is then @j's; or NULL.
 */
void judge_values(struct judged *j, const struct claim *c,
		  const struct stats_result *time, char *reason);

/* Of @pairs boots that took @ns together, each to read @bytes: rounded */
uint64_t mean_ns(uint64_t ns, int pairs);
uint64_t mean_insn(uint64_t ns, uint64_t bytes, int pairs);

void judged_free(struct judged *j);

#endif
