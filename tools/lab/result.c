// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result.h"
#include "times.h"
#include "util.h"

static void add_int(struct json_object *o, const char *key, int64_t v)
{
	json_object_object_add(o, key, json_object_new_int64(v));
}

static void add_string(struct json_object *o, const char *key, const char *s)
{
	if (s)
		json_object_object_add(o, key, json_object_new_string(s));
}

struct json_object *result_sample(const struct sample *s, enum kernel k,
				  int run)
{
	struct json_object *o = json_object_new_object();
	struct json_object *folios = json_object_new_object();
	char text[32];
	int i;

	add_string(o, "claim", s->claim);
	add_string(o, "kernel", kernel_name(k));
	add_int(o, "boot", run + 1);
	add_int(o, "reads", s->data + s->meta);
	add_int(o, "device_reads", s->reads);
	add_int(o, "merges", s->merges);
	add_int(o, "sectors", s->sectors);
	add_int(o, "data_reads", s->data);
	add_int(o, "data_sectors", s->data_sectors);
	add_int(o, "meta_reads", s->meta);
	add_int(o, "meta_sectors", s->meta_sectors);
	/* not counted is not none */
	if (!s->untraced) {
		add_int(o, "windows", s->windows);
		add_int(o, "sync", s->sync);
	}
	snprintf(text, sizeof(text), "%016llx", (unsigned long long)s->trace);
	add_string(o, "trace", text);
	for (i = 0; i < NR_ORDERS; i++) {
		if (!s->folios[i])
			continue;
		snprintf(text, sizeof(text), "%d", i);
		add_int(folios, text, s->folios[i]);
	}
	json_object_object_add(o, "folios_by_order", folios);
	add_int(o, "cached_before", s->cold);
	add_int(o, "cached_after", s->resident);
	add_int(o, "bytes_read", s->bytes);
	snprintf(text, sizeof(text), "%016llx", (unsigned long long)s->sum);
	add_string(o, "checksum", text);
	add_int(o, "guest_ns", s->ns);
	if (s->timed) {
		add_int(o, "timed_passes", s->timed_passes);
		add_int(o, "timed_reads", s->timed_reads);
		add_int(o, "timed_sectors", s->timed_sectors);
		add_int(o, "null_blk_reads", s->below);
	}
	add_string(o, "bad", s->bad);
	return o;
}

static struct json_object *values(const struct claim *c, const int64_t *v)
{
	struct json_object *o = json_object_new_object();
	unsigned int m;

	for (m = 0; m < NR_METRICS; m++) {
		if ((m == METRIC_NS && c->engine == ENGINE_COUNTS) ||
		    (m == METRIC_INSN && (c->engine == ENGINE_COUNTS ||
					  claim_has_disk(c))) || v[m] < 0)
			continue;
		/* metrics are integers; this one is kept in tenths of a KiB */
		if (m == METRIC_FOLIO)
			add_int(o, "folio_tenth_kib", v[m]);
		else if (m == METRIC_INSN && c->engine == ENGINE_NATIVE)
			add_int(o, "page_ns", v[m]);
		else
			add_int(o, metric_name(m), v[m]);
	}
	return o;
}

static void add_repeated(struct json_object *o, const char *key,
			 enum repeated r)
{
	if (r != REPEATED_UNKNOWN)
		json_object_object_add(o, key,
				       json_object_new_boolean(r == REPEATED_YES));
}

struct json_object *result_claim(const struct claim *c, const struct judged *j)
{
	struct json_object *o = json_object_new_object(), *set, *posted, *p;
	char size[24], text[64];
	unsigned int k;
	int i;

	add_string(o, "id", c->id);
	add_string(o, "title", c->title);
	add_string(o, "topic", c->topic);
	add_string(o, "where", c->where);
	add_string(o, "note", c->note);

	set = json_object_new_object();
	if (c->model) {
		add_string(set, "device", c->model->name);
		add_int(set, "latency_ns", c->model->latency_ns);
		add_int(set, "mbps", c->model->mbps);
		add_int(set, "queue_depth", c->model->depth);
	}
	add_string(set, "fs", c->fs);
	print_size(size, sizeof(size), c->file);
	add_string(set, "file", size);
	if (claim_has_disk(c)) {
		add_int(set, "mdts", c->mdts);
		add_int(set, "max_sectors_kb", c->max_sectors_kb);
		add_int(set, "read_ahead_kb", c->read_ahead_kb);
	} else {
		add_string(set, "huge", huge_name(c->huge));
		add_string(set, "content", content_name(c->content));
	}
	add_string(set, c->ops[0].fio ? "fio" : "reader", c->workload);
	json_object_object_add(o, "setup", set);

