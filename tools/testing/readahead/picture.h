/* SPDX-License-Identifier: GPL-2.0 */
/*
 * picture.h - readahead windows, drawn like those in mm/readahead.c
 */
#ifndef READAHEAD_PICTURE_H
#define READAHEAD_PICTURE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "engine.h"

#define PICTURE_WIDTH	72	/* columns: fits a changelog, indented too */
#define PICTURE_LINES	64	/* windows drawn; what is in the middle goes */
#define PICTURE_MARKS	2	/* a second mark is a fault, and worth seeing */

/* What made an entry; the letter is printed. */
enum picture_kind {
	PICTURE_SYNC = 's',	/* page_cache_sync_ra() */
	PICTURE_ASYNC = 'a',	/* page_cache_async_ra() */
	PICTURE_MMAP = 'm',	/* a fault that called page_cache_ra_order() */
	PICTURE_FORCED = 'f',	/* force_page_cache_ra() from outside */
	PICTURE_READ = 'r',	/* ->read_folio(): readahead missed */
	PICTURE_CACHED = 'c',	/* put into the cache without being read */
};

/* Pages that the device has read. */
struct picture_run {
	uint64_t start, nr;
};

struct picture_window {
	enum picture_kind kind;
	unsigned int file;
	bool ordered;			/* page_cache_ra_order() had a say */
	uint64_t index, req;		/* of the call */
	uint64_t start, size, async_size, order;
	uint64_t pages;			/* the device has read of it */
	unsigned int reads;		/* in so many requests */
	unsigned int folios[ENGINE_ORDERS];
	unsigned int marks;		/* folios marked PG_readahead */
	uint64_t mark[PICTURE_MARKS];
	unsigned int run, runs;		/* its part of picture.run */
	uint64_t before;		/* ra->size when the call came */
	bool recorded;			/* the three are valid */
	uint64_t ra_start, ra_size, ra_async;	/* ... and when it returned */
};

/* Takes events; all of them are kept. */
struct picture {
	unsigned int nr, room;
	struct picture_window *w;
	unsigned int nr_runs, room_runs;
	struct picture_run *run;

	/* for what the next event belongs to */
	bool open, called;
	bool expect;			/* page_cache_ra_unbounded() marks this */
	uint64_t mark;
	uint64_t size[ENGINE_FILES];	/* ra->size, as last recorded */
};

/**
 * struct picture_part - Windows that are drawn together.
 * @p: The picture that they are of.
 * @first: The first of them.
 * @nr: How many.
 * @from: First page of the scale.
 * @to: Page behind its last.
 */
struct picture_part {
	const struct picture *p;
	unsigned int first, nr;
	uint64_t from, to;
};

/* Column widths and scale: picture_fit() makes them. */
struct picture_layout {
	unsigned int lines;		/* at most; PICTURE_LINES */
	unsigned int mul, div;		/* columns, of so many pages */
	unsigned int tick;		/* columns from label to label */
	unsigned int cols;		/* of the drawing */
	int kind, start, pages, reads, folios, recorded;
};

/**
 * struct picture_period - What a stream comes to do again and again.
 * @first: The window that it starts with.
 * @nr: Windows that repeat.
 * @pages: That they advance by.
 */
struct picture_period {
	unsigned int first, nr;
	uint64_t pages;
};

/**
 * picture_init() - An empty picture.
 * @p: The picture; what was in it is not freed.
 */
void picture_init(struct picture *p);

/**
 * picture_free() - Free the windows of a picture, which is empty then.
 * @p: The picture.
 */
void picture_free(struct picture *p);

/**
 * picture_event() - Add an event.
 * @data: The picture.
 * @event: The event.
 *
 * A sim_event_fn.  Exits with 2 if there is no memory.
 */
void picture_event(void *data, const struct sim_event *event);

/**
 * picture_draw() - Draw windows to scale, one a line.
 * @p: The picture.
 * @out: Where to.
 * @title: Of the picture, one line.
 * @from: First page shown.
 * @to: Page behind the last, or 0 for as far as there are windows; with @from
 *	0 too, the scale starts at the first.
 *
 * Each line has on the left what made the window (picture_legend() has the
 * letters) and its first page; on the right the pages read, the folios that
 * entered the cache, as a sum of pages, and the ra->size left behind.  A window
 * is "|", then "=" for pages read, "." for those that are not and "#" for the
 * marked folio, and "|".  It has three columns even if it has fewer on the
 * scale: it starts where it should, but one that was cut to end on a boundary
 * ends there, unless it starts on a label.  "<" and ">" are in place of an end
 * that is beyond the scale, "||" is a call that led to no window.  "<" behind
 * the pages is for a window smaller than ra->size was before: it was cut, and
 * if ra->size is as small now, the next one ramps up from that.
 *
 * No line is longer than PICTURE_WIDTH.
 */
void picture_draw(const struct picture *p, FILE *out, const char *title,
		  uint64_t from, uint64_t to);

/**
 * picture_legend() - Explain the pictures, in two lines.
 * @out: Where to.
 */
void picture_legend(FILE *out);

/**
 * picture_fit() - Find one layout for several parts.
 * @l: Set.
 * @part: The parts.
 * @nr: How many.
 */
void picture_fit(struct picture_layout *l, const struct picture_part *part,
		 unsigned int nr);

/**
 * picture_part() - Draw a part, as picture_draw() does.
 * @l: The layout, of picture_fit() with this part.
 * @part: The part.
 * @out: Where to.
 * @title: One line.
 */
void picture_part(const struct picture_layout *l,
		  const struct picture_part *part, FILE *out,
		  const char *title);

/**
 * picture_list_header() - The comment above picture_list().
 * @out: Where to.
 */
void picture_list_header(FILE *out);

/**
 * picture_list() - The windows for programs, one a line, tab separated.
 * @p: The picture.
 * @out: Where to.
 * @name: First field of each line.
 * @from: First page.
 * @to: Page behind the last: windows that start in between are listed.
 */
void picture_list(const struct picture *p, FILE *out, const char *name,
		  uint64_t from, uint64_t to);

/**
 * picture_same() - Would two windows be drawn alike?
 * @p: A picture.
 * @i: A window of it.
 * @q: Another, or the same.
 * @j: A window of that.
 * @by: Pages that the second is to be further on.
 *
 * Return: True if they differ in nothing else than that.
 */
bool picture_same(const struct picture *p, unsigned int i,
		  const struct picture *q, unsigned int j, uint64_t by);

/**
 * picture_period() - Find the steady state.
 * @p: Of a sequential stream.
 * @eof: Pages of the file; windows that reach that are not looked at.
 * @period: Set.
 *
 * The windows from @period->first on repeat every @period->nr, each time
 * @period->pages further, until the end of the file, and do so at least three
 * times.  Of the possible ones it is that which is complete first.
 *
 * Return: True if there is one.
 */
bool picture_period(const struct picture *p, uint64_t eof,
		    struct picture_period *period);

/**
 * picture_tests() - Compare drawings with known ones.
 *
 * Return: The number of failures; each prints a message.
 */
int picture_tests(void);

#endif
