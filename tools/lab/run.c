// SPDX-License-Identifier: GPL-2.0
/*
 * run.c - plan, start guests, collect, decide, print
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "guest.h"
#include "pipeline.h"
#include "plan.h"
#include "report.h"
#include "result.h"
#include "times.h"
#include "util.h"

/* Well above the largest file, or reclaim makes boots differ by a few pages. */
#define GUEST_MB	2048
/* What is said of kernels before 6.18 */
#define UNTRACED	"no trace points of readahead in this kernel: windows are not counted, and the order is that of requests alone"
/* In model time: the device, the page cache, and more than is then left over */
#define MODEL_MB	1024
/* and what perturbs it: up to so much more memory, so many pages on the device */
#define MODEL_MORE_MB	512
#define MODEL_PAD	512
/* Sparse; a quarter of it, an allocation group of XFS, holds the largest file. */
#define DISK_BYTES	(4ULL << 30)
#define FS_UUID		"5eed5eed-0000-4000-8000-000000000000"

struct options {
	const char *kernel[NR_KERNELS];	/* image directories */
	const char *init, *fio, *out, *qemu, *accel, *topic;
	const char *pipeline;	/* claims of its own: a boot each, a picture */
	enum measured_by engine;
	bool uml;		/* the kernels are of user mode Linux */
	int runs, jobs;		/* boots of a kernel; of times pairs */
	struct limits limits;
	uint64_t seed;		/* of the file's content */
	uint64_t order;		/* of the boots, and of what perturbs them */
};

struct job {
	const struct group *group;
	struct group passes;	/* the same, its claims in the order of this boot */
	int part;		/* 0, or of a boot that was begun again after a failure */
	struct boot boot;
	enum kernel kernel;
	int run;
	struct guest guest;
	struct report report;
	bool started, done;
	bool parted;		/* it failed within a pass: those before it stand */
	bool third;		/* boot 1 once more: it and its repeat differ */
	bool strayed;		/* of three that have to be the same, the other one */
	int disk;		/* memfd of the measured disk, or -1 */
	char *why;		/* there are no samples because ... */
};

static volatile sig_atomic_t interrupted;

static void on_signal(int sig)
{
	interrupted = sig;
}

static void stop_if_interrupted(const char *dir)
{
	if (!interrupted)
		return;
	fprintf(stderr, "\nlab: interrupted; what the guests said so far: %s\n",
		dir);
	exit(128 + interrupted);
}

/* The first line of what a command prints, or "unknown" */
static char *first_line(const char *command)
{
	FILE *p = popen(command, "r");
	char text[512] = "";

	if (p) {
		if (!fgets(text, sizeof(text), p))
			text[0] = '\0';
		pclose(p);
	}
	return xstrdup(*text ? strip(text) : "unknown");
}

static void must_run(const struct guest *g, const char *log, ...)
{
	char *argv[32], *path = xasprintf("%s/%s", g->dir, log);
	int n = 0, status;
	va_list ap;
	pid_t pid;

	va_start(ap, log);
	while (n < 31 && (argv[n] = va_arg(ap, char *)))
		n++;
	va_end(ap);
	argv[n] = NULL;
	pid = fork();
	if (pid < 0)
		die("fork: %s", strerror(errno));
	if (!pid) {
		int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0644);

		if (fd < 0 || dup2(fd, 1) < 0 || dup2(fd, 2) < 0)
			_exit(127);
		execvp(argv[0], argv);
		_exit(127);
	}
	if (waitpid(pid, &status, 0) != pid || status) {
		char *said = read_file(path, NULL);

		/* the guests that run go with us */
		stop_if_interrupted(g->dir);
		if (!said || !*said)
			die("%s failed, and said nothing (%s): is the disk full?",
			    argv[0], path);
		die("%s failed: %.*s (%s)", argv[0],
		    (int)strcspn(said, "\n"), said, path);
	}
	free(path);
}

static char *guest_file(const struct guest *g, const char *name)
{
	return xasprintf("%s/%s", g->dir, name);
}

static void write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f))
		die("%s: %s", path, strerror(errno));
}

static char *disk_path(const struct job *j)
{
	return xasprintf("/proc/%d/fd/%d", getpid(), j->disk);
}

/*
 * One file system, the same to the last bit in every boot.  The disk is in
 * memory: nothing that the host's disk does can reach a guest, and nothing of
 * it is left when we are gone.
 */
static void make_disk(struct job *j)
{
	/* null_blk has blocks of a page */
	bool model = j->group->timed;
	unsigned long long bytes = model ? (unsigned long long)MODEL_DISK_MB << 20 : DISK_BYTES;
	char *path;

	j->disk = memfd_create("disk", MFD_CLOEXEC);
	if (j->disk < 0 || ftruncate(j->disk, bytes))
		die("a disk of %llu bytes in memory: %s", bytes,
		    strerror(errno));
	path = disk_path(j);
	if (!strcmp(j->group->fs, "raw"))
		; /* nothing but the device */
	else if (!strcmp(j->group->fs, "xfs"))
		must_run(&j->guest, "mkfs.log", "mkfs.xfs", "-q", "-m",
			 "uuid=" FS_UUID, "-s", model ? "size=4096" : "size=512",
			 path, NULL);
	else
		/*
		 * All that ext4 keeps for itself is in the first block group
		 * and, with this journal, fills it up to less than ext4 asks
		 * for at a time.  So the file begins with the second group,
		 * and it is in one piece: a read that ends where a piece does
		 * would not be readahead's doing.
		 */
		must_run(&j->guest, "mkfs.log", "mkfs.ext4", "-q", "-U",
			 FS_UUID, "-J", "size=63",
			 "-O", "^resize_inode,sparse_super2", "-E",
			 "hash_seed=" FS_UUID ",num_backup_sb=0,packed_meta_blocks=1,lazy_itable_init=0,lazy_journal_init=0,nodiscard",
			 path, NULL);
	free(path);
}

/*
 * In model time the host must serve no disk, so the file system goes into the
 * initrd: of the disk what is not zeroes, which is a few hundred KiB.
 */
