// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"
#include "report.h"
#include "util.h"

static const char * const outcome_names[NR_OUTCOMES] = {
	[GUEST_RUNNING]	  = "running",
	[GUEST_OK]	  = "ok",
	[GUEST_QEMU]	  = "QEMU failed",
	[GUEST_SILENT]	  = "no console output",
	[GUEST_PANIC]	  = "panic",
	[GUEST_OOPS]	  = "oops",
	[GUEST_WARNING]	  = "kernel warning",
	[GUEST_HANG]	  = "hang",
	[GUEST_TIMEOUT]	  = "time limit",
	[GUEST_EARLY]	  = "died before its plan",
	[GUEST_TRUNCATED] = "truncated report",
	[GUEST_ERROR]	  = "guest error",
	[GUEST_EXIT]	  = "wrong exit code",
};

const char *outcome_name(enum outcome o)
{
	return outcome_names[o];
}

static char *in_dir(const struct guest *g, const char *name)
{
	return xasprintf("%s/%s", g->dir, name);
}

void guest_arg(struct guest *g, char *arg)
{
	int n = 0;

	while (g->argv && g->argv[n])
		n++;
	g->argv = xrealloc(g->argv, (n + 2) * sizeof(*g->argv));
	g->argv[n] = arg;
	g->argv[n + 1] = NULL;
}

void guest_qemu(struct guest *g, const struct machine *m, char *append)
{
#define ARG(...) guest_arg(g, xasprintf(__VA_ARGS__))
	ARG("%s", m->qemu);
	ARG("-nodefaults");
	ARG("-no-user-config");
	ARG("-no-reboot");
	ARG("-display");
	ARG("none");
	ARG("-machine");
	ARG("pc");
	ARG("-accel");
	ARG("%s", m->accel);
	ARG("-cpu");
	ARG("%s", strcmp(m->accel, "kvm") ? "qemu64" : "host");
	ARG("-smp");
	ARG("%s", m->smp);
	ARG("-m");
	ARG("%u", m->mb);
	ARG("-kernel");
	ARG("%s/vmlinux", m->image);
	ARG("-initrd");
	ARG("%s/initrd", g->dir);
	ARG("-append");
	guest_arg(g, append);
	ARG("-serial");
	ARG("file:%s/console", g->dir);
	ARG("-device");
	ARG("isa-debug-exit,iobase=0xf4,iosize=4");
	ARG("-device");
	/*
	 * Without ioeventfd a write is in the file before the guest's next
	 * instruction, so nothing of the report is lost when it exits.
	 */
	ARG("virtio-serial-pci,ioeventfd=off");
	ARG("-chardev");
	ARG("file,id=report,path=%s/report", g->dir);
	ARG("-device");
	ARG("virtserialport,chardev=report,name=report");
#undef ARG
}

/* The command as a shell takes it, for running the guest by hand */
static void write_command(const struct guest *g)
{
	char *path = in_dir(g, "command");
	FILE *f = fopen(path, "w");
	int i;

	if (!f)
		die("%s: %s", path, strerror(errno));
	for (i = 0; g->argv[i]; i++) {
		const char *a = g->argv[i];
		bool plain = !a[strcspn(a, " '\"$\\;&|<>()")];

		fprintf(f, plain ? "%s%s" : "%s'%s'", i ? " " : "", a);
	}
	fputc('\n', f);
	if (fclose(f))
		die("%s: %s", path, strerror(errno));
	free(path);
}

void guest_start(struct guest *g)
{
	char *err = in_dir(g, "qemu.err");
	pid_t parent = getpid();

	write_command(g);
	g->started = now();
	g->went_on = g->started;
	g->polled = g->started;
	g->had_s = 0;
	g->cpu_s = 0;
	g->cpu_then = 0;
	g->console_size = 0;
	g->report_size = 0;
	g->sign_at = 0;
	g->outcome = GUEST_RUNNING;
	strcpy(g->at, "boot");
	fflush(NULL);
	g->pid = fork();
	if (g->pid < 0)
		die("fork: %s", strerror(errno));
	if (!g->pid) {
		int in = open("/dev/null", O_RDONLY);
		int out = open(err, O_WRONLY | O_CREAT | O_TRUNC, 0644);

		/* no stray QEMU: it goes with us even on SIGKILL */
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
			_exit(127);
		/* Ctrl-C is for the supervisor to handle */
		setpgid(0, 0);
		if (in < 0 || out < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 ||
		    dup2(out, 2) < 0)
			_exit(127);
		execvp(g->argv[0], g->argv);
		fprintf(stderr, "%s: %s\n", g->argv[0], strerror(errno));
		_exit(127);
	}
	free(err);
}

static void set_outcome(struct guest *g, enum outcome o, char *reason)
{
	if (g->outcome != GUEST_RUNNING) {
		free(reason);
		return;
	}
	g->outcome = o;
	g->reason = reason;
}

