// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd.h"
#include "pipeline.h"
#include "util.h"

#define PAGE	4096

/* Room for one more: arrays grow by doubling */
static void *more(void *array, int *nr, size_t size)
{
	char *a = array;

	if (!(*nr & (*nr - 1)))
		a = xrealloc(a, (*nr ? 2 * (size_t)*nr : 1) * size);
	memset(a + *nr * size, 0, size);
	(*nr)++;
	return a;
}

static int64_t file_page(const struct pipeline *p, uint64_t sector)
{
	uint64_t at = sector * 512;
	int i;

	for (i = 0; i < p->nr_extents; i++) {
		const struct pipeline_extent *e = &p->extent[i];

		if (at >= e->physical && at < e->physical + e->length)
			return (at - e->physical + e->logical) / PAGE;
	}
	return -1;
}

/* "#pipeline KEY VALUE"; false if it is not understood */
static bool about_line(struct pipeline *p, char *line)
{
	struct pipeline_extent e;
	int used = 0;

	if (!strncmp(line, "title ", 6)) {
		free(p->title);
		p->title = xstrdup(line + 6);
		return true;
	}
	if (sscanf(line, "dev %u:%u%n", &p->major, &p->minor, &used) == 2 && !line[used]) {
		p->dev_known = true;
		return true;
	}
	if (sscanf(line, "ino %" SCNu64 "%n", &p->ino, &used) == 1 && used)
		return !line[used];
	if (sscanf(line, "ns %" SCNu64 " %" SCNu64 "%n", &p->traced_ns,
		   &p->untraced_ns, &used) == 2)
		return !line[used];
	if (sscanf(line, "extent %" SCNu64 " %" SCNu64 " %" SCNu64 "%n",
		   &e.logical, &e.physical, &e.length, &used) != 3 ||
	    line[used] || !e.length || (e.logical | e.physical | e.length) % 512 ||
	    e.logical + e.length > 1ULL << 40)
		return false;
	p->extent = more(p->extent, &p->nr_extents, sizeof(*p->extent));
	p->extent[p->nr_extents - 1] = e;
	if ((e.logical + e.length + PAGE - 1) / PAGE > p->pages)
		p->pages = (e.logical + e.length + PAGE - 1) / PAGE;
	return true;
}

static bool field(const char *text, const char *name, int base, uint64_t *v)
{
	char key[32], *end;
	const char *at;

	snprintf(key, sizeof(key), " %s=", name);
	at = strstr(text, key);
	if (!at)
		return false;
	at += strlen(key);
	*v = strtoull(at, &end, base);
	return end > at;
}

static void add_window(struct pipeline *p, uint64_t at, uint64_t start)
{
	struct pipeline_window *w;

	p->window = more(p->window, &p->nr_windows, sizeof(*p->window));
	w = &p->window[p->nr_windows - 1];
	w->kind = p->called ? p->called : 'f';
	w->decided = p->called ? p->called_at : at;
	w->uptodate = p->called && p->uptodate;
	w->start = start;
	w->queued = NEVER;
	w->first = NEVER;
	w->done = NEVER;
	w->used = NEVER;
	p->called = 0;
	p->uptodate = false;
}

/* What is not read yet is to be read by it; pages behind the file's end are not. */
static void extend(struct pipeline *p, uint64_t start, uint64_t nr)
{
	struct pipeline_window *w = &p->window[p->nr_windows - 1];
	uint64_t i;

	if (start + nr > p->pages)
		nr = start < p->pages ? p->pages - start : 0;
	if (start + nr > w->start + w->nr)
		w->nr = start + nr - w->start;
	for (i = start; i < start + nr; i++)
		if (p->page_window[i] < 0)
			p->page_window[i] = p->nr_windows - 1;
}

/*
 * page_cache_ra_order() may leave the end of its window, or all of it, to
 * page_cache_ra_unbounded(), which is a window of its own else.
 */
