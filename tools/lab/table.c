// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "result.h"
#include "util.h"

static struct json_object *get(struct json_object *o, const char *key)
{
	struct json_object *v = NULL;

	if (o)
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

static void print_reads(FILE *f, struct json_object *claims, bool rival)
{
	size_t i;

	fprintf(f, "%-9s %13s  %s\n", "", "posted reads",
		"device reads here (of these, metadata)");
	fprintf(f, "%-9s %6s %6s %7s ", "claim", "before", "after", "base");
	if (rival)
		fprintf(f, "%7s ", "rival");
	fprintf(f, "%7s %5s  %s\n", "patched", "", "verdict");
	for (i = 0; i < json_object_array_length(claims); i++) {
		struct json_object *c = json_object_array_get_idx(claims, i);
		char a[24], b[24], d[24], e[24], m[24], meta[32];
		const char *n = count(m, sizeof(m), get(c, "patched"), "meta",
				      NULL);

		snprintf(meta, sizeof(meta), "(%s)", n);
		fprintf(f, "%-9s %6s %6s %7s ", need_string(c, "id"),
			count(a, sizeof(a), get(c, "posted"), "before",
			      "before_reproduced"),
			count(b, sizeof(b), get(c, "posted"), "after",
			      "after_reproduced"),
			count(d, sizeof(d), get(c, "base"), "reads", NULL));
		if (rival)
			fprintf(f, "%7s ", count(e, sizeof(e), get(c, "rival"),
						 "reads", NULL));
		fprintf(f, "%7s %5s  %s\n",
			count(e, sizeof(e), get(c, "patched"), "reads", NULL),
			meta, need_string(c, "verdict"));
	}
}

static void print_sizes(FILE *f, struct json_object *claims, bool rival)
{
	size_t i;

	fprintf(f, "\n%-9s %17s%s   %21s\n", "", "mean folio, KiB",
		rival ? "        " : "", "data read, MiB");
	fprintf(f, "%-9s %8s ", "claim", "base");
	if (rival)
		fprintf(f, "%7s ", "rival");
	fprintf(f, "%8s   %10s %10s\n", "patched", "base", "patched");
	for (i = 0; i < json_object_array_length(claims); i++) {
		struct json_object *c = json_object_array_get_idx(claims, i);
		char a[24], b[24], d[24], e[24];

		fprintf(f, "%-9s %8s ", need_string(c, "id"),
			tenths(a, sizeof(a), get(c, "base"), "folio_tenth_kib"));
		if (rival)
			fprintf(f, "%7s ", tenths(b, sizeof(b), get(c, "rival"),
						  "folio_tenth_kib"));
		fprintf(f, "%8s   %10s %10s\n",
			tenths(b, sizeof(b), get(c, "patched"),
			       "folio_tenth_kib"),
			mebibytes(d, sizeof(d), get(c, "base")),
			mebibytes(e, sizeof(e), get(c, "patched")));
	}
}

/* Text at most 75 columns wide, later lines indented under the first */
static void print_wrapped(FILE *f, const char *head, const char *text)
{
	int col = fprintf(f, "%s", head), indent = col;
	const char *p = text;

	while (*p) {
		int n = strcspn(p, " ");

		if (col > indent && col + 1 + n > 75) {
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

static void print_reasons(FILE *f, struct json_object *claims)
{
	bool starred = false;
	size_t i;

	for (i = 0; i < json_object_array_length(claims); i++) {
		struct json_object *c = json_object_array_get_idx(claims, i);
		const char *reason = get_string(c, "reason");
		const char *rival = get_string(c, "rival_trouble");
		struct json_object *posted = get(c, "posted");
		struct json_object *b = get(posted, "before_reproduced");
		struct json_object *a = get(posted, "after_reproduced");
		char head[64];

		starred |= (b && !json_object_get_boolean(b)) ||
			   (a && !json_object_get_boolean(a));
		if (reason) {
			snprintf(head, sizeof(head), "%s %s: ",
				 need_string(c, "id"), need_string(c, "verdict"));
			print_wrapped(f, head, reason);
		}
		if (rival) {
			snprintf(head, sizeof(head), "%s rival: ",
				 need_string(c, "id"));
			print_wrapped(f, head, rival);
		}
	}
	if (starred)
		print_wrapped(f, "* ", "posted, but not reproduced here");
}

static void print_environment(FILE *f, struct json_object *root)
{
	struct json_object *env = get(root, "environment");
	const char *timing = get_string(env, "timing");
	char text[512];

	snprintf(text, sizeof(text), "Linux %s against %s, %s, %s, %d boots of each; counts are exact and the same in every boot",
		 get_string(get(env, "patched"), "release"),
		 get_string(get(env, "base"), "release"),
		 get_string(env, "qemu"), get_string(env, "accel"),
		 json_object_get_int(get(root, "boots")));
	print_wrapped(f, "", text);
	if (timing)
		print_wrapped(f, "", timing);
}

void table_print(FILE *f, struct json_object *root)
{
	struct json_object *claims = get(root, "claims");
	int n[NR_VERDICTS] = { 0 }, promised = 0;
	bool rival = false;
	size_t i;
	int v;

	if (!claims || !json_object_is_type(claims, json_type_array) ||
	    !get(root, "environment"))
		die("not a result: no \"claims\" or no \"environment\" in it");
	for (i = 0; i < json_object_array_length(claims); i++) {
		struct json_object *c = json_object_array_get_idx(claims, i);
		const char *verdict = get_string(c, "verdict");

		rival |= !!get(c, "rival");
		for (v = 0; v < NR_VERDICTS; v++)
			if (verdict && !strcmp(verdict, verdict_name(v)))
				n[v]++;
		promised++;
	}
	print_reads(f, claims, rival);
	print_sizes(f, claims, rival);
	fputc('\n', f);
	print_reasons(f, claims);
	print_environment(f, root);
	fprintf(f, "\n%d claims: %d better than posted, %d hold, %d do not hold, %d void\n",
		promised, n[VERDICT_BETTER], n[VERDICT_HOLDS],
		n[VERDICT_FAILS], n[VERDICT_VOID]);
}

int cmd_table(int argc, char **argv)
{
	struct json_object *root;

	if (argc != 2)
		die("table: wants the path of a result.json");
	root = json_object_from_file(argv[1]);
	if (!root)
		die("%s: %s", argv[1], json_util_get_last_err());
	table_print(stdout, root);
	json_object_put(root);
	return 0;
}