/* The line that text stands in, cut to a readable length */
static char *line_at(const char *from, const char *text)
{
	const char *start = text;

	while (start > from && start[-1] != '\n')
		start--;
	return xasprintf("%.*s", (int)(strcspn(start, "\r\n") > 160 ? 160 :
				       strcspn(start, "\r\n")), start);
}

/*
 * Told by the console alone: exit codes do not tell (QEMU exits with 0 after a
 * panic with panic=-1 -no-reboot).  The first sign in the text is the one that
 * began it: a warning is followed by the panic that panic_on_warn makes.
 */
static const char *console_sign(const char *console, enum outcome *o)
{
	static const struct {
		const char *text;
		enum outcome outcome;
	} signs[] = {
		{ "Kernel panic - not syncing", GUEST_PANIC },
		{ "Oops: ", GUEST_OOPS },
		{ "BUG: ", GUEST_OOPS },
		{ "kernel BUG at", GUEST_OOPS },
		{ "general protection fault", GUEST_OOPS },
		{ "Unable to handle kernel", GUEST_OOPS },
		{ "WARNING: ", GUEST_WARNING },
		{ "INFO: rcu", GUEST_WARNING },
		{ "INFO: task ", GUEST_WARNING },
		{ "I/O error", GUEST_WARNING },
	};
	const char *first = NULL;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(signs); i++) {
		const char *p = strstr(console, signs[i].text);

		if (p && (!first || p < first)) {
			first = p;
			if (o)
				*o = signs[i].outcome;
		}
	}
	return first;
}

static void judge_console(struct guest *g, const char *console)
{
	enum outcome o;
	const char *sign = console_sign(console, &o);

	if (sign)
		set_outcome(g, o, line_at(console, sign));
}

/* Has a file grown?  Its new size is noted. */
static bool grown(const struct guest *g, const char *name, long *size)
{
	char *path = in_dir(g, name);
	struct stat st;
	bool more = !stat(path, &st) && st.st_size > *size;

	if (more)
		*size = st.st_size;
	free(path);
	return more;
}

static char *slurp(const struct guest *g, const char *name)
{
	char *path = in_dir(g, name);
	size_t len = 0, i;
	char *text = read_file(path, &len);

	free(path);
	/* what comes behind a NUL counts, too */
	for (i = 0; i < len; i++)
		if (!text[i])
			text[i] = '?';
	return text ? text : xstrdup("");
}

/* In seconds; see proc_pid_stat(5) */
static double cpu_time(const struct guest *g)
{
	char *path = xasprintf("/proc/%d/stat", (int)g->pid), *p;
	unsigned long user = 0, system = 0;
	char *text = read_file(path, NULL);

	/* behind the program's name, which may have anything in it */
	p = text ? strrchr(text, ')') : NULL;
	if (p)
		sscanf(p, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
		       &user, &system);
	free(text);
	free(path);
	return (double)(user + system) / sysconf(_SC_CLK_TCK);
}

/* Does one of its threads run, or wait for a processor or for the host's disk? */
static bool is_busy(const struct guest *g)
{
	char *path = xasprintf("/proc/%d/task", (int)g->pid);
	DIR *d = opendir(path);
	struct dirent *e;
	bool busy = false;

	while (d && !busy && (e = readdir(d))) {
		char *stat = xasprintf("%s/%s/stat", path, e->d_name);
		char *text = e->d_name[0] == '.' ? NULL : read_file(stat, NULL);
		char *p = text ? strrchr(text, ')') : NULL;

		busy = p && (!strncmp(p, ") R", 3) || !strncmp(p, ") D", 3));
		free(text);
		free(stat);
	}
	if (d)
		closedir(d);
	free(path);
	return busy;
}

/* What the guest had since it was last looked at: see struct limits */
static void add_time(struct guest *g, double t)
{
	double cpu = cpu_time(g), wall = t - g->polled, ran = cpu - g->cpu_s;

	/* we were stopped ourselves, and the guest may have been, too */
	if (wall > 1)
		wall = 1;
	if (ran > wall)
		ran = wall;
	g->had_s += is_busy(g) ? ran : wall;
	g->cpu_s = cpu;
	g->polled = t;
}

static void goes_on(struct guest *g, double t)
{
	g->went_on = t;
	g->had_s = 0;
	g->cpu_then = g->cpu_s;
}

static void note_position(struct guest *g)
{
	char *text = slurp(g, "report"), *p = text + strlen(text), *e;

	/* the last whole "at" line */
	while (p > text) {
		while (p > text && p[-1] != '\n')
			p--;
		e = strchr(p, '\n');
		if (e && !strncmp(p, "at ", 3)) {
			snprintf(g->at, sizeof(g->at), "%.*s",
				 (int)(e - p - 3), p + 3);
			break;
		}
		if (p == text)
			break;
		p--;
	}
	free(text);
}

