/* SPDX-License-Identifier: GPL-2.0 */
/*
 * windows.h - the subcommand that draws the windows of a sequential pass
 */
#ifndef READAHEAD_WINDOWS_H
#define READAHEAD_WINDOWS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "engine.h"

/**
 * struct windows_options - A sequential pass, and what to show of it.
 * @first: Pages of the first read; 0 if it is like all others.
 * @request: Pages of each other read.
 * @ra: The file's ra_pages.
 * @io: The device's io_pages.
 * @start: Page that the first read begins at.
 * @file: Pages of the file.
 * @from: First page shown.
 * @to: Page behind the last; 0 for the interesting part.
 * @title: What is read, for @reads; one line.
 * @reads: Reads something else than a sequential pass; NULL for that.
 * @data: For @reads.
 * @lines: Most windows of an engine in one picture.
 * @list: Have picture_list() instead of pictures.
 */
struct windows_options {
	unsigned int first, request, ra, io;
	uint64_t start, file, from, to;
	const char *title;
	void (*reads)(const struct engine *e, struct sim *sim, void *data);
	void *data;
	unsigned int lines;
	bool list;
};

/* What a changelog is about: a 4 KiB read, then 1 MiB ones, of 512 MiB. */
#define WINDOWS_DEFAULT	{						\
	.first = 1, .request = 256, .ra = 32, .io = 128,		\
	.file = 131072, .lines = 32,					\
}

/**
 * windows() - Draw what each engine makes of a pass.
 * @e: The engines.
 * @nr: How many.
 * @name: What to call each.
 * @o: The pass.
 * @out: Where to.
 *
 * The interesting part is the first windows, those up to where all engines have
 * come to their steady state, and one period of that.  If engines start alike,
 * what they share is drawn once.
 *
 * Return: 0, or 1 if a rule of the kernel's was broken.
 */
int windows(const struct engine **e, unsigned int nr, const char * const *name,
	    const struct windows_options *o, FILE *out);

/**
 * windows_main() - The subcommand.
 * @argc: Arguments, with the subcommand's name the first.
 * @argv: They.
 *
 * Return: As windows(), or 2 for wrong arguments, which are explained.
 */
int windows_main(int argc, char **argv);

#endif
