// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "result.h"
#include "times.h"
#include "util.h"

static struct json_object *get(struct json_object *o, const char *key)
{
	struct json_object *v = NULL;

	if (json_object_is_type(o, json_type_object))
		json_object_object_get_ex(o, key, &v);
	return v;
}

static const char *get_string(struct json_object *o, const char *key)
{
	struct json_object *v = get(o, key);

	return v ? json_object_get_string(v) : NULL;
}

/* The same for what is never absent from a sound result */
static const char *need_string(struct json_object *o, const char *key)
{
	const char *s = get_string(o, key);

	if (!s)
		die("not a result: a claim without \"%s\"", key);
	return s;
}

/* A count, or "-" where there is none; "*" where it was not reproduced */
static const char *count(char *text, size_t len, struct json_object *o,
			 const char *key, const char *reproduced)
{
	struct json_object *v = get(o, key), *r;

	if (!v)
		return "-";
	r = reproduced ? get(o, reproduced) : NULL;
	snprintf(text, len, "%" PRId64 "%s", json_object_get_int64(v),
		 r && !json_object_get_boolean(r) ? "*" : "");
	return text;
}

static const char *tenths(char *text, size_t len, struct json_object *o,
			  const char *key)
{
	struct json_object *v = get(o, key);
	int64_t n;

	if (!v)
		return "-";
	n = json_object_get_int64(v);
	snprintf(text, len, "%" PRId64 ".%" PRId64, n / 10, n % 10);
	return text;
}

static const char *mebibytes(char *text, size_t len, struct json_object *o)
{
	struct json_object *v = get(o, "bytes");

	if (!v)
		return "-";
	snprintf(text, len, "%.3f", json_object_get_int64(v) / 1048576.0);
	return text;
}

/* What is promised of a metric: "<= 1032", "stock" for what the base needs */
static const char *promised(char *text, size_t len, struct json_object *c,
			    const char *metric)
{
	struct json_object *p = get(c, "promises");
	size_t i, n = strlen(metric);

	if (!json_object_is_type(p, json_type_array))
		return "-";
	for (i = 0; i < json_object_array_length(p); i++) {
		const char *s;

		s = json_object_get_string(json_object_array_get_idx(p, i));
		if (!s || strncmp(s, metric, n) || s[n] != ' ')
			continue;
		s += n + 1;
		if (strstr(s, "stock"))
			return "stock";
		snprintf(text, len, "%s", s + strcspn(s, "0123456789"));
		return text;
	}
	return "-";
}

static bool all_promise(struct json_object *claims, const char *metric)
{
	char text[24];
	size_t i;

	for (i = 0; i < json_object_array_length(claims); i++)
		if (strcmp(promised(text, sizeof(text),
				    json_object_array_get_idx(claims, i),
				    metric), "stock"))
			return false;
	return true;
}

static bool has_disk(struct json_object *claim)
{
	return !get(get(claim, "setup"), "huge");
}

static void print_wrapped(FILE *f, const char *head, const char *text);

/* @timed: what has no disk is in another table */
static void print_reads(FILE *f, struct json_object *claims, bool rival,
			bool timed)
{
	size_t i;

	fprintf(f, "Device reads\n%-9s %13s %*s\n", "", "posted", rival ? 22 : 15,
		"measured");
	fprintf(f, "%-9s %6s %6s %7s ", "claim", "before", "after", "base");
	if (rival)
		fprintf(f, "%6s ", "rival");
	fprintf(f, "%7s %7s  %s\n", "patched", "promise", "verdict");
	for (i = 0; i < json_object_array_length(claims); i++) {
		struct json_object *c = json_object_array_get_idx(claims, i);
		char a[24], b[24], d[24], e[24];

		if (timed && !has_disk(c))
			continue;
		fprintf(f, "%-9s %6s %6s %7s ", need_string(c, "id"),
			count(a, sizeof(a), get(c, "posted"), "before",
			      "before_reproduced"),
			count(b, sizeof(b), get(c, "posted"), "after",
			      "after_reproduced"),
			count(d, sizeof(d), get(c, "base"), "reads", NULL));
		if (rival)
			fprintf(f, "%6s ", count(e, sizeof(e), get(c, "rival"),
						 "reads", NULL));
		fprintf(f, "%7s %7s  %s\n",
			count(e, sizeof(e), get(c, "patched"), "reads", NULL),
			promised(a, sizeof(a), c, "reads"),
			need_string(c, "verdict"));
	}
}

