// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "picture.h"

/* No size in pages is above this, unless something has underflowed. */
#define SANE		(UINT32_MAX / 4)

#define FOLIOS_WIDTH	14	/* "64+32+16+8+4+2" */

void picture_init(struct picture *p)
{
	memset(p, 0, sizeof(*p));
}

void picture_free(struct picture *p)
{
	free(p->w);
	free(p->run);
	picture_init(p);
}

/* Room for one more of @size bytes. */
static void *grow(void *array, unsigned int nr, unsigned int *room, size_t size)
{
	if (nr < *room)
		return array;
	*room = *room ? 2 * *room : 64;
	array = realloc(array, *room * size);
	if (!array) {
		fprintf(stderr, "picture: out of memory\n");
		exit(2);
	}
	return array;
}

static struct picture_window *last(const struct picture *p)
{
	return p->nr ? &p->w[p->nr - 1] : NULL;
}

static struct picture_window *push(struct picture *p, enum picture_kind kind,
				   const struct sim_event *ev)
{
	struct picture_window *w;

	p->w = grow(p->w, p->nr, &p->room, sizeof(*p->w));
	w = &p->w[p->nr++];
	*w = (struct picture_window){
		.kind = kind, .file = ev->file, .index = ev->index,
		.start = ev->index, .run = p->nr_runs,
		.before = p->size[ev->file % ENGINE_FILES],
	};
	p->open = true;
	p->called = kind == PICTURE_SYNC || kind == PICTURE_ASYNC;
	p->expect = false;
	return w;
}

/* The last window, if pages from @index on can be a part of it. */
static struct picture_window *open_for(const struct picture *p, uint64_t index)
{
	struct picture_window *w = last(p);

	if (!p->open)
		return NULL;
	/* Nothing tells when a forced readahead is over. */
	if (w->kind == PICTURE_FORCED && index - w->start >= w->size)
		return NULL;
	return w;
}

static void on_window(struct picture *p, const struct sim_event *ev)
{
	struct picture_window *w = last(p);

	if (!p->open || !p->called || w->ordered)
		w = push(p, PICTURE_MMAP, ev);
	w->ordered = true;
	w->start = ev->index;
	w->size = ev->a;
	w->async_size = ev->b;
	w->order = ev->c;
}

static void on_unbounded(struct picture *p, const struct sim_event *ev)
{
	struct picture_window *w = last(p);

	if (!p->open || (w->kind == PICTURE_FORCED &&
			 ev->index != w->start + w->size))
		w = push(p, PICTURE_FORCED, ev);
	/* else what page_cache_ra_order() has left of its window */
	if (!w->ordered) {
		if (!w->size) {
			w->start = ev->index;
			w->async_size = ev->b;
		}
		w->size = ev->index + ev->a - w->start;
	}
	/*
	 * It marks the folio after having added it, so that EVENT_FOLIO comes
	 * too early to tell; it does not if that was there already.
	 */
	p->expect = ev->b <= ev->a;
	p->mark = ev->index + ev->a - ev->b;
}

static void add_mark(struct picture_window *w, uint64_t index)
{
	if (w->marks < PICTURE_MARKS)
		w->mark[w->marks] = index;
	w->marks++;
}

static void on_folio(struct picture *p, const struct sim_event *ev)
{
	struct picture_window *w = open_for(p, ev->index);
	uint64_t nr = 1ULL << ev->a;

	if (!w) {
		w = last(p);
		if (!w || w->kind != PICTURE_CACHED || w->file != ev->file ||
		    w->start + w->size != ev->index)
			w = push(p, PICTURE_CACHED, ev);
		w->size += nr;
		p->open = false;
	}
	w->folios[ev->a % ENGINE_ORDERS]++;
	if (ev->b)
		add_mark(w, ev->index);
	else if (p->open && p->expect && ev->index - p->mark < nr)
		add_mark(w, ev->index);
}

