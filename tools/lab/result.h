/* SPDX-License-Identifier: GPL-2.0 */
/*
 * result.h - the stored result of a run, as JSON
 *
 *   format	1
 *   environment	machine, tools, kernels: all that the counts may depend on
 *   order	the guests, in the order in which they were started
 *   pairs	in model time: pairs of boots, see MAX_RUNS in verdict.h
 *   samples	one for each pass of each guest, raw
 *   claims	one for each claim: what was said, measured, promised, decided
 */
#ifndef RESULT_H
#define RESULT_H

#include <json-c/json.h>
#include <stdio.h>

#include "claim.h"
#include "sample.h"
#include "verdict.h"

struct json_object *result_sample(const struct sample *s, enum kernel k,
				  int run);
struct json_object *result_claim(const struct claim *c, const struct judged *j);

/**
 * result_check() - Does a result say of its claims what its samples give?
 * @root: The result.
 *
 * Return: The first value that a claim has and a sample of it has not, named,
 * to be freed; or NULL.
 */
char *result_check(struct json_object *root);

/**
 * result_narrow() - Keep the claims of a topic, judged by what they promise now.
 * @root: The result, changed: its claims and samples are those of @all, and the
 *	verdicts are made anew from the stored samples.
 * @all: The claims; one that @root has not, or has as void, is an error.
 *
 * Return: That error, to be freed; or NULL.
 */
char *result_narrow(struct json_object *root, const struct claims *all);

/* As it is stored; root owns the text. */
const char *result_text(struct json_object *root);

/**
 * table_print() - The verdict table of a stored result.
 * @f: Where to.
 * @root: The result.
 *
 * At most 75 columns wide, for changelogs.  Rows that lose or are void are
 * printed like all others, with the reason below the table.
 */
void table_print(FILE *f, struct json_object *root);

#endif
