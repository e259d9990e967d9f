/* SPDX-License-Identifier: GPL-2.0 */
/*
 * check.h - what must hold whatever is read, and how
 *
 * A sequence is a few bytes for the set-up and then four bytes a step, so that
 * a fuzzer, a random generator and a file can all say one.  Every sequence of
 * bytes is a sequence of steps; what it lacks at the end is zero.
 */
#ifndef READAHEAD_CHECK_H
#define READAHEAD_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "engine.h"

#define CHECK_HEADER	12	/* bytes of set-up */
#define CHECK_STEP	4	/* bytes of a step */
#define CHECK_STEPS	64	/* at most; what follows is not looked at */

/**
 * check_run() - Carry a sequence out, and see that the rules hold.
 * @e: The engine.
 * @data: The sequence.
 * @size: Its bytes.
 * @why: Set to what is broken, a static buffer.
 *
 * The rules: nothing is read beyond the end of the file; no page is read twice
 * without eviction; every read() returns all that there is; the marker lies
 * inside its window, or there is none; async_size <= size; no window is above
 * the largest allowed so far, unless MADV_HUGEPAGE asked for it; nothing
 * underflows when the file system shrinks the window; a sequential reader
 * always has a marker before it, or the end of the file in the cache.
 *
 * Return: 0 if all hold, else 1.
 */
int check_run(const struct engine *e, const uint8_t *data, size_t size,
	      const char **why);

/**
 * check_shrink() - Make a sequence that breaks a rule as short as it gets.
 * @e: The engine.
 * @data: The sequence, changed in place.
 * @size: Its bytes.
 *
 * Takes out steps and lowers values for as long as a rule is still broken.
 *
 * Return: The bytes of what is left.
 */
size_t check_shrink(const struct engine *e, uint8_t *data, size_t size);

/* Prints the set-up, each step, and the windows that it led to. */
void check_print(const struct engine *e, const uint8_t *data, size_t size);

/**
 * check_random() - Random sequences.
 * @e: The engine.
 * @seed: Of the generator; the same gives the same sequences.
 * @count: How many.
 *
 * Stops at the first that breaks a rule, and prints the shortest like it.
 *
 * Return: 0, or 1 if a rule was broken.
 */
int check_random(const struct engine *e, uint64_t seed, uint64_t count);

#endif
