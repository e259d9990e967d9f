// SPDX-License-Identifier: GPL-2.0
/*
 * changelog.c - the messages of a topic's patches, from what was measured
 *
 * lab changelog [--check|--apply] TOPICDIR
 *
 * Beside NAME.patch stands NAME.msg, its message with a field wherever a result
 * has a number; patches/README tells the fields.  Without an option the messages
 * are printed as they have to be; --apply puts them into the patches; --check
 * names the first figure of each that is not what the stored results give.
 */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <glob.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "claim.h"
#include "cmd.h"
#include "result.h"
#include "times.h"
#include "util.h"

#define COUNTS	"result.json"
#define TIMES	"time.json"

/* A field, and where in the text that was made its value stands */
struct span {
	size_t start, end;
	char *field;
};

struct text {
	char *text;
	size_t len;
	struct span *span;
	int nr;
};

struct topic {
	const char *dir;
	const char *path[MAX_FILES], *whole[MAX_FILES];	/* to be written */
	int nr;
	struct json_object *counts, *times;	/* read when they are needed */
	struct times judged;
};

/* Where the field is that is wrong, for messages */
struct here {
	const char *path;
	int line;
};

__attribute__((noreturn, format(printf, 2, 3)))
static void wrong(const struct here *at, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	die("%s:%d: %s", at->path, at->line, text);
}

static struct json_object *get(struct json_object *o, const char *key)
{
	struct json_object *v = NULL;

	if (json_object_is_type(o, json_type_object))
		json_object_object_get_ex(o, key, &v);
	return v;
}

static struct json_object *load(const char *dir, const char *name)
{
	char *path = xasprintf("%s/%s", dir, name), *why;
	struct json_object *root = json_object_from_file(path);

	if (!root)
		die("%s: %s", path, json_util_get_last_err());
	why = result_check(root);
	if (why)
		die("%s: %s", path, why);
	free(path);
	return root;
}

static bool is_there(const struct topic *t, const char *name)
{
	char *path = xasprintf("%s/%s", t->dir, name);
	bool there = !access(path, F_OK);

	free(path);
	return there;
}

static struct json_object *counts(struct topic *t)
{
	if (!t->counts)
		t->counts = load(t->dir, COUNTS);
	return t->counts;
}

static struct json_object *times(struct topic *t)
{
	if (!t->times) {
		t->times = load(t->dir, TIMES);
		times_judge(&t->judged, get(t->times, "claims"),
			    get(t->times, "samples"),
			    json_object_get_int(get(t->times, "pairs")));
	}
	return t->times;
}

static struct json_object *find(struct json_object *root, const char *id)
{
	struct json_object *claims = get(root, "claims");
	size_t i;

	for (i = 0; i < json_object_array_length(claims); i++) {
		struct json_object *c = json_object_array_get_idx(claims, i);
		const char *s = json_object_get_string(get(c, "id"));

		if (s && !strcmp(s, id))
			return c;
	}
	return NULL;
}