static void judge_end(struct guest *g)
{
	char *console = slurp(g, "console"), *text = slurp(g, "report");
	char *err = slurp(g, "qemu.err"), *why;
	struct report r;

	judge_console(g, console);
	why = report_parse(&r, text);
	if (g->outcome == GUEST_RUNNING) {
		if (why)
			set_outcome(g, GUEST_TRUNCATED,
				    xasprintf("report: %s", why));
		else if (!r.release && !g->console_size && g->status &&
			 g->status < 128)
			set_outcome(g, GUEST_QEMU,
				    xasprintf("exit code %d: %.200s", g->status,
					      strip(err)));
		else if (!r.release)
			set_outcome(g, GUEST_EARLY,
				    xasprintf("no \"hello\" in the report, exit code %d",
					      g->status));
		else if (r.error)
			set_outcome(g, GUEST_ERROR, xstrdup(r.error));
		else if (!r.complete)
			set_outcome(g, GUEST_TRUNCATED,
				    xasprintf("no \"end\" in the report, exit code %d",
					      g->status));
		else if (g->status != GUEST_EXIT_CODE)
			set_outcome(g, GUEST_EXIT,
				    xasprintf("exit code %d, expected %d",
					      g->status, GUEST_EXIT_CODE));
		else if (r.warning)
			set_outcome(g, GUEST_WARNING, xstrdup(r.warning));
		else
			set_outcome(g, GUEST_OK, NULL);
	}
	report_free(&r);
	free(why);
	free(err);
	free(text);
	free(console);
}

void guest_kill(struct guest *g)
{
	int status;

	if (g->pid <= 0)
		return;
	kill(g->pid, SIGKILL);
	while (waitpid(g->pid, &status, 0) < 0 && errno == EINTR)
		;
	g->status = WIFEXITED(status) ? WEXITSTATUS(status) :
					128 + WTERMSIG(status);
	g->pid = 0;
	g->wall_s = now() - g->started;
}

bool guest_poll(struct guest *g)
{
	double t = now();
	int status;
	pid_t pid;

	if (!g->pid)
		return true;
	pid = waitpid(g->pid, &status, WNOHANG);
	if (pid == g->pid) {
		g->pid = 0;
		g->status = WIFEXITED(status) ? WEXITSTATUS(status) :
						128 + WTERMSIG(status);
		g->wall_s = t - g->started;
		grown(g, "console", &g->console_size);
		judge_end(g);
		return true;
	}
	add_time(g, t);
	if (grown(g, "console", &g->console_size)) {
		char *console = slurp(g, "console");

		goes_on(g, t);
		if (!g->sign_at && console_sign(console, NULL))
			g->sign_at = t;
		free(console);
	}
	/* the rest of the splat may take a moment to come */
	if (g->sign_at && t - g->sign_at > 2) {
		char *console = slurp(g, "console");

		judge_console(g, console);
		free(console);
	}
	if (grown(g, "report", &g->report_size)) {
		goes_on(g, t);
		note_position(g);
	}
	if (!g->console_size && g->had_s > g->limits.silent_s)
		set_outcome(g, GUEST_SILENT,
			    xasprintf("nothing on the console for %.0f s; QEMU ran for %.1f s of it",
				      t - g->started, g->cpu_s));
	else if (g->console_size && g->had_s > g->limits.hang_s)
		set_outcome(g, GUEST_HANG,
			    xasprintf("nothing on console or report for %.0f s, last at: %s; QEMU ran for %.1f s of it",
				      t - g->went_on, g->at,
				      g->cpu_s - g->cpu_then));
	else if (t - g->started > g->limits.total_s)
		set_outcome(g, GUEST_TIMEOUT,
			    xasprintf("not done after %.0f s, last at: %s",
				      g->limits.total_s, g->at));
	if (g->outcome == GUEST_RUNNING)
		return false;
	guest_kill(g);
	return true;
}

#define TAIL	15
/* what init has the kernel say last if a program has gone quiet */
#define BLOCKED	"sysrq: Show Blocked State"

void guest_explain(const struct guest *g)
{
	char *console = slurp(g, "console"), *command = slurp(g, "command");
	char *blocked = strstr(console, BLOCKED);
	char *p = console + strlen(console);
	int lines = 0;

	while (p > console && lines <= TAIL)
		if (*--p == '\n')
			lines++;
	if (p > console)
		p++;
	if (blocked && blocked < p)
		p = blocked;
	printf("guest %s: %s: %s\n", g->dir, outcome_name(g->outcome),
	       g->reason ? g->reason : "");
	printf("  the console's last lines:\n");
	while (*p) {
		size_t n = strcspn(p, "\n");

		printf("    %.*s\n", (int)n, p);
		p += n + !!p[n];
	}
	printf("  the command: %s", command);
	printf("  the whole console: %s/console\n", g->dir);
	free(command);
	free(console);
}
