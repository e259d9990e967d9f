/* SPDX-License-Identifier: GPL-2.0 */
/*
 * batch.h - buffered reads, many to a system call
 */
#ifndef BATCH_H
#define BATCH_H

#include <stddef.h>
#include <stdint.h>

#define BATCH_MAX	64

/* A range, by reads of bs bytes, nr of them to a call, each call waited for */
struct batch {
	int fd;
	unsigned int nr;
	uint64_t start, end;
	size_t bs;
	char *buf;		/* nr * bs */
	void (*take)(const void *data, size_t len, uint64_t pos);
};

/* Both return NULL, or what failed; errno says why. */
const char *batch_uring(const struct batch *b);
const char *batch_aio(const struct batch *b);

#endif
