// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "claim.h"
#include "util.h"

static const char * const metric_names[NR_METRICS] = {
	[METRIC_READS]	 = "reads",
	[METRIC_DATA]	 = "data",
	[METRIC_BYTES]	 = "bytes",
	[METRIC_FOLIO]	 = "folio",
	[METRIC_WINDOWS] = "windows",
	[METRIC_SYNC]	 = "sync",
	[METRIC_NS]	 = "ns",
	[METRIC_INSN]	 = "insn",
};

const char *metric_name(enum metric m)
{
	return metric_names[m];
}

enum metric metric_by_name(const char *name)
{
	unsigned int m;

	for (m = 0; m < NR_METRICS; m++)
		if (!strcmp(name, metric_names[m]))
			break;
	return m;
}

const char *compare_name(enum compare c)
{
	static const char * const names[] = { "<", "<=", ">=", "=" };

	return names[c];
}

static const char * const engine_names[NR_ENGINES] = {
	[ENGINE_COUNTS] = "counts",
	[ENGINE_MODEL]	= "model",
	[ENGINE_NATIVE]	= "native",
};

const char *engine_name(enum measured_by e)
{
	return engine_names[e];
}

/*
 * The modelled devices; tests/claims/README has the same table.  A request
 * takes its latency whatever its size and place, as many at a time as the depth
 * allows.  null_blk gives out its bandwidth in portions, 50 a second.
 */
static const struct model models[] = {
	{ "nvme-80us", 80000, 0, 128, 0, "an NVMe disk" },
	{ "sata", 150000, 500, 32, 0, "a SATA disk without moving parts" },
	{ "net-1ms", 1000000, 1000, 128, 0, "a disk behind a network" },
	{ "disk-8ms", 8000000, 160, 1, 0, "a spinning disk" },
	{ "nvme-ooo", 80000, 0, 128, 160000, "an NVMe disk that answers out of order" },
};

const struct model *model_by_name(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(models); i++)
		if (!strcmp(name, models[i].name))
			return &models[i];
	return NULL;
}

static const char * const huge_names[NR_HUGE] = {
	[HUGE_NONE]	   = "none",
	[HUGE_NEVER]	   = "never",
	[HUGE_ALWAYS]	   = "always",
	[HUGE_WITHIN_SIZE] = "within_size",
	[HUGE_ADVISE]	   = "advise",
};

const char *huge_name(enum huge h)
{
	return huge_names[h];
}

static const char * const content_names[NR_CONTENTS] = {
	[CONTENT_WRITTEN]    = "written",
	[CONTENT_FALLOCATED] = "fallocated",
	[CONTENT_HOLE]	     = "hole",
};

const char *content_name(enum content k)
{
	return content_names[k];
}

static const char * const setup_keys[NR_SETUP_KEYS] = {
	[KEY_MDTS]	     = "mdts",
	[KEY_MAX_SECTORS_KB] = "max_sectors_kb",
	[KEY_READ_AHEAD_KB]  = "read_ahead_kb",
	[KEY_DEVICE]	     = "device",
	[KEY_HUGE]	     = "huge",
	[KEY_CONTENT]	     = "content",
};

bool claim_has_disk(const struct claim *c)
{
	return strcmp(c->fs, "tmpfs");
}

bool compare_holds(enum compare c, int64_t value, int64_t bound)
{
	return c == CMP_LT ? value < bound :
	       c == CMP_LE ? value <= bound :
	       c == CMP_GE ? value >= bound : value == bound;
}

/* Where the parser is, for its messages */
struct place {
	const char *path;
	int line;
};

__attribute__((noreturn, format(printf, 2, 3)))
static void wrong(const struct place *at, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	die("%s:%d: %s", at->path, at->line, text);
}

static unsigned int get_number(const struct place *at, const char *key,
			       const char *text, unsigned int min,
			       unsigned int max)
{
	const char *end;
	uint64_t v;

	if (!parse_size(text, &end, &v) || *end || v < min || v > max)
		wrong(at, "%s: expected a number from %u to %u, not \"%s\"",
		      key, min, max, text);
	return v;
}

static uint64_t get_size(const struct place *at, const char *key,
			 const char *text, const char **end)
{
	uint64_t v;

	if (!parse_size(text, end, &v) || v % 4096)
		wrong(at, "%s: expected a multiple of 4k, such as 64k or 1M, not \"%s\"",
		      key, text);
	return v;
}

/* "the next word is W": advances over it and the blanks behind it */
static bool word(const char **p, const char *w)
{
	size_t n = strlen(w);

	if (strncmp(*p, w, n) || ((*p)[n] && (*p)[n] != ' '))
		return false;
	*p += n;
	*p += strspn(*p, " ");
	return true;
}