static void write_image(const struct job *j)
{
	static const char zeroes[4096];
	char *path = guest_file(&j->guest, "image"), block[4096];
	off_t pos = 0, end;
	FILE *f = fopen(path, "w");

	if (!f)
		die("%s: %s", path, strerror(errno));
	while ((pos = lseek(j->disk, pos, SEEK_DATA)) >= 0) {
		end = lseek(j->disk, pos, SEEK_HOLE);
		for (; pos < end; pos += sizeof(block)) {
			uint64_t at = pos;

			if (pread(j->disk, block, sizeof(block), pos) !=
			    (ssize_t)sizeof(block))
				die("the disk in memory: %s", strerror(errno));
			if (!memcmp(block, zeroes, sizeof(block)))
				continue;
			fwrite(&at, sizeof(at), 1, f);
			fwrite(block, sizeof(block), 1, f);
		}
	}
	if (ferror(f) | fclose(f))
		die("%s: %s", path, strerror(errno));
	free(path);
}

/* Debian's tar and cat, and their libraries, as lines for gen_init_cpio */
#define TAR_FILES \
	"{ echo /bin/tar; echo /bin/cat; ldd /bin/tar /bin/cat | grep -o '/[^ ]* (' | tr -d ' ('; } | sort -u | " \
	"awk '{ n = split($0, d, \"/\"); p = \"\"; for (i = 2; i < n; i++) { p = p \"/\" d[i]; if (!(p in made)) print \"dir \" p \" 755 0 0\"; made[p] = 1 } print \"file \" $0 \" \" $0 \" 755 0 0\" }'"

static bool has_tar(const struct group *g)
{
	int i;

	for (i = 0; i < g->nr; i++)
		if (!strcmp(g->claim[i]->ops[0].line, "tar"))
			return true;
	return false;
}

static char *all_lines(const char *command)
{
	FILE *p = popen(command, "r");
	char text[16384];
	size_t n = p ? fread(text, 1, sizeof(text) - 1, p) : 0;

	text[n] = '\0';
	if (!p || pclose(p) || !n)
		die("%s: it failed", command);
	return xstrdup(text);
}

static void make_initrd(const struct job *j, const struct options *o)
{
	char *list = guest_file(&j->guest, "initrd.list");
	char *plan = guest_file(&j->guest, "plan");
	char *initrd = guest_file(&j->guest, "initrd");
	char *gen = xasprintf("%s/gen_init_cpio", o->kernel[j->kernel]);
	char *text = plan_text(&j->passes, &j->boot, o->seed), *out;
	char *image = xstrdup("");

	write_text(plan, text);
	free(text);
	if (j->group->model) {
		free(image);
		image = xasprintf("file /image %s/image 644 0 0\n",
				  j->guest.dir);
		write_image(j);
	}
	if (has_tar(j->group)) {
		char *tar = all_lines(TAR_FILES);

		text = xasprintf("%s%s", image, tar);
		free(image);
		free(tar);
		image = text;
	}
	text = xasprintf(GUEST_INITRD "dir /mnt 755 0 0\ndir /fio 755 0 0\n%s",
			 o->init, plan, image);
	free(image);
	write_text(list, text);
	free(text);
	/* the kernel's own tool; it writes to standard output */
	out = xasprintf("exec %s %s >%s", gen, list, initrd);
	must_run(&j->guest, "initrd.log", "sh", "-c", out, NULL);
	free(out);
	free(gen);
	free(initrd);
	free(plan);
	free(list);
}

/*
 * Model time: the guest's clock counts its instructions, one a nanosecond, and
 * jumps to the next timer when the guest is idle, so nothing that the host does
 * can be seen in it.  The frequency of the clock is told, not measured; and the
 * local APIC's timer, which has to be measured, in a loop that this makes slow
 * (12 s), is left for the one that has not.
 */
static const char * const model_args[] = {
	"-icount", "shift=0,sleep=off", "-rtc", "base=2024-01-01,clock=vm",
	"-seed", "1",
};

#define MODEL_APPEND	GUEST_APPEND " norandmaps tsc_early_khz=1000000 nolapic_timer"

/*
 * The console goes to standard output, and a shell puts that where QEMU would; a
 * core would be as large as the guest.  In seccomp mode, where the host has it, a
 * system call of the guest costs less.
 */
static void make_uml_command(struct job *j, const struct options *o)
{
	struct guest *g = &j->guest;
	char *dir = realpath(g->dir, NULL);

	if (!dir)
		die("%s: %s", g->dir, strerror(errno));
#define ARG(...) guest_arg(g, xasprintf(__VA_ARGS__))
	ARG("sh");
	ARG("-c");
	ARG("ulimit -c 0; exec \"$0\" \"$@\" >'%s/console'", dir);
	ARG("%s/vmlinux", o->kernel[j->kernel]);
	ARG("mem=%uM", j->boot.mb);
	ARG("initrd=%s/initrd", dir);
	ARG("report=%s", dir);
	ARG("uml_dir=%s", dir);
	ARG("seccomp=auto");
	ARG("noreboot");
	ARG("con=null");
	ARG("con0=null,fd:1");
	ARG("ssl=null");
	ARG("loglevel=7");
	ARG("panic=-1");
	ARG("panic_on_warn=1");
	ARG("trace_clock=local");
	ARG("perturb=%u", j->boot.perturb);
#undef ARG
	free(dir);
}

static void make_command(struct job *j, const struct options *o,
			 const char *accel)
{
	struct guest *g = &j->guest;
	bool timed = j->group->timed;
	bool model = timed && !j->group->native;
	const struct machine m = {
		.qemu = o->qemu,
		.accel = accel,
		/*
		 * One processor, but a machine that might have two.  With
		 * "-smp 1" a guest's NVMe requests timed out now and then under
		 * QEMU 7.2 and TCG, with this they did not.  The likely cause,
		 * not read in its source: for a single processor the guest's
		 * memory barriers are left out, though the controller runs in
		 * another thread, and a shadow doorbell is missed.  In model
		 * time there is no such device.
		 */
		.smp = model ? "1" : "1,maxcpus=2",
		.image = o->kernel[j->kernel],
		.mb = j->boot.mb,
	};
	char *disk = disk_path(j), *append;
	unsigned int i;

	if (timed)
		append = xasprintf("%s perturb=%u", model ? MODEL_APPEND : GUEST_APPEND,
				   j->boot.perturb);
	else
		append = xstrdup(GUEST_APPEND);
	guest_qemu(g, &m, append);
#define ARG(...) guest_arg(g, xasprintf(__VA_ARGS__))
	for (i = 0; i < ARRAY_SIZE(model_args) && model; i++)
		ARG("%s", model_args[i]);
	if (j->group->mdts && !timed) {
		ARG("-drive");
		ARG("file=%s,if=none,id=data,format=raw,cache=unsafe", disk);
		ARG("-device");
		ARG("nvme,drive=data,serial=data,mdts=%u", j->group->mdts);
	}
	if (j->group->fio) {
		ARG("-drive");
		ARG("file=%s,if=none,id=fio,format=raw,readonly=on", o->fio);
		ARG("-device");
		ARG("nvme,drive=fio,serial=fio");
	}
#undef ARG
	free(disk);
}