static bool readahead_event(struct pipeline *p, uint64_t at, const char *name,
			    const char *text)
{
	const struct pipeline_window *w = p->nr_windows ? &p->window[p->nr_windows - 1] : NULL;
	uint64_t index, nr;

	if (!field(text, "index", 10, &index))
		return false;
	if (!strcmp(name, "page_cache_sync_ra") ||
	    !strcmp(name, "page_cache_async_ra")) {
		p->called = name[11];
		p->called_at = at;
		p->uptodate = p->called == 'a' && index < p->pages &&
			p->page_done[index];
		return true;
	}
	if (!strcmp(name, "page_cache_ra_order")) {
		if (!field(text, "size", 10, &nr))
			return false;
		add_window(p, at, index);
	} else {
		if (!field(text, "nr_to_read", 10, &nr))
			return false;
		if (!w || p->called || index < w->start || index >= w->start + w->nr)
			add_window(p, at, index);
	}
	extend(p, index, nr);
	/* behind the end of the file */
	p->nr_windows -= !p->window[p->nr_windows - 1].nr;
	return true;
}

static struct pipeline_reader *reader(struct pipeline *p, int pid, bool add)
{
	int i;

	for (i = 0; i < p->nr_readers; i++)
		if (p->reader[i].pid == pid)
			return &p->reader[i];
	if (!add || p->nr_readers == PIPELINE_READERS)
		return NULL;
	p->reader[i].pid = pid;
	p->nr_readers++;
	return &p->reader[i];
}

static struct pipeline_window *window_of(const struct pipeline *p, uint64_t page)
{
	if (page >= p->pages || p->page_window[page] < 0)
		return NULL;
	return &p->window[p->page_window[page]];
}

/* A read has its data, from this page on. */
static bool used_event(struct pipeline *p, uint64_t at, const char *text)
{
	struct pipeline_window *w;
	uint64_t byte;

	if (!field(text, "ofs", 10, &byte))
		return false;
	w = window_of(p, byte / PAGE);
	if (w && w->used == NEVER)
		w->used = at;
	return true;
}

/* The request that the device has of this sector, or NULL */
static struct pipeline_request *find_open(const struct pipeline *p, uint64_t sector)
{
	int i, open = p->open;

	for (i = p->nr_requests - 1; i >= 0 && open; i--) {
		if (p->request[i].done != NEVER)
			continue;
		if (p->request[i].sector == sector)
			return &p->request[i];
		open--;
	}
	return NULL;
}

/* "259,0 RA 16384 () 96 + 32 none,0,0 [init]", with a size or not */
static bool block_event(struct pipeline *p, uint64_t at, const char *name,
			const char *text)
{
	unsigned int major, minor;
	uint64_t sector, nr, i;
	const char *plus = strstr(text, " + ");
	struct pipeline_window *w = NULL, *before = NULL;
	struct pipeline_request *r;
	int64_t page;
	char rwbs[16];

	if (sscanf(text, " %u,%u %15s", &major, &minor, rwbs) != 3 || !plus)
		return false;
	if (major != p->major || minor != p->minor || !strchr(rwbs, 'R'))
		return true;
	while (plus > text && plus[-1] != ' ')
		plus--;
	if (sscanf(plus, "%" SCNu64 " + %" SCNu64, &sector, &nr) != 2)
		return false;
	page = file_page(p, sector);
	if (!strcmp(name, "block_bio_queue")) {
		for (i = 0; page >= 0 && i < nr * 512 / PAGE; i++) {
			w = window_of(p, page + i);
			if (w && w->queued == NEVER)
				w->queued = at;
		}
		return true;
	}
	r = find_open(p, sector);
	if (!strcmp(name, "block_rq_issue")) {
		/* the device did not take it, and gets it again */
		if (r)
			return true;
		p->request = more(p->request, &p->nr_requests, sizeof(*p->request));
		r = &p->request[p->nr_requests - 1];
		p->open++;
		*r = (struct pipeline_request){
			.sector = sector, .nr = nr, .page = page, .issued = at,
			.done = NEVER, .window = -1,
		};
		w = page < 0 ? NULL : window_of(p, page);
		r->window = w ? w - p->window : -1;
		/* requests that wait may be merged: one, of several windows */
		for (i = 0; page >= 0 && i < nr * 512 / PAGE; i++) {
			w = window_of(p, page + i);
			if (!w || w == before)
				continue;
			if (w->first == NEVER)
				w->first = at;
			w->last = at;
			w->requests++;
			before = w;
		}
		return true;
	}
	if (!r)
		return true;	/* it was sent before the trace began */
	r->done = at;
	p->open--;
	p->last_done = r->window;
	for (i = 0; page >= 0 && i < r->nr * 512 / PAGE; i++) {
		if (page + i < p->pages)
			p->page_done[page + i] = true;
		w = window_of(p, page + i);
		if (w)
			w->done = at;
	}
	return true;
}

