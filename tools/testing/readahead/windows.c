// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "load.h"
#include "picture.h"
#include "windows.h"

#define MAX_ENGINES	8
#define MAX_PAGES	16777216	/* of a file: 64 GiB */
#define NAME_SIZE	32

/* Windows that engines have in common are not worth more than these. */
#define SAME_FIRST	4
#define SAME_BEFORE	2

/* One engine's pass. */
struct view {
	const char *name;
	struct picture picture;
	struct picture_period period;
	bool steady;
	struct sim_stats stats;
};

static void run(const struct engine *e, const struct windows_options *o,
		struct view *v, char *bad, size_t size)
{
	struct sim_params p = {
		.file_bytes = o->file << 12, .ra_pages = o->ra,
		.io_pages = o->io, .max_order = 9,
	};
	struct sim *sim = e->create(&p);
	uint64_t pos = o->start << 12;

	picture_init(&v->picture);
	e->listen(sim, picture_event, &v->picture);
	if (o->reads) {
		o->reads(e, sim, o->data);
		pos = p.file_bytes;
	} else if (o->first) {
		e->read(sim, 0, pos, (uint64_t)o->first << 12);
		pos += (uint64_t)o->first << 12;
	}
	for (; pos < p.file_bytes; pos += (uint64_t)o->request << 12)
		e->read(sim, 0, pos, (uint64_t)o->request << 12);
	v->stats = *e->stats(sim);
	if (e->bad(sim) && !bad[0])
		snprintf(bad, size, "%s: %s", v->name, e->bad(sim));
	e->destroy(sim);
	v->steady = picture_period(&v->picture, o->file, &v->period);
}

/* The first window that starts at @page or later. */
static unsigned int window_at(const struct view *v, uint64_t page)
{
	unsigned int i;

	for (i = 0; i < v->picture.nr && v->picture.w[i].start < page;)
		i++;
	return i;
}

static unsigned int count(const struct view *v, uint64_t from, uint64_t to)
{
	return window_at(v, to) - window_at(v, from);
}

static bool starts_at(const struct view *v, uint64_t page)
{
	unsigned int i = window_at(v, page);

	return i < v->picture.nr && v->picture.w[i].start == page;
}

static uint64_t common_multiple(uint64_t a, uint64_t b)
{
	uint64_t x = a, y = b, rest;

	while (y) {
		rest = x % y;
		x = y;
		y = rest;
	}
	return a / x * b;
}

/* Windows that all views begin with; all of them if they are the same. */
static unsigned int in_common(const struct view *v, unsigned int nr)
{
	unsigned int n = 0, i;

	for (;; n++) {
		for (i = 0; i < nr; i++)
			if (n == v[i].picture.nr ||
			    !picture_same(&v[0].picture, n, &v[i].picture, n, 0))
				return n;
	}
}

static bool all_same(const struct view *v, unsigned int nr)
{
	unsigned int i, n = in_common(v, nr);

	for (i = 0; i < nr; i++)
		if (v[i].picture.nr != n)
			return false;
	return true;
}

/*
 * Where all are in their steady state, and how far it is from there until all
 * have done theirs.  Best is where windows of all start and the pages are a
 * multiple of that, so that a ruler shows how they lie.
 */
static bool find_steady(const struct view *v, unsigned int nr,
			const struct windows_options *o, uint64_t *from,
			uint64_t *pages)
{
	const struct picture_window *w;
	uint64_t least = 0;
	unsigned int i, k;
	int aligned;

	*pages = 1;
	for (i = 0; i < nr; i++) {
		if (!v[i].steady)
			return false;
		w = &v[i].picture.w[v[i].period.first];
		if (least < w->start)
			least = w->start;
		*pages = common_multiple(*pages, v[i].period.pages);
		if (*pages > o->file)
			return false;
	}
	for (aligned = 1; aligned >= 0; aligned--) {
		for (i = window_at(&v[0], least); i < v[0].picture.nr; i++) {
			*from = v[0].picture.w[i].start;
			if (*from > least + *pages)
				break;
			if (aligned && *from % *pages)
				continue;
			for (k = 1; k < nr && starts_at(&v[k], *from);)
				k++;
			if (k == nr && *from + *pages <= o->file)
				return true;
		}
	}
	*from = least;
	return *from + *pages <= o->file;
}