static struct op *new_op(const struct place *at, struct claim *c)
{
	if (c->nr_ops == MAX_OPS)
		wrong(at, "reader: more than %d steps", MAX_OPS);
	c->ops[c->nr_ops].times = 1;
	return &c->ops[c->nr_ops++];
}

/* A line of the guest's plan, "BS OFFSET ..." behind it */
static void list_line(struct op *op, uint64_t bs)
{
	size_t len;
	FILE *f = open_memstream(&op->line, &len);
	int i;

	if (!f)
		die("out of memory");
	fprintf(f, "list %" PRIu64, bs);
	for (i = 0; i < op->nr_offsets; i++)
		fprintf(f, " %" PRIu64, op->offsets[i]);
	if (fclose(f))
		die("out of memory");
}

/* A size that is read at a time: on tmpfs also parts of a page */
static uint64_t get_read_size(const struct place *at, const struct claim *c,
			      const char *text, const char **end)
{
	uint64_t v;

	if (!strcmp(c->fs, "tmpfs") && parse_size(text, end, &v) && v &&
	    v < 4096 && 4096 % v == 0)
		return v;
	return get_size(at, "read", text, end);
}

/* [N times], the last of a read on tmpfs */
static void parse_times(const struct place *at, const struct claim *c,
			struct op *op, const char *p)
{
	uint64_t n;
	char *line;

	if (!*p)
		return;
	if (*p < '0' || *p > '9' || !parse_size(p, &p, &n))
		wrong(at, "reader: expected \"at OFFSET\", \"every SIZE\", \"to OFFSET\", \"to end\", \"N times\" or \";\", not \"%s\"",
		      p);
	p += strspn(p, " ");
	if (!word(&p, "times") || *p || !n || n > 1000000)
		wrong(at, "reader: expected \"N times\", at most 1000000, and \";\"");
	if (strcmp(c->fs, "tmpfs"))
		wrong(at, "reader: \"N times\" does not fit fs %s: from the second on the file is cached",
		      c->fs);
	op->times = n;
	op->bytes *= n;
	line = xasprintf("times %u %s", op->times, op->line);
	free(op->line);
	op->line = line;
}

/*
 * read SIZE [at OFFSET] [every SIZE] [to OFFSET|end] [N times]
 *
 * Without "to" it is a single read; without "at" it goes on where the step
 * before it ended.
 */
static void parse_read(const struct place *at, struct claim *c, const char *p,
		       uint64_t *pos)
{
	uint64_t bs = get_read_size(at, c, p, &p), end, stride = 0, i;
	struct op *op = new_op(at, c);

	if (!bs)
		wrong(at, "read: expected a size above 0");
	p += strspn(p, " ");
	if (word(&p, "at")) {
		*pos = get_size(at, "at", p, &p);
		p += strspn(p, " ");
	}
	if (word(&p, "every")) {
		stride = get_size(at, "every", p, &p);
		p += strspn(p, " ");
		if (stride < bs || bs % 4096)
			wrong(at, "reader: expected \"every SIZE\", not less than what is read, both in pages");
	}
	end = *pos + bs;
	if (word(&p, "to")) {
		if (word(&p, "end")) {
			end = c->file;
		} else {
			end = get_size(at, "to", p, &p);
			p += strspn(p, " ");
		}
	}
	if (end > c->file || *pos >= end)
		wrong(at, "reader: the range %llu to %llu is not in a file of %llu",
		      (unsigned long long)*pos, (unsigned long long)end,
		      (unsigned long long)c->file);
	if (bs < 4096 && (end - *pos) % 4096)
		wrong(at, "reader: expected whole pages in all, in reads of %llu",
		      (unsigned long long)bs);
	op->start = *pos;
	op->end = end;
	if (stride) {
		op->nr_offsets = (end - *pos - 1) / stride + 1;
		if (op->nr_offsets > 256 ||
		    *pos + (op->nr_offsets - 1) * stride + bs > end)
			wrong(at, "reader: expected at most 256 reads, the last of them within the range");
		op->offsets = xcalloc(op->nr_offsets, sizeof(*op->offsets));
		for (i = 0; i < (uint64_t)op->nr_offsets; i++)
			op->offsets[i] = *pos + i * stride;
		list_line(op, bs);
		op->bytes = op->nr_offsets * bs;
	} else {
		op->line = xasprintf("read 0 %" PRIu64 " %" PRIu64 " %" PRIu64,
				     *pos, end, bs);
		op->bytes = end - *pos;
	}
	*pos = end;
	parse_times(at, c, op, p);
}

