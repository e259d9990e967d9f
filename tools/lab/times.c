// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "times.h"
#include "util.h"
#include "verdict.h"

static struct json_object *get(struct json_object *o, const char *key)
{
	struct json_object *v = NULL;

	if (json_object_is_type(o, json_type_object))
		json_object_object_get_ex(o, key, &v);
	return v;
}

static bool is(struct json_object *o, const char *key, const char *value)
{
	const char *s = json_object_get_string(get(o, key));

	return s && !strcmp(s, value);
}

/* Nanoseconds of a pass in a boot, from 0; 0 where there is none */
static double time_of(struct json_object *samples, const char *id,
		      enum kernel k, int boot)
{
	size_t i;

	for (i = 0; i < json_object_array_length(samples); i++) {
		struct json_object *s = json_object_array_get_idx(samples, i);

		if (is(s, "claim", id) && is(s, "kernel", kernel_name(k)) &&
		    json_object_get_int(get(s, "boot")) == boot + 1 &&
		    !get(s, "bad"))
			return json_object_get_int64(get(s, "guest_ns"));
	}
	return 0;
}

static int add_pair(struct stats_pair *pairs, int nr, double base, double other)
{
	if (!base || !other)
		return nr;
	pairs[nr].base = base;
	pairs[nr].patched = other;
	return nr + 1;
}

static void fill_row(struct stats_row *row, struct json_object *samples,
		     const char *id, int pairs)
{
	struct stats_pair *pair = xcalloc(pairs, sizeof(*pair));
	struct stats_pair *aa = xcalloc(pairs, sizeof(*aa));
	int i;

	row->better = STATS_LOWER;
	row->least = TIMES_LEAST;
	row->pair = pair;
	row->aa = aa;
	for (i = 0; i < pairs; i++) {
		double base = time_of(samples, id, BASE, i);

		row->nr_pairs = add_pair(pair, row->nr_pairs, base,
					 time_of(samples, id, PATCHED, i));
		row->nr_aa = add_pair(aa, row->nr_aa, base,
				      time_of(samples, id, BASE, pairs + 1 + i));
	}
}

void times_judge(struct times *t, struct json_object *ids,
		 struct json_object *samples, int pairs)
{
	int i;

	memset(t, 0, sizeof(*t));
	if (!json_object_is_type(ids, json_type_array) ||
	    !json_object_is_type(samples, json_type_array) || pairs < 1 ||
	    pairs > STATS_MAX_PAIRS)
		die("not a result in model time: expected \"claims\", \"samples\" and 1 to %d \"pairs\"",
		    STATS_MAX_PAIRS);
	t->nr = json_object_array_length(ids);
	t->id = xcalloc(t->nr, sizeof(*t->id));
	t->row = xcalloc(t->nr, sizeof(*t->row));
	t->result = xcalloc(t->nr, sizeof(*t->result));
	for (i = 0; i < t->nr; i++) {
		struct json_object *c = json_object_array_get_idx(ids, i);

		t->id[i] = json_object_get_string(get(c, "id") ? get(c, "id") : c);
		fill_row(&t->row[i], samples, t->id[i], pairs);
	}
	stats_judge(t->row, t->nr, t->result);
}

const struct stats_result *times_of(const struct times *t, const char *id)
{
	int i;

	for (i = 0; i < t->nr; i++)
		if (!strcmp(t->id[i], id))
			return &t->result[i];
	return NULL;
}

void times_free(struct times *t)
{
	int i;

	for (i = 0; i < t->nr; i++) {
		free((void *)t->row[i].pair);
		free((void *)t->row[i].aa);
	}
	stats_free(t->result, t->nr);
	free(t->result);
	free(t->row);
	free(t->id);
	memset(t, 0, sizeof(*t));
}