static void start_guest(struct job *j, const struct options *o,
			const char *accel)
{
	if (mkdir(j->guest.dir, 0755))
		die("%s: %s", j->guest.dir, strerror(errno));
	j->disk = -1;
	if (j->group->mdts)
		make_disk(j);
	make_initrd(j, o);
	if (o->uml)
		make_uml_command(j, o);
	else
		make_command(j, o, accel);
	guest_start(&j->guest);
	j->started = true;
}

static void start_job(struct job *j, const struct options *o, const char *dir)
{
	char part[16] = "";

	if (j->part)
		snprintf(part, sizeof(part), ".%d", j->part + 1);
	j->guest.dir = xasprintf("%s/%s-%d-%s%s", dir, kernel_name(j->kernel),
				 j->run + 1, j->group->name, part);
	j->guest.limits = o->limits;
	start_guest(j, o, o->accel);
}

/* What is large and can be made again goes; what tells of the run stays. */
static void remove_images(const struct job *j)
{
	static const char * const names[] = { "initrd", "initrd.list", "image" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		char *path = guest_file(&j->guest, names[i]);

		unlink(path);
		free(path);
	}
	if (j->disk >= 0)
		close(j->disk);
}

static void end_job(struct job *j, const char *release)
{
	char *path = guest_file(&j->guest, "report");
	char *text = read_file(path, NULL), *why = NULL;

	remove_images(j);
	j->done = true;
	if (text)
		why = report_parse(&j->report, text);
	if (j->guest.outcome != GUEST_OK) {
		j->why = xasprintf("%s: %s", outcome_name(j->guest.outcome),
				   j->guest.reason ? j->guest.reason : "");
		/* a pass that ended before this one began is whole */
		if (text && !why && j->report.open &&
		    !strcmp(j->report.release, release)) {
			struct sample *s = &j->report.samples[j->report.nr - 1];

			j->parted = true;
			if (!s->bad)
				s->bad = xstrdup(j->why);
		}
		fputs("\r\033[K" + (isatty(STDERR_FILENO) ? 0 : 4), stderr);
		guest_explain(&j->guest);
		fflush(stdout);
	} else if (strcmp(j->report.release, release)) {
		j->why = xasprintf("the guest runs %s, not %s",
				   j->report.release, release);
	}
	free(why);
	free(text);
	free(path);
}

static char *get_release(const char *image)
{
	char *path = xasprintf("%s/release", image);
	char *text = read_file(path, NULL);

	if (!text)
		die("%s: %s: no kernel image there", path, strerror(errno));
	free(path);
	return strip(text);
}

/* The hash of what a kernel was built from is the end of its release. */
static const char *inputs(const char *release)
{
	const char *dash = strrchr(release, '-');

	return dash ? dash + 1 : release;
}

static char *file_sha256(const char *dir, const char *name)
{
	char *command = xasprintf("sha256sum '%s/%s'", dir, name);
	char *line = first_line(command);

	line[strcspn(line, " ")] = '\0';
	free(command);
	return line;
}

/* Of all guests: a word for the table where something could not be counted */
static bool any_untraced(const struct job *jobs, int nr)
{
	int i, s;

	for (i = 0; i < nr; i++)
		for (s = 0; s < jobs[i].report.nr; s++)
			if (jobs[i].report.samples[s].untraced)
				return true;
	return false;
}

static void add_string(struct json_object *o, const char *key, char *s)
{
	json_object_object_add(o, key, json_object_new_string(s));
	free(s);
}

static struct json_object *environment(const struct options *o,
				       char *release[NR_KERNELS])
{
	struct json_object *env = json_object_new_object();
	char *cmd = xasprintf("%s --version", o->qemu), *line, *end;
	struct utsname u;
	unsigned int k;

	for (k = 0; k < NR_KERNELS; k++) {
		struct json_object *ko;

		if (!o->kernel[k])
			continue;
		ko = json_object_new_object();
		add_string(ko, "release", xstrdup(release[k]));
		add_string(ko, "vmlinux_sha256",
			   file_sha256(o->kernel[k], "vmlinux"));
		add_string(ko, "config_sha256",
			   file_sha256(o->kernel[k], "config"));
		/* "BLOB FILE" a line, for each file that the quilt touches */
		line = xasprintf("%s/files", o->kernel[k]);
		end = read_file(line, NULL);
		if (end)
			add_string(ko, "files", xstrdup(strip(end)));
		free(end);
		free(line);
		json_object_object_add(env, kernel_name(k), ko);
	}
	line = xasprintf("grep -m1 CONFIG_CC_VERSION_TEXT= '%s/config' | cut -d'\"' -f2",
			 o->kernel[BASE]);
	add_string(env, "compiler", first_line(line));
	free(line);
	line = first_line(cmd);
	/* "QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7)" */
	end = strchr(line, '(');
	if (end)
		*end = '\0';
	add_string(env, "qemu", xasprintf("QEMU %s", strstr(line, "version ") ?
					  strip(strstr(line, "version ") + 8) : line));
	free(line);
	free(cmd);
	if (o->uml)
		json_object_object_add(env, "qemu", json_object_new_string("user mode Linux"));
	add_string(env, "accel", xstrdup(strcmp(o->accel, "kvm") ?
					 "without KVM" : "with KVM"));
	if (o->engine == ENGINE_MODEL)
		add_string(env, "timing", xstrdup(MODEL_TIME));
	else if (o->engine == ENGINE_NATIVE)
		add_string(env, "timing", xstrdup(o->uml ? UML_TIME : KVM_TIME));
	else if (strcmp(o->accel, "kvm"))
		add_string(env, "timing",
			   xstrdup("without KVM times are the host's: report-only, not judged"));
	add_string(env, "mkfs_xfs", first_line("mkfs.xfs -V 2>&1"));
	add_string(env, "mkfs_ext4", first_line("mkfs.ext4 -V 2>&1"));
	add_string(env, "fio", first_line("fio --version 2>&1"));
	if (!uname(&u))
		add_string(env, "host_kernel", xstrdup(u.release));
	add_string(env, "host_cpu", first_line("sed -n 's/^model name[^:]*: //p' /proc/cpuinfo"));
	json_object_object_add(env, "host_cpus",
			       json_object_new_int(sysconf(_SC_NPROCESSORS_ONLN)));
	add_string(env, "host_load_before", first_line("cat /proc/loadavg"));
	return env;
}

