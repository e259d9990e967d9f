/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cmd.h - the subcommands of lab
 */
#ifndef CMD_H
#define CMD_H

int cmd_changelog(int argc, char **argv);
int cmd_exec(int argc, char **argv);
int cmd_get(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_pipeline(int argc, char **argv);
int cmd_progress(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_sim(int argc, char **argv);
int cmd_stats(int argc, char **argv);
int cmd_table(int argc, char **argv);
int cmd_windows(int argc, char **argv);

#endif
