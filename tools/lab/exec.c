// SPDX-License-Identifier: GPL-2.0
/*
 * exec.c - run a program in a guest
 *
 * lab exec --image DIR --init FILE --out DIR [OPTION...] PROGRAM [ARGUMENT...]
 *
 * PROGRAM is a file of the host, a static one, and is /bin/NAME in the guest, as
 * are those of --file.  What it prints is printed as it comes.  All is well if it
 * ends with 0 and the guest comes to its end as guest.h tells; whatever the kernel
 * says at warning level is a failure, unless it begins with the text of a --quiet.
 * Console, report and command stay in the --out directory.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "guest.h"
#include "util.h"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void put_text(const char *path, char *text)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f))
		die("%s: %s", path, strerror(errno));
	free(text);
}

/* From *from on, the whole lines that the program printed */
static void print_new(const struct guest *g, size_t *from)
{
	char *path = xasprintf("%s/report", g->dir), *text, *line, *end;
	size_t len = 0;

	text = read_file(path, &len);
	free(path);
	if (!text)
		return;
	for (line = text + *from; line < text + len; line = end + 1) {
		end = memchr(line, '\n', text + len - line);
		if (!end)
			break;
		if (!strncmp(line, "out - ", 6))
			printf("%.*s\n", (int)(end - line - 6), line + 6);
		*from = end + 1 - text;
	}
	fflush(stdout);
	free(text);
}

static void make_initrd(const struct guest *g, const char *image,
			const char *init, const char *quiet, char **files,
			char **program)
{
	/* before the guest is taken for one that hangs */
	unsigned int say_s = g->limits.hang_s * 2 / 3;
	char *list = xasprintf("%s/initrd.list", g->dir);
	char *plan = xasprintf("%s/plan", g->dir), *text, *more;
	char *command;

	text = xasprintf("%ssilent %u\nexec %s", quiet, say_s > 0 ? say_s : 1,
			 base_name(*program));
	for (; program[1]; program++, text = more) {
		more = xasprintf("%s %s", text, program[1]);
		free(text);
	}
	more = xasprintf("%s\n", text);
	free(text);
	put_text(plan, more);

	text = xasprintf(GUEST_INITRD "dir /bin 755 0 0\n", init, plan);
	for (; *files; files++, text = more) {
		if (access(*files, R_OK))
			die("exec: %s: %s", *files, strerror(errno));
		more = xasprintf("%sfile /bin/%s %s 755 0 0\n", text,
				 base_name(*files), *files);
		free(text);
	}
	put_text(list, text);
	command = xasprintf("exec '%s/gen_init_cpio' '%s' >'%s/initrd'", image,
			    list, g->dir);
	if (system(command))
		die("exec: failed: %s", command);
	free(command);
	free(plan);
	free(list);
}

int cmd_exec(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "accel",  required_argument, NULL, 'a' },
		{ "append", required_argument, NULL, 'A' },
		{ "file",   required_argument, NULL, 'f' },
		{ "image",  required_argument, NULL, 'i' },
		{ "init",   required_argument, NULL, 'I' },
		{ "limits", required_argument, NULL, 'l' },
		{ "mb",	    required_argument, NULL, 'm' },
		{ "out",    required_argument, NULL, 'o' },
		{ "qemu",   required_argument, NULL, 'q' },
		{ "quiet",  required_argument, NULL, 'Q' },
		{ "smp",    required_argument, NULL, 's' },
		{ NULL, 0, NULL, 0 }
	};
	struct machine m = {
		.qemu = "qemu-system-x86_64", .accel = "tcg", .mb = 1024,
		/* without ACPI only one processor of a socket is found */
		.smp = "2,sockets=2",
	};
	struct guest g = { .limits = { 60, 120, 600 } };
	const char *init = NULL, *append = "", *quiet = "";
	char *files[256], *path;
	int c, nr = 0;
	size_t from = 0;

	/* what follows PROGRAM is its own */
	while ((c = getopt_long(argc, argv, "+", longs, NULL)) != -1) {
		switch (c) {
		case 'a':
			m.accel = optarg;
			break;
		case 'A':
			append = xasprintf("%s %s", append, optarg);
			break;
		case 'f':
			if (nr == 254)
				die("exec: --file: expected at most 254");
			files[nr++] = optarg;
			break;
		case 'i':
			m.image = optarg;
			break;
		case 'I':
			init = optarg;
			break;
		case 'l':
			if (sscanf(optarg, "%lf,%lf,%lf", &g.limits.silent_s,
				   &g.limits.hang_s, &g.limits.total_s) != 3)
				die("--limits: expected SILENT,HANG,TOTAL in seconds, not %s",
				    optarg);
			break;
		case 'm':
			m.mb = atoi(optarg);
			if (m.mb < 64)
				die("--mb: expected MiB of memory, 64 or more, not %s",
				    optarg);
			break;
		case 'o':
			g.dir = optarg;
			break;
		case 'q':
			m.qemu = optarg;
			break;
		case 'Q':
			quiet = xasprintf("%squiet %s\n", quiet, optarg);
			break;
		case 's':
			m.smp = optarg;
			break;
		default:
			die("exec: the options are those that its source begins with");
		}
	}
	if (!m.image || !init || !g.dir || optind == argc)
		die("exec: wants --image DIR --init FILE --out DIR PROGRAM [ARGUMENT...]");
	files[nr++] = argv[optind];
	files[nr] = NULL;
	if (mkdir(g.dir, 0755) && errno != EEXIST)
		die("%s: %s", g.dir, strerror(errno));
	/* what an earlier run has left is not to be taken for ours */
	path = xasprintf("%s/report", g.dir);
	unlink(path);
	free(path);
	make_initrd(&g, m.image, init, quiet, files, argv + optind);
	guest_qemu(&g, &m, xasprintf("%s %s", GUEST_APPEND, append));
	guest_start(&g);
	while (!guest_poll(&g)) {
		print_new(&g, &from);
		usleep(50000);
	}
	print_new(&g, &from);
	path = xasprintf("%s/initrd", g.dir);
	unlink(path);
	free(path);
	if (g.outcome == GUEST_OK)
		return 0;
	guest_explain(&g);
	return 1;
}
