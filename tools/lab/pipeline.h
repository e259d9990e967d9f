/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pipeline.h - when a window is sent, when it lands, when the reader waits
 *
 * What goes in is the text of /sys/kernel/tracing/trace, with these events
 *
 *   readahead:*  filemap:mm_filemap_get_pages, _fault, _map_pages
 *   block:block_bio_queue, _rq_issue, _rq_complete
 *   sched:sched_switch, sched_waking
 *
 * and with lines about the file, before its first event:
 *
 *   #pipeline title TEXT
 *   #pipeline dev MAJOR:MINOR	of the disk that is read
 *   #pipeline ino NUMBER
 *   #pipeline extent LOGICAL PHYSICAL LENGTH	bytes, as FIEMAP has them
 *   #pipeline ns TRACED UNTRACED	optional: of the pass, and without tracing
 *
 * A timestamp is seconds with a fraction, or a whole number of nanoseconds.  The
 * scheduler's events are there since filemap's do not tell when a reader goes to
 * sleep: what it copies lies between.  Without them there are no waits.
 */
#ifndef PIPELINE_H
#define PIPELINE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A moment that did not come */
#define NEVER	UINT64_MAX

struct pipeline_window {
	char kind;		/* s: sync, a: async, f: forced, by advice */
	uint64_t start, nr;	/* pages */
	uint64_t decided;	/* ns, as all that follow */
	bool uptodate;		/* async: the folio it was set off on was there */
	uint64_t queued;	/* its first bio */
	uint64_t first, last;	/* of its requests, sent to the device */
	uint64_t done;		/* all of it */
	uint64_t used;		/* first read that begins in it, or waited for it */
	uint64_t waited;	/* by the reader, for it */
	unsigned int requests;
};

struct pipeline_request {
	uint64_t sector, nr;	/* on the device */
	int64_t page;		/* of the file; -1: other data, or metadata */
	uint64_t issued, done;
	int window;		/* that its first page is of; or -1 */
};

struct pipeline_wait {
	uint64_t from, to;
	int window;		/* or -1: for none of them */
};

struct pipeline_extent {
	uint64_t logical, physical, length;
};

struct pipeline_event {
	uint64_t at;
	char *text;		/* "readahead decided ..." as the kernel has it */
	char *task;
};

/* A task that reads the file */
#define PIPELINE_READERS	16

struct pipeline_reader {
	int pid;
	bool asleep, io;	/* woken by what completes requests */
	uint64_t since;
	int woken;		/* by a request of this window; or -1 */
};

struct pipeline {
	char *title;
	unsigned int major, minor;
	uint64_t ino;
	uint64_t traced_ns, untraced_ns;
	struct pipeline_extent *extent;
	int nr_extents;

	struct pipeline_window *window;
	struct pipeline_request *request;
	struct pipeline_wait *wait;
	struct pipeline_event *event;
	int nr_windows, nr_requests, nr_waits, nr_events;

	/* what follows is computed over the time from the first decision to the
	 * last completion: that the reader has something to ask for
	 */
	uint64_t from, to;
	uint64_t waited;	/* by the reader, in all */
	uint64_t idle;		/* the device had nothing */
	uint64_t idle_waited;	/* of that, while the reader waited */
	uint64_t busy;		/* sum of the requests' times on the device */
	int depth;		/* most requests at a time */

	/* while it is read */
	uint64_t pages;
	int32_t *page_window;
	bool *page_done;
	bool dev_known;
	struct pipeline_reader reader[PIPELINE_READERS];
	int nr_readers, last_done, open;
	char called;		/* s or a, the decision to come */
	bool uptodate;
	uint64_t called_at;
};

/**
 * pipeline_parse() - Read a trace and compute.
 * @p: Filled in; pipeline_free() frees it.
 * @text: The trace; changed.
 *
 * Return: NULL, or what is wrong with it, and where, as a string to free.
 */
char *pipeline_parse(struct pipeline *p, char *text);

/* A title and six lines */
void pipeline_print(const struct pipeline *p, FILE *out);

/* A row of a table, and the lines above it */
void pipeline_row(const struct pipeline *p, FILE *out);
void pipeline_head(FILE *out);

/* "TITLE WORDS NUMBER" a line, as fields of a changelog take them */
void pipeline_figures(const struct pipeline *p, FILE *out);

/* Chrome's trace JSON: chrome://tracing, Perfetto */
void pipeline_json(const struct pipeline *p, FILE *out);

/* A lane for the reader, one for each window, one for the device */
void pipeline_svg(const struct pipeline *p, FILE *out);

void pipeline_free(struct pipeline *p);

/**
 * pipeline_files() - Read NAME.trace, write NAME.json, .svg and .png beside it.
 * @p: Filled in.
 * @path: Its name, which ends in ".trace".
 *
 * Exits with a line if it cannot be read.  Without rsvg-convert there is no
 * .png, and a line says so.
 */
void pipeline_files(struct pipeline *p, const char *path);

#endif
