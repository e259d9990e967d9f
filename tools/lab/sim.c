// SPDX-License-Identifier: GPL-2.0
/*
 * sim.c - the claims in the simulator, in seconds
 *
 * The workloads of the claims run on engines of tools/testing/readahead, the
 * kernel's readahead code in user space.  What they count is what the guests
 * count: the stored results of real kernels must be met to the last read, and
 * to the last decision of readahead, in order.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <json-c/json.h>

#include "claim.h"
#include "cmd.h"
#include "load.h"
#include "sim.h"
#include "util.h"
#include "windows.h"

/*
 * fio's own choice of offsets: a job with the same options that reads nothing.
 * Returns its log, which the next engine takes again.
 */
static const char *fio_log(const char *args, uint64_t size)
{
	static const char * const dry[] = {
		"--name=job", "--filename=data", "--ioengine=null", "--thread",
		"--fadvise_hint=0", "--invalidate=0", "--eta=never",
		"--output=/dev/null",
	};
	static char *job, *log;
	const char *dir = getenv("TMPDIR");
	char *text, *cmd, *opt, *more, *path, *save = NULL;
	unsigned int i;
	FILE *f;
	int fd;

	path = xasprintf("%s/mm-read-fio.XXXXXX", dir ? dir : "/tmp");
	text = xasprintf("%s %" PRIu64, args, size);
	if (job && !strcmp(job, text)) {
		free(text);
		free(path);
		return log;
	}
	free(job);
	free(log);
	job = text;
	fd = mkstemp(path);
	if (fd < 0)
		die("%s: %s", path, strerror(errno));
	close(fd);
	cmd = xasprintf("fio --size=%" PRIu64 " --write_iolog='%s'", size, path);
	for (i = 0; i < ARRAY_SIZE(dry); i++) {
		more = xasprintf("%s %s", cmd, dry[i]);
		free(cmd);
		cmd = more;
	}
	text = xstrdup(args);
	for (opt = strtok_r(text, " ", &save); opt;
	     opt = strtok_r(NULL, " ", &save)) {
		/* nothing is read, whatever would read it */
		if (!strncmp(opt, "ioengine=", 9))
			continue;
		more = xasprintf("%s '--%s'", cmd, opt);
		free(cmd);
		cmd = more;
	}
	f = popen(cmd, "r");
	if (!f || pclose(f)) {
		unlink(path);
		die("fio failed: %s", cmd);
	}
	log = read_file(path, NULL);
	unlink(path);
	if (!log)
		die("%s: %s", path, strerror(errno));
	free(text);
	free(cmd);
	free(path);
	return log;
}

static void run_fio(const struct engine *e, struct sim *sim, const char *args,
		    uint64_t size)
{
	const char *line = fio_log(args, size);
	unsigned long long pos, len;

	for (; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (sscanf(line, "%*u data read %llu %llu", &pos, &len) == 2)
			e->read(sim, 0, pos, len);
	}
}

static void run_streams(const struct engine *e, struct sim *sim, char *args)
{
	struct { unsigned int fd; unsigned long long pos, end; } s[ENGINE_FILES];
	unsigned long long bs;
	int n = 0, used, i;
	bool left = true;

	if (sscanf(args, "%llu%n", &bs, &used) != 1)
		die("streams: expected a size, not \"%.40s\"", args);
	args += used;
	while (n < ENGINE_FILES &&
	       sscanf(args, " %u:%llu:%llu%n", &s[n].fd, &s[n].pos, &s[n].end,
		      &used) == 3) {
		args += used;
		n++;
	}
	while (left) {
		left = false;
		for (i = 0; i < n; i++) {
			unsigned long long len = s[i].end - s[i].pos;

			if (!len)
				continue;
			if (len > bs)
				len = bs;
			e->read(sim, s[i].fd, s[i].pos, len);
			s[i].pos += len;
			left = true;
		}
	}
}