static void add_run(struct picture *p, struct picture_window *w,
		    uint64_t start, uint64_t nr)
{
	struct picture_run *r = w->runs ? &p->run[w->run + w->runs - 1] : NULL;

	if (r && r->start + r->nr == start) {
		r->nr += nr;
		return;
	}
	p->run = grow(p->run, p->nr_runs, &p->room_runs, sizeof(*p->run));
	p->run[p->nr_runs++] = (struct picture_run){ start, nr };
	w->runs++;
}

/*
 * A read of a folio that no call has asked for.  Its EVENT_FOLIO came just
 * before and looked like one that is only put into the cache, so take it back
 * from there.
 */
static struct picture_window *single(struct picture *p,
				     const struct sim_event *ev)
{
	struct picture_window *w = last(p);
	unsigned int order;

	/* some more of the same folio */
	if (w && w->kind == PICTURE_READ && ev->index - w->start < w->size)
		return w;
	if (w && w->kind == PICTURE_CACHED) {
		for (order = 0; order < ENGINE_ORDERS - 1; order++)
			if (w->folios[order] &&
			    w->start + w->size - ev->index <= 1ULL << order)
				break;
		if (w->size == 1ULL << order) {
			w->kind = PICTURE_READ;
			return w;
		}
		if (w->folios[order] && w->size > 1ULL << order) {
			w->folios[order]--;
			w->size -= 1ULL << order;
			w = push(p, PICTURE_READ, ev);
			w->folios[order]++;
			w->size = 1ULL << order;
			return w;
		}
	}
	w = push(p, PICTURE_READ, ev);
	w->size = ev->a;
	return w;
}

static void on_device(struct picture *p, const struct sim_event *ev)
{
	struct picture_window *w = open_for(p, ev->index);

	if (!w) {
		w = single(p, ev);
		p->open = false;
	}
	add_run(p, w, ev->index, ev->a);
	w->pages += ev->a;
	w->reads++;
}

static void on_state(struct picture *p, const struct sim_event *ev)
{
	struct picture_window *w = last(p);

	p->size[ev->file % ENGINE_FILES] = ev->a;
	/* a read as is leaves the state alone, so it records nothing */
	if (p->open && w->ordered) {
		w->recorded = true;
		w->ra_start = ev->index;
		w->ra_size = ev->a;
		w->ra_async = ev->b;
	}
	p->open = false;
	p->expect = false;
}

void picture_event(void *data, const struct sim_event *event)
{
	struct picture *p = data;

	switch (event->type) {
	case EVENT_SYNC:
		push(p, PICTURE_SYNC, event)->req = event->a;
		break;
	case EVENT_ASYNC:
		push(p, PICTURE_ASYNC, event)->req = event->a;
		break;
	case EVENT_WINDOW:
		on_window(p, event);
		break;
	case EVENT_UNBOUNDED:
		on_unbounded(p, event);
		break;
	case EVENT_FOLIO:
		on_folio(p, event);
		break;
	case EVENT_DEVICE:
		on_device(p, event);
		break;
	case EVENT_MARK:
		/* worked out from EVENT_UNBOUNDED */
		break;
	case EVENT_STATE:
		on_state(p, event);
		break;
	}
}

/* From where to where it is drawn.  False if the end makes no sense. */
static bool extent(const struct picture *p, const struct picture_window *w,
		   uint64_t *start, uint64_t *end)
{
	bool sane = w->start <= SANE && w->size <= SANE;
	unsigned int i;

	*start = w->start;
	*end = w->start + (sane ? w->size : 0);
	for (i = w->run; i < w->run + w->runs; i++) {
		if (*start > p->run[i].start)
			*start = p->run[i].start;
		if (*end < p->run[i].start + p->run[i].nr)
			*end = p->run[i].start + p->run[i].nr;
	}
	/* what is recorded may begin before what has been read */
	if (w->recorded && w->ra_start < *start && w->ra_size <= SANE &&
	    w->ra_start + w->ra_size >= *start)
		*start = w->ra_start;
	return sane;
}

/* Smaller than the window that it ramps up from. */
static bool is_cut(const struct picture_window *w)
{
	return w->kind == PICTURE_ASYNC && w->ordered && w->size < w->before;
}