/*
 * Does KVM run our kernel?  That /dev/kvm opens does not tell: on some virtual
 * machines it is there and a guest never gets to its first instruction.
 */
static bool kvm_works(const struct options *o, const char *dir)
{
	static const struct group none = { .name = "empty" };
	struct job j = {
		.group = &none,
		.boot = { .mb = GUEST_MB },
		.guest = {
			.dir = xasprintf("%s/kvm-probe", dir),
			.limits = { 6, 10, 20 },
		},
	};

	start_guest(&j, o, "kvm");
	while (!guest_poll(&j.guest) && !interrupted)
		usleep(20000);
	guest_kill(&j.guest);
	remove_images(&j);
	if (interrupted)
		exit(128 + interrupted);
	if (j.guest.outcome == GUEST_OK)
		return true;
	printf("run: KVM is there but an empty guest fails under it (%s: %s)\n",
	       outcome_name(j.guest.outcome), j.guest.reason);
	return false;
}

static const char *choose_accel(const struct options *o, const char *dir)
{
	int fd, err;

	if (o->engine == ENGINE_MODEL) {
		if (o->accel && strcmp(o->accel, "tcg"))
			die("ACCEL: expected tcg, not %s: model time is QEMU's to count",
			    o->accel);
		return "tcg";
	}
	if (o->uml)
		return "uml";
	if (o->engine == ENGINE_NATIVE && !access("/dev/kvm", F_OK) &&
	    !kvm_works(o, dir))
		die("ACCEL=kvm: it runs no guest here: without ACCEL= user mode Linux takes what needs neither device nor huge pages");
	fd = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	err = errno;
	if (fd >= 0)
		close(fd);
	if (o->accel) {
		if (strcmp(o->accel, "kvm") && strcmp(o->accel, "tcg"))
			die("ACCEL: expected kvm or tcg, not %s", o->accel);
		if (!strcmp(o->accel, "kvm") && fd < 0)
			die("ACCEL=kvm: /dev/kvm: %s", strerror(err));
		return o->accel;
	}
	if (fd < 0)
		printf("run: no KVM (/dev/kvm: %s)\n", strerror(err));
	else if (kvm_works(o, dir))
		return "kvm";
	return "tcg";
}

static const struct sample *find_sample(const struct job *jobs, int nr,
					const struct claim *c, enum kernel k,
					int run, const char **why)
{
	int i, s;

	for (i = 0; i < nr; i++) {
		const struct job *j = &jobs[i];

		if (j->kernel != k || j->run != run || j->third)
			continue;
		for (s = 0; s < j->passes.nr; s++)
			if (j->passes.claim[s] == c)
				break;
		if (s == j->passes.nr)
			continue;
		*why = j->why;
		if (j->why && !j->parted)
			continue;
		for (s = 0; s < j->report.nr; s++)
			if (!strcmp(j->report.samples[s].claim, c->id))
				return &j->report.samples[s];
		if (!j->why)
			*why = "the guest did not come to this pass";
	}
	return NULL;
}

static int pairs_of(const struct options *o)
{
	return o->engine == ENGINE_COUNTS ? 0 : o->runs;
}

/* How many boots of a kernel there are: see MAX_RUNS in verdict.h */
static int boots_of(const struct options *o, enum kernel k)
{
	int pairs = pairs_of(o);

	if (!o->kernel[k])
		return 0;
	return !pairs ? o->runs : k == BASE ? 2 * pairs + 1 : pairs + 1;
}

static struct json_object *judge_all(const struct claims *all,
				     const struct job *jobs, int nr,
				     const struct options *o,
				     struct json_object *samples, int *bad)
{
	struct json_object *array = json_object_new_array();
	struct times times = { 0 };
	int runs[NR_KERNELS];
	int i, r;
	unsigned int k;

	*bad = 0;
	for (k = 0; k < NR_KERNELS; k++)
		runs[k] = boots_of(o, k);
	if (pairs_of(o)) {
		struct json_object *ids = json_object_new_array();

		for (i = 0; i < all->nr; i++)
			json_object_array_add(ids, json_object_new_string(all->claim[i]->id));
		times_judge(&times, ids, samples, o->runs);
		/* the claims outlive it, and the names with them */
		for (i = 0; i < all->nr; i++)
			times.id[i] = all->claim[i]->id;
		json_object_put(ids);
	}
	for (i = 0; i < all->nr; i++) {
		const struct sample *s[NR_KERNELS][MAX_RUNS] = { { NULL } };
		const char *why[NR_KERNELS][MAX_RUNS] = { { NULL } };
		struct judged j;

		for (k = 0; k < NR_KERNELS; k++)
			for (r = 0; r < runs[k]; r++)
				s[k][r] = find_sample(jobs, nr, all->claim[i],
						      k, r, &why[k][r]);
		judge(&j, all->claim[i], s, why, runs,
		      times_of(&times, all->claim[i]->id), pairs_of(o), o->seed);
		*bad += j.verdict == VERDICT_FAILS || j.verdict == VERDICT_VOID;
		json_object_array_add(array, result_claim(all->claim[i], &j));
		judged_free(&j);
	}
	times_free(&times);
	return array;
}

static struct job *add_job(struct job **jobs, int *nr, const struct group *g,
			   enum kernel k, int run)
{
	struct job *j;

	*jobs = xrealloc(*jobs, (*nr + 1) * sizeof(**jobs));
	j = &(*jobs)[(*nr)++];
	memset(j, 0, sizeof(*j));
	j->group = g;
	j->kernel = k;
	j->run = run;
	j->boot.mb = GUEST_MB;
	j->passes = *g;
	j->passes.claim = xcalloc(g->nr ? g->nr : 1, sizeof(*g->claim));
	memcpy(j->passes.claim, g->claim, g->nr * sizeof(*g->claim));
	return j;
}

static unsigned int random_below(uint64_t *state, unsigned int n)
{
	return (stats_random(state) >> 32) * n >> 32;
}

