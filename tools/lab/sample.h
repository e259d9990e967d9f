/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sample.h - what one pass in one boot measured
 */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "claim.h"

#define NR_ORDERS	16

/* The records that a pass cannot do without, each to be there once */
enum record {
	REC_COLD, REC_PIECES, REC_STAT, REC_DATA, REC_SENT, REC_META,
	REC_RESIDENT, REC_READ, REC_TIME, NR_RECORDS
};

struct sample {
	char *claim;			/* id */
	bool done;			/* the guest carried the pass out */
	char *bad;			/* why it counts for nothing, or NULL */

	unsigned int seen;		/* bits by enum record */
	char settings[256];		/* as read back: " NAME=VALUE ..." */

	/* as reported */
	uint64_t reads, merges, sectors;	/* device's own counters */
	uint64_t data, data_sectors;	/* reads of the file's data, as submitted */
	uint64_t sent;			/* requests that the device got for them: */
					/* how many depends on memory, too */
	uint64_t meta, meta_sectors;	/* requests for anything else */
	uint64_t folios[NR_ORDERS];	/* of the file, by order */
	uint64_t windows, sync;		/* page_cache_ra_order(), _sync_ra() */
	uint64_t trace;			/* trace_add() over its lines */
	uint64_t requests;		/* and over those of reads, "d", alone */
	bool untraced;			/* there are no others: no windows, sync */
	uint64_t cold;			/* pages of the file cached before */
	uint64_t resident;		/* and after */
	uint64_t pieces;		/* of the file on the device */
	uint64_t bytes, sum;		/* what the reader got */
	uint64_t ns;			/* guest time: report-only without KVM */

	/* in model and native time: ns is of a second run, which has these */
	bool timed;
	uint64_t timed_passes;		/* ns is the quickest */
	uint64_t timed_bytes, timed_reads, timed_sectors;
	uint64_t below;			/* reads of null_blk, of which it is made */
};

/**
 * trace_add() - Add a line to the hash of a trace.
 * @trace: The hash so far, 0 for none.
 * @line: What readahead decided, or a read of file data: a line of the report
 *	that starts with w, u, s, a or d; without the line end.
 *
 * Metadata is left out: where it lies is not readahead's affair.  FNV-1a, 64
 * bits: equal hashes are equal decisions and equal reads, in order.
 *
 * Return: The hash with the line.
 */
uint64_t trace_add(uint64_t trace, const char *line);

/* Returns -1 for what the kernel could not tell. */
int64_t sample_value(const struct sample *s, enum metric m);

/*
 * Same work, same counts?  Returns the name of the first that differs, or NULL.
 * What the block layer makes of the reads by where their folios lie in memory is
 * not among them: @reads, @merges, @sent.
 */
const char *sample_differs(const struct sample *a, const struct sample *b);

#endif
