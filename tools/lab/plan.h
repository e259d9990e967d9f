/* SPDX-License-Identifier: GPL-2.0 */
/*
 * plan.h - which claims share a guest, and what that guest is told to do
 *
 * A guest has one file system with one file on one device, so claims with the
 * same fs, file and mdts go together; tmpfs has no device, and is made anew
 * for every pass.  The plan is lines for qemu/guest/init.c, which carries them
 * out in order:
 *
 *   seed HEX			of the file's content, see pattern.h
 *   fio-device SERIAL		the disk that holds fio
 *   device SERIAL		the disk to measure on
 *   fs TYPE			how to mount it
 *   file BYTES			make the file; on tmpfs, only its size
 *   pass ID			begin a pass
 *   tmpfs HUGE CONTENT		make it and its file, read both back
 *   queue NAME VALUE		write a queue setting, read it back
 *   expect-queue NAME VALUE	only read it back
 *   op STEP			keep a step of the workload
 *   go				mount, run the steps, report, unmount
 */
#ifndef PLAN_H
#define PLAN_H

#include "claim.h"

struct group {
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

/* The plan's text, to be freed. */
char *plan_text(const struct group *g, uint64_t seed);

#endif