/*
 * What a pass counts must not depend on those before it, so in each boot they come
 * in another order; the boots of one number have the same in all kernels.
 */
static void shuffle_passes(struct job *j, uint64_t order)
{
	uint64_t state = stats_seed(order ^ (uint64_t)(j->run + 1) << 32);
	int i;

	/* SEED=0: as they are written */
	for (i = j->passes.nr - 1; i > 0 && order; i--) {
		int other = random_below(&state, i + 1);
		struct claim *c = j->passes.claim[i];

		j->passes.claim[i] = j->passes.claim[other];
		j->passes.claim[other] = c;
	}
}

/* A word of 1 to 9 digits on the command line, memory, where the file begins */
static struct boot perturbed(uint64_t *state)
{
	unsigned int digits = random_below(state, 9), low = 1;
	struct boot b;

	while (digits--)
		low *= 10;
	b.perturb = low + random_below(state, 9 * low);
	b.mb = MODEL_MB + random_below(state, MODEL_MORE_MB);
	b.pad = random_below(state, MODEL_PAD);
	return b;
}

/*
 * The boots of a group of claims, in the order that stats_order() gives, so that
 * whatever drifts on the host does so for all kernels.  The second boot of an
 * A/A pair takes its place like one more kernel.  What perturbs the boots is
 * the same for all groups.
 */
static void group_jobs(struct job **jobs, int *nr, const struct group *g,
		       const struct options *o, uint64_t order)
{
	int kernel[NR_KERNELS + 1], *boots, pairs = pairs_of(o), nk = 0, r, i;
	struct boot boot[2 * STATS_MAX_PAIRS];
	uint64_t state = stats_seed(o->order);
	const int aa = NR_KERNELS;

	for (i = 0; i < NR_KERNELS; i++)
		if (o->kernel[i])
			kernel[nk++] = i;
	if (o->pipeline) {
		for (i = 0; i < nk; i++)
			add_job(jobs, nr, g, kernel[i], 0)->boot = perturbed(&(uint64_t){ state });
		return;
	}
	for (i = 0; i < 2 * pairs; i++)
		boot[i] = perturbed(&state);
	/* once more, from its first to its last nanosecond */
	for (i = 0; i < nk && pairs; i++)
		add_job(jobs, nr, g, kernel[i], pairs)->boot = boot[0];
	if (pairs)
		kernel[nk++] = aa;
	boots = xcalloc((o->runs + 1) * nk, sizeof(*boots));
	stats_order(order, (o->runs + 1) / 2, nk, boots);
	for (r = 0; r < o->runs; r++) {
		for (i = 0; i < nk; i++) {
			int k = kernel[boots[r * nk + i]];
			struct job *j;

			if (k == aa)
				j = add_job(jobs, nr, g, BASE, pairs + 1 + r);
			else
				j = add_job(jobs, nr, g, k, r);
			if (pairs)
				j->boot = boot[k == aa ? pairs + r : r];
			shuffle_passes(j, o->order);
		}
	}
	free(boots);
}

static struct job *make_jobs(const struct groups *gs, const struct options *o,
			     int *nr)
{
	struct job *jobs = NULL;
	int g;

	*nr = 0;
	for (g = 0; g < gs->nr; g++)
		group_jobs(&jobs, nr, &gs->group[g], o, o->order + g);
	return jobs;
}

/* Passes are the measure of how far it is: guests differ in how many they run. */
static void show_progress(const struct job *jobs, int nr, double start)
{
	int i, passes = 0, done = 0, guests = 0, running = 0;
	const struct job *shown = NULL;
	double t = now() - start;
	char left[32] = "";

	for (i = 0; i < nr; i++) {
		passes += jobs[i].passes.nr + 1;
		if (jobs[i].done) {
			done += jobs[i].passes.nr + 1;
			guests++;
		} else if (jobs[i].started) {
			int p;

			running++;
			shown = &jobs[i];
			for (p = 0; p < jobs[i].passes.nr; p++) {
				const char *id = jobs[i].passes.claim[p]->id;
				size_t n = strlen(id);

				if (!strncmp(jobs[i].guest.at, id, n) &&
				    jobs[i].guest.at[n] == ' ')
					done += p + 1;
			}
		}
	}
	if (done > 4 && t > 10)
		snprintf(left, sizeof(left), ", %.0f s left",
			 t / done * (passes - done));
	if (shown)
		progress(false, "run: %d of %d guests done, %d running (%s, boot %d, %s: %s)%s",
			 guests, nr, running, kernel_name(shown->kernel),
			 shown->run + 1, shown->group->name, shown->guest.at,
			 left);
}

/* After a guest that failed within a pass, the passes behind that in one more */
static void begin_again(struct job **jobs, int *nr, int failed)
{
	struct job *j = *jobs + failed, *next;
	int i, first = 0;

	for (i = 0; i < j->passes.nr && j->parted; i++)
		if (!strcmp(j->passes.claim[i]->id,
			    j->report.samples[j->report.nr - 1].claim))
			first = i + 1;
	if (!first || first == j->passes.nr)
		return;
	printf("run: the %d passes behind %s, in one more guest\n",
	       j->passes.nr - first, j->passes.claim[first - 1]->id);
	next = add_job(jobs, nr, j->group, j->kernel, j->run);
	j = *jobs + failed;
	next->part = j->part + 1;
	next->boot = j->boot;
	next->passes.nr = j->passes.nr - first;
	memcpy(next->passes.claim, j->passes.claim + first,
	       next->passes.nr * sizeof(*next->passes.claim));
	/* of the guest that failed, they are no longer */
	j->passes.nr = first;
}

/* Those from @first on; there may be more of them in the end */
static void run_jobs(struct job **jobs, int *nr, int first,
		     const struct options *o, const char *dir,
		     char *release[NR_KERNELS])
{
	int next = first, running = 0, i;
	double start = now();

	while (next < *nr || running) {
		while (next < *nr && running < o->jobs && !interrupted) {
			start_job(*jobs + next++, o, dir);
			running++;
		}
		for (i = first; i < next; i++) {
			struct job *j = *jobs + i;

			if (j->done || !guest_poll(&j->guest))
				continue;
			end_job(j, release[j->kernel]);
			begin_again(jobs, nr, i);
			running--;
		}
		if (interrupted) {
			for (i = first; i < next; i++) {
				if ((*jobs)[i].done)
					continue;
				guest_kill(&(*jobs)[i].guest);
				remove_images(*jobs + i);
			}
			stop_if_interrupted(dir);
		}
		show_progress(*jobs + first, *nr - first, start);
		usleep(50000);
	}
	progress(true, "run: %d guests, %.0f s", *nr - first, now() - start);
}

