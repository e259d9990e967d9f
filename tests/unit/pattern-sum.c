// SPDX-License-Identifier: GPL-2.0
/*
 * pattern-sum START END - the checksum of a range of the measured file
 *
 * Adds up the words one by one, where tools/lab uses the closed form.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "pattern.h"

int main(int argc, char **argv)
{
	uint64_t i, end, sum = 0;

	if (argc != 3)
		return 2;
	end = strtoull(argv[2], NULL, 0) / 8;
	for (i = strtoull(argv[1], NULL, 0) / 8; i < end; i++)
		sum += pattern_word(i, 0x6d6d2d7265616421ULL);
	printf("%016" PRIx64 "\n", sum);
	return 0;
}