/*
 * A reader that sleeps until something that completes requests wakes it has
 * waited for the device; one that waits for a pipe has not.
 */
static void wake(struct pipeline *p, const char *text, const char *task,
		 const char *flags)
{
	struct pipeline_reader *r;
	uint64_t pid;

	if (!field(text, "pid", 10, &pid))
		return;
	r = reader(p, pid, false);
	if (!r || !r->asleep)
		return;
	r->io = (strlen(flags) > 2 && strchr("hHsZz", flags[2])) ||
		!strncmp(task, "kworker/", 8) || !strncmp(task, "ksoftirqd/", 10) ||
		!strncmp(task, "<idle>", 6);
	r->woken = p->last_done;
}

static void switch_tasks(struct pipeline *p, uint64_t at, const char *text)
{
	const char *state = strstr(text, " prev_state=");
	struct pipeline_reader *r;
	struct pipeline_wait *w;
	uint64_t pid;

	if (state && state[12] != 'R' && field(text, "prev_pid", 10, &pid)) {
		r = reader(p, pid, false);
		if (r) {
			r->asleep = true;
			r->io = false;
			r->since = at;
		}
	}
	r = field(text, "next_pid", 10, &pid) ? reader(p, pid, false) : NULL;
	if (!r || !r->asleep)
		return;
	r->asleep = false;
	if (!r->io)
		return;
	p->wait = more(p->wait, &p->nr_waits, sizeof(*p->wait));
	w = &p->wait[p->nr_waits - 1];
	w->from = r->since;
	w->to = at;
	w->window = r->woken;
}

/*
 *             init-1       [000] d..1.  1234567: sched_switch: prev_comm=...
 *
 * False if it is no such line, or one that is not understood.
 */
static bool event_line(struct pipeline *p, char *line)
{
	char *at = strstr(line, " ["), *dash, *name, *text, flags[16];
	uint64_t ns, fraction, ino;
	struct pipeline_event *e;
	int used, digits, pid;
	bool ours = true;

	/* a task's name may have anything in it */
	while (at && (sscanf(at, " [%*d] %15s %" SCNu64 "%n", flags, &ns, &used) != 2))
		at = strstr(at + 1, " [");
	if (!at)
		return false;
	*at = '\0';
	at += used;
	if (*at == '.') {
		if (sscanf(at, ".%" SCNu64 "%n", &fraction, &digits) != 1 || digits > 10)
			return false;
		at += digits;
		for (; digits < 10; digits++)
			fraction *= 10;
		ns = ns * 1000000000 + fraction;
	}
	dash = strrchr(line, '-');
	if (strncmp(at, ": ", 2) || !dash || sscanf(dash, "-%d", &pid) != 1)
		return false;
	*dash = '\0';
	line = strip(line);
	name = at + 2;
	text = strchr(name, ':');
	if (!text)
		return false;
	*text++ = '\0';
	if (!strncmp(name, "page_cache_", 11) || !strncmp(name, "mm_filemap_", 11)) {
		/* "ino 83" in events of single folios, which are not for us */
		if (!field(text, "ino", 16, &ino))
			return !strncmp(name, "mm_filemap_", 11);
		ours = ino == p->ino;
		if (!ours)
			return true;
		reader(p, pid, true);
		if (*name == 'p' ? !readahead_event(p, ns, name, text) :
		    !used_event(p, ns, text))
			return false;
	} else if (!strcmp(name, "block_bio_queue") ||
		   !strcmp(name, "block_rq_issue") ||
		   !strcmp(name, "block_rq_complete")) {
		if (!block_event(p, ns, name, text))
			return false;
	} else if (!strcmp(name, "sched_waking")) {
		wake(p, text, line, flags);
	} else if (!strcmp(name, "sched_switch")) {
		switch_tasks(p, ns, text);
	} else {
		return true;
	}
	p->event = more(p->event, &p->nr_events, sizeof(*p->event));
	e = &p->event[p->nr_events - 1];
	e->at = ns;
	e->task = xasprintf("%s-%d", line, pid);
	e->text = xasprintf("%s:%s", name, text);
	return true;
}

