// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz.c - libFuzzer's way into check.c
 *
 * Prints the shortest sequence like the one that broke a rule, with the
 * windows that it led to, and stops.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *why;
	uint8_t *copy;

	if (!check_run(&readahead_engine, data, size, &why))
		return 0;
	printf("a rule is broken: %s\nthe shortest sequence like it:\n", why);
	copy = malloc(size);
	if (copy) {
		memcpy(copy, data, size);
		size = check_shrink(&readahead_engine, copy, size);
		check_print(&readahead_engine, copy, size);
	}
	fflush(stdout);
	abort();
}
