/* SPDX-License-Identifier: GPL-2.0 */
/*
 * readahead.h - the subcommands of the program
 */
#ifndef READAHEAD_H
#define READAHEAD_H

#include <stdbool.h>

#include "engine.h"

/**
 * run_sweep() - Compare two engines over sequential passes.
 * @e: Two of them.
 * @jobs: Processes to share the work.
 * @every: One cell in so many, 1 for all.
 *
 * Return: 0; 1 if a cell of the second needs more reads or bytes; 2 for
 * trouble.
 */
int run_sweep(const struct engine **e, unsigned int jobs, unsigned int every);

/**
 * run_tests() - The tests, one after the other.
 * @e: The engine.
 * @unfixed: It is of a tree without the patches: fixed_* are to fail.
 *
 * Return: 0, or 1 if one did not end as it should.
 */
int run_tests(const struct engine *e, bool unfixed);

#endif
