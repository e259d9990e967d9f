/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report.h - reads what qemu/guest/init.c wrote
 *
 * The report is lines of a keyword and values; PASS is the id of a pass, or
 * "-" between passes.
 *
 *   hello 1 RELEASE		first line; 1 is the version of this format
 *   at PASS WHAT		where the guest is
 *   pass PASS			a pass begins
 *   set PASS NAME ASKED GOT	a setting, read back
 *   cold PASS PAGES		of the file, cached before the pass; on tmpfs
 *				all that it has
 *   extent PASS LOGICAL PHYSICAL LENGTH	bytes
 *   pieces PASS COUNT		of the file on the device; 1 if contiguous, 0 if
 *				there is no device
 *   folio PASS ORDER COUNT	folios of the file that entered the page cache;
 *				on tmpfs, that are in it at the end
 *   stat PASS READS MERGES SECTORS	the device's counters over the pass
 *   w INDEX SIZE ASYNC ORDER	a window (page_cache_ra_order), pages
 *   u INDEX NR LOOKAHEAD	page_cache_ra_unbounded
 *   s INDEX REQ		page_cache_sync_ra
 *   a INDEX REQ		page_cache_async_ra
 *   d PAGE PAGES		a read of file data, as submitted: bios of one call that
 *				follow each other are one, up to max_sectors_kb
 *   m SECTOR SECTORS		a request for metadata
 *   untraced PASS		the kernel has no trace points of readahead: there are
 *				no lines of w, u, s and a
 *   data PASS READS SECTORS	the sum of d
 *   sent PASS REQUESTS		that the device got for these: more where a request
 *				would have more pieces in memory than it may
 *   meta PASS REQUESTS SECTORS	the sum of m
 *   resident PASS PAGES	of the file, cached after the pass; on tmpfs
 *				all that it has, by st_blocks
 *   read PASS BYTES SUM	what the reader got
 *   timed PASS TIMES BYTES READS SECTORS BELOW	in model and native time, of the
 *				timed run: how often it ran, what the reader got
 *				each time, the device's counters, and the reads of
 *				null_blk below it
 *   piped PASS NS		of the run for the pipeline, whose trace follows
 *   t LINE			as pipeline.h has them
 *   time PASS NS
 *   void PASS TEXT		it counts for nothing; "done" may be next
 *   done PASS
 *   out - TEXT			a line that a program printed
 *   kmsg LEVEL TEXT		said by the kernel at warning level or above, outside
 *				a pass; in one it is "void"
 *   error PASS TEXT		the guest gave up
 *   end LINES			last line
 */
#ifndef REPORT_H
#define REPORT_H

#include "sample.h"

struct report {
	char *release;		/* of the kernel; NULL if there is no hello */
	char *error;		/* what the guest gave up with, or NULL */
	char *warning;		/* first kernel message of that level, or NULL */
	bool complete;		/* "end" is there, with the right count */
	bool open;		/* it ends within the last pass */
	struct sample *samples;
	int nr;
};

/**
 * report_parse() - Read a report, whole or not.
 * @r: Filled in; report_free() frees it.
 * @text: The report; changed.
 *
 * Return: NULL, or why it is not understood, as a string to free.
 */
char *report_parse(struct report *r, char *text);

void report_free(struct report *r);

#endif