static struct job *find_job(struct job *jobs, int nr, const struct group *g,
			    enum kernel k, int run)
{
	int i;

	for (i = 0; i < nr; i++)
		if (jobs[i].group == g && jobs[i].kernel == k &&
		    jobs[i].run == run && !jobs[i].third)
			return &jobs[i];
	return NULL;
}

/* A guest in model time has one claim. */
static uint64_t job_ns(const struct job *j)
{
	return j && !j->why && j->report.nr == 1 ? j->report.samples[0].ns : 0;
}

/*
 * QEMU's main loop may move the clock of an idle guest at the very moment in
 * which the processor's thread has halted and not yet told how far it came; it
 * was seen in one boot of hundreds, with a few hundred nanoseconds.  So where
 * boot 1 and its repeat differ, a third one tells which of them strayed, and
 * takes its place.  If all three differ, the row is void, as it should be.
 */
static void settle_repeats(struct job **jobs, int *nr, const struct groups *gs,
			   const struct options *o, const char *dir,
			   char *release[NR_KERNELS])
{
	int g, k, first = *nr, i, pairs = pairs_of(o);

	for (g = 0; g < gs->nr && o->engine == ENGINE_MODEL; g++) {
		for (k = 0; k < NR_KERNELS; k++) {
			uint64_t a = job_ns(find_job(*jobs, *nr, &gs->group[g], k, 0));
			uint64_t b = job_ns(find_job(*jobs, *nr, &gs->group[g], k, pairs));
			struct job *j;

			if (!a || !b || a == b)
				continue;
			j = add_job(jobs, nr, &gs->group[g], k, 2 * pairs + 1);
			j->boot = find_job(*jobs, *nr, &gs->group[g], k, 0)->boot;
			j->third = true;
		}
	}
	if (*nr == first)
		return;
	run_jobs(jobs, nr, first, o, dir, release);
	for (i = first; i < *nr; i++) {
		struct job *third = &(*jobs)[i], *odd;
		struct job *one = find_job(*jobs, *nr, third->group, third->kernel, 0);
		struct job *two = find_job(*jobs, *nr, third->group, third->kernel, pairs);
		uint64_t ns = job_ns(third);

		if (!ns || (ns != job_ns(one) && ns != job_ns(two)))
			continue;
		odd = ns == job_ns(one) ? two : one;
		printf("run: %s: boot %d of %s strayed by %" PRId64 " ns from two others that are the same\n",
		       third->group->claim[0]->id, odd->run + 1,
		       kernel_name(odd->kernel), (int64_t)(job_ns(odd) - ns));
		third->run = odd->run;
		third->third = false;
		odd->third = true;
		odd->strayed = true;
	}
}

/* A guest takes its memory, and up to the largest file for its disk. */
static void limit_jobs(struct options *o, int nr)
{
	char *text = read_file("/proc/meminfo", NULL), *p;
	long fit, mb = 0;

	p = text ? strstr(text, "MemAvailable:") : NULL;
	if (p)
		mb = strtol(p + strlen("MemAvailable:"), NULL, 10) / 1024;
	free(text);
	if (o->jobs > nr)
		o->jobs = nr;
	fit = mb / (GUEST_MB + GUEST_MB / 2);
	if (!mb || fit >= o->jobs)
		return;
	o->jobs = fit ? fit : 1;
	printf("run: %ld MiB of memory are free: %d guests at a time\n", mb,
	       o->jobs);
}

static char *make_result_dir(const char *out)
{
	char stamp[32], *dir, *name, *link = xasprintf("%s/last", out);
	time_t t = time(NULL);
	int n = 1;

	/* no "last" that shows an older run while, or after, this one fails */
	unlink(link);
	free(link);
	if (mkdir(out, 0755) && errno != EEXIST)
		die("%s: %s", out, strerror(errno));
	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", localtime(&t));
	name = xstrdup(stamp);
	dir = xasprintf("%s/%s", out, name);
	while (mkdir(dir, 0755)) {
		if (errno != EEXIST || n == 100)
			die("%s: %s", dir, strerror(errno));
		free(name);
		free(dir);
		name = xasprintf("%s.%d", stamp, ++n);
		dir = xasprintf("%s/%s", out, name);
	}
	free(dir);
	return name;
}

static int to_count(const char *name, const char *text, int max)
{
	char *end;
	long v = strtol(text, &end, 10);

	if (*end || v < 1 || v > max)
		die("%s: expected 1 to %d, not %s", name, max, text);
	return v;
}

static void parse_options(struct options *o, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "base",    required_argument, NULL, 'b' },
		{ "patched", required_argument, NULL, 'p' },
		{ "rival",   required_argument, NULL, 'r' },
		{ "init",    required_argument, NULL, 'i' },
		{ "fio",     required_argument, NULL, 'f' },
		{ "out",     required_argument, NULL, 'o' },
		{ "runs",    required_argument, NULL, 'n' },
		{ "jobs",    required_argument, NULL, 'j' },
		{ "accel",   required_argument, NULL, 'a' },
		{ "qemu",    required_argument, NULL, 'q' },
		{ "limits",  required_argument, NULL, 'l' },
		{ "engine",  required_argument, NULL, 'e' },
		{ "topic",   required_argument, NULL, 't' },
		{ "pipeline", required_argument, NULL, 'P' },
		{ "order",   required_argument, NULL, 's' },
		{ }
	};
	char *end;
	int c;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		switch (c) {
		case 'b':
			o->kernel[BASE] = optarg;
			break;
		case 'p':
			o->kernel[PATCHED] = optarg;
			break;
		case 'r':
			o->kernel[RIVAL] = optarg;
			break;
		case 'i':
			o->init = optarg;
			break;
		case 'f':
			o->fio = optarg;
			break;
		case 'o':
			o->out = optarg;
			break;
		case 'n':
			o->runs = to_count("RUNS", optarg, STATS_MAX_PAIRS);
			break;
		case 'j':
			o->jobs = to_count("JOBS", optarg, 1024);
			break;
		case 'a':
			o->accel = optarg;
			break;
		case 'q':
			o->qemu = optarg;
			break;
		case 'e':
			for (o->engine = 0; o->engine < NR_ENGINES; o->engine++)
				if (!strcmp(optarg, engine_name(o->engine)))
					break;
			if (o->engine == NR_ENGINES)
				die("--engine: expected counts, model or native, not %s",
				    optarg);
			break;
		case 'P':
			o->pipeline = optarg;
			o->engine = ENGINE_MODEL;
			break;
		case 't':
			o->topic = *optarg ? optarg : NULL;
			break;
		case 's':
			o->order = strtoull(optarg, &end, 0);
			if (*end || end == optarg)
				die("SEED: expected a number, not %s", optarg);
			break;
		case 'l':
			if (sscanf(optarg, "%lf,%lf,%lf", &o->limits.silent_s,
				   &o->limits.hang_s, &o->limits.total_s) != 3)
				die("--limits: expected SILENT,HANG,TOTAL in seconds, not %s",
				    optarg);
			break;
		default:
			exit(2);
		}
	}
	if (!o->kernel[BASE] || !(o->kernel[PATCHED] || o->pipeline) || !o->init || !o->fio ||
	    !o->out || optind >= argc)
		die("run: wants --base, --patched, --init, --fio, --out and the claims");
}

