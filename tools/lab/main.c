// SPDX-License-Identifier: GPL-2.0
/*
 * lab - re-runs the numbers that mails and changelogs state
 *
 * Called by the Makefile, which documents what users set.  Exit status: 0, all
 * promises hold; 1, one does not, or is void; 2, wrong input or a host that
 * cannot run it.
 *
 * lab stats FILE prints the verdict on each row of measured times in a file of
 * the form that stats-file.h tells.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "claim.h"
#include "cmd.h"
#include "util.h"

int cmd_list(int argc, char **argv)
{
	struct claims all = { NULL, 0 };
	char size[24];
	int i;

	if (argc < 2)
		die("list: wants the directory of the claims");
	claims_read(&all, argv[1]);
	if (argc > 2)
		claims_select(&all, getenv("BASE") ? getenv("BASE") : "7.3",
			      NULL, NR_ENGINES, argv + 2, argc - 2);
	for (i = 0; i < all.nr; i++) {
		const struct claim *c = all.claim[i];

		print_size(size, sizeof(size), c->file);
		if (!claim_has_disk(c)) {
			printf("%-9s %-4s %5s, huge=%s, %s: %s\n", c->id, c->fs,
			       size, huge_name(c->huge),
			       content_name(c->content), c->title);
			continue;
		}
		printf("%-9s %-4s %5s, %s%sdevice limit %4u, max_sectors_kb %4u, ra %4u: %s\n",
		       c->id, c->fs, size, c->model ? c->model->name : "",
		       c->model ? ", " : "", 4U << c->mdts, c->max_sectors_kb,
		       c->read_ahead_kb, c->title);
	}
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(int argc, char **argv);
	} cmds[] = {
		{ "changelog", cmd_changelog },
		{ "exec", cmd_exec },
		{ "get", cmd_get },
		{ "list", cmd_list },
		{ "pipeline", cmd_pipeline },
		{ "progress", cmd_progress },
		{ "report", cmd_report },
		{ "run", cmd_run },
		{ "sim", cmd_sim },
		{ "stats", cmd_stats },
		{ "table", cmd_table },
		{ "windows", cmd_windows },
	};
	unsigned int i;
	int ret;

	for (i = 0; argc > 1 && i < ARRAY_SIZE(cmds); i++) {
		if (strcmp(argv[1], cmds[i].name))
			continue;
		ret = cmds[i].run(argc - 1, argv + 1);
		/* what did not get to the reader has not gone well */
		if (fflush(stdout) || ferror(stdout))
			die("standard output: not all of it could be written");
		return ret;
	}
	die("usage: lab changelog|exec|get|list|pipeline FILE.trace|progress|report|run|sim|stats FILE|table|windows ...");
}