struct edge {
	uint64_t at;
	int by;			/* requests, or 2 * so many waits */
};

static int by_time(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

/* Sums over the time in which the reader has something to ask for */
static void compute(struct pipeline *p)
{
	struct edge *e = xcalloc(2 * (p->nr_requests + p->nr_waits) + 1, sizeof(*e));
	int i, n = 0, depth = 0, waits = 0;
	uint64_t last;

	p->from = p->nr_windows ? p->window[0].decided : 0;
	p->to = p->from;
	for (i = 0; i < p->nr_requests; i++) {
		const struct pipeline_request *r = &p->request[i];

		if (r->done == NEVER)
			continue;
		if (r->page >= 0 && r->done > p->to)
			p->to = r->done;
		e[n++] = (struct edge){ r->issued, 1 };
		e[n++] = (struct edge){ r->done, -1 };
	}
	/* one that begins after the last completion is not for the device */
	while (p->nr_waits && p->wait[p->nr_waits - 1].from >= p->to)
		p->nr_waits--;
	for (i = 0; i < p->nr_waits; i++) {
		const struct pipeline_wait *wait = &p->wait[i];
		uint64_t ns = wait->to - wait->from;
		struct pipeline_window *w;

		e[n++] = (struct edge){ wait->from, 2 };
		e[n++] = (struct edge){ wait->to, -2 };
		p->waited += ns;
		if (wait->window < 0)
			continue;
		w = &p->window[wait->window];
		w->waited += ns;
		if (w->used > wait->to)
			w->used = wait->to;
	}
	qsort(e, n, sizeof(*e), by_time);
	last = p->from;
	for (i = 0; i < n; i++) {
		uint64_t at = e[i].at < p->to ? e[i].at : p->to;

		if (at > last) {
			p->busy += depth * (at - last);
			if (!depth)
				p->idle += at - last;
			if (!depth && waits)
				p->idle_waited += at - last;
			last = at;
		}
		if (e[i].by == 1 || e[i].by == -1)
			depth += e[i].by;
		else
			waits += e[i].by / 2;
		if (depth > p->depth)
			p->depth = depth;
	}
	free(e);
}

static char *begin(struct pipeline *p)
{
	uint64_t i;

	if (!p->dev_known || !p->ino || !p->nr_extents)
		return xasprintf("expected \"#pipeline dev\", \"ino\" and \"extent\" before the first event");
	p->page_window = xcalloc(p->pages, sizeof(*p->page_window));
	p->page_done = xcalloc(p->pages, sizeof(*p->page_done));
	for (i = 0; i < p->pages; i++)
		p->page_window[i] = -1;
	return NULL;
}

char *pipeline_parse(struct pipeline *p, char *text)
{
	unsigned long nr = 0;
	char *line, *next, *why;

	memset(p, 0, sizeof(*p));
	p->last_done = -1;
	for (line = text; line && *line; line = next) {
		char *copy;

		nr++;
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (!strncmp(line, "#pipeline ", 10)) {
			if (p->page_window || !about_line(p, line + 10))
				return xasprintf("line %lu: expected title, dev, ino, extent or ns, before the first event, not \"%.60s\"",
						 nr, line);
			continue;
		}
		if (*line == '#' || !line[strspn(line, " \t")])
			continue;
		if (strstr(line, " [LOST ") || !strncmp(line, "CPU:", 4))
			return xasprintf("line %lu: events were lost: \"%.60s\"", nr, line);
		if (!p->page_window) {
			why = begin(p);
			if (why) {
				char *more = xasprintf("line %lu: %s", nr, why);

				free(why);
				return more;
			}
		}
		copy = xstrdup(line);
		if (!event_line(p, line)) {
			why = xasprintf("line %lu: not an event of ftrace: \"%.80s\"", nr, copy);
			free(copy);
			return why;
		}
		free(copy);
	}
	if (!p->nr_windows)
		return xasprintf("no window of inode %" PRIu64 " in it: expected page_cache_ra_order or page_cache_ra_unbounded",
				 p->ino);
	compute(p);
	return NULL;
}

/* Mean and largest of a time of the windows; the window that has it */
struct spread {
	uint64_t sum, max;
	int nr, who;
};

static void spread_add(struct spread *s, uint64_t from, uint64_t to, int who)
{
	if (to == NEVER || from == NEVER || to < from)
		return;
	s->sum += to - from;
	if (!s->nr++ || to - from > s->max) {
		s->max = to - from;
		s->who = who;
	}
}

static double us(uint64_t ns)
{
	return ns / 1000.0;
}

static double mean(const struct spread *s)
{
	return s->nr ? us(s->sum) / s->nr : 0;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * part / whole : 0;
}

struct summary {
	unsigned int kinds[256], uptodate;
	uint64_t pages;
	struct spread queue, first, last, land, use;
	int most, alone;	/* window most waited for; requests of none */
};

static void summarize(const struct pipeline *p, struct summary *s)
{
	int i;

	memset(s, 0, sizeof(*s));
	s->most = -1;
	for (i = 0; i < p->nr_windows; i++) {
		const struct pipeline_window *w = &p->window[i];

		s->kinds[(unsigned char)w->kind]++;
		s->uptodate += w->uptodate;
		s->pages += w->nr;
		spread_add(&s->queue, w->decided, w->queued, i);
		spread_add(&s->first, w->decided, w->first, i);
		spread_add(&s->last, w->decided, w->first == NEVER ? NEVER : w->last, i);
		spread_add(&s->land, w->first, w->done, i);
		spread_add(&s->use, w->done, w->used, i);
		if (w->waited && (s->most < 0 || w->waited > p->window[s->most].waited))
			s->most = i;
	}
	for (i = 0; i < p->nr_requests; i++)
		s->alone += p->request[i].window < 0;
}

void pipeline_print(const struct pipeline *p, FILE *out)
{
	uint64_t span = p->to - p->from;
	struct summary s;

	summarize(p, &s);
	fprintf(out, "%s: %.1f us from the first decision to the last completion",
		p->title ? p->title : "pipeline", us(span));
	if (p->untraced_ns)
		fprintf(out, "; the pass took %.1f us, %.1f us (%.1f %%) of it for tracing",
			us(p->traced_ns), us(p->traced_ns) - us(p->untraced_ns),
			100.0 * ((double)p->traced_ns - p->untraced_ns) / p->untraced_ns);
	fprintf(out, "\nwindows  %d (%u sync, %u async, %u forced), %.1f KiB each, %d requests, %d of no window\n",
		p->nr_windows, s.kinds['s'], s.kinds['a'], s.kinds['f'],
		4.0 * s.pages / p->nr_windows, p->nr_requests, s.alone);
	fprintf(out, "uptodate %u of %u async decisions (%.1f %%) were taken on a folio already up to date\n",
		s.uptodate, s.kinds['a'], percent(s.uptodate, s.kinds['a']));
	fprintf(out, "sent     from decision to bio %.1f us, first request %.1f us (at most %.1f, window %d), last %.1f us (%.1f, window %d)\n",
		mean(&s.queue), mean(&s.first), us(s.first.max), s.first.who,
		mean(&s.last), us(s.last.max), s.last.who);
	fprintf(out, "landed   %.1f us after its first request was sent, used %.1f us after that; depth %.2f, at most %d\n",
		mean(&s.land), mean(&s.use), span ? (double)p->busy / span : 0, p->depth);
	fprintf(out, "waited   %d times, %.1f us (%.1f %%)", p->nr_waits, us(p->waited),
		percent(p->waited, span));
	if (s.most >= 0)
		fprintf(out, ", most for window %d, pages %" PRIu64 " to %" PRIu64 ": %.1f us",
			s.most, p->window[s.most].start,
			p->window[s.most].start + p->window[s.most].nr - 1,
			us(p->window[s.most].waited));
	fprintf(out, "\nidle     the device, for %.1f us (%.1f %%) while there was more to read; the reader waited in %.1f of these\n",
		us(p->idle), percent(p->idle, span), us(p->idle_waited));
}

void pipeline_head(FILE *out)
{
	fprintf(out, "%-20s %8s %6s %14s %17s %17s %6s\n%-20s %8s %6s %14s %17s %17s %6s\n",
		"", "windows,", "upto-", "to last sent,", "reader waited,",
		"device idle,", "depth", "", "requests", "date", "mean (max) us",
		"us (%)", "us (%)", "");
}

void pipeline_row(const struct pipeline *p, FILE *out)
{
	uint64_t span = p->to - p->from;
	char windows[24], sent[32], waited[32], idle[32];
	struct summary s;

	summarize(p, &s);
	snprintf(windows, sizeof(windows), "%d,%d", p->nr_windows, p->nr_requests);
	snprintf(sent, sizeof(sent), "%.1f (%.1f)", mean(&s.last), us(s.last.max));
	snprintf(waited, sizeof(waited), "%.1f (%.1f)", us(p->waited),
		 percent(p->waited, span));
	snprintf(idle, sizeof(idle), "%.1f (%.1f)", us(p->idle), percent(p->idle, span));
	fprintf(out, "%-20s %8s %4.0f %% %14s %17s %17s %6.2f\n",
		p->title ? p->title : "pipeline", windows,
		percent(s.uptodate, s.kinds['a']), sent, waited, idle,
		span ? (double)p->busy / span : 0);
}

void pipeline_figures(const struct pipeline *p, FILE *out)
{
	uint64_t span = p->to - p->from;
	struct summary s;

	summarize(p, &s);
	fprintf(out, "%s windows %d\n", p->title, p->nr_windows);
	fprintf(out, "%s requests %d\n", p->title, p->nr_requests);
	fprintf(out, "%s uptodate, %% %.0f\n", p->title,
		percent(s.uptodate, s.kinds['a']));
	fprintf(out, "%s sent, us %.0f\n", p->title, mean(&s.last));
	fprintf(out, "%s waits %d\n", p->title, p->nr_waits);
	fprintf(out, "%s waited, ms %.1f\n", p->title, us(p->waited) / 1000);
	fprintf(out, "%s waited, %% %.0f\n", p->title, percent(p->waited, span));
	fprintf(out, "%s idle, ms %.1f\n", p->title, us(p->idle) / 1000);
	fprintf(out, "%s idle, %% %.0f\n", p->title, percent(p->idle, span));
	fprintf(out, "%s depth %.2f\n", p->title,
		span ? (double)p->busy / span : 0);
}

/* JSON's escapes; the kernel's text has no others than these */
static void quote(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		if ((unsigned char)*text < ' ')
			fputc(' ', out);
		else if (*text == '"' || *text == '\\')
			fprintf(out, "\\%c", *text);
		else
			fputc(*text, out);
	}
	fputc('"', out);
}

