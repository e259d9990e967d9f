/* SPDX-License-Identifier: GPL-2.0 */
/*
 * guest.h - starts a guest, watches over it, and names what became of it
 */
#ifndef GUEST_H
#define GUEST_H

#include <stdbool.h>
#include <sys/types.h>

enum outcome {
	GUEST_RUNNING,
	GUEST_OK,	/* agreed exit code and a complete report */
	GUEST_QEMU,	/* QEMU itself refused to run */
	GUEST_SILENT,	/* nothing on the console within silent_s */
	GUEST_PANIC,
	GUEST_OOPS,	/* oops, BUG, or a fault in the kernel */
	GUEST_WARNING,	/* WARNING, or any message of that level */
	GUEST_HANG,	/* neither console nor report went on, see limits */
	GUEST_TIMEOUT,	/* total_s are over */
	GUEST_EARLY,	/* gone before it said hello */
	GUEST_TRUNCATED, /* gone, and the report has no end */
	GUEST_ERROR,	/* the guest's init gave up, and said why */
	GUEST_EXIT,	/* report complete, exit code wrong */
	NR_OUTCOMES
};

const char *outcome_name(enum outcome o);

/*
 * Exit code of QEMU when the guest has written 0x2a to isa-debug-exit, and of user
 * mode Linux when it has written as much to /proc/exitcode
 */
#define GUEST_EXIT_CODE	85

/*
 * How long a guest may take.  The first two are seconds that the guest had: what it
 * got of the host's processors while it wanted one, and all of the time while it
 * did not.  So a guest that waits for what never comes, or runs in a circle, is told
 * from one that a busy host keeps waiting.
 */
struct limits {
	double silent_s;	/* until the first character on the console */
	double hang_s;		/* since console or report last went on */
	double total_s;		/* wall clock, from start to exit */
};

struct guest {
	char *dir;		/* console, report, command, qemu.err */
	char **argv;
	struct limits limits;

	/* private */
	pid_t pid;
	double started, went_on, sign_at;
	double polled, had_s;	/* since console or report last grew, see limits */
	double cpu_s, cpu_then;	/* QEMU's processor time: now, and when they grew */
	long console_size, report_size;

	/* the result */
	enum outcome outcome;
	char *reason;		/* one line, NULL if all is well */
	int status;		/* exit code of QEMU, or 128 + signal */
	double wall_s;
	char at[64];		/* where it was last: "A1 read" */
};

/* What every kernel of QEMU is told */
#define GUEST_APPEND	"console=ttyS0 loglevel=7 panic=-1 panic_on_warn=1 oops=panic nokaslr tsc=reliable no_timer_check trace_clock=local"

/* and what every initrd holds, for the kernel's gen_init_cpio: init, plan */
#define GUEST_INITRD	"dir /dev 755 0 0\nnod /dev/console 600 0 0 c 5 1\ndir /proc 755 0 0\ndir /sys 755 0 0\nfile /init %s 755 0 0\nfile /plan %s 644 0 0\n"

struct machine {
	const char *qemu, *accel, *smp;
	const char *image;	/* directory of the kernel */
	unsigned int mb;
};

/* Adds an argument to the command; it is the guest's from now on. */
void guest_arg(struct guest *g, char *arg);

/**
 * guest_qemu() - Begin the command that runs a guest.
 * @g: dir is set, and will hold initrd, console and report; no argv yet.
 * @m: The machine.
 * @append: The kernel's command line; it is the guest's from now on.
 */
void guest_qemu(struct guest *g, const struct machine *m, char *append);

/**
 * guest_start() - Start QEMU.
 * @g: dir, argv and limits are set; dir exists.
 *
 * The child dies with its parent, whatever ends that.  The command line goes
 * to dir/command.
 */
void guest_start(struct guest *g);

/**
 * guest_poll() - Look after a guest; call this a few times a second.
 * @g: A guest that was started.
 *
 * Kills it when its console tells of a panic, an oops or a warning, or when
 * one of the limits is over.
 *
 * Return: true once it is gone and g->outcome is known.
 */
bool guest_poll(struct guest *g);

/* Kills it and waits. */
void guest_kill(struct guest *g);

/* Prints what failed, the console's tail, the command line, where the log is. */
void guest_explain(const struct guest *g);

#endif