/* Where the device got other requests than were submitted, or not always as many */
static void print_device(FILE *f, struct json_object *claims)
{
	static const char * const kernels[] = { "base", "patched", "rival" };
	bool any = false;
	size_t i;
	unsigned int k;

	for (i = 0; i < json_object_array_length(claims); i++) {
		struct json_object *c = json_object_array_get_idx(claims, i);

		for (k = 0; k < ARRAY_SIZE(kernels); k++) {
			struct json_object *o = get(c, kernels[k]);
			int64_t n = json_object_get_int64(get(o, "reads"));
			int64_t least, most;

			if (!get(o, "device_reads_most"))
				continue;
			least = json_object_get_int64(get(o, "device_reads_least"));
			most = json_object_get_int64(get(o, "device_reads_most"));
			if (least == n && most == n)
				continue;
			if (!any)
				fprintf(f, "\nRequests that the device got, if not one for each read\n%-9s %-8s %7s %9s\n",
					"claim", "kernel", "reads", "device");
			any = true;
			fprintf(f, "%-9s %-8s %7" PRId64 " ", need_string(c, "id"),
				kernels[k], n);
			if (least == most)
				fprintf(f, "%9" PRId64 "\n", least);
			else
				fprintf(f, "%" PRId64 " to %" PRId64 "\n", least, most);
		}
	}
	if (any)
		print_wrapped(f, "", "A request has a limited number of pieces in memory, so how many it takes depends on where the folios lie: not judged.");
}

static void print_sizes(FILE *f, struct json_object *claims, bool rival,
			bool timed)
{
	size_t i;

	fprintf(f, "\n%-9s %*s  %*s\n", "", rival ? 24 : 16,
		"mean folio, KiB", rival ? 26 : 17, "data read, MiB");
	fprintf(f, "%-9s %7s ", "claim", "base");
	if (rival)
		fprintf(f, "%7s ", "rival");
	fprintf(f, "%8s  %8s ", "patched", "base");
	if (rival)
		fprintf(f, "%8s ", "rival");
	fprintf(f, "%8s %5s\n", "patched", "meta");
	for (i = 0; i < json_object_array_length(claims); i++) {
		struct json_object *c = json_object_array_get_idx(claims, i);
		struct json_object *base = get(c, "base");
		struct json_object *patched = get(c, "patched");
		char a[24];

		if (timed && !has_disk(c))
			continue;
		fprintf(f, "%-9s %7s ", need_string(c, "id"),
			tenths(a, sizeof(a), base, "folio_tenth_kib"));
		if (rival)
			fprintf(f, "%7s ", tenths(a, sizeof(a), get(c, "rival"),
						  "folio_tenth_kib"));
		fprintf(f, "%8s  ", tenths(a, sizeof(a), patched,
					   "folio_tenth_kib"));
		fprintf(f, "%8s ", mebibytes(a, sizeof(a), base));
		if (rival)
			fprintf(f, "%8s ", mebibytes(a, sizeof(a),
						     get(c, "rival")));
		fprintf(f, "%8s ", mebibytes(a, sizeof(a), patched));
		fprintf(f, "%5s\n", count(a, sizeof(a), patched, "meta", NULL));
	}
}

/* Signed percent, to a tenth; of what is below a percent to a hundredth */
static const char *percent(char *text, size_t len, double v)
{
	if (isnan(v))
		return "-";
	snprintf(text, len, fabs(v) < 1 ? "%+.2f" : "%+.1f", v);
	return text;
}

