// SPDX-License-Identifier: GPL-2.0
/*
 * shmem-each.c - run a program in a tmpfs of each huge= mode
 *
 * Run in a guest by "lab exec": shmem-each PROGRAM ARGUMENT..., with an empty tmpfs
 * as the working directory, and once more for each mode.  Says "ok" or "not ok" of
 * each, as TAP does, and exits with 1 if the program did not end with 0 in one of
 * them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define MNT		"/t"

static const char * const modes[] = { "never", "always", "within_size", "advise" };

static void must(int good, const char *what)
{
	if (good)
		return;
	printf("not ok - %s: %s\n", what, strerror(errno));
	exit(1);
}

int main(int argc, char **argv)
{
	size_t i, failed = 0, n = ARRAY_SIZE(modes);

	if (argc < 2) {
		fprintf(stderr, "usage: shmem-each PROGRAM ARGUMENT...\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	must(!mkdir(MNT, 0755), MNT);
	/* where programs expect shared memory and scratch files */
	mkdir("/dev/shm", 01777);
	mkdir("/tmp", 01777);
	for (i = 0; i < n; i++) {
		char options[64];
		int status, tries;
		pid_t pid;

		snprintf(options, sizeof(options), "size=512M,huge=%s", modes[i]);
		must(!mount("tmpfs", MNT, "tmpfs", 0, options), options);
		pid = fork();
		must(pid >= 0, "fork");
		if (!pid) {
			must(!chdir(MNT), MNT);
			execv(argv[1], argv + 1);
			must(0, argv[1]);
		}
		must(waitpid(pid, &status, 0) == pid, "wait");
		if (status)
			failed++;
		printf("%sok %zu - huge=%s", status ? "not " : "", i + 1, modes[i]);
		if (status)
			printf(": status %#x", status);
		putchar('\n');
		/* io_uring lets go of its files after its owner has gone */
		for (tries = 0; umount(MNT); tries++) {
			must(errno == EBUSY && tries < 100, "umount");
			usleep(100000);
		}
	}
	printf("1..%zu\n", n);
	return failed != 0;
}