/*
 * N random [aligned] reads of SIZE
 *
 * One at a random page, or at a random multiple of SIZE, of each of N equal
 * parts of the file, none reaching into the next part, the parts in random
 * order.  The same in every run.
 */
static void parse_random(const struct place *at, struct claim *c, uint64_t n,
			 bool aligned, const char *p)
{
	struct op *op = new_op(at, c);
	uint64_t x = 20261030, bs, part, tmp;
	unsigned int i, j;

	bs = get_size(at, "random reads of", p, &p);
	part = n ? c->file / n / 4096 * 4096 : 0;
	if (*p || !bs || n > 256 || bs > part || (aligned && part % bs))
		wrong(at, "reader: expected \"N random [aligned] reads of SIZE\", at most 256, that fit into the file");
	op->offsets = xcalloc(n, sizeof(*op->offsets));
	op->nr_offsets = n;
	for (i = 0; i < n; i++) {
		/* xorshift64, Marsaglia 2003 */
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		op->offsets[i] = i * part + (aligned ? x % (part / bs) * bs :
					     x % ((part - bs) / 4096 + 1) * 4096);
		/* a place among those before it: Fisher and Yates */
		j = (x >> 32) % (i + 1);
		tmp = op->offsets[i];
		op->offsets[i] = op->offsets[j];
		op->offsets[j] = tmp;
	}
	list_line(op, bs);
	op->bytes = n * bs;
	op->end = c->file;
}

/*
 * N streams of SIZE [on one open file]
 *
 * Stream k of n reads from k/n of the file to (k+1)/n; one read of each in turn.
 */
static void parse_streams(const struct place *at, struct claim *c,
			  const char *p)
{
	uint64_t n, bs, part;
	bool shared = false;
	struct op *op;
	unsigned int i;

	if (!parse_size(p, &p, &n))
		wrong(at, "reader: expected a number, not \"%s\"", p);
	p += strspn(p, " ");
	if (word(&p, "random")) {
		bool aligned = word(&p, "aligned");

		if (word(&p, "reads") && word(&p, "of")) {
			parse_random(at, c, n, aligned, p);
			return;
		}
	}
	if (n < 2 || n > 8)
		wrong(at, "reader: expected 2 to 8 streams");
	if (!word(&p, "streams") || !word(&p, "of"))
		wrong(at, "reader: expected \"N streams of SIZE\"");
	bs = get_size(at, "streams of", p, &p);
	p += strspn(p, " ");
	if (word(&p, "on") && word(&p, "one") && word(&p, "open") &&
	    word(&p, "file"))
		shared = true;
	if (*p || !bs)
		wrong(at, "reader: expected \"on one open file\" or the end, not \"%s\"",
		      p);
	part = c->file / n / 4096 * 4096;
	op = new_op(at, c);
	op->line = xasprintf("streams %" PRIu64, bs);
	for (i = 0; i < n; i++) {
		uint64_t end = i + 1 < n ? (i + 1) * part : c->file;
		char *more = xasprintf("%s %u:%" PRIu64 ":%" PRIu64, op->line,
				       shared ? 0 : i, i * part, end);

		free(op->line);
		op->line = more;
	}
	op->end = c->file;
	op->bytes = c->file;
}

/* N at once by io_uring or libaio: batch N of SIZE by io_uring|libaio */
static void parse_batch(const struct place *at, struct claim *c, const char *p)
{
	struct op *op = new_op(at, c);
	uint64_t n, bs = 0;
	bool uring = false;

	if (parse_size(p, &p, &n)) {
		p += strspn(p, " ");
		if (word(&p, "of"))
			bs = get_size(at, "batch", p, &p);
		p += strspn(p, " ");
		if (word(&p, "by"))
			uring = word(&p, "io_uring");
		else
			bs = 0;
		if (bs && !uring && !word(&p, "libaio"))
			bs = 0;
	}
	if (!bs || *p || !n || n > 64)
		wrong(at, "reader: expected \"batch N of SIZE by io_uring|libaio\", N at most 64");
	op->line = xasprintf("batch %s %" PRIu64 " 0 %" PRIu64 " %" PRIu64,
			     uring ? "uring" : "aio", n, c->file, bs);
	op->end = c->file;
	op->bytes = c->file;
}

/* willneed RANGE by madvise|fadvise, read SIZE */
static void parse_willneed(const struct place *at, struct claim *c, const char *p)
{
	uint64_t range = get_size(at, "willneed", p, &p), bs = 0;
	struct op *op = new_op(at, c);
	bool map = false;

	p += strspn(p, " ");
	if (word(&p, "by")) {
		map = word(&p, "madvise,");
		if (!map && !word(&p, "fadvise,"))
			range = 0;
	} else {
		range = 0;
	}
	if (range && word(&p, "read"))
		bs = get_size(at, "read", p, &p);
	if (!bs || !range || *p)
		wrong(at, "reader: expected \"willneed SIZE by madvise|fadvise, read SIZE\"");
	op->line = xasprintf("willneed %s %" PRIu64 " 0 %" PRIu64 " %" PRIu64,
			     map ? "madvise" : "fadvise", range, c->file, bs);
	op->end = c->file;
	op->bytes = c->file;
}