/* What the mail says of its own times, seconds on its author's machine */
static const char *posted_change(char *text, size_t len, struct json_object *c)
{
	struct json_object *b = get(get(c, "posted"), "before_ns");
	struct json_object *a = get(get(c, "posted"), "after_ns");

	if (!b || !a)
		return "-";
	snprintf(text, len, "%+.1f", 100.0 *
		 (json_object_get_int64(a) - json_object_get_int64(b)) /
		 json_object_get_int64(b));
	return text;
}

/* Milliseconds of a pass, or on tmpfs instructions or nanoseconds for a page */
static const char *time_value(char *text, size_t len, struct json_object *o,
			      bool disk)
{
	struct json_object *v = get(o, disk ? "ns" : get(o, "insn") ? "insn" : "page_ns");

	if (!v)
		return "-";
	if (disk)
		snprintf(text, len, "%.3f", json_object_get_int64(v) / 1e6);
	else
		snprintf(text, len, "%" PRId64, json_object_get_int64(v));
	return text;
}

/*
 * All that is said of a difference is computed here from the raw samples.  The
 * values beside it are means over the boots.
 */
static void print_times(FILE *f, struct json_object *claims,
			const struct times *times, bool disk, bool native)
{
	bool headed = false;
	size_t i;

	for (i = 0; i < json_object_array_length(claims); i++) {
		struct json_object *c = json_object_array_get_idx(claims, i);
		const struct stats_result *r = times_of(times, need_string(c, "id"));
		char a[24], b[24], d[24], e[24], g[24], h[24], range[52];

		if (has_disk(c) != disk)
			continue;
		if (!headed)
			fprintf(f, "%s\n%-8s %7s %8s %8s %6s %13s %5s  %s\n",
				native && disk ? "Native time, ms" :
				native ? "Native time, ns for a page of 4 KiB" :
				disk ? "Model time, ms: " MODEL_TIME :
				       "Model time, instructions for a page of 4 KiB",
				"claim", "posted%", "base", "patched", "%",
				"95 % interval", "floor", "time");
		headed = true;
		snprintf(range, sizeof(range), "%s %s",
			 percent(a, sizeof(a), r->low),
			 percent(b, sizeof(b), r->high));
		snprintf(h, sizeof(h), isnan(r->floor) ? "-" : "%.2f", r->floor);
		fprintf(f, "%-8s %7s %8s %8s %6s %13s %5s  %s\n",
			need_string(c, "id"), posted_change(d, sizeof(d), c),
			time_value(e, sizeof(e), get(c, "base"), disk),
			time_value(g, sizeof(g), get(c, "patched"), disk),
			percent(a, sizeof(a), r->mean), range, h,
			stats_verdict_name(r->verdict));
	}
	if (headed)
		fputc('\n', f);
}

/* Text at most 74 columns wide, later lines indented under the first */
static void print_wrapped(FILE *f, const char *head, const char *text)
{
	int col = fprintf(f, "%s", head), indent = col;
	const char *p = text;

	while (*p) {
		int n = strcspn(p, " ");

		if (col > indent && col + 1 + n > 74) {
			fprintf(f, "\n%*s", indent, "");
			col = indent;
		} else if (p != text) {
			fputc(' ', f);
			col++;
		}
		fwrite(p, 1, n, f);
		col += n;
		p += n;
		p += strspn(p, " ");
	}
	fputc('\n', f);
}