enum { LANE_READER = 1, LANE_DEVICE, LANE_WINDOWS };

static void json_name(FILE *out, int lane, const char *name)
{
	fprintf(out, ",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":%d,\"args\":{\"name\":\"%s\"}}",
		lane, name);
	fprintf(out, ",\n{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":1,\"tid\":%d,\"args\":{\"sort_index\":%d}}",
		lane, lane == LANE_DEVICE ? 1 << 20 : lane);
}

static void json_span(const struct pipeline *p, FILE *out, int lane,
		      const char *name, uint64_t from, uint64_t to)
{
	if (from == NEVER || to == NEVER || to < from)
		return;
	fprintf(out, ",\n{\"name\":\"%s\",\"ph\":\"X\",\"pid\":1,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f}",
		name, lane, us(from) - us(p->from), us(to - from));
}

void pipeline_json(const struct pipeline *p, FILE *out)
{
	char name[64];
	int i;

	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", out);
	fputs("{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"args\":{\"name\":", out);
	quote(out, p->title ? p->title : "pipeline");
	fputs("}}", out);
	json_name(out, LANE_READER, "reader");
	json_name(out, LANE_DEVICE, "device");
	for (i = 0; i < p->nr_waits; i++) {
		snprintf(name, sizeof(name), "waits for window %d", p->wait[i].window);
		json_span(p, out, LANE_READER, name, p->wait[i].from, p->wait[i].to);
	}
	for (i = 0; i < p->nr_requests; i++) {
		const struct pipeline_request *r = &p->request[i];

		if (r->done == NEVER)
			continue;
		/* they overlap, so they are asynchronous ones */
		fprintf(out, ",\n{\"name\":\"%s %" PRId64 "\",\"cat\":\"request\",\"ph\":\"b\",\"id\":%d,\"pid\":1,\"tid\":%d,\"ts\":%.3f}",
			r->page < 0 ? "metadata" : "page", r->page, i, LANE_DEVICE,
			us(r->issued) - us(p->from));
		fprintf(out, ",\n{\"name\":\"%s %" PRId64 "\",\"cat\":\"request\",\"ph\":\"e\",\"id\":%d,\"pid\":1,\"tid\":%d,\"ts\":%.3f}",
			r->page < 0 ? "metadata" : "page", r->page, i, LANE_DEVICE,
			us(r->done) - us(p->from));
	}
	for (i = 0; i < p->nr_windows; i++) {
		const struct pipeline_window *w = &p->window[i];

		snprintf(name, sizeof(name), "window %d %s", i, w->kind == 's' ?
			 "sync" : w->kind == 'a' ? "async" : "forced");
		json_name(out, LANE_WINDOWS + i, name);
		json_span(p, out, LANE_WINDOWS + i, "not sent", w->decided, w->first);
		json_span(p, out, LANE_WINDOWS + i, "device", w->first, w->done);
		json_span(p, out, LANE_WINDOWS + i, "not used", w->done, w->used);
	}
	for (i = 0; i < p->nr_events; i++) {
		fprintf(out, ",\n{\"name\":\"%.*s\",\"cat\":\"raw\",\"ph\":\"i\",\"s\":\"t\",\"pid\":1,\"tid\":%d,\"ts\":%.3f,\"args\":{\"task\":",
			(int)strcspn(p->event[i].text, ":"), p->event[i].text,
			!strncmp(p->event[i].text, "block", 5) ? LANE_DEVICE : LANE_READER,
			us(p->event[i].at) - us(p->from));
		quote(out, p->event[i].task);
		fputs(",\"text\":", out);
		quote(out, p->event[i].text);
		fputs("}}", out);
	}
	fputs("\n]}\n", out);
}