/* tar cf - of the directory, into cat */
static void parse_tar(const struct place *at, struct claim *c, const char *p)
{
	struct op *op = new_op(at, c);

	if (!word(&p, "|") || !word(&p, "cat") || *p)
		wrong(at, "reader: expected \"tar | cat\"");
	if (c->engine != ENGINE_MODEL || strcmp(c->fs, "ext4"))
		wrong(at, "reader: \"tar | cat\" is for engine model and ext4");
	op->line = xstrdup("tar");
	op->end = c->file;
	op->bytes = c->file;
}

/* fault KIND: the guest fails on purpose, for testing the supervisor */
static void parse_fault(const struct place *at, struct claim *c, const char *p)
{
	static const char * const kinds[] = {
		"panic", "oops", "warning", "hang", "spin", "die", "truncated",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(p, kinds[i]))
			break;
	if (i == ARRAY_SIZE(kinds))
		wrong(at, "reader: expected fault panic, oops, warning, hang, spin, die or truncated, not \"%s\"",
		      p);
	new_op(at, c)->line = xasprintf("fault %s", p);
}

/* touch [hugepage]: every page through a mapping, in order */
static void parse_touch(const struct place *at, struct claim *c, const char *p)
{
	struct op *op = new_op(at, c);
	const char *advice = "normal";

	if (word(&p, "hugepage"))
		advice = "hugepage";
	if (*p)
		wrong(at, "reader: expected \"touch\" or \"touch hugepage\"");
	op->line = xasprintf("touch %s 0 %" PRIu64, advice, c->file);
	op->end = c->file;
	op->bytes = c->file;
}

static void parse_reader(const struct place *at, struct claim *c)
{
	char *text = xstrdup(c->workload), *step, *save = NULL;
	uint64_t pos = 0;

	for (step = strtok_r(text, ";", &save); step;
	     step = strtok_r(NULL, ";", &save)) {
		const char *p = strip(step);

		if (word(&p, "read"))
			parse_read(at, c, p, &pos);
		else if (word(&p, "touch"))
			parse_touch(at, c, p);
		else if (word(&p, "batch"))
			parse_batch(at, c, p);
		else if (word(&p, "willneed"))
			parse_willneed(at, c, p);
		else if (word(&p, "tar"))
			parse_tar(at, c, p);
		else if (word(&p, "fault"))
			parse_fault(at, c, p);
		else if (*p >= '0' && *p <= '9')
			parse_streams(at, c, p);
		else
			wrong(at, "reader: expected \"read SIZE ...\", \"N streams of SIZE\", \"touch\", \"batch N ...\", \"willneed SIZE ...\" or \"tar | cat\", not \"%s\"",
			      p);
	}
	if (!c->nr_ops)
		wrong(at, "reader: expected at least one step");
	free(text);
}

/* The options that say how much a job reads are ours to know. */
static void parse_fio(const struct place *at, struct claim *c)
{
	char *text = xstrdup(c->workload), *opt, *save = NULL;
	static const char * const ours[] = {
		"filename=", "thread", "invalidate=", "fadvise_hint=", "name=",
		"output",
	};
	struct op *op = new_op(at, c);
	bool rw = false, bs = false;
	const char *end;
	unsigned int i;

	op->bytes = c->file;
	for (opt = strtok_r(text, " ", &save); opt;
	     opt = strtok_r(NULL, " ", &save)) {
		for (i = 0; i < ARRAY_SIZE(ours); i++)
			if (!strncmp(opt, ours[i], strlen(ours[i])))
				wrong(at, "fio: %s is set by the laboratory",
				      ours[i]);
		/* "read:-8k" goes backwards, by as much less its own size */
		rw |= !strcmp(opt, "rw=read") || !strcmp(opt, "rw=randread") ||
		      !strncmp(opt, "rw=read:-", 9);
		/* buffered, both read in order and in the caller's context */
		if (!strncmp(opt, "ioengine=", 9) &&
		    strcmp(opt + 9, "sync") && strcmp(opt + 9, "libaio"))
			wrong(at, "fio: ioengine: expected sync or libaio, not \"%s\"",
			      opt + 9);
		bs |= !strncmp(opt, "bs=", 3);
		if (!strncmp(opt, "io_size=", 8)) {
			op->bytes = get_size(at, "io_size", opt + 8, &end);
			if (*end || op->bytes > c->file)
				wrong(at, "fio: io_size: expected at most the file's size, not \"%s\"",
				      opt + 8);
		}
	}
	if (!rw || !bs)
		wrong(at, "fio: expected rw=read or rw=randread, and bs=SIZE");
	op->line = xasprintf("fio %s", c->workload);
	op->fio = true;
	op->end = c->file;
	free(text);
}