/* The lines of a guest's plan, see plan.c: the same ones are sent there. */
static void run_op(const struct engine *e, struct sim *sim, const char *line,
		   uint64_t size)
{
	unsigned long long start, end, bs;
	unsigned int fd;
	char advice[16], *text = xstrdup(line);
	int used;

	if (!strncmp(line, "fio ", 4)) {
		run_fio(e, sim, line + 4, size);
	} else if (sscanf(line, "read %u %llu %llu %llu", &fd, &start, &end,
			  &bs) == 4) {
		for (; start < end; start += bs)
			e->read(sim, fd, start, end - start < bs ? end - start : bs);
	} else if (!strncmp(line, "streams ", 8)) {
		run_streams(e, sim, text + 8);
	} else if (sscanf(line, "list %llu%n", &bs, &used) == 1) {
		const char *p = line + used;

		for (; sscanf(p, "%llu%n", &start, &used) == 1; p += used)
			e->read(sim, 0, start, bs);
	} else if (sscanf(line, "touch %15s %llu %llu", advice, &start,
			  &end) == 3) {
		for (; start < end; start += 4096)
			e->touch(sim, 0, start / 4096,
				 !strcmp(advice, "hugepage"));
	} else {
		die("the simulator does not know \"%.40s\"", line);
	}
	free(text);
}

/* "lab sim --trace": to be compared with a guest's report, line by line */
static bool print_trace;

/* As the guest reports them, see report.h */
static void take_event(void *data, const struct sim_event *ev)
{
	struct sample *s = data;
	char line[96];

	switch (ev->type) {
	case EVENT_WINDOW:
		s->windows++;
		snprintf(line, sizeof(line), "w %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64,
			 ev->index, ev->a, ev->b, ev->c);
		break;
	case EVENT_UNBOUNDED:
		snprintf(line, sizeof(line), "u %" PRIu64 " %" PRIu64 " %" PRIu64,
			 ev->index, ev->a, ev->b);
		break;
	case EVENT_SYNC:
		s->sync++;
		snprintf(line, sizeof(line), "s %" PRIu64 " %" PRIu64, ev->index, ev->a);
		break;
	case EVENT_ASYNC:
		snprintf(line, sizeof(line), "a %" PRIu64 " %" PRIu64, ev->index, ev->a);
		break;
	case EVENT_DEVICE:
		snprintf(line, sizeof(line), "d %" PRIu64 " %" PRIu64, ev->index, ev->a);
		break;
	default:
		return;
	}
	s->trace = trace_add(s->trace, line);
	if (ev->type == EVENT_DEVICE)
		s->requests = trace_add(s->requests, line);
	if (print_trace)
		puts(line);
}

void sim_params_of(struct sim_params *p, const struct claim *c)
{
	*p = (struct sim_params){
		.file_bytes = c->file,
		.ra_pages = c->read_ahead_kb / 4,
		.io_pages = c->max_sectors_kb / 4,
		/* MAX_PAGECACHE_ORDER, 2 MiB; ext4 has it from 6.16 on */
		.max_order = !strcmp(c->fs, "ext4") && !strcmp(c->base, "6.1") ? 0 : 9,
	};
}

void sim_workload(const struct engine *e, struct sim *sim, const struct claim *c)
{
	int i;

	for (i = 0; i < c->nr_ops; i++)
		run_op(e, sim, c->ops[i].line, c->file);
}

void sim_claim(const struct engine *e, const struct claim *c, struct sample *s)
{
	const struct sim_stats *st;
	struct sim_params p;
	struct sim *sim;
	int i;

	memset(s, 0, sizeof(*s));
	sim_params_of(&p, c);
	sim = e->create(&p);
	e->listen(sim, take_event, s);
	sim_workload(e, sim, c);
	st = e->stats(sim);
	s->data = st->reads;
	s->data_sectors = st->pages * 8;
	s->bytes = st->bytes;
	s->resident = e->cached(sim, 0, (c->file + 4095) / 4096);
	for (i = 0; i < ENGINE_ORDERS && i < NR_ORDERS; i++)
		s->folios[i] = st->folios[i];
	if (e->bad(sim))
		s->bad = xstrdup(e->bad(sim));
	e->destroy(sim);
}

