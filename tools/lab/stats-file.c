// SPDX-License-Identifier: GPL-2.0
/*
 * stats-file.c - lab stats: a verdict on each row of a table in a file
 *
 * Exit status: 0, and 1 if a row got another verdict than it expects.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "stats-file.h"
#include "util.h"

/* The next word of a line, or NULL at its end */
static char *word(char **line)
{
	char *w;

	do {
		w = strsep(line, " \t\r");
	} while (w && !*w);
	return w;
}

static bool number(const char *text, double *value)
{
	char *end;

	if (!text || !*text)
		return false;
	*value = strtod(text, &end);
	return !*end;
}

static char *add_pair(const struct stats_pair **pairs, int *nr,
		      const char *first, char **rest)
{
	struct stats_pair p, *all;

	if (!number(first, &p.base) || !number(word(rest), &p.patched) ||
	    word(rest))
		return xstrdup("a pair is two numbers");
	all = xrealloc((void *)*pairs, (*nr + 1) * sizeof(*all));
	all[(*nr)++] = p;
	*pairs = all;
	return NULL;
}

static char *add_exact(struct stats_row *row, char **rest)
{
	const char *name = word(rest), *w;
	struct stats_exact *all, *e;
	int64_t *value = NULL;
	char *end;
	int nr = 0;

	while ((w = word(rest))) {
		value = xrealloc(value, (nr + 1) * sizeof(*value));
		errno = 0;
		value[nr++] = strtoll(w, &end, 10);
		if (errno || *end) {
			free(value);
			return xasprintf("\"%s\" is not a count", w);
		}
	}
	if (nr < 2) {
		free(value);
		return xstrdup("exact: wants NAME and the counts of two boots or more");
	}
	all = xrealloc((void *)row->exact, (row->nr_exact + 1) * sizeof(*all));
	row->exact = all;
	e = &all[row->nr_exact++];
	e->name = xstrdup(name);
	e->value = value;
	e->nr = nr;
	return NULL;
}

static char *add_row(struct stats_table *t, char **rest, int line)
{
	const char *name = word(rest), *better = word(rest);
	int n = t->nr + 1;

	if (!better || word(rest) ||
	    (strcmp(better, "lower") && strcmp(better, "higher")))
		return xstrdup("row: wants NAME, and lower or higher, which is better");
	t->row = xrealloc(t->row, n * sizeof(*t->row));
	t->name = xrealloc(t->name, n * sizeof(*t->name));
	t->expect = xrealloc(t->expect, n * sizeof(*t->expect));
	t->line = xrealloc(t->line, n * sizeof(*t->line));
	memset(&t->row[t->nr], 0, sizeof(*t->row));
	t->row[t->nr].better = *better == 'l' ? STATS_LOWER : STATS_HIGHER;
	t->name[t->nr] = xstrdup(name);
	t->expect[t->nr] = NR_STATS_VERDICTS;
	t->line[t->nr] = line;
	t->nr = n;
	return NULL;
}

static char *set_expect(enum stats_verdict *expect, char *rest)
{
	const char *name = rest ? strip(rest) : "";
	unsigned int v;

	for (v = 0; v < NR_STATS_VERDICTS; v++) {
		if (strcmp(name, stats_verdict_name(v)))
			continue;
		*expect = v;
		return NULL;
	}
	return xasprintf("\"%s\" is not a verdict", name);
}

static char *parse_line(struct stats_table *t, char *line, int nr)
{
	struct stats_row *row = t->nr ? &t->row[t->nr - 1] : NULL;
	char *first = word(&line);

	if (!first)
		return NULL;
	if (!strcmp(first, "row"))
		return add_row(t, &line, nr);
	if (!row)
		return xstrdup("no row has begun");
	if (!strcmp(first, "expect"))
		return set_expect(&t->expect[t->nr - 1], line);
	if (!strcmp(first, "exact"))
		return add_exact(row, &line);
	if (!strcmp(first, "least")) {
		if (!number(word(&line), &row->least) || row->least < 0 ||
		    word(&line))
			return xstrdup("least: wants a percentage of 0 or more");
		return NULL;
	}
	if (!strcmp(first, "aa"))
		return add_pair(&row->aa, &row->nr_aa, word(&line), &line);
	return add_pair(&row->pair, &row->nr_pairs, first, &line);
}

char *stats_parse(struct stats_table *t, char *text)
{
	char *line, *why = NULL, *all;
	int nr = 0;

	memset(t, 0, sizeof(*t));
	while (!why && (line = strsep(&text, "\n"))) {
		nr++;
		line[strcspn(line, "#")] = '\0';
		why = parse_line(t, line, nr);
	}
	if (!why && !t->nr)
		why = xstrdup("no row");
	if (!why)
		return NULL;
	all = xasprintf("line %d: %s", nr, why);
	free(why);
	return all;
}

void stats_table_free(struct stats_table *t)
{
	int i, k;

	for (i = 0; i < t->nr; i++) {
		for (k = 0; k < t->row[i].nr_exact; k++) {
			free((void *)t->row[i].exact[k].name);
			free((void *)t->row[i].exact[k].value);
		}
		free((void *)t->row[i].exact);
		free((void *)t->row[i].aa);
		free((void *)t->row[i].pair);
		free(t->name[i]);
	}
	free(t->row);
	free(t->name);
	free(t->expect);
	free(t->line);
}

/* A number, or "-" where there is none */
static void print_number(double x, int width)
{
	if (isnan(x))
		printf(" %*s", width, "-");
	else
		printf(" %*.4f", width, x);
}

static void print_row(const char *name, const struct stats_row *row,
		      const struct stats_result *r)
{
	printf("%-15s %3d", name, row->nr_pairs);
	print_number(r->mean, 9);
	print_number(r->low, 9);
	print_number(r->high, 9);
	print_number(r->median, 9);
	print_number(r->robust, 9);
	print_number(r->p_min, 6);
	print_number(r->p, 6);
	print_number(r->p_holm, 6);
	print_number(r->p_ranks_holm, 6);
	print_number(r->floor, 8);
	printf("  %s: %s\n", stats_verdict_name(r->verdict), r->reason);
}

int cmd_stats(int argc, char **argv)
{
	struct stats_result *results;
	struct stats_table t;
	char *text, *why;
	int i, ret = 0;

	if (argc != 2)
		die("stats: wants a FILE of measured times");
	text = read_file(argv[1], NULL);
	if (!text)
		die("%s: %s", argv[1], strerror(errno));
	why = stats_parse(&t, text);
	if (why)
		die("%s: %s", argv[1], why);
	results = xcalloc(t.nr, sizeof(*results));
	stats_judge(t.row, t.nr, results);
	printf("%-15s %3s %9s %9s %9s %9s %9s %6s %6s %6s %6s %8s  %s\n",
	       "# change in %", "n", "mean", "low", "high", "median", "robust",
	       "min p", "p", "Holm", "ranks", "floor", "verdict");
	for (i = 0; i < t.nr; i++)
		print_row(t.name[i], &t.row[i], &results[i]);
	fflush(stdout);
	for (i = 0; i < t.nr; i++) {
		if (t.expect[i] == NR_STATS_VERDICTS ||
		    t.expect[i] == results[i].verdict)
			continue;
		fprintf(stderr, "lab: %s:%d: %s: expected \"%s\", it is \"%s\"\n",
			argv[1], t.line[i], t.name[i],
			stats_verdict_name(t.expect[i]),
			stats_verdict_name(results[i].verdict));
		ret = 1;
	}
	stats_free(results, t.nr);
	free(results);
	stats_table_free(&t);
	free(text);
	return ret;
}
