/* SPDX-License-Identifier: GPL-2.0 */
/*
 * times.h - the model times of a stored result, as statistics take them
 */
#ifndef TIMES_H
#define TIMES_H

#include <json-c/json.h>

#include "stats.h"

/*
 * Less than so many percent in model time is no difference, however exact it is:
 * it takes all instructions for equally long, which no processor does.
 */
#define TIMES_LEAST	0.1

/**
 * struct times - A row for each claim of a result in model time.
 * @nr: How many.
 * @id: Of the claims; the JSON owns it.
 * @row: What was measured, in nanoseconds of a pass.
 * @result: What is to be said of it.
 */
struct times {
	int nr;
	const char **id;
	struct stats_row *row;
	struct stats_result *result;
};

/**
 * times_judge() - Statistics over the samples of a result.
 * @t: times_free() frees it.
 * @ids: An array of the claims' ids, or of objects that have an "id".
 * @samples: Raw, as result_sample() makes them.
 * @pairs: Boots of a kernel that are one of a pair; MAX_RUNS in verdict.h tells
 *	which boots are what.
 *
 * All claims are rows of one table.  A boot that gave no sample leaves out its
 * pair.  Nothing but raw samples goes in, so what is printed of a stored result
 * is computed once more from those.
 */
void times_judge(struct times *t, struct json_object *ids,
		 struct json_object *samples, int pairs);

/* Returns NULL for a claim that is not in it. */
const struct stats_result *times_of(const struct times *t, const char *id);

void times_free(struct times *t);

#endif