/* metric NUMBER; folio takes KiB with one decimal */
static int64_t get_value(const struct place *at, enum metric m,
			 const char *text)
{
	uint64_t v;
	const char *end;
	char *e;
	double d;

	if (m == METRIC_FOLIO) {
		d = strtod(text, &e);
		if (e == text || *e || d < 0)
			wrong(at, "expected a size in KiB, not \"%s\"", text);
		return d * 10 + 0.5;
	}
	/* as mails have it */
	d = strtod(text, &e);
	if (m == METRIC_NS && e > text && d >= 0 && !strcmp(e, "s"))
		return d * 1e9 + 0.5;
	if (!parse_size(text, &end, &v) || *end)
		wrong(at, "expected a number, not \"%s\"", text);
	return v;
}

bool is_time(enum metric m)
{
	return m == METRIC_NS || m == METRIC_INSN;
}

static enum metric get_metric(const struct place *at, const char *name)
{
	enum metric m = metric_by_name(name);

	if (m == NR_METRICS)
		wrong(at, "expected reads, data, bytes, folio, windows, sync, ns or insn, not \"%s\"",
		      name);
	return m;
}

static void parse_promise(const struct place *at, struct claim *c,
			  const char *text)
{
	char name[16], cmp[4], bound[32], rest[2];
	struct promise *p;

	if (c->nr_promises == MAX_PROMISES)
		wrong(at, "more than %d promises", MAX_PROMISES);
	if (sscanf(text, "%15s %3s %31s %1s", name, cmp, bound, rest) != 3)
		wrong(at, "promise: expected METRIC <|<=|>=|= NUMBER|stock, not \"%s\"",
		      text);
	p = &c->promises[c->nr_promises++];
	p->metric = get_metric(at, name);
	for (p->compare = CMP_LT; p->compare <= CMP_EQ; p->compare++)
		if (!strcmp(cmp, compare_name(p->compare)))
			break;
	if (p->compare > CMP_EQ)
		wrong(at, "promise: expected <, <=, >= or =, not \"%s\"", cmp);
	p->stock = !strcmp(bound, "stock");
	/* judged by statistics, which knows a gain, a loss, or neither */
	if (is_time(p->metric) && p->stock && p->compare > CMP_LE)
		wrong(at, "promise: expected \"%s < stock\" or \"%s <= stock\", not %s",
		      name, name, cmp);
	if (!p->stock)
		p->bound = get_value(at, p->metric, bound);
}

/* posted METRIC BEFORE -> AFTER, or posted "words" */
static void parse_posted(const struct place *at, struct claim *c,
			 const char *text)
{
	char name[16], before[32], after[32], rest[2];
	enum metric m;

	if (*text == '"') {
		free(c->posted_text);
		c->posted_text = xstrdup(text + 1);
		if (!strchr(c->posted_text, '"'))
			wrong(at, "posted: expected a closing \"");
		*strchr(c->posted_text, '"') = '\0';
		return;
	}
	if (sscanf(text, "%15s %31s -> %31s %1s", name, before, after, rest) != 3)
		wrong(at, "posted: expected METRIC BEFORE -> AFTER or \"words\", not \"%s\"",
		      text);
	m = get_metric(at, name);
	c->posted_before[m] = strcmp(before, "-") ? get_value(at, m, before) : -1;
	c->posted_after[m] = strcmp(after, "-") ? get_value(at, m, after) : -1;
}

static void parse_known(const struct place *at, int64_t *known,
			const char *key, const char *text)
{
	char name[16], value[32], rest[2];
	enum metric m;

	if (sscanf(text, "%15s %31s %1s", name, value, rest) != 2)
		wrong(at, "%s: expected METRIC NUMBER, not \"%s\"", key, text);
	m = get_metric(at, name);
	known[m] = get_value(at, m, value);
}

static void set_string(char **field, const char *value)
{
	free(*field);
	*field = xstrdup(value);
}

/* Deep enough: everything that a claim points to is its own. */
static struct claim *copy_claim(const struct claim *from)
{
	struct claim *c = xcalloc(1, sizeof(*c));
	char **own[] = { &c->id, &c->path, &c->base, &c->topic, &c->where,
			 &c->title, &c->note, &c->fs, &c->workload, &c->posted_text };
	unsigned int i;