/* "PASSED FAILED", for .ci/run, which adds them up */
static void add_counts(int passed, int failed)
{
	const char *path = getenv("COUNTS");
	FILE *f;

	if (!path || !*path)
		return;
	f = fopen(path, "a");
	if (!f || fprintf(f, "%d %d\n", passed, failed) < 0 || fclose(f))
		die("COUNTS: %s: %s", path, strerror(errno));
}

static void add_sample(struct json_object *samples, const struct job *j, int i)
{
	json_object_array_add(samples, result_sample(&j->report.samples[i],
						     j->kernel, j->run));
}

/*
 * Of the claims in model time those that this clock can take: user mode Linux has
 * neither NVMe nor large folios.  One that was asked for by its name is not
 * passed over.  Nothing is promised of a time that is report-only, and a number
 * that is promised is one of model time.
 */
static void select_native(struct claims *all, const struct options *o,
			  char **ids, int nr)
{
	int i, j, k, kept = 0;

	for (i = 0; i < all->nr; i++) {
		struct claim *c = all->claim[i];

		for (j = 0; j < nr && strcmp(ids[j], c->id); j++)
			;
		if (o->uml && (claim_has_disk(c) || c->huge != HUGE_NEVER)) {
			if (j < nr)
				die("%s:%d: claim %s: in user mode Linux expected fs tmpfs and huge never: the rest takes ACCEL=kvm",
				    c->path, c->line, c->id);
			continue;
		}
		c->engine = ENGINE_NATIVE;
		for (j = 0, k = 0; j < c->nr_promises; j++)
			if (!is_time(c->promises[j].metric) ||
			    (!o->uml && c->promises[j].stock))
				c->promises[k++] = c->promises[j];
		c->nr_promises = k;
		all->claim[kept++] = c;
	}
	if (!kept)
		die("no claim of these is of tmpfs with huge never, all that user mode Linux can run");
	if (kept < all->nr)
		printf("run: %d claims are left out: not of tmpfs with huge never\n",
		       all->nr - kept);
	all->nr = kept;
}

/* What a guest reported of a pipeline, as a file; false if there is none in it. */
static bool write_pipeline(const struct job *j, const char *path)
{
	char *report = guest_file(&j->guest, "report"), *line, *next;
	char *text = read_file(report, NULL), title[64];
	unsigned long long piped = 0;
	FILE *f = fopen(path, "w");

	if (!f)
		die("%s: %s", path, strerror(errno));
	snprintf(title, sizeof(title), "%s %s", j->group->claim[0]->id,
		 kernel_name(j->kernel));
	for (line = text; line && *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (sscanf(line, "piped %*s %llu", &piped) == 1)
			fprintf(f, "#pipeline title %s\n#pipeline ns %llu %llu\n",
				title, piped, (unsigned long long)job_ns(j));
		else if (!strncmp(line, "t ", 2))
			fprintf(f, "%s\n", line + 2);
	}
	if (ferror(f) | fclose(f))
		die("%s: not all of it could be written", path);
	free(text);
	free(report);
	return piped;
}

/* Of one claim all there is to say, of several a table */
static int show_pipelines(const struct job *jobs, int nr, const struct options *o,
			  const char *dir, const char *stamp)
{
	char *link = xasprintf("%s/last", o->out);
	int i, bad = 0;
	char *figures = xasprintf("%s/pipeline", dir);
	FILE *f = fopen(figures, "w");
	bool one = true;

	if (!f)
		die("%s: %s", figures, strerror(errno));
	for (i = 1; i < nr; i++)
		one &= jobs[i].group == jobs[0].group;
	if (!one)
		pipeline_head(stdout);
	for (i = 0; i < nr; i++) {
		const struct job *j = &jobs[i];
		struct pipeline p;
		char *path;

		/* job_ns() has 0 for a pass that came to nothing */
		if (j->why || !job_ns(j) || j->report.samples[0].bad) {
			printf("%s %s: void: %s\n", j->group->claim[0]->id,
			       kernel_name(j->kernel), j->why ? j->why :
			       j->report.nr && j->report.samples[0].bad ?
			       j->report.samples[0].bad : "the pass did not end");
			bad = 1;
			continue;
		}
		path = xasprintf("%s/%s-%s.trace", dir, j->group->claim[0]->id,
				 kernel_name(j->kernel));
		if (!write_pipeline(j, path))
			die("%s: the guest reported no trace", path);
		pipeline_files(&p, path);
		pipeline_figures(&p, f);
		if (one)
			pipeline_print(&p, stdout);
		else
			pipeline_row(&p, stdout);
		pipeline_free(&p);
		free(path);
	}
	if (ferror(f) | fclose(f))
		die("%s: not all of it could be written", figures);
	free(figures);
	if (symlink(stamp, link))
		die("%s: %s", link, strerror(errno));
	printf("pictures and events: %s/*.png, .svg, .json, .trace\n", dir);
	free(link);
	return bad;
}

