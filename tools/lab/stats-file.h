/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stats-file.h - measured times in a text
 */
#ifndef STATS_FILE_H
#define STATS_FILE_H

#include "stats.h"

/**
 * struct stats_table - What such a text holds.
 * @nr: Rows.
 * @row: Each of them.
 * @name: Its name.
 * @expect: The verdict it should get, NR_STATS_VERDICTS if it says none.
 * @line: Where it begins, from 1.
 */
struct stats_table {
	int nr;
	struct stats_row *row;
	char **name;
	enum stats_verdict *expect;
	int *line;
};

/**
 * stats_parse() - Read a table of measured times.
 * @t: The table; stats_table_free() frees it, whatever is returned.
 * @text: Lines, "#" begins a comment; changed.
 *
 * ::
 *
 *	row NAME lower|higher	a row begins; which of them is better
 *	expect VERDICT		what it should get, for tests
 *	exact NAME VALUE...	a counter, in boots that must agree in it
 *	least PERCENT		the floor is no lower
 *	aa BASE BASE		an A/A pair
 *	BASE PATCHED		a pair
 *
 * Return: What is wrong, with the line it is in, to be freed; or NULL.
 */
char *stats_parse(struct stats_table *t, char *text);

void stats_table_free(struct stats_table *t);

#endif