	posted = json_object_new_object();
	add_string(posted, "words", c->posted_text);
	if (c->posted_before[METRIC_READS] >= 0)
		add_int(posted, "before", c->posted_before[METRIC_READS]);
	if (c->posted_after[METRIC_READS] >= 0)
		add_int(posted, "after", c->posted_after[METRIC_READS]);
	if (c->posted_before[METRIC_NS] > 0)
		add_int(posted, "before_ns", c->posted_before[METRIC_NS]);
	if (c->posted_after[METRIC_NS] > 0)
		add_int(posted, "after_ns", c->posted_after[METRIC_NS]);
	add_repeated(posted, "before_reproduced", j->before);
	add_repeated(posted, "after_reproduced", j->after);
	json_object_object_add(o, "posted", posted);

	p = json_object_new_array();
	for (i = 0; i < c->nr_promises; i++) {
		const struct promise *pr = &c->promises[i];

		if (pr->stock)
			snprintf(text, sizeof(text), "%s %s stock",
				 metric_name(pr->metric),
				 compare_name(pr->compare));
		else
			snprintf(text, sizeof(text), "%s %s %lld",
				 metric_name(pr->metric),
				 compare_name(pr->compare),
				 (long long)pr->bound);
		json_object_array_add(p, json_object_new_string(text));
	}
	json_object_object_add(o, "promises", p);

	for (k = 0; k < NR_KERNELS; k++) {
		struct json_object *v;

		if (!j->measured[k])
			continue;
		v = values(c, j->value[k]);
		add_int(v, "meta", j->meta[k]);
		if (claim_has_disk(c) && j->device_most[k]) {
			add_int(v, "device_reads_least", j->device_least[k]);
			add_int(v, "device_reads_most", j->device_most[k]);
		}
		json_object_object_add(o, kernel_name(k), v);
	}
	add_string(o, "verdict", verdict_name(j->verdict));
	add_string(o, "reason", j->reason);
	add_string(o, "rival_trouble", j->rival);
	return o;
}

static struct json_object *get(struct json_object *o, const char *key)
{
	struct json_object *v = NULL;

	if (json_object_is_type(o, json_type_object))
		json_object_object_get_ex(o, key, &v);
	return v;
}

static int64_t get_int(struct json_object *o, const char *key)
{
	return json_object_get_int64(get(o, key));
}

/* A sample as it was before it was stored, so that the same code counts */
static void load_sample(struct sample *s, struct json_object *o)
{
	struct json_object *folios = get(o, "folios_by_order");
	char order[8];
	int i;

	memset(s, 0, sizeof(*s));
	s->data = get_int(o, "data_reads");
	s->meta = get_int(o, "meta_reads");
	s->data_sectors = get_int(o, "data_sectors");
	s->windows = get_int(o, "windows");
	s->sync = get_int(o, "sync");
	s->bytes = get_int(o, "bytes_read");
	s->ns = get_int(o, "guest_ns");
	for (i = 0; i < NR_ORDERS; i++) {
		snprintf(order, sizeof(order), "%d", i);
		s->folios[i] = get_int(folios, order);
	}
}

static const char *stored_name(enum metric m)
{
	return m == METRIC_FOLIO ? "folio_tenth_kib" : metric_name(m);
}

static char *other(const char *id, const char *name, const char *kernel,
		   int64_t stored, int64_t given)
{
	return xasprintf("claim %s: %s of %s: %" PRId64 " is stored, its samples give %" PRId64,
			 id, name, kernel, stored, given);
}

static char *check_kernel(struct json_object *values, struct json_object *samples,
			  const char *id, const char *kernel, int pairs)
{
	uint64_t ns = 0, bytes = 0;
	struct json_object *v;
	size_t i;
	unsigned int m;

	for (i = 0; i < json_object_array_length(samples); i++) {
		struct json_object *o = json_object_array_get_idx(samples, i);
		struct sample s;

		if (strcmp(json_object_get_string(get(o, "claim")), id) ||
		    strcmp(json_object_get_string(get(o, "kernel")), kernel))
			continue;
		load_sample(&s, o);
		if (get_int(o, "reads") != sample_value(&s, METRIC_READS))
			return other(id, "reads in a sample", kernel, get_int(o, "reads"),
				     sample_value(&s, METRIC_READS));
		bytes = s.bytes;
		if (get_int(o, "boot") <= pairs)
			ns += s.ns;
		for (m = 0; m < METRIC_NS; m++) {
			v = get(values, stored_name(m));
			/* what was not kept in samples from the beginning */
			if (!v || (m == METRIC_SYNC && !get(o, "sync")))
				continue;
			if (json_object_get_int64(v) != sample_value(&s, m))
				return other(id, stored_name(m), kernel,
					     json_object_get_int64(v),
					     sample_value(&s, m));
		}
	}
	v = get(values, "ns");
	if (v && pairs && (!bytes || json_object_get_int64(v) !=
			   (int64_t)mean_ns(ns, pairs)))
		return other(id, "ns", kernel, json_object_get_int64(v),
			     mean_ns(ns, pairs));
	v = get(values, "insn") ? get(values, "insn") : get(values, "page_ns");
	if (v && pairs && (!bytes || json_object_get_int64(v) !=
			   (int64_t)mean_insn(ns, bytes, pairs)))
		return other(id, "insn", kernel, json_object_get_int64(v),
			     bytes ? mean_insn(ns, bytes, pairs) : 0);
	return NULL;
}