int cmd_run(int argc, char **argv)
{
	struct options o = {
		.qemu = "qemu-system-x86_64",
		.runs = 2,
		.jobs = 1,
		.seed = 0x6d6d2d7265616421ULL,
		.order = 1,
	};
	char *release[NR_KERNELS] = { NULL }, *stamp, *dir, *link;
	const char *path, *whole;
	struct json_object *root, *order, *samples, *env, *passes;
	struct claims all = { NULL, 0 };
	struct groups groups;
	struct job *jobs;
	char *base;
	int nr, i, s, bad;
	unsigned int k, l;

	parse_options(&o, argc, argv);
	claims_read(&all, argv[optind]);
	if (o.pipeline)
		claims_read(&all, o.pipeline);
	base = getenv("BASE");
	claims_select(&all, base ? base : "7.3", o.topic,
		      o.engine == ENGINE_NATIVE ? ENGINE_MODEL : o.engine,
		      argv + optind + 1, argc - optind - 1);
	/* a guest tells how far it is several times a second, but not while it is timed */
	if (!o.limits.total_s)
		o.limits = (struct limits){ 20, o.engine == ENGINE_COUNTS ? 10 : 25, 1800 };
	if (o.engine == ENGINE_NATIVE) {
		o.uml = !o.accel || strcmp(o.accel, "kvm");
		if (o.uml && o.accel)
			die("ACCEL: expected kvm or nothing, not %s: native time is a processor's",
			    o.accel);
		select_native(&all, &o, argv + optind + 1, argc - optind - 1);
		/* guests side by side would be in each other's time */
		o.jobs = 1;
	}

	for (k = 0; k < NR_KERNELS; k++)
		if (o.kernel[k])
			release[k] = get_release(o.kernel[k]);
	for (k = 0; k < NR_KERNELS; k++)
		for (l = 0; l < k; l++)
			if (release[k] && release[l] &&
			    !strcmp(inputs(release[k]), inputs(release[l])))
				die("%s and %s are both %s: nothing to compare",
				    kernel_name(l), kernel_name(k), release[k]);
	/* make gone, however: we, and with us the guests, go as well */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	if (signal(SIGHUP, on_signal) == SIG_IGN)
		signal(SIGHUP, SIG_IGN);	/* nohup */
	plan_groups(&groups, &all);
	for (i = 0; i < groups.nr; i++)
		groups.group[i].piped = o.pipeline;
	jobs = make_jobs(&groups, &o, &nr);
	stamp = make_result_dir(o.out);
	dir = xasprintf("%s/%s", o.out, stamp);
	o.accel = choose_accel(&o, dir);
	if (o.engine == ENGINE_MODEL)
		printf("run: model time: " MODEL_TIME "\n");
	else if (o.engine == ENGINE_NATIVE)
		printf("run: native time: %s\n", o.uml ? UML_TIME : KVM_TIME);
	else if (!strcmp(o.accel, "tcg"))
		printf("run: guests run under TCG: counts are valid, host times are report-only\n");
	limit_jobs(&o, nr);
	printf("run: %d claims, %d guests, %d at a time; results in %s\n",
	       all.nr, nr, o.jobs, dir);
	fflush(stdout);
	env = environment(&o, release);
	run_jobs(&jobs, &nr, 0, &o, dir, release);
	if (o.pipeline)
		return show_pipelines(jobs, nr, &o, dir, stamp);
	settle_repeats(&jobs, &nr, &groups, &o, dir, release);
	add_string(env, "host_load_after", first_line("cat /proc/loadavg"));
	if (any_untraced(jobs, nr))
		add_string(env, "trace",
			   xstrdup(UNTRACED));

	root = json_object_new_object();
	json_object_object_add(root, "format", json_object_new_int(1));
	add_string(root, "date", xstrdup(stamp));
	json_object_object_add(root, pairs_of(&o) ? "pairs" : "boots",
			       json_object_new_int(o.runs));
	add_string(root, "order_seed", xasprintf("%" PRIu64, o.order));
	add_string(root, "engine", xstrdup(engine_name(o.engine)));
	add_string(root, "seed", xasprintf("%016" PRIx64, o.seed));
	json_object_object_add(root, "environment", env);
	order = json_object_new_array();
	samples = json_object_new_array();
	for (i = 0; i < nr; i++) {
		struct json_object *g = json_object_new_object();
		char *command = guest_file(&jobs[i].guest, "command");
		char *text = read_file(command, NULL);

		add_string(g, "kernel", xstrdup(kernel_name(jobs[i].kernel)));
		json_object_object_add(g, "boot",
				       json_object_new_int(jobs[i].run + 1));
		add_string(g, "group", xstrdup(jobs[i].group->name));
		if (jobs[i].group->timed) {
			struct json_object *b = json_object_new_object();

			json_object_object_add(b, "perturb",
					       json_object_new_int(jobs[i].boot.perturb));
			json_object_object_add(b, "memory_mb",
					       json_object_new_int(jobs[i].boot.mb));
			json_object_object_add(b, "pad_pages",
					       json_object_new_int(jobs[i].boot.pad));
			json_object_object_add(g, "boot_parameters", b);
		}
		passes = json_object_new_array();
		for (s = 0; s < jobs[i].passes.nr; s++)
			json_object_array_add(passes,
					      json_object_new_string(jobs[i].passes.claim[s]->id));
		json_object_object_add(g, "passes", passes);
		add_string(g, "outcome",
			   xstrdup(outcome_name(jobs[i].guest.outcome)));
		json_object_object_add(g, "wall_ms",
				       json_object_new_int64(jobs[i].guest.wall_s * 1000));
		add_string(g, "command", text ? xstrdup(strip(text)) :
						xstrdup(""));
		json_object_array_add(order, g);
		if (jobs[i].strayed)
			json_object_object_add(g, "strayed",
					       json_object_new_boolean(true));
		for (s = 0; s < jobs[i].report.nr && !jobs[i].third; s++)
			add_sample(samples, &jobs[i], s);
		free(text);
		free(command);
	}
	json_object_object_add(root, "claims",
			       judge_all(&all, jobs, nr, &o, samples, &bad));
	json_object_object_add(root, "order", order);
	json_object_object_add(root, "samples", samples);

	/* what a signal may have cut short is not stored */
	stop_if_interrupted(dir);
	path = xasprintf("%s/result.json", dir);
	whole = result_text(root);
	write_files(&path, &whole, 1);
	link = xasprintf("%s/last", o.out);
	if (symlink(stamp, link))
		die("%s: %s", link, strerror(errno));
	add_counts(all.nr - bad, bad);
	putchar('\n');
	table_print(stdout, root);
	json_object_put(root);
	return bad ? 1 : 0;
}