/* No further than all views can be shown with so many lines. */
static uint64_t limit(const struct view *v, unsigned int nr,
		      const struct windows_options *o, uint64_t from,
		      uint64_t to)
{
	unsigned int i, n;

	for (i = 0; i < nr; i++) {
		n = window_at(&v[i], from) + o->lines;
		if (n < v[i].picture.nr && v[i].picture.w[n].start < to)
			to = v[i].picture.w[n].start;
	}
	return to;
}

static void part_of(struct picture_part *part, const struct view *v,
		    uint64_t from, uint64_t to)
{
	part->p = &v->picture;
	part->first = window_at(v, from);
	part->nr = window_at(v, to) - part->first;
	part->from = from;
	part->to = to;
}

static const char *plural(unsigned int n)
{
	return n == 1 ? "" : "s";
}

/*
 * Pages of one picture: four times the largest window, so that this gets eight
 * columns of about 32 and the windows that lead up to it can be told apart.
 */
static uint64_t strip_pages(const struct view *v, unsigned int nr,
			    const struct windows_options *o)
{
	uint64_t strip = 32;
	unsigned int i, k;

	for (i = 0; i < nr; i++)
		for (k = 0; k < v[i].picture.nr; k++)
			while (strip < 4 * v[i].picture.w[k].size &&
			       strip < o->file)
				strip *= 2;
	return strip;
}

/*
 * Strips of the file, in each of them the views one above the other, all on one
 * scale; @every is for the steady state.
 */
static void draw(const struct view *v, unsigned int nr,
		 const struct windows_options *o, FILE *out, uint64_t from,
		 uint64_t to, uint64_t every)
{
	uint64_t end = limit(v, nr, o, from, to), strip, at, next;
	struct picture_part part[MAX_ENGINES + 1] = { 0 };
	struct picture_layout l;
	char title[64 + NAME_SIZE];
	unsigned int i, n, rest = 1;

	/* who says from where to where gets just that */
	strip = o->to ? end - from : strip_pages(v, nr, o);
	for (i = 0; i < nr; i++)
		part_of(&part[i], &v[i], from, end);
	for (i = 0; i < nr; i++) {
		part[i].from = 0;
		part[i].to = strip;
	}
	if (o->to) {
		part[0].from = from;
		part[0].to = end;
	}
	/* not a part, but the width of a label */
	part[nr].from = end - 1;
	part[nr].to = end;
	picture_fit(&l, part, nr + 1);
	l.lines = o->lines;
	for (at = from; rest; at = next) {
		next = at - at % strip + strip;
		if (o->to || next > end)
			next = end;
		for (i = 0, rest = 0; i < nr; i++)
			rest += count(&v[i], next, end);
		for (i = 0; i < nr; i++) {
			part_of(&part[i], &v[i], at, next);
			n = part[i].nr;
			snprintf(title, sizeof(title), "%s: %u window%s",
				 v[i].name, n, plural(n));
			fprintf(out, "\n");
			picture_part(&l, &part[i], out, title);
			if (rest)
				continue;
			n = count(&v[i], end, to);
			if (n)
				fprintf(out, "... %u more window%s up to page %llu\n",
					n, plural(n), (unsigned long long)to);
			n = count(&v[i], from, to);
			if (every)
				fprintf(out, "... and so on every %llu page%s: %u window%s\n",
					(unsigned long long)every,
					plural(every), n, plural(n));
		}
	}
}

static void draw_interesting(const struct view *v, unsigned int nr,
			     const struct windows_options *o, FILE *out)
{
	const struct picture_window *w = v[0].picture.w;
	uint64_t from = o->start, steady, every;
	unsigned int n = in_common(v, nr), i;
	bool is_steady, fits = true;

	for (i = 0; i < nr; i++)
		fits = fits && v[i].picture.nr <= o->lines;
	if (fits) {
		draw(v, nr, o, out, from, o->file, 0);
		return;
	}
	is_steady = find_steady(v, nr, o, &steady, &every);
	if (!is_steady) {
		steady = o->file;
		every = 0;
	}
	if (nr > 1 && n > SAME_FIRST + SAME_BEFORE) {
		struct view both = v[0];

		both.name = nr == 2 ? "both" : "all";
		draw(&both, 1, o, out, from, w[SAME_FIRST].start, 0);
		n -= SAME_BEFORE;
		from = w[n].start;
		if (steady > w[SAME_FIRST].start && steady < from) {
			from = steady;
			n = window_at(v, steady);
		}
		n -= SAME_FIRST;
		fprintf(out, "... %u more window%s the same, up to page %llu\n",
			n, plural(n), (unsigned long long)from);
	}
	if (from < steady)
		draw(v, nr, o, out, from, steady, 0);
	if (is_steady)
		draw(v, nr, o, out, steady, steady + every, every);
	else
		fprintf(out, "\nno steady state that all come to\n");
}