/* One reason often fits many claims: a guest that failed runs them all. */
static void print_shared(FILE *f, struct json_object *claims, const char *key,
			 const char *what)
{
	size_t n = json_object_array_length(claims), i, j;

	for (i = 0; i < n; i++) {
		struct json_object *c = json_object_array_get_idx(claims, i);
		const char *reason = get_string(c, key);
		char *head, *more;

		for (j = 0; reason && j < i; j++) {
			const char *r = get_string(json_object_array_get_idx(claims, j),
						   key);

			if (r && !strcmp(r, reason))
				reason = NULL;
		}
		if (!reason)
			continue;
		head = xstrdup("");
		for (j = i; j < n; j++) {
			struct json_object *o = json_object_array_get_idx(claims, j);
			const char *r = get_string(o, key);

			if (!r || strcmp(r, reason))
				continue;
			more = xasprintf("%s%s ", head, need_string(o, "id"));
			free(head);
			head = more;
		}
		more = xasprintf("%s%s: %s", head,
				 what ? what : need_string(c, "verdict"), reason);
		print_wrapped(f, "", more);
		free(more);
		free(head);
	}
}

static void print_reasons(FILE *f, struct json_object *claims)
{
	bool starred = false;
	size_t i;

	for (i = 0; i < json_object_array_length(claims); i++) {
		struct json_object *posted, *before, *after;

		posted = get(json_object_array_get_idx(claims, i), "posted");
		before = get(posted, "before_reproduced");
		after = get(posted, "after_reproduced");
		starred |= (before && !json_object_get_boolean(before)) ||
			   (after && !json_object_get_boolean(after));
	}
	print_shared(f, claims, "reason", NULL);
	print_shared(f, claims, "rival_trouble", "rival");
	if (starred)
		print_wrapped(f, "* ", "posted, but not reproduced here");
}

/* What the ids stand for; claims on one file have the most in common. */
static void print_legend(FILE *f, struct json_object *claims)
{
	bool disk = false;
	size_t i;

	for (i = 0; i < json_object_array_length(claims); i++)
		disk |= has_disk(json_object_array_get_idx(claims, i));
	fprintf(f, "id        file, %s: reads\n",
		disk ? "max_sectors_kb/read_ahead_kb" : "huge=, content");
	for (i = 0; i < json_object_array_length(claims); i++) {
		struct json_object *c = json_object_array_get_idx(claims, i);
		struct json_object *set = get(c, "setup");
		const char *huge = get_string(set, "huge"), *device;
		char head[24], text[256], how[64];

		if (huge)
			snprintf(how, sizeof(how), "huge=%s, %s", huge,
				 get_string(set, "content"));
		else
			snprintf(how, sizeof(how), "%d/%d",
				 json_object_get_int(get(set, "max_sectors_kb")),
				 json_object_get_int(get(set, "read_ahead_kb")));
		snprintf(head, sizeof(head), "%-9s ", need_string(c, "id"));
		device = get_string(set, "device");
		snprintf(text, sizeof(text), "%s%s%s, %s, %s: %s",
			 device ? device : "", device ? ", " : "",
			 get_string(set, "fs"), get_string(set, "file"), how,
			 get_string(c, "title"));
		print_wrapped(f, head, text);
	}
}

static void print_environment(FILE *f, struct json_object *root)
{
	struct json_object *env = get(root, "environment");
	const char *timing = get_string(env, "timing");
	const char *engine = get_string(root, "engine");
	int boots = json_object_get_int(get(root, "boots"));
	int pairs = json_object_get_int(get(root, "pairs"));
	char text[512];

	if (pairs) {
		snprintf(text, sizeof(text), "Linux %s against %s, %s; %d pair%s of boots, perturbed alike, and as many of base and base, perturbed otherwise, for the floor; order and perturbation by seed %s.  \"%%\" is the mean change of a pair; what is not beyond the floor, or not proven at 5 %% in all rows together, is within noise",
			 get_string(get(env, "patched"), "release"),
			 get_string(get(env, "base"), "release"),
			 get_string(env, "qemu"), pairs, pairs == 1 ? "" : "s",
			 get_string(root, "order_seed"));
		print_wrapped(f, "", text);
		if (timing && engine && !strcmp(engine, engine_name(ENGINE_NATIVE)))
			print_wrapped(f, "", timing);
		return;
	}

	snprintf(text, sizeof(text), "Linux %s against %s, %s, %s, %d boot%s of each; counts are exact%s",
		 get_string(get(env, "patched"), "release"),
		 get_string(get(env, "base"), "release"),
		 get_string(env, "qemu"), get_string(env, "accel"),
		 boots, boots == 1 ? "" : "s", boots == 1 ? "" : " and the same in every boot");
	print_wrapped(f, "", text);
	if (timing)
		print_wrapped(f, "", timing);
	if (get_string(env, "trace"))
		print_wrapped(f, "", get_string(env, "trace"));
}

