/* SPDX-License-Identifier: GPL-2.0 */
/*
 * claim.h - a claim: a number that a mail or a changelog states, with all it
 * takes to measure it again
 *
 * tests/claims/README says how the files are written.
 */
#ifndef CLAIM_H
#define CLAIM_H

#include <stdbool.h>
#include <stdint.h>

/* What a pass is judged by; the names are those of metric_name(). */
enum metric {
	METRIC_READS,	/* reads completed by the device, metadata included */
	METRIC_DATA,	/* of these, reads of the file's data */
	METRIC_BYTES,	/* bytes of file data that the device read */
	METRIC_FOLIO,	/* mean size of the file's folios, in units of 0.1 KiB */
	METRIC_WINDOWS,	/* readahead windows, sync and async */
	METRIC_SYNC,	/* synchronous readahead: a reader found nothing */
	METRIC_NS,	/* time of the pass; not of the engine that counts */
	METRIC_INSN,	/* the same on tmpfs, for a page of 4 KiB: instructions */
	NR_METRICS
};

const char *metric_name(enum metric m);
/* Is it judged by statistics? */
bool is_time(enum metric m);
/* Returns NR_METRICS for a name that is none. */
enum metric metric_by_name(const char *name);

enum compare { CMP_LT, CMP_LE, CMP_GE, CMP_EQ };

const char *compare_name(enum compare c);
bool compare_holds(enum compare c, int64_t value, int64_t bound);

/*
 * What measures: device reads on QEMU's NVMe, or time on a modelled device.
 * Native is no engine of a claim, but another clock for one of the model engine:
 * that of a processor, in user mode Linux or under KVM.
 */
enum measured_by { ENGINE_COUNTS, ENGINE_MODEL, ENGINE_NATIVE, NR_ENGINES };

const char *engine_name(enum measured_by e);

/* What a time is, in these words wherever one is printed */
#define UML_TIME	"a processor's clock, in user mode Linux on a host with other work: report-only, not judged"
#define KVM_TIME	"a processor's clock, under KVM"
#define MODEL_TIME	"instructions plus modelled device latency, not wall-clock"

/* A device of the model engine: null_blk with these settings */
struct model {
	const char *name;
	unsigned int latency_ns;	/* of each request, from a timer of its own */
	unsigned int mbps;		/* MiB/s, 0 for no limit */
	unsigned int depth;		/* requests at a time */
	unsigned int spread_ns;	/* up to so much more, by where it begins: out of order */
	const char *words;
};

/* Returns NULL for a name that is none. */
const struct model *model_by_name(const char *name);

/* The mount option of tmpfs; HUGE_NONE where there is no tmpfs */
enum huge { HUGE_NONE, HUGE_NEVER, HUGE_ALWAYS, HUGE_WITHIN_SIZE, HUGE_ADVISE, NR_HUGE };

/* How the file is made; all but CONTENT_WRITTEN read as zeroes */
enum content { CONTENT_WRITTEN, CONTENT_FALLOCATED, CONTENT_HOLE, NR_CONTENTS };

/* As claims and the guest have it */
const char *huge_name(enum huge h);
const char *content_name(enum content k);

/* Keys of the set-up that do not fit every file system */
enum setup_key {
	KEY_MDTS, KEY_MAX_SECTORS_KB, KEY_READ_AHEAD_KB,	/* of a disk */
	KEY_DEVICE,						/* of a modelled one */
	KEY_HUGE, KEY_CONTENT,					/* of tmpfs */
	NR_SETUP_KEYS
};

struct promise {
	enum metric metric;
	enum compare compare;
	bool stock;		/* the bound is what the base kernel measures */
	int64_t bound;		/* else this */
};

/* A step of the workload, as a line of the guest's plan */
struct op {
	char *line;
	bool fio;
	uint64_t bytes;		/* that the reader gets */
	uint64_t start, end;	/* range of the file that it covers, or */
	uint64_t *offsets;	/* where each of its reads begins */
	int nr_offsets;
	unsigned int times;	/* over again; bytes has all of them */
};

#define MAX_PROMISES	8
#define MAX_OPS		16

struct claim {
	char *id;
	char *path;		/* where it is written, for messages */
	int line;
	char *base;		/* folder of patches/ that it is about, */
	char *topic;		/* and the folder in that */
	char *where;		/* the mail or patch that states it */
	char *title;
	char *note;

	/* the set-up */
	enum measured_by engine;
	const struct model *model;	/* of the model engine, else NULL */
	char *fs;		/* xfs, ext4 or tmpfs; raw: no file system */
	uint64_t file;		/* bytes */
	enum huge huge;
	enum content content;
	unsigned int mdts;	/* of the device: largest transfer is 4 KiB << mdts */
	unsigned int read_ahead_kb;
	unsigned int max_sectors_kb;
	int key_line[NR_SETUP_KEYS];	/* where it is written; 0: nowhere */

	/* the workload */
	char *workload;		/* as written */
	struct op ops[MAX_OPS];
	int nr_ops;

	/* what was said of it; -1 where nothing was */
	int64_t posted_before[NR_METRICS], posted_after[NR_METRICS];
	char *posted_text;	/* said in words: "time unchanged" */
	int64_t stock[NR_METRICS];	/* known of the stock kernel, exactly */
	int64_t rival[NR_METRICS];	/* known of the posted policy, exactly */

	/* what this quilt promises */
	struct promise promises[MAX_PROMISES];
	int nr_promises;
};

/* tmpfs has none: no device, no queue, nothing to be cold */
bool claim_has_disk(const struct claim *c);

struct claims {
	struct claim **claim;
	int nr;
};

/**
 * claims_read() - Read one file, or every file of a directory by name.
 * @all: The claims are added to it, in order.
 * @path: The file or directory.
 *
 * Exits with a line that names file, line and what was expected there if
 * anything is wrong, or if an id stands twice.
 */
void claims_read(struct claims *all, const char *path);

/**
 * claims_select() - Keep those that the user named.
 * @all: The claims; those not named are dropped from it.
 * @base: Only claims about this base.
 * @topic: Only claims of this topic; NULL for any.
 * @engine: Only claims of this engine; NR_ENGINES for any.
 * @ids: Names, or shell patterns; none keeps all.
 * @nr: How many.
 *
 * Exits with a line if a name fits no claim.
 */
void claims_select(struct claims *all, const char *base, const char *topic,
		   enum measured_by engine, char **ids, int nr);

#endif