static void summary(const struct view *v, FILE *out)
{
	uint64_t folios = 0;
	unsigned int i;

	for (i = 0; i < ENGINE_ORDERS; i++)
		folios += v->stats.folios[i];
	fprintf(out, "%s: %llu reads of %llu pages, %.1f KiB a folio\n", v->name,
		(unsigned long long)v->stats.reads,
		(unsigned long long)v->stats.pages,
		folios ? 4.0 * v->stats.pages / folios : 0.0);
}

static void draw_all(struct view *v, unsigned int nr,
		     const struct windows_options *o, FILE *out)
{
	char reads[128], limits[64];
	unsigned int i;

	if (o->reads)
		snprintf(reads, sizeof(reads), "%s, %llu pages;", o->title,
			 (unsigned long long)o->file);
	else if (o->first)
		snprintf(reads, sizeof(reads), "reads of %u, then %u page%s",
			 o->first, o->request, plural(o->request));
	else
		snprintf(reads, sizeof(reads), "reads of %u page%s", o->request,
			 plural(o->request));
	if (!o->reads)
		snprintf(reads + strlen(reads), sizeof(reads) - strlen(reads),
			 ", %llu to %llu;", (unsigned long long)o->start,
			 (unsigned long long)o->file);
	snprintf(limits, sizeof(limits), "ra_pages %u, io_pages %u", o->ra,
		 o->io);
	fprintf(out, "%s%c%s\n", reads,
		strlen(reads) + strlen(limits) < PICTURE_WIDTH ? ' ' : '\n',
		limits);
	picture_legend(out);
	if (nr > 1 && all_same(v, nr)) {
		v->name = nr == 2 ? "both" : "all";
		nr = 1;
		fprintf(out, "\nNo window differs.\n");
	}
	if (o->to)
		draw(v, nr, o, out, o->from, o->to, 0);
	else
		draw_interesting(v, nr, o, out);
	fprintf(out, "\nAll of the file:\n");
	for (i = 0; i < nr; i++)
		summary(&v[i], out);
}

int windows(const struct engine **e, unsigned int nr, const char * const *name,
	    const struct windows_options *o, FILE *out)
{
	struct view v[MAX_ENGINES];
	char bad[256] = "";
	unsigned int i;

	for (i = 0; i < nr; i++) {
		v[i].name = name[i];
		run(e[i], o, &v[i], bad, sizeof(bad));
	}
	if (o->list) {
		picture_list_header(out);
		for (i = 0; i < nr; i++)
			picture_list(&v[i].picture, out, name[i], o->from,
				     o->to ? o->to : UINT64_MAX);
	} else {
		draw_all(v, nr, o, out);
	}
	for (i = 0; i < nr; i++)
		picture_free(&v[i].picture);
	if (bad[0])
		fprintf(stderr, "readahead: broken on %s\n", bad);
	return !!bad[0];
}

static void usage(FILE *out)
{
	fprintf(out,
		"Usage: readahead windows -e ENGINE [-e ENGINE] [OPTION]...\n"
		"Draw the readahead windows of a sequential pass on each engine.\n"
		"\n"
		"  -e, --engine FILE    shared object made from a kernel tree\n"
		"      --first PAGES    first read (1); 0 if it is like the others\n"
		"      --request PAGES  each other read (256)\n"
		"      --ra PAGES       ra_pages: read_ahead_kb / 4 (32)\n"
		"      --io PAGES       io_pages: max_sectors_kb / 4 (128)\n"
		"      --start PAGE     where the first read begins (0)\n"
		"      --file PAGES     size of the file (131072)\n"
		"      --from PAGE      show the windows from here\n"
		"      --to PAGE        up to here; without either, the interesting ones\n"
		"      --lines COUNT    most windows in one picture (32)\n"
		"      --list           one line a window, tab separated\n"
		"  -h, --help           this\n"
		"\n"
		"All in pages of 4 KiB; what is not given is in parentheses.\n");
}