static int64_t get_int(struct json_object *o, const char *key)
{
	struct json_object *v;

	return json_object_object_get_ex(o, key, &v) ?
		json_object_get_int64(v) : -1;
}

static const char *get_string(struct json_object *o, const char *key)
{
	struct json_object *v;

	return json_object_object_get_ex(o, key, &v) ?
		json_object_get_string(v) : "";
}

/* What differs from the sample of a real kernel, or NULL */
static char *differs(const struct sample *s, struct json_object *real)
{
	struct json_object *folios;
	char order[8], trace[24];
	/* a kernel without trace points of readahead tells of requests alone */
	bool traced = json_object_object_get_ex(real, "windows", NULL);
	const struct {
		const char *key;
		uint64_t value;
	} counts[] = {
		{ "data_reads", s->data },
		{ "data_sectors", s->data_sectors },
		{ "cached_after", s->resident },
		{ "windows", s->windows },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(counts) - !traced; i++)
		if ((int64_t)counts[i].value != get_int(real, counts[i].key))
			return xasprintf("%s is %" PRIu64 ", in the guest %" PRId64,
					 counts[i].key, counts[i].value,
					 get_int(real, counts[i].key));
	if (!json_object_object_get_ex(real, "folios_by_order", &folios))
		return xstrdup("the result has no folios_by_order");
	for (i = 0; i < NR_ORDERS; i++) {
		int64_t n;

		snprintf(order, sizeof(order), "%u", i);
		n = get_int(folios, order);
		if ((int64_t)s->folios[i] != (n < 0 ? 0 : n))
			return xasprintf("folios of order %u: %" PRIu64 ", in the guest %" PRId64,
					 i, s->folios[i], n < 0 ? 0 : n);
	}
	snprintf(trace, sizeof(trace), "%016" PRIx64,
		 traced ? s->trace : s->requests);
	if (strcmp(trace, get_string(real, "trace")))
		return xasprintf("windows and requests, in their order: trace %s, in the guest %s",
				 trace, get_string(real, "trace"));
	return NULL;
}

struct parity {
	struct json_object *samples, *claims;
	bool same_source[NR_KERNELS];	/* made from what was measured */
	int compared, equal;
};

/* Is each line of @a, but for files that the engine is not made of, in @b? */
static bool lines_in(const char *a, const char *b, const char *tree)
{
	char *copy = xstrdup(a), *rest = copy, *line;
	bool all = true;

	while (all && (line = strsep(&rest, "\n"))) {
		char *path = strchr(line, ' ');
		char *file = xasprintf("%s/%s", tree, path ? path + 1 : "");

		all = !path || access(file, F_OK) || strstr(b, line);
		free(file);
	}
	free(copy);
	return all;
}

/*
 * "tree.files" beside an engine names those sources in "tree" that are changed;
 * a result names those that its kernel was built from, which may be more: "BLOB
 * PATH", a line each.
 */
static bool same_source(const char *engine, struct json_object *root,
			enum kernel k)
{
	struct json_object *env, *kernel;
	char *path = xstrdup(engine), *dir, *tree, *file, *text;
	bool same = false;

	dir = dirname(path);
	tree = xasprintf("%s/tree", dir);
	file = xasprintf("%s/tree.files", dir);
	text = read_file(file, NULL);
	if (!text)
		die("%s: %s", file, strerror(errno));
	if (json_object_object_get_ex(root, "environment", &env) &&
	    json_object_object_get_ex(env, kernel_name(k), &kernel)) {
		const char *measured = get_string(kernel, "files");

		same = lines_in(text, measured, tree) &&
		       lines_in(measured, text, tree);
	}
	free(text);
	free(file);
	free(tree);
	free(path);
	return same;
}

static void check_parity(struct parity *p, const struct claim *c,
			 enum kernel k, const struct sample *s)
{
	size_t i, n = p->samples ? json_object_array_length(p->samples) : 0;