char *result_check(struct json_object *root)
{
	struct json_object *claims = get(root, "claims");
	struct json_object *samples = get(root, "samples");
	int pairs = get_int(root, "pairs");
	char *why = NULL;
	unsigned int k;
	size_t i;

	if (!json_object_is_type(claims, json_type_array) ||
	    !json_object_is_type(samples, json_type_array))
		return xstrdup("no \"claims\" or no \"samples\" in it");
	for (i = 0; i < json_object_array_length(claims) && !why; i++) {
		struct json_object *c = json_object_array_get_idx(claims, i);
		const char *id = json_object_get_string(get(c, "id"));

		for (k = 0; k < NR_KERNELS && id && !why; k++)
			if (get(c, kernel_name(k)))
				why = check_kernel(get(c, kernel_name(k)),
						   samples, id, kernel_name(k),
						   pairs);
	}
	return why;
}

static struct json_object *find(struct json_object *claims, const char *id)
{
	size_t i;

	for (i = 0; i < json_object_array_length(claims); i++) {
		struct json_object *c = json_object_array_get_idx(claims, i);

		if (!strcmp(json_object_get_string(get(c, "id")), id))
			return c;
	}
	return NULL;
}

static void load_judged(struct judged *j, struct json_object *claim)
{
	unsigned int k, m;

	memset(j, 0, sizeof(*j));
	for (k = 0; k < NR_KERNELS; k++) {
		struct json_object *values = get(claim, kernel_name(k));

		j->measured[k] = !!values;
		j->meta[k] = get_int(values, "meta");
		j->device_least[k] = get_int(values, "device_reads_least");
		j->device_most[k] = get_int(values, "device_reads_most");
		for (m = 0; m < NR_METRICS; m++)
			j->value[k][m] = get_int(values, stored_name(m));
	}
	if (get(claim, "rival_trouble"))
		j->rival = xstrdup(json_object_get_string(get(claim, "rival_trouble")));
}

char *result_narrow(struct json_object *root, const struct claims *all)
{
	struct json_object *claims = get(root, "claims"), *c;
	struct json_object *samples = get(root, "samples");
	struct json_object *kept = json_object_new_array();
	struct json_object *judged = json_object_new_array();
	struct times times = { 0 };
	size_t n;
	int i;

	for (n = 0; n < json_object_array_length(samples); n++) {
		c = json_object_array_get_idx(samples, n);
		for (i = 0; i < all->nr; i++)
			if (!strcmp(json_object_get_string(get(c, "claim")),
				    all->claim[i]->id))
				json_object_array_add(kept, json_object_get(c));
	}
	for (i = 0; i < all->nr; i++) {
		c = find(claims, all->claim[i]->id);
		if (!c)
			return xasprintf("no claim %s in it", all->claim[i]->id);
		if (!strcmp(json_object_get_string(get(c, "verdict")),
			    verdict_name(VERDICT_VOID)))
			return xasprintf("claim %s: void", all->claim[i]->id);
		json_object_array_add(judged, json_object_get(c));
	}
	if (get(root, "pairs"))
		times_judge(&times, judged, kept, get_int(root, "pairs"));
	for (i = 0; i < all->nr; i++) {
		struct judged j;

		load_judged(&j, json_object_array_get_idx(judged, i));
		judge_values(&j, all->claim[i],
			     times_of(&times, all->claim[i]->id), NULL);
		json_object_array_put_idx(judged, i,
					  result_claim(all->claim[i], &j));
		/* its name there has gone */
		if (times.nr)
			times.id[i] = all->claim[i]->id;
		judged_free(&j);
	}
	times_free(&times);
	json_object_object_add(root, "claims", judged);
	json_object_object_add(root, "samples", kept);
	return NULL;
}

const char *result_text(struct json_object *root)
{
	return json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY |
					      JSON_C_TO_STRING_NOSLASHESCAPE);
}