	*c = *from;
	for (i = 0; i < ARRAY_SIZE(own); i++)
		if (*own[i])
			*own[i] = xstrdup(*own[i]);
	return c;
}

static void free_claim(struct claim *c)
{
	int i;

	free(c->id);
	free(c->path);
	free(c->base);
	free(c->topic);
	free(c->where);
	free(c->title);
	free(c->note);
	free(c->fs);
	free(c->workload);
	free(c->posted_text);
	for (i = 0; i < c->nr_ops; i++) {
		free(c->ops[i].line);
		free(c->ops[i].offsets);
	}
	free(c);
}

static struct claim *find_claim(const struct claims *all, const char *id)
{
	int i;

	for (i = 0; i < all->nr; i++)
		if (!strcmp(all->claim[i]->id, id))
			return all->claim[i];
	return NULL;
}

static void parse_key(const struct place *at, struct claim *c,
		      const char *key, const char *value, int workload_line[2])
{
	const char *end;
	unsigned int i;

	for (i = 0; i < NR_SETUP_KEYS; i++)
		if (!strcmp(key, setup_keys[i]))
			c->key_line[i] = at->line;
	if (!strcmp(key, "base")) {
		set_string(&c->base, value);
	} else if (!strcmp(key, "topic")) {
		set_string(&c->topic, value);
	} else if (!strcmp(key, "where")) {
		set_string(&c->where, value);
	} else if (!strcmp(key, "title")) {
		set_string(&c->title, value);
	} else if (!strcmp(key, "note")) {
		set_string(&c->note, value);
	} else if (!strcmp(key, "engine")) {
		for (i = 0; i < NR_ENGINES; i++)
			if (i != ENGINE_NATIVE && !strcmp(value, engine_names[i]))
				break;
		if (i == NR_ENGINES)
			wrong(at, "engine: expected counts or model, not \"%s\"",
			      value);
		c->engine = i;
	} else if (!strcmp(key, "device")) {
		c->model = model_by_name(value);
		if (!c->model)
			wrong(at, "device: expected nvme-80us, sata, net-1ms, disk-8ms or nvme-ooo, not \"%s\"",
			      value);
	} else if (!strcmp(key, "fs")) {
		if (strcmp(value, "xfs") && strcmp(value, "ext4") &&
		    strcmp(value, "tmpfs") && strcmp(value, "raw"))
			wrong(at, "fs: expected xfs, ext4, tmpfs or raw, not \"%s\"",
			      value);
		set_string(&c->fs, value);
	} else if (!strcmp(key, "file")) {
		c->file = get_size(at, key, value, &end);
		if (*end || !c->file || c->file > 1ULL << 30)
			wrong(at, "file: expected 4k to 1G, not \"%s\"", value);
	} else if (!strcmp(key, "huge")) {
		for (i = HUGE_NEVER; i < NR_HUGE; i++)
			if (!strcmp(value, huge_names[i]))
				break;
		if (i == NR_HUGE)
			wrong(at, "huge: expected never, always, within_size or advise, not \"%s\"",
			      value);
		c->huge = i;
	} else if (!strcmp(key, "content")) {
		for (i = 0; i < NR_CONTENTS; i++)
			if (!strcmp(value, content_names[i]))
				break;
		if (i == NR_CONTENTS)
			wrong(at, "content: expected written, fallocated or hole, not \"%s\"",
			      value);
		c->content = i;
	} else if (!strcmp(key, "mdts")) {
		c->mdts = get_number(at, key, value, 1, 10);
	} else if (!strcmp(key, "read_ahead_kb")) {
		c->read_ahead_kb = get_number(at, key, value, 0, 1 << 20);
	} else if (!strcmp(key, "max_sectors_kb")) {
		c->max_sectors_kb = get_number(at, key, value, 4, 4096);
	} else if (!strcmp(key, "reader") || !strcmp(key, "fio")) {
		set_string(&c->workload, value);
		workload_line[0] = at->line;
		workload_line[1] = *key == 'f';
	} else if (!strcmp(key, "posted")) {
		parse_posted(at, c, value);
	} else if (!strcmp(key, "stock")) {
		parse_known(at, c->stock, key, value);
	} else if (!strcmp(key, "rival")) {
		parse_known(at, c->rival, key, value);
	} else if (!strcmp(key, "promise")) {
		parse_promise(at, c, value);
	} else {
		wrong(at, "unknown key \"%s\"", key);
	}
}

/* The modelled device and the file on it are in the guest's memory. */
#define MODEL_FILE	(128ULL << 20)