static const char *number(char *text, size_t size, uint64_t n)
{
	/* ra->size and the like have 32 bits, even after an underflow */
	if (n > UINT32_MAX)
		return "huge";
	snprintf(text, size, "%llu", (unsigned long long)n);
	return text;
}

/* "2x32+16+1": its value is the pages; the largest first. */
static void folios_text(const struct picture_window *w, char *text, size_t size)
{
	size_t at = 0;
	int order;

	text[0] = 0;
	for (order = ENGINE_ORDERS - 1; order >= 0; order--) {
		if (!w->folios[order] || at >= size)
			continue;
		if (at)
			at += snprintf(text + at, size - at, "+");
		if (w->folios[order] > 1 && at < size)
			at += snprintf(text + at, size - at, "%ux",
				       w->folios[order]);
		if (at < size)
			at += snprintf(text + at, size - at, "%u", 1U << order);
	}
	if (!at)
		snprintf(text, size, "-");
}

/* The same, in no more than FOLIOS_WIDTH. */
static void folios_short(const struct picture_window *w, char *text,
			 size_t size)
{
	size_t at;

	folios_text(w, text, size);
	if (strlen(text) <= FOLIOS_WIDTH)
		return;
	for (at = FOLIOS_WIDTH - 3; at && text[at] != '+';)
		at--;
	strcpy(text + at, "+..");
}

static void widen(int *width, const char *text)
{
	if (*width < (int)strlen(text))
		*width = strlen(text);
}

static uint64_t round_down_to(uint64_t n, uint64_t multiple)
{
	return n - n % multiple;
}

static uint64_t round_up_to(uint64_t n, uint64_t multiple)
{
	return round_down_to(n + multiple - 1, multiple);
}

static uint64_t column(const struct picture_layout *l,
		       const struct picture_part *part, uint64_t page)
{
	return (page - round_down_to(part->from, l->div)) * l->mul / l->div;
}

/* Of the right end. */
static uint64_t last_column(const struct picture_layout *l,
			    const struct picture_part *part)
{
	return column(l, part, round_up_to(part->to, l->div));
}

static int left_width(const struct picture_layout *l)
{
	return l->kind + 1 + l->start + 1;
}

static int right_width(const struct picture_layout *l)
{
	return 1 + l->pages + 1 + (l->reads ? 1 + l->reads : 0) + 1 +
	       l->folios + 1 + l->recorded;
}

static void fit_numbers(struct picture_layout *l,
			const struct picture_part *part)
{
	char text[256];
	unsigned int i;

	for (i = part->first; i < part->first + part->nr; i++) {
		const struct picture_window *w = &part->p->w[i];

		if (w->file)
			l->kind = 2;
		widen(&l->start, number(text, sizeof(text), w->start));
		widen(&l->pages, number(text, sizeof(text), w->pages));
		if (w->recorded)
			widen(&l->recorded,
			      number(text, sizeof(text), w->ra_size));
		if (w->reads > 1 || (!w->reads && w->ordered))
			widen(&l->reads, "reads");
		if (l->reads)
			widen(&l->reads, number(text, sizeof(text), w->reads));
		folios_short(w, text, sizeof(text));
		widen(&l->folios, text);
	}
}

void picture_fit(struct picture_layout *l, const struct picture_part *part,
		 unsigned int nr)
{
	unsigned int i, cols, digits = 1;
	uint64_t last, most;
	char text[32];

	*l = (struct picture_layout){
		.lines = PICTURE_LINES, .mul = 2, .div = 1, .kind = 1,
		.start = 1, .pages = 5, .folios = 6, .recorded = 8,
	};
	for (i = 0; i < nr; i++) {
		fit_numbers(l, &part[i]);
		cols = strlen(number(text, sizeof(text), part[i].to));
		if (digits < cols)
			digits = cols;
	}
	cols = PICTURE_WIDTH - left_width(l) - right_width(l);
	/*
	 * Powers of two, so that what is aligned starts in a column of its own.
	 * One column is for the bar at the end, one for a short window there.
	 */
	for (;;) {
		for (i = 0, most = 0; i < nr; i++) {
			last = last_column(l, &part[i]);
			if (most < last)
				most = last;
		}
		if (most + 2 <= cols)
			break;
		if (l->mul > 1)
			l->mul /= 2;
		else
			l->div *= 2;
	}
	l->cols = most + 2;
	for (l->tick = 8; l->tick <= digits; l->tick *= 2)
		;
}

