// SPDX-License-Identifier: GPL-2.0
/*
 * progress.c - how far a long step is, and how long it has left
 *
 * On a terminal one line is overwritten twice a second; elsewhere, in a log,
 * a line is written every half minute, and the last one always.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "util.h"

void progress(bool last, const char *fmt, ...)
{
	static double shown;
	bool tty = isatty(STDERR_FILENO);
	double t = now();
	va_list ap;

	if (!last && t - shown < (tty ? 0.5 : 30))
		return;
	shown = t;
	va_start(ap, fmt);
	if (tty)
		fputs("\r\033[K", stderr);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	if (!tty || last)
		fputc('\n', stderr);
	fflush(stderr);
}

/*
 * lab progress: passes a build's output to a log and counts its objects.
 * kbuild prints "  CC      mm/readahead.o" for each.
 */
int cmd_progress(int argc, char **argv)
{
	const char *title = "build", *path = NULL;
	long expect = 0, done = 0;
	char *line = NULL;
	size_t size = 0;
	double start = now();
	FILE *log;
	int i;

	for (i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--title"))
			title = argv[i + 1];
		else if (!strcmp(argv[i], "--expect"))
			expect = atol(argv[i + 1]);
		else if (!strcmp(argv[i], "--log"))
			path = argv[i + 1];
		else
			die("progress: unknown option %s", argv[i]);
	}
	if (i < argc || !path)
		die("progress: wants --log FILE, takes --title and --expect");
	log = fopen(path, "w");
	if (!log)
		die("%s: %s", path, strerror(errno));
	start = now();
	while (getline(&line, &size, stdin) > 0) {
		double t = now() - start;

		if (fputs(line, log) < 0)
			die("%s: %s", path, strerror(errno));
		if (strncmp(line, "  ", 2) || line[2] == ' ')
			continue;
		done++;
		if (expect > done && t > 5)
			progress(false, "%s: %ld of about %ld objects, %.0f s left",
				 title, done, expect,
				 t / done * (expect - done));
		else
			progress(false, "%s: %ld objects, %.0f s", title, done,
				 t);
	}
	if (fclose(log))
		die("%s: %s", path, strerror(errno));
	free(line);
	progress(true, "%s: %ld objects, %.0f s", title, done, now() - start);
	return 0;
}