static bool speaks_of(const struct claim *c, enum metric m)
{
	int i;

	for (i = 0; i < c->nr_promises; i++)
		if (c->promises[i].metric == m)
			return true;
	return c->stock[m] >= 0 || c->rival[m] >= 0 ||
	       c->posted_before[m] >= 0 || c->posted_after[m] >= 0;
}

static void check_engine(const struct place *at, const struct claim *c,
			 const int workload_line[2])
{
	struct place device = { at->path, c->key_line[KEY_DEVICE] };
	struct place workload = { at->path, workload_line[0] };
	unsigned int m;

	if (c->engine != ENGINE_MODEL) {
		if (c->model)
			wrong(&device, "claim %s: device does not fit engine %s: expected engine model",
			      c->id, engine_name(c->engine));
		for (m = METRIC_NS; m <= METRIC_INSN; m++)
			if (speaks_of(c, m))
				wrong(at, "claim %s: %s does not fit engine %s: expected engine model",
				      c->id, metric_name(m),
				      engine_name(c->engine));
		return;
	}
	if (claim_has_disk(c) && !c->model)
		wrong(at, "claim %s: expected device, as engine is model", c->id);
	if (claim_has_disk(c) && speaks_of(c, METRIC_INSN))
		wrong(at, "claim %s: insn does not fit fs %s, which waits for a device: expected fs tmpfs",
		      c->id, c->fs);
	if (c->file > MODEL_FILE)
		wrong(at, "claim %s: engine model: expected a file of at most 128M, for it is in the guest's memory",
		      c->id);
	if (workload_line[1])
		wrong(&workload, "claim %s: engine model: expected a reader, not fio",
		      c->id);
}

/* A setting that would be ignored is no setting: it is refused where it stands. */
static void check_setup(const struct place *at, const struct claim *c)
{
	bool disk, fits;
	unsigned int i;

	if (!c->fs || !c->file || !c->base)
		wrong(at, "claim %s: expected base, fs and file", c->id);
	disk = claim_has_disk(c);
	for (i = 0; i < NR_SETUP_KEYS; i++) {
		struct place here = { at->path, c->key_line[i] };

		fits = disk ? i < KEY_HUGE : i >= KEY_HUGE;
		if (c->key_line[i] && !fits)
			wrong(&here, "claim %s: %s does not fit fs %s: expected %s",
			      c->id, setup_keys[i], c->fs,
			      disk ? "fs tmpfs, or neither huge nor content" :
				     "huge and content only, for there is no device");
	}
	if (!disk && !c->huge)
		wrong(at, "claim %s: expected huge, as fs is tmpfs", c->id);
	if (!disk)
		return;
	if (!strcmp(c->fs, "raw") && (c->engine != ENGINE_MODEL || c->file % (1 << 20)))
		wrong(at, "claim %s: fs raw: expected engine model, and a file of whole MiB, for it is the device",
		      c->id);
	if (!c->mdts || !c->max_sectors_kb)
		wrong(at, "claim %s: expected mdts and max_sectors_kb, as fs is %s",
		      c->id, c->fs);
	if (c->max_sectors_kb > 4U << c->mdts)
		wrong(at, "claim %s: max_sectors_kb %u is above the device's limit, %u (mdts %u)",
		      c->id, c->max_sectors_kb, 4U << c->mdts, c->mdts);
}

static void finish_claim(const struct place *at, struct claims *all,
			 struct claim *c, const int workload_line[2])
{
	struct place here = { at->path, c->line };

	if (!c->workload)
		wrong(&here, "claim %s: expected a reader or a fio line", c->id);
	if (!c->nr_promises)
		wrong(&here, "claim %s: expected a promise", c->id);
	if (!c->title)
		wrong(&here, "claim %s: expected a title", c->id);
	check_setup(&here, c);
	check_engine(&here, c, workload_line);
	here.line = workload_line[0];
	if (workload_line[1])
		parse_fio(&here, c);
	else
		parse_reader(&here, c);
	all->claim = xrealloc(all->claim, (all->nr + 1) * sizeof(*all->claim));
	all->claim[all->nr++] = c;
}

static bool is_id(const char *s)
{
	while (isalnum((unsigned char)*s) || *s == '.' || *s == '-')
		s++;
	return !*s;
}