/* Fewer characters than columns are left as they are: nothing after them. */
static void put_line(FILE *out, const char *text)
{
	int len = strlen(text);

	while (len && text[len - 1] == ' ')
		len--;
	fprintf(out, "%.*s\n", len, text);
}

static void put_title(const struct picture_layout *l, FILE *out,
		      const char *title)
{
	int left = left_width(l) + l->cols, n;
	char text[256], line[512];

	if (l->mul > 1)
		n = snprintf(text, sizeof(text), "%s, %u columns a page", title,
			     l->mul);
	else if (l->div > 1)
		n = snprintf(text, sizeof(text), "%s, %u pages a column", title,
			     l->div);
	else
		n = snprintf(text, sizeof(text), "%s, a page a column", title);
	if (n > left) {
		text[PICTURE_WIDTH] = 0;
		put_line(out, text);
		text[0] = 0;
	}
	n = snprintf(line, sizeof(line), "%-*s %*s ", left, text, l->pages,
		     "pages");
	if (l->reads)
		n += snprintf(line + n, sizeof(line) - n, " %*s", l->reads,
			      "reads");
	snprintf(line + n, sizeof(line) - n, " %-*s %*s", l->folios, "folios",
		 l->recorded, "ra->size");
	put_line(out, line);
}

/* Pages from label to label. */
static uint64_t tick_pages(const struct picture_layout *l)
{
	return (uint64_t)l->tick / l->mul * l->div;
}

static void put_ruler(const struct picture_layout *l,
		      const struct picture_part *part, FILE *out)
{
	uint64_t step = tick_pages(l), t;
	char line[PICTURE_WIDTH + 1], label[32];

	memset(line, ' ', PICTURE_WIDTH);
	line[PICTURE_WIDTH] = 0;
	for (t = round_up_to(part->from, step); t <= part->to; t += step) {
		unsigned int at = left_width(l) + column(l, part, t);
		const char *n = number(label, sizeof(label), t);

		if (at + strlen(n) <= PICTURE_WIDTH)
			memcpy(line + at, n, strlen(n));
	}
	put_line(out, line);
}

/* Has the device read anything of [@start, @end) in this window? */
static bool is_read(const struct picture *p, const struct picture_window *w,
		    uint64_t start, uint64_t end)
{
	unsigned int i;

	for (i = w->run; i < w->run + w->runs; i++)
		if (p->run[i].start < end && p->run[i].start + p->run[i].nr > start)
			return true;
	return false;
}

/*
 * The window, from bar to bar.  The bars hide the pages of their columns, so
 * the outermost columns inside stand for these too.
 */
static void draw_inside(const struct picture_layout *l,
			const struct picture_part *part,
			const struct picture_window *w, char *line,
			unsigned int from, unsigned int to)
{
	uint64_t base = round_down_to(part->from, l->div);
	unsigned int i;

	for (i = from + 1; i < to; i++) {
		uint64_t start = base + (uint64_t)i * l->div / l->mul;
		uint64_t end = base + ((uint64_t)i * l->div + l->div) / l->mul;

		if (end == start)
			end++;
		if (i == from + 1)
			start = 0;
		if (i == to - 1)
			end = UINT64_MAX;
		line[i] = is_read(part->p, w, start, end) ? '=' : '.';
	}
	for (i = 0; i < w->marks && i < PICTURE_MARKS; i++) {
		unsigned int at;

		if (w->mark[i] < base || w->mark[i] >= part->to)
			continue;
		at = column(l, part, w->mark[i]);
		if (at <= from)
			at = from + 1;
		if (at >= to)
			at = to - 1;
		line[at] = '#';
	}
}

