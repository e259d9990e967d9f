// SPDX-License-Identifier: GPL-2.0
/*
 * readahead - mm/readahead.c in user space: tests, sweeps, pictures
 *
 * Exit status: 0, all is as it should be; 1, something is not; 2, wrong
 * arguments or no memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "load.h"
#include "picture.h"
#include "readahead.h"
#include "windows.h"

static void help(void)
{
	fputs("usage: readahead test -e ENGINE [--unfixed]\n"
	      "       readahead check -e ENGINE [--seed N] [--count N]\n"
	      "       readahead sweep -e BASE -e PATCHED [--every N] [--jobs N]\n"
	      "       readahead windows ...\n"
	      "\n"
	      "test     the tests; --unfixed: those called fixed_* are to fail\n"
	      "check    random sequences of reads, against rules that always hold\n"
	      "         (100000 of seed 1)\n"
	      "sweep    sequential passes of every shape: does PATCHED lose anywhere?\n"
	      "         (one cell in 7, a process a processor)\n"
	      "windows  draws windows; \"readahead windows -h\" tells how\n"
	      "\n"
	      "ENGINE is an engine.so, made from a kernel tree by \"make KDIR=...\".\n",
	      stderr);
	exit(2);
}

static unsigned long get_number(const char *name, const char *text)
{
	char *end;
	unsigned long v = strtoul(text, &end, 10);

	if (!*text || *end || *text == '-') {
		fprintf(stderr, "readahead: %s: expected a number, not \"%s\"\n",
			name, text);
		exit(2);
	}
	return v;
}

int main(int argc, char **argv)
{
	unsigned long seed = 1, count = 100000, every = 7;
	unsigned long jobs = sysconf(_SC_NPROCESSORS_ONLN);
	const struct engine *e[2];
	bool unfixed = false;
	const char *cmd;
	int i, nr = 0;

	if (argc < 2)
		help();
	cmd = argv[1];
	if (!strcmp(cmd, "windows"))
		return windows_main(argc - 1, argv + 1);
	for (i = 2; i < argc; i++) {
		const char *opt = argv[i];

		if (!strcmp(opt, "--unfixed")) {
			unfixed = true;
			continue;
		}
		if (++i == argc)
			help();
		if (!strcmp(opt, "-e")) {
			if (nr == 2)
				help();
			e[nr++] = engine_load(argv[i]);
		} else if (!strcmp(opt, "--seed")) {
			seed = get_number(opt, argv[i]);
		} else if (!strcmp(opt, "--count")) {
			count = get_number(opt, argv[i]);
		} else if (!strcmp(opt, "--every")) {
			every = get_number(opt, argv[i]);
		} else if (!strcmp(opt, "--jobs")) {
			jobs = get_number(opt, argv[i]);
		} else {
			help();
		}
	}
	if (!every || !jobs || jobs > 1024) {
		fprintf(stderr, "readahead: --every and --jobs: expected 1 or more\n");
		return 2;
	}
	if (!strcmp(cmd, "test") && nr == 1)
		return run_tests(e[0], unfixed) | !!picture_tests();
	if (!strcmp(cmd, "check") && nr == 1)
		return check_random(e[0], seed, count);
	if (!strcmp(cmd, "sweep") && nr == 2)
		return run_sweep(e, jobs, every);
	help();
}
