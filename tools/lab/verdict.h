/* SPDX-License-Identifier: GPL-2.0 */
/*
 * verdict.h - from samples to a verdict
 */
#ifndef VERDICT_H
#define VERDICT_H

#include "claim.h"
#include "sample.h"

enum kernel { BASE, PATCHED, RIVAL, NR_KERNELS };

const char *kernel_name(enum kernel k);

#define MAX_RUNS	32

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
	enum repeated before, after;
};

/**
 * judge() - Decide on a claim.
 * @j: The result; judged_free() frees it.
 * @c: The claim.
 * @s: A sample for each kernel and run; NULL where a guest gave none.
 * @why: For each kernel and run, why there is none.
 * @kernels: Which of the kernels are run at all.
 * @runs: Boots of each kernel.
 * @seed: Of the file's content.
 *
 * Counts are compared exactly: between boots of one kernel, with what is
 * known of the stock kernel, with what the reader must have got.  So is model
 * time, which is the same to the nanosecond in all boots of a kernel.  Whatever
 * is amiss there voids the claim, since nothing else can be trusted then.
 */
void judge(struct judged *j, const struct claim *c,
	   const struct sample *s[NR_KERNELS][MAX_RUNS],
	   const char *why[NR_KERNELS][MAX_RUNS],
	   const bool kernels[NR_KERNELS], int runs, uint64_t seed);

void judged_free(struct judged *j);

#endif