static void draw(const struct picture_layout *l,
		 const struct picture_part *part,
		 const struct picture_window *w, char *line)
{
	unsigned int from = 0, to = last_column(l, part);
	uint64_t start, end;
	bool sane = extent(part->p, w, &start, &end);
	bool left = start < part->from, right = !sane || end > part->to;

	if (!left)
		from = column(l, part, start);
	if (!right)
		to = column(l, part, end);
	if (start == end && sane) {
		line[from] = '|';
		line[from + 1] = '|';
		return;
	}
	if (to < from + 2) {
		/*
		 * A window is cut short to end on a boundary, so let it end
		 * there, unless that hides where another one starts.
		 */
		if (is_cut(w) && !left && !right && to >= 2 &&
		    end % l->div == 0 && start % tick_pages(l))
			from = to - 2;
		else
			to = from + 2;
	}
	draw_inside(l, part, w, line, from, to);
	line[from] = left ? '<' : '|';
	line[to] = right ? '>' : '|';
}

static bool inside(const struct picture_part *part,
		   const struct picture_window *w)
{
	uint64_t start, end;

	extent(part->p, w, &start, &end);
	return start < part->to && (end > part->from || start >= part->from);
}

static void put_window(const struct picture_layout *l,
		       const struct picture_part *part,
		       const struct picture_window *w, FILE *out)
{
	char cells[PICTURE_WIDTH + 1], folios[256], text[3][32], line[512];
	char kind[4] = { w->kind };
	int n;

	if (w->file)
		kind[1] = '0' + w->file % 10;
	memset(cells, ' ', l->cols);
	cells[l->cols] = 0;
	draw(l, part, w, cells);
	folios_short(w, folios, sizeof(folios));
	n = snprintf(line, sizeof(line), "%-*s %*s %s %*s%c", l->kind, kind,
		     l->start, number(text[0], sizeof(text[0]), w->start),
		     cells, l->pages,
		     number(text[1], sizeof(text[1]), w->pages),
		     is_cut(w) ? '<' : ' ');
	if (l->reads)
		n += snprintf(line + n, sizeof(line) - n, " %*u", l->reads,
			      w->reads);
	snprintf(line + n, sizeof(line) - n, " %-*s %*s", l->folios, folios,
		 l->recorded, w->recorded ?
		 number(text[2], sizeof(text[2]), w->ra_size) : "-");
	put_line(out, line);
}

void picture_part(const struct picture_layout *l,
		  const struct picture_part *part, FILE *out,
		  const char *title)
{
	unsigned int end = part->first + part->nr, shown = 0, outside = 0, i;

	put_title(l, out, title);
	put_ruler(l, part, out);
	for (i = part->first; i < end; i++)
		outside += !inside(part, &part->p->w[i]);
	for (i = part->first; i < end; i++) {
		unsigned int more = part->nr - outside - l->lines;

		if (!inside(part, &part->p->w[i]))
			continue;
		/* the first ones, and the last: there it may have broken */
		if (part->nr - outside > l->lines && shown >= l->lines / 2 &&
		    shown < l->lines / 2 + more) {
			if (shown == l->lines / 2)
				fprintf(out, "... %u more window%s ...\n", more,
					more == 1 ? "" : "s");
		} else {
			put_window(l, part, &part->p->w[i], out);
		}
		shown++;
	}
	if (outside)
		fprintf(out, "(%u window%s outside)\n", outside,
			outside == 1 ? "" : "s");
}

void picture_draw(const struct picture *p, FILE *out, const char *title,
		  uint64_t from, uint64_t to)
{
	struct picture_part part = { p, 0, p->nr, from, to };
	struct picture_layout l;
	uint64_t start, end, low = UINT64_MAX, high = 0;
	unsigned int i;

	if (!p->nr) {
		fprintf(out, "%.*s: no windows\n", PICTURE_WIDTH - 12, title);
		return;
	}
	for (i = 0; i < p->nr; i++) {
		extent(p, &p->w[i], &start, &end);
		if (start > SANE)
			continue;
		if (low > start)
			low = start;
		/* a call that led to nothing has a place, too */
		if (start == end)
			end++;
		if (high < end)
			high = end;
	}
	if (!to) {
		part.to = high;
		if (!from)
			part.from = low;
	}
	if (part.to > UINT32_MAX)
		part.to = UINT32_MAX;
	if (part.from >= part.to)
		part.from = part.to - 1;
	picture_fit(&l, &part, 1);
	picture_part(&l, &part, out, title);
}