static void read_claim_file(struct claims *all, const char *path)
{
	struct place at = { path, 0 };
	struct claim *defaults = xcalloc(1, sizeof(*defaults)), *c = NULL;
	int first = all->nr, workload[2] = { 0, 0 }, i;
	bool fresh = false;	/* nothing stands in the section so far */
	char *text, *line, *next;
	size_t len;

	text = read_file(path, &len);
	if (!text)
		die("%s: %s", path, strerror(errno));
	if (strlen(text) != len)
		die("%s: expected text, not a file with NUL bytes", path);
	for (i = 0; i < NR_METRICS; i++) {
		defaults->posted_before[i] = -1;
		defaults->posted_after[i] = -1;
		defaults->stock[i] = -1;
		defaults->rival[i] = -1;
	}
	defaults->read_ahead_kb = 128;

	for (line = text; line; line = next) {
		char *key, *value;

		at.line++;
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (strchr(line, '\r'))
			wrong(&at, "expected a line end without CR");
		key = strip(line);
		if (!*key || *key == '#')
			continue;
		if (*key == '[') {
			char *end = strchr(key, ']');

			if (!end || end[1] || end == key + 1)
				wrong(&at, "expected [ID], not \"%s\"", key);
			*end = '\0';
			key++;
			if (!is_id(key) ||
			    strlen(key) > 12)
				wrong(&at, "[%s]: expected at most 12 letters, digits, \".\" or \"-\"",
				      key);
			if (c)
				finish_claim(&at, all, c, workload);
			if (find_claim(all, key))
				wrong(&at, "[%s] is a claim already: %s:%d", key,
				      find_claim(all, key)->path,
				      find_claim(all, key)->line);
			c = copy_claim(defaults);
			c->id = xstrdup(key);
			c->path = xstrdup(path);
			c->line = at.line;
			fresh = true;
			continue;
		}
		value = key + strcspn(key, " \t");
		if (*value)
			*value++ = '\0';
		value = strip(value);
		if (!*value)
			wrong(&at, "%s: expected a value", key);
		if (!strcmp(key, "like")) {
			/* the set-up and workload of another claim of this file */
			struct claim *from = find_claim(all, value), *n;

			if (!c || !fresh || !from || strcmp(from->path, path))
				wrong(&at, "like: expected, first in a claim, the id of one above it in this file");
			n = copy_claim(from);
			n->nr_ops = 0;
			memset(n->ops, 0, sizeof(n->ops));
			set_string(&n->id, c->id);
			n->line = c->line;
			workload[0] = at.line;
			workload[1] = from->ops[0].fio;
			free_claim(c);
			c = n;
			fresh = false;
			continue;
		}
		fresh = false;
		parse_key(&at, c ? c : defaults, key, value, workload);
	}
	if (c)
		finish_claim(&at, all, c, workload);
	if (all->nr == first)
		die("%s: expected at least one claim, [ID]", path);
	free(text);
	free_claim(defaults);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_claim_file(const struct dirent *d)
{
	return d->d_name[0] != '.' && strcmp(d->d_name, "README") &&
	       d->d_name[strlen(d->d_name) - 1] != '~';
}

void claims_read(struct claims *all, const char *path)
{
	struct dirent **names;
	struct stat st;
	int n, i;

	if (stat(path, &st))
		die("%s: %s", path, strerror(errno));
	if (!S_ISDIR(st.st_mode)) {
		read_claim_file(all, path);
		return;
	}
	n = scandir(path, &names, is_claim_file, by_name);
	if (n < 0)
		die("%s: %s", path, strerror(errno));
	for (i = 0; i < n; i++) {
		char *file = xasprintf("%s/%s", path, names[i]->d_name);

		read_claim_file(all, file);
		free(file);
		free(names[i]);
	}
	free(names);
}

void claims_select(struct claims *all, const char *base, const char *topic,
		   enum measured_by engine, char **ids, int nr)
{
	bool *used = xcalloc(nr, sizeof(*used));
	int i, j, kept = 0;

	for (i = 0; i < all->nr; i++) {
		bool keep = !nr, ours = engine == NR_ENGINES ||
					engine == all->claim[i]->engine;

		for (j = 0; j < nr; j++) {
			if (ours && !fnmatch(ids[j], all->claim[i]->id, 0)) {
				used[j] = true;
				keep = true;
			}
		}
		if (keep && ours && !strcmp(all->claim[i]->base, base) &&
		    (!topic || (all->claim[i]->topic &&
				!strcmp(all->claim[i]->topic, topic))))
			all->claim[kept++] = all->claim[i];
		else
			free_claim(all->claim[i]);
	}
	all->nr = kept;
	for (j = 0; j < nr; j++)
		if (!used[j])
			die("no claim%s%s is called %s (\"make claims\" lists them)",
			    engine == NR_ENGINES ? "" : " of engine ",
			    engine == NR_ENGINES ? "" : engine_name(engine),
			    ids[j]);
	free(used);
	if (!kept)
		die("no claim%s%s is about base %s%s%s",
		    engine == NR_ENGINES ? "" : " of engine ",
		    engine == NR_ENGINES ? "" : engine_name(engine), base,
		    topic ? ", topic " : "", topic ? topic : "");
}