void pipeline_free(struct pipeline *p)
{
	int i;

	for (i = 0; i < p->nr_events; i++) {
		free(p->event[i].text);
		free(p->event[i].task);
	}
	free(p->event);
	free(p->window);
	free(p->request);
	free(p->wait);
	free(p->extent);
	free(p->page_window);
	free(p->page_done);
	free(p->title);
	memset(p, 0, sizeof(*p));
}

static void write_with(const struct pipeline *p, const char *path,
		       void (*put)(const struct pipeline *p, FILE *out))
{
	FILE *f = fopen(path, "w");

	if (!f)
		die("%s: %s", path, strerror(errno));
	put(p, f);
	if (ferror(f) | fclose(f))
		die("%s: not all of it could be written", path);
}

static bool make_png(const char *svg, const char *png)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		execlp("rsvg-convert", "rsvg-convert", "-o", png, svg, NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		die("rsvg-convert: %s", strerror(errno));
	if (status && WEXITSTATUS(status) != 127)
		die("rsvg-convert failed on %s", svg);
	return !status;
}

void pipeline_files(struct pipeline *p, const char *path)
{
	size_t n = strlen(path);
	char *text, *why, *json, *svg, *png;

	if (n < 7 || strcmp(path + n - 6, ".trace"))
		die("%s: expected a name that ends in .trace", path);
	text = read_file(path, NULL);
	if (!text)
		die("%s: %s", path, strerror(errno));
	why = pipeline_parse(p, text);
	if (why)
		die("%s: %s", path, why);
	free(text);
	json = xasprintf("%.*s.json", (int)(n - 6), path);
	svg = xasprintf("%.*s.svg", (int)(n - 6), path);
	png = xasprintf("%.*s.png", (int)(n - 6), path);
	write_with(p, json, pipeline_json);
	write_with(p, svg, pipeline_svg);
	if (!make_png(svg, png))
		fprintf(stderr, "lab: no rsvg-convert: %s is not made\n", png);
	free(json);
	free(svg);
	free(png);
}

int cmd_pipeline(int argc, char **argv)
{
	int i;

	if (argc < 2)
		die("pipeline: wants files that end in .trace: see tools/lab/pipeline.h");
	for (i = 1; i < argc; i++) {
		struct pipeline p;

		pipeline_files(&p, argv[i]);
		pipeline_print(&p, stdout);
		pipeline_free(&p);
	}
	return 0;
}