/* A number of a result, in the unit that its field is named after */
static bool number(struct json_object *values, const char *field, double *v,
		   int *digits)
{
	static const struct {
		const char *field, *key;
		double unit;
		int digits;
	} fields[] = {
		{ "reads", "reads", 1, 0 },
		{ "data", "data", 1, 0 },
		{ "meta", "meta", 1, 0 },
		{ "windows", "windows", 1, 0 },
		{ "sync", "sync", 1, 0 },
		{ "folio", "folio_tenth_kib", 10, 1 },
		{ "bytes", "bytes", 1, 0 },
		{ "MiB", "bytes", 1048576, 1 },
		{ "MiB3", "bytes", 1048576, 3 },
		{ "ms", "ns", 1e6, 1 },
		{ "insn", "insn", 1, 0 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		if (strcmp(field, fields[i].field) || !get(values, fields[i].key))
			continue;
		*v = json_object_get_int64(get(values, fields[i].key)) /
			fields[i].unit;
		*digits = fields[i].digits;
		return true;
	}
	return false;
}

/* ID time mean|low|high|floor|p: what statistics say */
static char *time_field(struct topic *t, const struct here *at, const char *id,
			const char *field)
{
	const struct stats_result *r;
	const char *sign = "+";
	double v;

	times(t);
	r = times_of(&t->judged, id);
	if (!r)
		wrong(at, "{%s time %s}: no claim %s in " TIMES, id, field, id);
	if (!strcmp(field, "verdict"))
		return xstrdup(stats_verdict_name(r->verdict));
	if (!strcmp(field, "p"))
		return xasprintf("%.3f", r->p_holm);
	if (!strcmp(field, "mean"))
		v = r->mean;
	else if (!strcmp(field, "low"))
		v = r->low;
	else if (!strcmp(field, "high"))
		v = r->high;
	else if (!strcmp(field, "floor"))
		v = r->floor, sign = "";
	else if (!strcmp(field, "less"))
		v = -r->mean, sign = "";
	else if (!strcmp(field, "more"))
		v = r->mean, sign = "";
	else
		wrong(at, "{%s time %s}: expected mean, low, high, less, more, floor, p or verdict",
		      id, field);
	if (isnan(v))
		wrong(at, "{%s time %s}: there is none", id, field);
	return xasprintf(*sign ? "%+.*f" : "%.*f", fabs(v) < 1 ? 2 : 1, v);
}

/* ID KERNEL FIELD, and "ID more FIELD": percent that patched has above base */
static char *claim_field(struct topic *t, const struct here *at, const char *id,
			 const char *kernel, const char *field)
{
	bool more = !strcmp(kernel, "more");
	struct json_object *c;
	double v, base;
	int digits;

	if (!strcmp(kernel, "time"))
		return time_field(t, at, id, field);
	/* what is not counted is timed; a topic may have one kind alone */
	c = is_there(t, COUNTS) ? find(counts(t), id) : NULL;
	if (!c)
		c = find(times(t), id);
	if (!c)
		wrong(at, "{%s %s %s}: no claim %s in " COUNTS " or " TIMES, id,
		      kernel, field, id);
	if (!number(get(c, more ? "patched" : kernel), field, &v, &digits))
		wrong(at, "{%s %s %s}: no such figure", id, kernel, field);
	if (!more)
		return xasprintf("%.*f", digits, v);
	if (!number(get(c, "base"), field, &base, &digits) || !base)
		wrong(at, "{%s more %s}: no such figure of base", id, field);
	return xasprintf("%.1f", 100 * (v / base - 1));
}

/* FILE KEY: the number behind the words KEY on a line of FILE */
static char *file_field(struct topic *t, const struct here *at,
			const char *name, const char *key)
{
	char *path = xasprintf("%s/%s", t->dir, name), *text, *line, *p;
	char *next, *value = NULL;

	text = read_file(path, NULL);
	if (!text)
		wrong(at, "{%s %s}: %s: %s", name, key, path, strerror(errno));
	for (line = text; line && *line && !value; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		p = strstr(line, key);
		if (p != line)
			continue;
		p += strlen(key) + strspn(p + strlen(key), ": \t");
		p[strspn(p, "0123456789.")] = '\0';
		if (*p)
			value = xstrdup(p);
	}
	if (!value)
		wrong(at, "{%s %s}: no line of %s begins with \"%s\" and a number",
		      name, key, path, key);
	free(text);
	free(path);
	return value;
}

/* |, groups thousands; |M is millions with one decimal; |N a width */
static char *formatted(const struct here *at, char *value, const char *format)
{
	size_t n, i, k = 0;
	char *out;
	int width;

	if (!*format)
		return value;
	if (!strcmp(format, "M")) {
		out = xasprintf("%.1f", atof(value) / 1e6);
	} else if (!strcmp(format, ",")) {
		n = strlen(value);
		out = xcalloc(1, n + n / 3 + 1);
		for (i = 0; i < n; i++) {
			if (i && (n - i) % 3 == 0)
				out[k++] = ',';
			out[k++] = value[i];
		}
	} else if (sscanf(format, "%d", &width) == 1 && width > 0 && width < 60) {
		out = xasprintf("%*s", width, value);
	} else {
		wrong(at, "|%s: expected a width, \",\" or \"M\"", format);
	}
	free(value);
	return out;
}

static char *whole_table(struct json_object *root)
{
	char *table;
	size_t len;
	FILE *f = open_memstream(&table, &len);

	if (!f)
		die("out of memory");
	table_print(f, root);
	if (fclose(f))
		die("out of memory");
	while (len && table[len - 1] == '\n')
		table[--len] = '\0';
	return table;
}

static char *field_value(struct topic *t, const struct here *at,
			 const char *field)
{
	char a[64], b[64], c[64], rest[2], *text, *bar, *value;

	text = xstrdup(field);
	bar = strchr(text, '|');
	if (bar)
		*bar++ = '\0';
	if (!strcmp(text, "table"))
		value = whole_table(counts(t));
	else if (!strcmp(text, "times"))
		value = whole_table(times(t));
	else if (strchr(text, ':') && sscanf(text, "%63[^:]: %63[^\n]", a, b) == 2)
		value = file_field(t, at, a, b);
	else if (sscanf(text, "%63s %63s %63s %1s", a, b, c, rest) == 3)
		value = claim_field(t, at, a, b, c);
	else
		wrong(at, "{%s}: expected {ID KERNEL FIELD}, {ID more FIELD}, {ID time FIELD}, {FILE: WORDS}, {table} or {times}",
		      field);
	value = formatted(at, value, bar ? bar : "");
	free(text);
	return value;
}

static void append(struct text *x, const char *s, size_t n)
{
	x->text = xrealloc(x->text, x->len + n + 1);
	memcpy(x->text + x->len, s, n);
	x->len += n;
	x->text[x->len] = '\0';
}

/* C and its braces are not ours: a field begins with a letter or digit */
static void expand(struct topic *t, struct text *x, const char *path)
{
	struct here at = { path, 1 };
	char *msg = read_file(path, NULL), *p = msg, *end, *value;
	struct span *s;

	if (!msg)
		die("%s: %s", path, strerror(errno));
	memset(x, 0, sizeof(*x));
	append(x, "", 0);
	for (; *p; p++) {
		if (*p == '\n')
			at.line++;
		if (*p != '{' || !isalnum((unsigned char)p[1])) {
			append(x, p, 1);
			continue;
		}
		end = p + strcspn(p, "}\n");
		if (*end != '}')
			wrong(&at, "expected a } that ends the field");
		x->span = xrealloc(x->span, (x->nr + 1) * sizeof(*x->span));
		s = &x->span[x->nr++];
		s->field = xasprintf("%.*s", (int)(end - p - 1), p + 1);
		s->start = x->len;
		value = field_value(t, &at, s->field);
		append(x, value, strlen(value));
		free(value);
		s->end = x->len;
		p = end;
	}
	free(msg);
}

static void free_text(struct text *x)
{
	while (x->nr)
		free(x->span[--x->nr].field);
	free(x->span);
	free(x->text);
}

/* Where the message of a patch begins, behind its headers, and where it ends. */
static bool find_message(const char *path, char *patch, char **start, char **end)
{
	char *diff, *line, *stat = NULL;

	/* a cover is all message */
	if (strcmp(path + strlen(path) - 6, ".patch")) {
		*start = patch;
		*end = patch + strlen(patch);
		return true;
	}
	*start = strstr(patch, "\n\n");
	diff = strstr(patch, "\ndiff --git ");
	if (!*start || !diff || diff < *start)
		return false;
	*start += 2;
	/* the diffstat: the last paragraph before the diff */
	for (line = *start; line < diff; line++)
		if (!strncmp(line, "\n\n ", 3) && line + 1 < diff)
			stat = line + 1;
	*end = stat;
	return stat;
}

static int line_of(const char *text, const char *at)
{
	int line = 1;

	for (; text < at; text++)
		line += *text == '\n';
	return line;
}

/* The word that begins at or before a place, for a message */
static int word_at(const char *text, size_t at, const char **word)
{
	size_t start = at, end = at;

	while (start && !isspace((unsigned char)text[start - 1]))
		start--;
	while (text[end] && !isspace((unsigned char)text[end]))
		end++;
	*word = text + start;
	return end - start;
}

/* Names the first place where the two differ; true if there is none. */
static bool same(const char *path, const char *patch, const char *start,
		 const char *end, const struct text *x)
{
	size_t have = end - start, i, n = have < x->len ? have : x->len;
	const char *is, *want;
	int is_len, want_len, k;

	for (i = 0; i < n && start[i] == x->text[i]; i++)
		;
	if (i == have && i == x->len)
		return true;
	is_len = word_at(start, i, &is);
	want_len = word_at(x->text, i, &want);
	printf("%s:%d: \"%.*s\" stands there, ", path, line_of(patch, start + i),
	       is_len, is);
	for (k = 0; k < x->nr; k++)
		if (i < x->span[k].end && i + want_len >= x->span[k].start)
			break;
	if (k < x->nr)
		printf("{%s} gives \"%.*s\"\n", x->span[k].field, want_len, want);
	else
		printf("its .msg has \"%.*s\"\n", want_len, want);
	return false;
}

/* Of NAME.msg NAME.patch, but of cover.msg cover */
static char *patch_of(const char *msg)
{
	const char *name = strrchr(msg, '/');

	return xasprintf("%.*s%s", (int)strlen(msg) - 4, msg,
			 name && !strcmp(name, "/cover.msg") ? "" : ".patch");
}

/* Returns false if it is not as it has to be. */
static bool one_message(struct topic *t, const char *msg, int mode)
{
	char *path = patch_of(msg), *patch = read_file(path, NULL);
	char *start, *end, *whole;
	struct text x;
	bool ok = true;

	if (mode && !patch)
		die("%s: %s, though there is %s", path, strerror(errno), msg);
	expand(t, &x, msg);
	if (!mode) {
		printf("--- %s\n%s", path, x.text);
		goto out;
	}
	if (!find_message(path, patch, &start, &end))
		die("%s: expected headers, a message, a diffstat and a diff", path);
	if (mode == 'c') {
		ok = same(path, patch, start, end, &x);
		goto out;
	}
	whole = xasprintf("%.*s%s%s", (int)(start - patch), patch, x.text, end);
	if (t->nr == MAX_FILES)
		die("%s: more than %d messages", t->dir, MAX_FILES);
	t->path[t->nr] = xstrdup(path);
	t->whole[t->nr++] = whole;
out:
	free_text(&x);
	free(patch);
	free(path);
	return ok;
}

int cmd_changelog(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "check", no_argument, NULL, 'c' },
		{ "apply", no_argument, NULL, 'a' },
		{ }
	};
	struct topic t = { NULL };
	bool ok = true;
	char *pattern;
	int c, mode = 0;
	glob_t g;
	size_t i;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		if (c == '?')
			exit(2);
		mode = c;
	}
	if (optind != argc - 1)
		die("changelog: wants [--check|--apply] and the folder of a topic");
	t.dir = argv[optind];
	pattern = xasprintf("%s/*.msg", t.dir);
	if (glob(pattern, 0, NULL, &g))
		die("%s: no message (*.msg) there", t.dir);
	for (i = 0; i < g.gl_pathc; i++)
		ok &= one_message(&t, g.gl_pathv[i], mode);
	/* all of them, or none */
	if (t.nr)
		write_files(t.path, t.whole, t.nr);
	while (t.nr) {
		free((char *)t.path[--t.nr]);
		free((char *)t.whole[t.nr]);
	}
	globfree(&g);
	free(pattern);
	if (t.times)
		times_free(&t.judged);
	json_object_put(t.times);
	json_object_put(t.counts);
	return ok ? 0 : 1;
}