void table_print(FILE *f, struct json_object *root)
{
	struct json_object *claims = get(root, "claims");
	int n[NR_VERDICTS] = { 0 };
	const char *engine = get_string(root, "engine");
	bool native = engine && !strcmp(engine, engine_name(ENGINE_NATIVE));
	bool model = native || (engine && !strcmp(engine, engine_name(ENGINE_MODEL)));
	bool rival = false, disk = false, promised = false;
	struct times times;
	char *why;
	size_t i;
	int v;

	if (!json_object_is_type(claims, json_type_array) ||
	    !get(root, "environment"))
		die("not a result: no \"claims\" or no \"environment\" in it");
	why = result_check(root);
	if (why)
		die("not a result: %s", why);
	for (i = 0; i < json_object_array_length(claims); i++) {
		struct json_object *c = json_object_array_get_idx(claims, i);
		const char *verdict = get_string(c, "verdict");

		rival |= !!get(c, "rival");
		disk |= has_disk(c);
		promised |= json_object_array_length(get(c, "promises"));
		for (v = 0; v < NR_VERDICTS; v++)
			if (verdict && !strcmp(verdict, verdict_name(v)))
				break;
		if (v == NR_VERDICTS)
			die("not a result: the verdict \"%s\"",
			    verdict ? verdict : "");
		n[v]++;
	}
	if (model) {
		times_judge(&times, claims, get(root, "samples"),
			    json_object_get_int(get(root, "pairs")));
		print_times(f, claims, &times, true, native);
		print_times(f, claims, &times, false, native);
		times_free(&times);
	}
	if (disk || !model) {
		print_reads(f, claims, rival, model);
		print_sizes(f, claims, rival, model);
		print_device(f, claims);
		fputc('\n', f);
	}
	if (all_promise(claims, "bytes") && all_promise(claims, "folio"))
		print_wrapped(f, "", "Promised of all rows: no more bytes and no smaller folios than the base kernel, \"stock\".");
	print_reasons(f, claims);
	if (rival)
		print_wrapped(f, "", "rival: the posted policy, rebuilt from its description.  meta: reads of metadata, part of the reads above.");
	else if (disk || !model)
		print_wrapped(f, "", "meta: reads of metadata, part of the reads above.");
	print_environment(f, root);
	fputc('\n', f);
	print_legend(f, claims);
	/* of what is report-only nothing is promised */
	if (native && !promised)
		fprintf(f, "\n%zu claims: %d measured, %d void\n",
			json_object_array_length(claims), n[VERDICT_HOLDS],
			n[VERDICT_VOID]);
	else
		fprintf(f, "\n%zu claims: %d better than posted, %d hold, %d do not hold, %d void\n",
			json_object_array_length(claims), n[VERDICT_BETTER],
			n[VERDICT_HOLDS], n[VERDICT_FAILS], n[VERDICT_VOID]);
}

static struct json_object *read_result(const char *path)
{
	struct json_object *root = json_object_from_file(path);

	if (!root)
		die("%s: %s", path, json_util_get_last_err());
	return root;
}

int cmd_table(int argc, char **argv)
{
	struct json_object *root;

	if (argc != 2)
		die("table: wants the path of a result.json");
	root = read_result(argv[1]);
	table_print(stdout, root);
	json_object_put(root);
	return 0;
}

static struct json_object *find(struct json_object *claims, const char *id)
{
	size_t i;

	if (!json_object_is_type(claims, json_type_array))
		return NULL;
	for (i = 0; i < json_object_array_length(claims); i++) {
		struct json_object *c = json_object_array_get_idx(claims, i);

		if (!strcmp(need_string(c, "id"), id))
			return c;
	}
	return NULL;
}