static uint64_t number(const char *option, const char *text, uint64_t least,
		       uint64_t most)
{
	unsigned long long n;
	char *end;

	errno = 0;
	n = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end || errno || n < least ||
	    n > most) {
		fprintf(stderr, "windows: --%s %s: expected %llu to %llu\n",
			option, text, (unsigned long long)least,
			(unsigned long long)most);
		exit(2);
	}
	return n;
}

/* "base" for "some/where/base.so" */
static void name_of(const char *path, char *name)
{
	const char *slash = strrchr(path, '/');
	size_t len;

	snprintf(name, NAME_SIZE, "%s", slash ? slash + 1 : path);
	len = strlen(name);
	if (len > 3 && !strcmp(name + len - 3, ".so"))
		name[len - 3] = 0;
}

int windows_main(int argc, char **argv)
{
	enum { FIRST = 256, REQUEST, RA, IO, START, PAGES, FROM, TO, LINES, LIST };
	static const struct option options[] = {
		{ "engine", required_argument, NULL, 'e' },
		{ "first", required_argument, NULL, FIRST },
		{ "request", required_argument, NULL, REQUEST },
		{ "ra", required_argument, NULL, RA },
		{ "io", required_argument, NULL, IO },
		{ "start", required_argument, NULL, START },
		{ "file", required_argument, NULL, PAGES },
		{ "from", required_argument, NULL, FROM },
		{ "to", required_argument, NULL, TO },
		{ "lines", required_argument, NULL, LINES },
		{ "list", no_argument, NULL, LIST },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	struct windows_options o = WINDOWS_DEFAULT;
	const struct engine *e[MAX_ENGINES];
	char text[MAX_ENGINES][NAME_SIZE];
	const char *name[MAX_ENGINES];
	bool from_given = false;
	unsigned int nr = 0;
	int c, at = 0;

	while ((c = getopt_long(argc, argv, "e:h", options, &at)) != -1) {
		const char *long_name = c >= FIRST ? options[at].name : "";

		switch (c) {
		case 'e':
			if (nr == MAX_ENGINES) {
				fprintf(stderr, "windows: no more than %d engines\n",
					MAX_ENGINES);
				return 2;
			}
			e[nr] = engine_load(optarg);
			name_of(optarg, text[nr]);
			name[nr] = text[nr];
			nr++;
			break;
		case FIRST:
			o.first = number(long_name, optarg, 0, MAX_PAGES);
			break;
		case REQUEST:
			o.request = number(long_name, optarg, 1, MAX_PAGES);
			break;
		case RA:
			o.ra = number(long_name, optarg, 0, MAX_PAGES);
			break;
		case IO:
			o.io = number(long_name, optarg, 1, MAX_PAGES);
			break;
		case START:
			o.start = number(long_name, optarg, 0, MAX_PAGES);
			break;
		case PAGES:
			o.file = number(long_name, optarg, 1, MAX_PAGES);
			break;
		case FROM:
			o.from = number(long_name, optarg, 0, MAX_PAGES);
			from_given = true;
			break;
		case TO:
			o.to = number(long_name, optarg, 1, MAX_PAGES);
			break;
		case LINES:
			o.lines = number(long_name, optarg, 2, MAX_PAGES);
			break;
		case LIST:
			o.list = true;
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			fprintf(stderr, "windows: --help says how\n");
			return 2;
		}
	}
	if (from_given && !o.to)
		o.to = o.file;
	if (optind < argc || !nr || o.start >= o.file ||
	    (o.to && o.from >= o.to)) {
		if (optind < argc)
			fprintf(stderr, "windows: %s: no such argument\n",
				argv[optind]);
		else if (!nr)
			fprintf(stderr, "windows: which engine? -e FILE\n");
		else if (o.start >= o.file)
			fprintf(stderr, "windows: --start is beyond the end of the file\n");
		else
			fprintf(stderr, "windows: --from must be before --to\n");
		return 2;
	}
	return windows(e, nr, name, &o, stdout);
}