void picture_legend(FILE *out)
{
	fprintf(out, "|==#==| read, # marked PG_readahead, . cached or only in ra, || nothing\n");
	fprintf(out, "s sync a async m mmap f forced r single c cached; < below last ra->size\n");
}

void picture_list_header(FILE *out)
{
	fprintf(out, "# name\tnr\tkind\tfile\tindex\treq\tstart\tsize\tasync_size\torder\tpages\treads\tfolios\tmark\tbefore\tra_start\tra_size\tra_async\n");
}

void picture_list(const struct picture *p, FILE *out, const char *name,
		  uint64_t from, uint64_t to)
{
	char folios[256];
	unsigned int i;

	for (i = 0; i < p->nr; i++) {
		const struct picture_window *w = &p->w[i];

		if (w->start < from || w->start >= to)
			continue;
		folios_text(w, folios, sizeof(folios));
		fprintf(out, "%s\t%u\t%c\t%u\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\t%u\t%s\t",
			name, i, w->kind, w->file, (unsigned long long)w->index,
			(unsigned long long)w->req,
			(unsigned long long)w->start,
			(unsigned long long)w->size,
			(unsigned long long)w->async_size,
			(unsigned long long)w->order,
			(unsigned long long)w->pages, w->reads, folios);
		if (w->marks)
			fprintf(out, "%llu", (unsigned long long)w->mark[0]);
		else
			fprintf(out, "-");
		fprintf(out, "\t%llu", (unsigned long long)w->before);
		if (w->recorded)
			fprintf(out, "\t%llu\t%llu\t%llu\n",
				(unsigned long long)w->ra_start,
				(unsigned long long)w->ra_size,
				(unsigned long long)w->ra_async);
		else
			fprintf(out, "\t-\t-\t-\n");
	}
}

bool picture_same(const struct picture *p, unsigned int i,
		  const struct picture *q, unsigned int j, uint64_t by)
{
	const struct picture_window *a = &p->w[i], *b = &q->w[j];
	unsigned int k;

	if (a->kind != b->kind || a->file != b->file ||
	    a->start + by != b->start || a->size != b->size ||
	    a->async_size != b->async_size || a->pages != b->pages ||
	    a->reads != b->reads || a->marks != b->marks ||
	    a->runs != b->runs || a->recorded != b->recorded ||
	    is_cut(a) != is_cut(b) ||
	    memcmp(a->folios, b->folios, sizeof(a->folios)))
		return false;
	if (a->recorded && (a->ra_start + by != b->ra_start ||
			    a->ra_size != b->ra_size ||
			    a->ra_async != b->ra_async))
		return false;
	for (k = 0; k < a->marks && k < PICTURE_MARKS; k++)
		if (a->mark[k] + by != b->mark[k])
			return false;
	for (k = 0; k < a->runs; k++)
		if (p->run[a->run + k].start + by != q->run[b->run + k].start ||
		    p->run[a->run + k].nr != q->run[b->run + k].nr)
			return false;
	return true;
}

bool picture_period(const struct picture *p, uint64_t eof,
		    struct picture_period *period)
{
	unsigned int nr = 0, k, i, best = UINT32_MAX;

	while (nr < p->nr && p->w[nr].start + p->w[nr].size < eof)
		nr++;
	for (k = 1; 3 * k <= nr && k < best; k++) {
		uint64_t by = p->w[nr - 1].start - p->w[nr - 1 - k].start;

		for (i = nr - k; i && picture_same(p, i - 1, p, i - 1 + k, by);)
			i--;
		if (!by || nr - k - i < 2 * k || i + k >= best)
			continue;
		best = i + k;
		*period = (struct picture_period){ i, k, by };
	}
	return best != UINT32_MAX;
}
