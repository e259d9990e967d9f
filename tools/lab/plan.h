/* SPDX-License-Identifier: GPL-2.0 */
/*
 * plan.h - which claims share a guest, and what that guest is told to do
 *
 * A guest has one file system with one file on one device, so claims with the
 * same fs, file and mdts go together; tmpfs has no device, and is made anew
 * for every pass.  In model time a claim has a guest of its own: what ran before
 * it there, if only to fill the slabs, would be in its nanoseconds.
 *
 * The plan is lines for qemu/guest/init.c, which carries them out in order:
 *
 *   seed HEX			of the file's content, see pattern.h
 *   fio-device SERIAL		the disk that holds fio
 *   device SERIAL		the disk to measure on
 *   model loop|plain MDTS MIB NS MBPS DEPTH [SPREAD]
 *				make one instead: null_blk, behind nvme-loop or
 *				not
 *   image			write the file system of /image to it
 *   timed [MS ms]		from here on each pass is run a second time, for
 *				its time; over and over until MS are gone, and
 *				the quickest counts
 *   pipeline			and once more, for its pipeline
 *   pad PAGES			of a file before the measured one
 *   fs TYPE			how to mount it
 *   file BYTES			make the file; on tmpfs, only its size
 *   pass ID			begin a pass: what goes wrong in it, up to "go",
 *				voids it, and the next one runs
 *   trace KIB			of memory, for what is traced in it
 *   tmpfs HUGE CONTENT		make it and its file, read both back
 *   queue NAME VALUE		write a queue setting, read it back
 *   expect-queue NAME VALUE	only read it back
 *   op STEP			keep a step of the workload
 *   go				mount, run the steps, report, unmount
 *
 * or, from "lab exec":
 *
 *   quiet TEXT			what the kernel says that begins so is no warning; up to 4
 *   exec PROGRAM ARGUMENT...	run it; its exit status has to be 0
 */
#ifndef PLAN_H
#define PLAN_H

#include "claim.h"

struct group {
	bool timed;		/* in model or native time */
	bool native;		/* in native time */
	bool piped;		/* with a pass for the pipeline */
	const struct model *model;	/* NULL: QEMU's device, or none */
	const char *fs;		/* NULL: no disk, an empty plan */
	uint64_t file;
	unsigned int mdts;	/* 0: no disk to measure on */
	struct claim **claim;
	int nr;
	bool fio;		/* some claim needs it */
	char name[64];		/* "xfs-mdts7-512M", "tmpfs-512M" */
};

struct groups {
	struct group *group;
	int nr;
};

void plan_groups(struct groups *gs, const struct claims *all);

/*
 * What may differ from boot to boot of a guest in model time, and changes no
 * count: 0 of each but the memory is as good a boot as any other.
 */
struct boot {
	unsigned int perturb;	/* a word on the kernel's command line */
	unsigned int mb;	/* memory */
	unsigned int pad;	/* pages on the device before the file */
};

/* Natively a pass is repeated for so long: a tick of the host is 1 % of it */
#define NATIVE_MS	400

/* The modelled device: sparse, a file system of which little is not zeroes */
#define MODEL_DISK_MB	1024

/* The plan's text, to be freed. */
char *plan_text(const struct group *g, const struct boot *b, uint64_t seed);

#endif