	if (!p->same_source[k])
		return;
	for (i = 0; i < n; i++) {
		struct json_object *o = json_object_array_get_idx(p->samples, i);
		char *why;

		if (strcmp(get_string(o, "claim"), c->id) ||
		    strcmp(get_string(o, "kernel"), kernel_name(k)))
			continue;
		p->compared++;
		why = differs(s, o);
		if (!why)
			p->equal++;
		else
			printf("%s, %s, boot %" PRId64 ": %s\n", c->id,
			       kernel_name(k), get_int(o, "boot"), why);
		free(why);
	}
}

/* Reads of metadata in the stored result; the simulator has none */
static int64_t meta_of(const struct parity *p, const struct claim *c)
{
	size_t i, n = p->claims ? json_object_array_length(p->claims) : 0;

	for (i = 0; i < n; i++) {
		struct json_object *o = json_object_array_get_idx(p->claims, i);
		struct json_object *base;

		if (!strcmp(get_string(o, "id"), c->id) &&
		    json_object_object_get_ex(o, "base", &base))
			return get_int(base, "meta");
	}
	return 0;
}

static bool promise_kept(const struct promise *pr, const struct sample *s,
			 int64_t meta, int64_t *value, int64_t *bound)
{
	enum metric m = pr->metric == METRIC_READS ? METRIC_DATA : pr->metric;

	*value = sample_value(&s[PATCHED], m);
	*bound = pr->stock ? sample_value(&s[BASE], m) : pr->bound;
	if (pr->metric == METRIC_READS && !pr->stock)
		*bound -= meta;
	return compare_holds(pr->compare, *value, *bound);
}

static bool print_claim(const struct parity *p, const struct claim *c,
			const struct sample *s)
{
	int64_t v, bound, known = c->stock[METRIC_DATA];
	bool fails = false;
	int i;

	printf("%-9s %7" PRIu64 " %7" PRIu64 "   %7.1f %7.1f   %8.3f %8.3f  ",
	       c->id, s[BASE].data, s[PATCHED].data,
	       sample_value(&s[BASE], METRIC_FOLIO) / 10.0,
	       sample_value(&s[PATCHED], METRIC_FOLIO) / 10.0,
	       s[BASE].data_sectors / 2048.0, s[PATCHED].data_sectors / 2048.0);
	for (i = 0; i < c->nr_promises && !fails; i++) {
		const struct promise *pr = &c->promises[i];

		if (promise_kept(pr, s, meta_of(p, c), &v, &bound))
			continue;
		printf("%s %" PRId64 ", promised %s %" PRId64 "\n",
		       metric_name(pr->metric), v, compare_name(pr->compare),
		       bound);
		fails = true;
	}
	if (!fails && known >= 0 && (int64_t)s[BASE].data != known) {
		printf("void: the stock kernel has %" PRId64 "\n", known);
		fails = true;
	}
	for (i = BASE; i <= PATCHED && !fails; i++) {
		if (s[i].bad) {
			printf("broken: %s\n", s[i].bad);
			fails = true;
		}
	}
	if (!fails)
		printf("holds\n");
	return !fails;
}

__attribute__((noreturn)) static void help(void)
{
	die("usage: lab sim --base ENGINE --patched ENGINE [--rival ENGINE] [--result FILE] [--trace KERNEL] CLAIMS [ID...]");
}

