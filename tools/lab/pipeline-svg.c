// SPDX-License-Identifier: GPL-2.0
/*
 * pipeline-svg.c - the pipeline as a picture
 */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "pipeline.h"
#include "util.h"

#define LEFT	190
#define WIDTH	1000
#define LANE	14		/* of a window; the reader's and the device's are two */
#define TOP	62
#define LANES	80		/* windows that fit; the time ends with the last */

struct frame {
	FILE *out;
	uint64_t from, to;
};

static double x_of(const struct frame *f, uint64_t at)
{
	if (at < f->from)
		at = f->from;
	if (at > f->to)
		at = f->to;
	return LEFT + (double)WIDTH * (at - f->from) / (f->to - f->from);
}

static void bar(const struct frame *f, double y, double h, uint64_t from,
		uint64_t to, const char *color)
{
	double x;

	if (from == NEVER || to == NEVER || to <= from || from >= f->to)
		return;
	x = x_of(f, from);
	fprintf(f->out, "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" fill=\"%s\"/>\n",
		x, y, x_of(f, to) - x < 0.3 ? 0.3 : x_of(f, to) - x, h, color);
}

__attribute__((format(printf, 5, 6)))
static void label(const struct frame *f, double x, double y, const char *anchor,
		  const char *fmt, ...)
{
	char words[256];
	const char *c;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(words, sizeof(words), fmt, ap);
	va_end(ap);
	fprintf(f->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
	for (c = words; *c; c++) {
		if (*c == '<' || *c == '&')
			fputs(*c == '<' ? "&lt;" : "&amp;", f->out);
		else
			fputc(*c, f->out);
	}
	fputs("</text>\n", f->out);
}

#define NOT_SENT	"#e08214"
#define ON_DEVICE	"#2166ac"
#define NOT_USED	"#bdbdbd"
#define WAITS		"#b2182b"
#define RUNS		"#a6dba0"

static void legend(const struct frame *f)
{
	static const struct { const char *color, *words; } l[] = {
		{ RUNS, "reader runs" }, { WAITS, "reader waits" },
		{ NOT_SENT, "decided, not sent" }, { ON_DEVICE, "sent, not landed" },
		{ NOT_USED, "landed, not used" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(l); i++) {
		fprintf(f->out, "<rect x=\"%u\" y=\"28\" width=\"12\" height=\"10\" fill=\"%s\"/>\n",
			LEFT + i * 170, l[i].color);
		label(f, LEFT + i * 170 + 17, 37, "start", "%s", l[i].words);
	}
}

static void scale(const struct frame *f, double bottom)
{
	double span = f->to - f->from, step = 1, at;

	while (span / step > 10)
		step *= span / step > 20 ? span / step > 50 ? 10 : 5 : 2;
	for (at = 0; at <= span; at += step) {
		double x = x_of(f, f->from + at);

		fprintf(f->out, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%.1f\" stroke=\"#ddd\"/>\n",
			x, x, TOP - 4, bottom);
		label(f, x, TOP - 8, "middle", "%g us", at / 1000);
	}
}

/* How many requests the device has, as the height of a bar */
static void device(const struct pipeline *p, const struct frame *f, double y)
{
	double unit = 2.0 * LANE / (p->depth ? p->depth : 1);
	int i, j;

	for (i = 0; i < p->nr_requests; i++) {
		int below = 0;

		if (p->request[i].issued >= f->to)
			break;
		/* what is out of order is not far */
		for (j = i > 4 * p->depth ? i - 4 * p->depth : 0; j < i; j++)
			below += p->request[j].done > p->request[i].issued;
		if (below >= p->depth)
			below = p->depth - 1;
		bar(f, y + 2 * LANE - (below + 1) * unit, unit * 0.92,
		    p->request[i].issued, p->request[i].done, ON_DEVICE);
	}
}

void pipeline_svg(const struct pipeline *p, FILE *out)
{
	int lanes = p->nr_windows < LANES ? p->nr_windows : LANES, i;
	struct frame f = { out, p->from, p->to };
	double y = TOP, bottom = TOP + (lanes + 4) * LANE + 12;

	if (lanes < p->nr_windows)
		f.to = p->window[lanes].decided;
	if (f.to <= f.from)
		f.to = f.from + 1;
	fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
		LEFT + WIDTH + 40, bottom + 10);
	label(&f, LEFT, 18, "start", "%s: %d windows, %d of them shown; %d requests; the reader waited %.1f us",
	      p->title ? p->title : "pipeline", p->nr_windows, lanes,
	      p->nr_requests, p->waited / 1000.0);
	legend(&f);
	scale(&f, bottom);

	label(&f, LEFT - 6, y + LANE + 4, "end", "reader");
	bar(&f, y, 2 * LANE - 2, f.from, f.to, RUNS);
	for (i = 0; i < p->nr_waits; i++)
		bar(&f, y, 2 * LANE - 2, p->wait[i].from, p->wait[i].to, WAITS);
	y += 2 * LANE + 4;
	for (i = 0; i < lanes; i++, y += LANE) {
		const struct pipeline_window *w = &p->window[i];

		label(&f, LEFT - 6, y + 10, "end", "%d %s %" PRIu64 "+%" PRIu64 "%s", i,
		      w->kind == 's' ? "sync" : w->kind == 'a' ? "async" : "forced",
		      w->start, w->nr, w->uptodate ? " uptodate" : "");
		bar(&f, y + 1, LANE - 3, w->done, w->used, NOT_USED);
		bar(&f, y + 1, LANE - 3, w->first, w->done, ON_DEVICE);
		bar(&f, y + 1, LANE - 3, w->decided, w->first, NOT_SENT);
	}
	y += 4;
	label(&f, LEFT - 6, y + LANE + 4, "end", "device, depth to %d", p->depth);
	device(p, &f, y);
	fputs("</svg>\n", out);
}