/* Is it known how the posted policy does in one of them? */
static bool have_rival(const struct claims *all)
{
	int i, m;

	for (i = 0; i < all->nr; i++)
		for (m = 0; m < NR_METRICS; m++)
			if (all->claim[i]->rival[m] >= 0)
				return true;
	return false;
}

/*
 * lab report RESULT CLAIMS DIR: keep a result beside the patches of a topic, as
 * result.json, or time.json if it is of model time.  Only a whole one: every
 * claim of the topic, with the rival if there is one, none of them void, and all
 * as they are promised now.
 */
int cmd_report(int argc, char **argv)
{
	struct claims all = { NULL, 0 };
	struct json_object *root, *claims;
	const char *verdict, *engine, *topic, *path, *text;
	enum measured_by e;
	bool rival;
	char *why;
	int i;

	if (argc != 4)
		die("report: wants RESULT CLAIMS DIR");
	topic = strrchr(argv[3], '/');
	topic = topic ? topic + 1 : argv[3];
	root = read_result(argv[1]);
	why = result_check(root);
	if (why)
		die("report: %s: %s", argv[1], why);
	claims = get(root, "claims");
	engine = get_string(root, "engine");
	for (e = 0; e < NR_ENGINES; e++)
		if (engine && !strcmp(engine, engine_name(e)))
			break;
	if (e == ENGINE_NATIVE)
		die("report: %s: native times are of this machine: they are not stored",
		    argv[1]);
	if (e == NR_ENGINES)
		die("report: %s: engine %s", argv[1], engine ? engine : "unknown");
	if (e == ENGINE_COUNTS && json_object_get_int(get(root, "boots")) < 2)
		die("report: %s has one boot of each kernel: expected two or more",
		    argv[1]);
	claims_read(&all, argv[2]);
	claims_select(&all, getenv("BASE") ? getenv("BASE") : "7.3", topic, e,
		      NULL, 0);
	rival = e == ENGINE_COUNTS && have_rival(&all);
	why = result_narrow(root, &all);
	if (why)
		die("report: %s: %s: run all of the topic first, TOPIC=%s",
		    argv[1], why, topic);
	claims = get(root, "claims");
	for (i = 0; i < all.nr; i++) {
		struct json_object *c = find(claims, all.claim[i]->id);

		if (rival && !get(c, "rival"))
			die("report: %s has no rival: run with RIVALS=1 first",
			    argv[1]);
		verdict = need_string(c, "verdict");
		if (!strcmp(verdict, verdict_name(VERDICT_FAILS)))
			die("report: claim %s: %s: %s", all.claim[i]->id, verdict,
			    need_string(c, "reason"));
	}
	path = xasprintf("%s/%s", argv[3], e == ENGINE_COUNTS ? "result.json" :
			 "time.json");
	text = result_text(root);
	write_files(&path, &text, 1);
	printf("report: %s\n", path);
	free((char *)path);
	json_object_put(root);
	return 0;
}

/* lab get RESULT ID KERNEL FIELD: one number, for checking texts against it */
int cmd_get(int argc, char **argv)
{
	struct json_object *root, *v;
	char text[24];

	if (argc != 5)
		die("get: wants RESULT ID KERNEL FIELD");
	root = read_result(argv[1]);
	v = get(get(find(get(root, "claims"), argv[2]), argv[3]), argv[4]);
	if (!v)
		die("%s: no %s of %s for %s", argv[1], argv[4], argv[2], argv[3]);
	if (strstr(argv[4], "_tenth_"))
		snprintf(text, sizeof(text), "%" PRId64 ".%" PRId64,
			 json_object_get_int64(v) / 10,
			 json_object_get_int64(v) % 10);
	else
		snprintf(text, sizeof(text), "%" PRId64,
			 json_object_get_int64(v));
	puts(text);
	json_object_put(root);
	return 0;
}