int cmd_sim(int argc, char **argv)
{
	const char *path[NR_KERNELS] = { NULL }, *result = NULL, *trace = NULL;
	const struct engine *e[NR_KERNELS] = { NULL };
	struct claims all = { NULL, 0 };
	struct parity parity = { NULL };
	struct json_object *root = NULL;
	int i, failed = 0, skipped = 0;
	double began = now();
	unsigned int k;

	for (i = 1; i + 1 < argc && argv[i][0] == '-'; i += 2) {
		if (!strcmp(argv[i], "--base"))
			path[BASE] = argv[i + 1];
		else if (!strcmp(argv[i], "--patched"))
			path[PATCHED] = argv[i + 1];
		else if (!strcmp(argv[i], "--rival"))
			path[RIVAL] = argv[i + 1];
		else if (!strcmp(argv[i], "--result"))
			result = argv[i + 1];
		else if (!strcmp(argv[i], "--trace"))
			trace = argv[i + 1];
		else
			help();
	}
	if (i >= argc || !path[BASE] || !path[PATCHED])
		help();
	for (k = 0; k < NR_KERNELS; k++)
		if (path[k])
			e[k] = engine_load(path[k]);
	claims_read(&all, argv[i]);
	claims_select(&all, getenv("BASE") ? getenv("BASE") : "7.3", NULL,
		      ENGINE_COUNTS, argv + i + 1, argc - i - 1);
	if (result) {
		root = json_object_from_file(result);
		if (!root || !json_object_object_get_ex(root, "samples", &parity.samples) ||
		    !json_object_object_get_ex(root, "claims", &parity.claims))
			die("%s: expected a result.json", result);
		for (k = 0; k < NR_KERNELS; k++)
			parity.same_source[k] = path[k] &&
				same_source(path[k], root, k);
	}

	if (trace) {
		struct sample s;

		for (k = 0; k < NR_KERNELS && strcmp(trace, kernel_name(k)); k++)
			;
		if (k == NR_KERNELS || !e[k] || all.nr != 1)
			die("sim: --trace: expected base, patched or rival, with its engine, and one claim");
		print_trace = true;
		sim_claim(e[k], all.claim[0], &s);
		return 0;
	}

	printf("            reads of data      mean folio, KiB     data read, MiB\n");
	printf("claim        base patched      base patched       base  patched  verdict\n");
	for (i = 0; i < all.nr; i++) {
		const struct claim *c = all.claim[i];
		struct sample s[NR_KERNELS];

		if (!claim_has_disk(c)) {
			skipped++;
			continue;
		}
		for (k = 0; k < NR_KERNELS; k++)
			if (e[k])
				sim_claim(e[k], c, &s[k]);
		failed += !print_claim(&parity, c, s);
		for (k = 0; k < NR_KERNELS; k++) {
			if (!e[k])
				continue;
			check_parity(&parity, c, k, &s[k]);
			free(s[k].bad);
		}
	}
	printf("\n%d claims in %.1f s, %d do not hold%s\n", all.nr - skipped,
	       now() - began, failed, skipped ? "; those without a device left out" : "");
	for (k = 0; result && k < NR_KERNELS; k++)
		if (path[k] && !parity.same_source[k])
			printf("%s is not what %s was measured with: not compared\n",
			       kernel_name(k), result);
	if (parity.compared)
		printf("parity: %d of %d passes on real kernels are met exactly\n",
		       parity.equal, parity.compared);
	json_object_put(root);
	return failed || parity.equal != parity.compared;
}

static void read_claim(const struct engine *e, struct sim *sim, void *data)
{
	sim_workload(e, sim, data);
}

int cmd_windows(int argc, char **argv)
{
	const char *name[2] = { "base", "patched" };
	struct windows_options o = { .lines = 32 };
	const struct engine *e[2];
	struct claims all = { NULL, 0 };
	struct sim_params p;
	struct claim *c;

	if (argc != 5)
		die("usage: lab windows BASE-ENGINE PATCHED-ENGINE CLAIMS ID");
	e[0] = engine_load(argv[1]);
	e[1] = engine_load(argv[2]);
	claims_read(&all, argv[3]);
	claims_select(&all, getenv("BASE") ? getenv("BASE") : "7.3", NULL,
		      ENGINE_COUNTS, argv + 4, 1);
	c = all.claim[0];
	if (all.nr != 1 || !claim_has_disk(c))
		die("windows: %s: expected one claim with a device", argv[4]);
	sim_params_of(&p, c);
	o.title = c->title;
	o.reads = read_claim;
	o.data = c;
	o.ra = p.ra_pages;
	o.io = p.io_pages;
	o.file = (p.file_bytes + 4095) / 4096;
	printf("%s: ", c->id);
	return windows(e, 2, name, &o, stdout);
}
