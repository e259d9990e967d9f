// SPDX-License-Identifier: GPL-2.0
/*
 * init.c - the only process of a measuring guest
 *
 * Reads /plan, carries it out pass by pass, and writes a report, one record a
 * line, to a virtio-serial port of its own; the console is left to the
 * kernel.  The report ends with "end N", N being the number of lines before
 * it, and the guest ends through QEMU's isa-debug-exit device: a guest that
 * does neither has failed, whatever QEMU's exit status says.
 *
 * In user mode Linux, which has neither, the report is a file of the host, in
 * the directory that "report=" on the command line names, and the guest ends
 * with the same exit code.
 *
 * No shell, no network, one thread.  The plan is written by tools/lab/plan.c,
 * which documents its lines; the report is read by tools/lab/report.c, which
 * documents those.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/io.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/types.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <linux/fiemap.h>
#include <linux/fs.h>

#include "batch.h"
#include "pattern.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define PAGE		4096UL
#define EXIT_PORT	0xf4	/* iobase of isa-debug-exit */
#define EXIT_DONE	0x2a	/* QEMU exits with 2 * 0x2a + 1 = 85 */
#define EXIT_ERROR	0x2b	/* ... 87: the report says why */
#define MNT		"/mnt"
#define DATA		MNT "/data"
#define TRACING		"/sys/kernel/tracing/"
#define PMD		(2UL << 20)	/* the largest folio of tmpfs */
#define MAX_FDS		8
#define MAX_EXTENTS	64
#define MAX_OFFSETS	256	/* of a list */

/* What is measured on: the plan's "device", "fs" and "file" lines */
static char dev[32];		/* nvme0n1, found by its serial number */
static unsigned int dev_major, dev_minor;
static char fio_dev[32];	/* the disk that fio comes from, if any */
static unsigned int fio_major, fio_minor;
static char backing[32];	/* null_blk, in model time; empty otherwise */
static char fs[16];		/* xfs */
static char huge[16], content[16];	/* of tmpfs, for the running pass */
static uint64_t file_size;	/* bytes */
static unsigned long pad;	/* pages before it */
static int untraced;		/* a kernel without trace points of readahead */
static int no_hist;		/* a kernel without histogram triggers */
static int timed;		/* each pass once more, for its time */
static unsigned int timed_ms;	/* or over and over, for that long */
static int piped;		/* and once more, for its pipeline */
static uint64_t seed;

static int report = -1;
static int on_host;		/* it is a file there: user mode Linux */
static unsigned long lines;	/* written so far */
static char pass[64];		/* id of the running pass, "-" outside one */
static char *buf;		/* one read's worth of data */
static size_t buf_size;

/* Where the file lies on the device, for telling data from metadata */
static struct fiemap *fiemap;

__attribute__((noreturn)) static void leave(int code)
{
	if (on_host) {
		int fd = open("/proc/exitcode", O_WRONLY);

		/* as isa-debug-exit makes it */
		dprintf(fd, "%d", 2 * code + 1);
		close(fd);
		reboot(RB_POWER_OFF);
	}
	if (!iopl(3))
		outb(code, EXIT_PORT);
	/* not under QEMU, or without the device: the host sees a wrong end */
	sync();
	reboot(RB_AUTOBOOT);
	for (;;)
		pause();
}

static void out(const char *text, size_t len)
{
	while (len) {
		ssize_t n = write(report, text, len);

		if (n < 0) {
			if (errno == EINTR)
				continue;
			fprintf(stderr, "init: report: %s\n", strerror(errno));
			leave(EXIT_ERROR);
		}
		text += n;
		len -= n;
	}
}

/* The trace makes thousands of short lines: write them in large pieces. */
static char obuf[65536];
static size_t olen;

static void flush(void)
{
	out(obuf, olen);
	olen = 0;
	if (on_host)
		fsync(report);
}

__attribute__((format(printf, 1, 2))) static void say(const char *fmt, ...)
{
	va_list ap;
	int n;

	if (olen > sizeof(obuf) - 4096)
		flush();
	va_start(ap, fmt);
	n = vsnprintf(obuf + olen, 4095, fmt, ap);
	va_end(ap);
	if (n > 4094)
		n = 4094;
	olen += n;
	obuf[olen++] = '\n';
	lines++;
}

static void finish(int code)
{
	unsigned long n = lines;

	say("end %lu", n);
	flush();
	leave(code);
}

/* Set while a pass runs: what goes wrong in it voids it, and the next one runs. */
static jmp_buf end_of_pass;
static int in_pass;

__attribute__((noreturn, format(printf, 1, 2)))
static void die(const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (report < 0) {
		fprintf(stderr, "init: %s\n", text);
		leave(EXIT_ERROR);
	}
	if (in_pass) {
		in_pass = 0;
		say("void %s %s", pass, text);
		flush();
		longjmp(end_of_pass, 1);
	}
	say("error %s %s", pass, text);
	finish(EXIT_ERROR);
	leave(EXIT_ERROR);
}

/* The supervisor's progress, and how it tells that the guest hangs */
static void report_step(const char *what)
{
	say("at %s %s", pass, what);
	flush();
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/*
 * The same of what takes long, once for each 16 MiB: a guest that is slow is told
 * from one that hangs by that.  Not by the clock, which would make the report of
 * one boot differ from that of another.
 */
#define GO_ON	(16ULL << 20)

static void go_on(const char *what, uint64_t bytes)
{
	static uint64_t last;
	char text[64];

	if (bytes / GO_ON == last)
		return;
	last = bytes / GO_ON;
	if (!last)
		return;
	snprintf(text, sizeof(text), "%s, %llu MiB", what,
		 (unsigned long long)bytes >> 20);
	report_step(text);
}

static void put_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC);
	ssize_t len = strlen(text);

	if (fd < 0 || write(fd, text, len) != len)
		die("%s: writing %s: %s", path, text, strerror(errno));
	close(fd);
}

static void get_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY);
	ssize_t n;

	if (fd < 0)
		die("%s: %s", path, strerror(errno));
	n = read(fd, text, size - 1);
	if (n < 0)
		die("%s: %s", path, strerror(errno));
	close(fd);
	while (n && text[n - 1] == '\n')
		n--;
	text[n] = '\0';
}

static char *slurp(const char *path)
{
	size_t size = 65536, len = 0;
	char *text = malloc(size);
	int fd = open(path, O_RDONLY);

	if (!text || fd < 0)
		die("%s: %s", path, strerror(errno));
	for (;;) {
		ssize_t n = read(fd, text + len, size - len - 1);

		if (n < 0)
			die("%s: %s", path, strerror(errno));
		if (!n)
			break;
		len += n;
		if (len + 1 == size) {
			size *= 2;
			text = realloc(text, size);
			if (!text)
				die("%s: out of memory", path);
		}
	}
	text[len] = '\0';
	close(fd);
	return text;
}

static void try_mount(const char *what, const char *where, const char *type,
		      unsigned long flags, const char *data)
{
	mkdir(where, 0755);
	if (mount(what, where, type, flags, data))
		die("mount %s (%s) on %s: %s", what, type, where,
		    strerror(errno));
}

/* The port's name is the one on QEMU's command line, not a device number. */
static int open_port(const char *name)
{
	char path[64], got[64];
	int i, fd;

	for (i = 0; i < 8; i++) {
		snprintf(path, sizeof(path),
			 "/sys/class/virtio-ports/vport0p%d/name", i);
		fd = open(path, O_RDONLY);
		if (fd < 0)
			continue;
		memset(got, 0, sizeof(got));
		if (read(fd, got, sizeof(got) - 1) > 0 &&
		    !strncmp(got, name, strlen(name))) {
			close(fd);
			snprintf(path, sizeof(path), "/dev/vport0p%d", i);
			return open(path, O_RDWR);
		}
		close(fd);
	}
	errno = ENODEV;
	return -1;
}

/* "report=DIR" on the command line: a file of the host, in user mode Linux */
static int open_host_report(void)
{
	char text[4096], dir[4096], *p;

	get_file("/proc/cmdline", text, sizeof(text));
	p = strstr(text, "report=");
	errno = ENODEV;
	if (!p || sscanf(p, "report=%4095s", dir) != 1)
		return -1;
	mkdir("/host", 0755);
	if (mount("none", "/host", "hostfs", 0, dir))
		return -1;
	on_host = 1;
	return open("/host/report", O_WRONLY | O_CREAT | O_TRUNC, 0644);
}

/*
 * NVMe controllers are numbered in the order in which they answer, so a disk
 * is found by the serial number that QEMU was told to give it.
 */
static void find_disk(const char *serial, char *name)
{
	char path[64], got[64];
	int i, try;

	for (try = 0; try < 1000; try++) {
		for (i = 0; i < 4; i++) {
			int fd;

			snprintf(path, sizeof(path),
				 "/sys/block/nvme%dn1/device/serial", i);
			fd = open(path, O_RDONLY);
			if (fd < 0)
				continue;
			memset(got, 0, sizeof(got));
			if (read(fd, got, sizeof(got) - 1) < 0)
				got[0] = '\0';
			close(fd);
			got[strcspn(got, "\n ")] = '\0';
			if (!strcmp(got, serial)) {
				snprintf(name, 32, "nvme%dn1", i);
				return;
			}
		}
		/* its namespaces are scanned in the background */
		usleep(10000);
	}
	die("no NVMe disk has the serial number %s", serial);
}

static void get_dev(const char *name, unsigned int *major, unsigned int *minor)
{
	char path[64], text[32];

	snprintf(path, sizeof(path), "/sys/block/%s/dev", name);
	get_file(path, text, sizeof(text));
	if (sscanf(text, "%u:%u", major, minor) != 2)
		die("%s: not MAJOR:MINOR: %s", path, text);
}

static void find_device(const char *serial, char *name, unsigned int *major,
			unsigned int *minor)
{
	find_disk(serial, name);
	get_dev(name, major, minor);
}

static void make_dir(const char *path)
{
	if (mkdir(path, 0755))
		die("%s: %s", path, strerror(errno));
}

static void put_number(const char *dir, const char *name, uint64_t value)
{
	char path[160], text[24];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	put_file(path, text);
}

/*
 * Model time: a device whose every answer comes from a timer of the guest, not
 * from the host.  null_blk keeps the data in the guest's memory; nvme-loop puts
 * the NVMe driver's queue and limits on top of it, up to 255 pages a request.
 */
#define CONFIG		"/sys/kernel/config"
#define NULLB		CONFIG "/nullb/model0"
#define SUBSYS		CONFIG "/nvmet/subsystems/model"
#define PORT		CONFIG "/nvmet/ports/1"

static void make_loop(unsigned int mdts)
{
	make_dir(SUBSYS);
	put_file(SUBSYS "/attr_allow_any_host", "1");
	put_file(SUBSYS "/attr_serial", "model");
	make_dir(SUBSYS "/namespaces/1");
	put_file(SUBSYS "/namespaces/1/device_path", "/dev/model0");
	/* else it is random, and printed */
	put_file(SUBSYS "/namespaces/1/device_uuid",
		 "5eed5eed-0000-4000-8000-000000000001");
	put_file(SUBSYS "/namespaces/1/enable", "1");
	make_dir(PORT);
	put_file(PORT "/addr_trtype", "loop");
	put_number(PORT, "param_mdts", mdts);
	if (symlink(SUBSYS, PORT "/subsystems/model"))
		die(PORT "/subsystems/model: %s", strerror(errno));
	put_file("/dev/nvme-fabrics",
		 "transport=loop,nqn=model,hostnqn=nqn.2014-08.org.nvmexpress:uuid:5eed5eed-0000-4000-8000-000000000002,hostid=5eed5eed-0000-4000-8000-000000000002,nr_io_queues=1,keep_alive_tmo=86400");
	find_device("model", dev, &dev_major, &dev_minor);
}

/* model loop|plain MDTS MIB NS MBPS DEPTH [SPREAD] */
static void make_model(const char *args)
{
	unsigned int mdts, mib, mbps, depth, spread = 0;
	unsigned long ns;
	char how[8];

	if (sscanf(args, "%7s %u %u %lu %u %u %u", how, &mdts, &mib, &ns, &mbps,
		   &depth, &spread) < 6)
		die("plan: model wants loop|plain MDTS MIB NS MBPS DEPTH [SPREAD]: %s",
		    args);
	try_mount("configfs", CONFIG, "configfs", 0, NULL);
	make_dir(NULLB);
	put_number(NULLB, "size", mib);
	put_number(NULLB, "memory_backed", 1);
	/* one copy and one look-up a page, not a sector */
	put_number(NULLB, "blocksize", PAGE);
	put_number(NULLB, "submit_queues", 1);
	put_number(NULLB, "hw_queue_depth", depth);
	put_number(NULLB, "max_sectors", 8UL << mdts);
	/* a timer of its own for each request */
	put_number(NULLB, "irqmode", 2);
	put_number(NULLB, "completion_nsec", ns);
	put_number(NULLB, "mbps", mbps);
	/* tests/pipeline/kernels/out-of-order.patch */
	if (spread)
		put_number(NULLB, "spread_nsec", spread);
	put_number(NULLB, "power", 1);
	strcpy(backing, "model0");
	/*
	 * What waits for a portion of the bandwidth would be merged meanwhile,
	 * below nvme-loop or in the device that is measured.
	 */
	if (mbps || !strcmp(how, "loop"))
		put_file("/sys/block/model0/queue/nomerges", "2");
	if (!strcmp(how, "loop")) {
		make_loop(mdts);
	} else {
		strcpy(dev, backing);
		get_dev(dev, &dev_major, &dev_minor);
	}
}

/*
 * The file system as mkfs made it on the host: what of it is not zeroes, as
 * records of an offset and a block.
 */
static void write_image(void)
{
	struct { uint64_t pos; char data[PAGE]; } rec;
	int in = open("/image", O_RDONLY), fd;
	char path[48];
	ssize_t n;

	snprintf(path, sizeof(path), "/dev/%s", dev);
	fd = open(path, O_RDWR);
	if (in < 0 || fd < 0)
		die("%s: %s", in < 0 ? "/image" : path, strerror(errno));
	while ((n = read(in, &rec, sizeof(rec))) == (ssize_t)sizeof(rec))
		if (pwrite(fd, rec.data, PAGE, rec.pos) != (ssize_t)PAGE)
			die("%s: write at %llu: %s", path,
			    (unsigned long long)rec.pos, strerror(errno));
	if (n)
		die("/image: cut short");
	if (fsync(fd))
		die("%s: fsync: %s", path, strerror(errno));
	close(fd);
	close(in);
}

/* The device itself, from its first byte to its last: nothing is mounted. */
static int on_device(void)
{
	return !strcmp(fs, "raw");
}

static const char *data_path(void)
{
	static char path[48];

	if (!on_device())
		return DATA;
	snprintf(path, sizeof(path), "/dev/%s", dev);
	return path;
}

/* tmpfs has no device, no extents, and its file is the page cache itself. */
static int on_tmpfs(void)
{
	return !strcmp(fs, "tmpfs");
}

/* A file on tmpfs that nothing was written to reads as zeroes. */
static int is_written(void)
{
	return !on_tmpfs() || !strcmp(content, "written");
}

/*
 * Settings: each is written if the plan asks so, then read back, and both
 * values are reported.  The host voids a pass whose values differ.
 */
static void read_back(const char *name, const char *asked, const char *path)
{
	char got[128], *p;

	get_file(path, got, sizeof(got));
	/* "always [madvise] never": the chosen one is in brackets */
	p = strchr(got, '[');
	if (p) {
		memmove(got, p + 1, strlen(p));
		p = strchr(got, ']');
		if (p)
			*p = '\0';
	}
	say("set %s %s %s %s", pass, name, asked, got);
}

static void queue_setting(const char *name, const char *value, int write_it)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/block/%s/queue/%s", dev, name);
	if (write_it)
		put_file(path, value);
	read_back(name, value, path);
}

/* The device's own counters: /sys/block/DEV/stat */
struct counters {
	unsigned long reads, merges, sectors;
};

static void add_counters(struct counters *c, const char *name)
{
	unsigned long reads, merges, sectors;
	char path[64], text[256];

	snprintf(path, sizeof(path), "/sys/block/%s/stat", name);
	get_file(path, text, sizeof(text));
	if (sscanf(text, "%lu %lu %lu", &reads, &merges, &sectors) != 3)
		die("%s: not a stat line: %s", path, text);
	c->reads += reads;
	c->merges += merges;
	c->sectors += sectors;
}

/* With tmpfs there is no disk but fio's; if there is, a read of it shows. */
static void read_counters(struct counters *c)
{
	char name[16], path[64];
	unsigned int i;

	memset(c, 0, sizeof(*c));
	if (!on_tmpfs()) {
		add_counters(c, dev);
		return;
	}
	for (i = 0; i < 4; i++) {
		snprintf(name, sizeof(name), "nvme%un1", i);
		snprintf(path, sizeof(path), "/sys/block/%s", name);
		if (!strcmp(name, fio_dev) || access(path, F_OK))
			continue;
		add_counters(c, name);
	}
}

/* By PCI class: a controller is there at once, its namespaces may come later. */
static unsigned int count_disks(void)
{
	DIR *d = opendir("/sys/bus/pci/devices");
	char path[300], class[32];
	unsigned int disks = 0;
	struct dirent *e;

	/* user mode Linux has no such bus */
	if (!d && errno == ENOENT && on_host)
		return 0;
	if (!d)
		die("/sys/bus/pci/devices: %s", strerror(errno));
	while ((e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/class",
			 e->d_name);
		get_file(path, class, sizeof(class));
		disks += !strcmp(class, "0x010802");
	}
	closedir(d);
	return *fio_dev ? disks - 1 : disks;
}

/* What was read ahead at the end of a pass may still be under way. */
static void wait_idle(void)
{
	char path[64], text[64];
	unsigned int reads, writes;
	int try;

	snprintf(path, sizeof(path), "/sys/block/%s/inflight", dev);
	for (try = 0; try < 30000; try++) {
		get_file(path, text, sizeof(text));
		if (sscanf(text, "%u %u", &reads, &writes) != 2)
			die("%s: not two numbers: %s", path, text);
		if (!reads && !writes)
			return;
		usleep(1000);
	}
	die("%s: requests still in flight after 30 s: %s", dev, text);
}

static void mount_data(unsigned long flags)
{
	char path[48];

	if (on_device())
		return;
	snprintf(path, sizeof(path), "/dev/%s", dev);
	try_mount(path, MNT, fs, flags | MS_NOATIME, NULL);
}

static void unmount_data(void)
{
	if (!on_device() && umount(MNT))
		die("umount " MNT ": %s", strerror(errno));
}

static char *need(size_t size)
{
	if (size > buf_size) {
		free(buf);
		if (posix_memalign((void **)&buf, PAGE, size))
			die("out of memory for a buffer of %zu bytes", size);
		buf_size = size;
	}
	return buf;
}

static void write_pattern(int fd)
{
	const size_t chunk = 1 << 20;
	uint64_t pos;

	need(chunk);
	for (pos = 0; pos < file_size; pos += chunk) {
		size_t n = file_size - pos < chunk ? file_size - pos : chunk;

		go_on("write the file", pos);
		pattern_fill(buf, n, pos, seed);
		if (pwrite(fd, buf, n, pos) != (ssize_t)n)
			die(DATA ": write at %llu: %s",
			    (unsigned long long)pos, strerror(errno));
	}
}

/* What lies before the file moves it on the device, or in memory. */
static void make_pad(void)
{
	int fd = open(MNT "/pad", O_CREAT | O_RDWR, 0644);

	if (fd < 0 || fallocate(fd, 0, 0, pad * PAGE) || fsync(fd))
		die(MNT "/pad: %s", strerror(errno));
	close(fd);
}

/* Direct I/O, so that nothing of the file is cached and no writeback runs on. */
static void make_file(void)
{
	int fd;

	report_step("write the file");
	mount_data(0);
	if (pad && !on_device())
		make_pad();
	fd = open(data_path(), O_CREAT | O_RDWR | O_DIRECT, 0644);
	if (fd < 0)
		die(DATA ": %s", strerror(errno));
	write_pattern(fd);
	if (fsync(fd))
		die(DATA ": fsync: %s", strerror(errno));
	close(fd);
	unmount_data();
}

/*
 * huge= in force, by /proc/mounts.  shmem_show_options() in mm/shmem.c prints
 * it unless it is "never", so that is what its absence says, given a kernel
 * with huge pages at all: only such a one has shmem_enabled, which is read too.
 */
static void read_back_mount(void)
{
	char *text = slurp("/proc/mounts"), *line, *next, *opt;
	char where[64], type[16], opts[256], got[32] = "none";
	int found = 0;

	for (line = text; line && *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (sscanf(line, "%*s %63s %15s %255s", where, type, opts) != 3 ||
		    strcmp(where, MNT))
			continue;
		/* the last one is on top */
		found = 1;
		strcpy(got, "never");
		say("set %s fs %s %s", pass, fs, type);
		for (opt = strtok(opts, ","); opt; opt = strtok(NULL, ","))
			if (!strncmp(opt, "huge=", 5))
				snprintf(got, sizeof(got), "%.31s", opt + 5);
	}
	free(text);
	if (!found)
		die("/proc/mounts: nothing is mounted on " MNT);
	say("set %s huge %s %s", pass, huge, got);
	/*
	 * "deny" and "force" here have their way over every mount; a kernel
	 * without huge pages never makes one.
	 */
	if (on_host && access("/sys/kernel/mm/transparent_hugepage", F_OK))
		say("set %s shmem_enabled never never", pass);
	else
		read_back("shmem_enabled", "never",
			  "/sys/kernel/mm/transparent_hugepage/shmem_enabled");
}

/*
 * What the file is made of, as the file system tells: SEEK_DATA finds folios
 * with data in them, st_blocks counts those that were only allocated as well.
 */
static const char *content_kind(int fd)
{
	off_t data = lseek(fd, 0, SEEK_DATA), hole;
	int no_data = data < 0 && errno == ENXIO;
	struct stat st;
	uint64_t bytes;

	hole = lseek(fd, 0, SEEK_HOLE);
	if (hole < 0 || (data < 0 && !no_data) || fstat(fd, &st))
		die(DATA ": SEEK_DATA, SEEK_HOLE, fstat: %s", strerror(errno));
	bytes = st.st_blocks * 512ULL;
	if (no_data && !bytes)
		return "hole";
	if (no_data && bytes >= file_size)
		return "fallocated";
	if (!data && hole == st.st_size && bytes >= file_size)
		return "written";
	return "mixed";
}

/*
 * A tmpfs goes when it is unmounted, and a mapping fills a hole: each pass gets
 * one of its own.  The size is set first, so that within_size depends on it and
 * not on how much we write at a time.
 */
static void make_tmpfs(void)
{
	char opts[64];
	int fd;

	report_step("make the file");
	/* a huge page at the file's end has to fit */
	snprintf(opts, sizeof(opts), "size=%llu,huge=%s",
		 (unsigned long long)(file_size + pad * PAGE + 2 * PMD - 1) /
		 PMD * PMD, huge);
	try_mount("tmpfs", MNT, fs, MS_NOATIME, opts);
	read_back_mount();
	if (pad)
		make_pad();
	fd = open(DATA, O_CREAT | O_RDWR, 0644);
	if (fd < 0 || ftruncate(fd, file_size))
		die(DATA ": %s", strerror(errno));
	if (!strcmp(content, "written"))
		write_pattern(fd);
	else if (!strcmp(content, "fallocated") &&
		 fallocate(fd, 0, 0, file_size))
		die(DATA ": fallocate: %s", strerror(errno));
	say("set %s content %s %s", pass, content, content_kind(fd));
	say("set %s disks 0 %u", pass, count_disks());
	close(fd);
}

static void read_extents(int fd)
{
	struct fiemap_extent *e, *last = NULL;
	unsigned int i, pieces = 0;

	if (on_tmpfs()) {
		say("pieces %s 0", pass);
		return;
	}
	free(fiemap);
	fiemap = calloc(1, sizeof(*fiemap) +
			MAX_EXTENTS * sizeof(struct fiemap_extent));
	if (!fiemap)
		die("out of memory");
	fiemap->fm_length = FIEMAP_MAX_OFFSET;
	fiemap->fm_extent_count = MAX_EXTENTS;
	if (on_device()) {
		fiemap->fm_mapped_extents = 1;
		fiemap->fm_extents[0].fe_length = file_size;
	} else if (ioctl(fd, FS_IOC_FIEMAP, fiemap)) {
		die("FIEMAP: %s", strerror(errno));
	}
	/* ext4's are at most 128 MiB long: what counts is where a piece ends */
	for (i = 0; i < fiemap->fm_mapped_extents; i++) {
		e = &fiemap->fm_extents[i];
		if (!last || e->fe_logical != last->fe_logical + last->fe_length ||
		    e->fe_physical != last->fe_physical + last->fe_length)
			pieces++;
		last = e;
		say("extent %s %llu %llu %llu", pass, e->fe_logical,
		    e->fe_physical, e->fe_length);
	}
	say("pieces %s %u", pass, pieces);
}

/* Returns the file offset that lies at a byte of the device, or -1. */
static int64_t file_offset(uint64_t phys)
{
	unsigned int i;

	for (i = 0; fiemap && i < fiemap->fm_mapped_extents; i++) {
		struct fiemap_extent *e = &fiemap->fm_extents[i];

		if (phys >= e->fe_physical &&
		    phys < e->fe_physical + e->fe_length)
			return e->fe_logical + (phys - e->fe_physical);
	}
	return -1;
}

static unsigned long resident_pages(int fd)
{
	unsigned long n = file_size / PAGE, i, count = 0;
	unsigned char *vec = malloc(n);
	void *map = mmap(NULL, file_size, PROT_READ, MAP_SHARED, fd, 0);

	if (!vec || map == MAP_FAILED || mincore(map, file_size, vec))
		die("mincore: %s", strerror(errno));
	for (i = 0; i < n; i++)
		count += vec[i] & 1;
	munmap(map, file_size);
	free(vec);
	return count;
}

/*
 * Tracing.  The ring buffer takes the readahead decisions and the requests
 * issued to the device; a histogram counts the folios that enter the page
 * cache by order, which would be too many for the buffer.  tmpfs adds its
 * folios without that event, but they leave like any other: there they are
 * counted when the file is removed, at the end of the pass.
 */
static const char * const ring_events[] = {
	"readahead/page_cache_ra_unbounded",
	"readahead/page_cache_ra_order",
	"readahead/page_cache_sync_ra",
	"readahead/page_cache_async_ra",
	"block/block_bio_queue",
	"block/block_plug",
	"block/block_unplug",
	"block/block_rq_issue",
};

#define FOLIO_EVENT	TRACING "events/filemap/mm_filemap_add_to_page_cache/"
#define GONE_EVENT	TRACING "events/filemap/mm_filemap_delete_from_page_cache/"

static void trace_event(const char *event, const char *file, const char *text)
{
	char path[160];

	snprintf(path, sizeof(path), TRACING "events/%s/%s", event, file);
	put_file(path, text);
}

static void trace_setup(void)
{
	try_mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL);
	/* all of them or none: one that is missing alone is an error */
	untraced = access(TRACING "events/readahead", F_OK);
	no_hist = access(GONE_EVENT "hist", F_OK);
	put_file(TRACING "tracing_on", "0");
	put_file(TRACING "buffer_size_kb", "16384");
	put_file(TRACING "options/overwrite", "0");
}

static void trace_events(const char *on)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ring_events); i++)
		if (!untraced || strncmp(ring_events[i], "readahead/", 10))
			trace_event(ring_events[i], "enable", on);
}

static void trace_start(void)
{
	put_file(TRACING "trace", "");
	trace_events("1");
	if (!on_tmpfs())
		put_file(FOLIO_EVENT "trigger", "hist:keys=i_ino,order");
	put_file(TRACING "tracing_on", "1");
}

static void trace_stop(void)
{
	put_file(TRACING "tracing_on", "0");
	trace_events("0");
}

/* As a pass finds it, wherever the one before it stopped */
static void trace_reset(void)
{
	static const char * const triggers[] = {
		FOLIO_EVENT "trigger", GONE_EVENT "trigger",
	};
	unsigned int i;
	char text[256];

	put_file(TRACING "tracing_on", "0");
	put_file(TRACING "events/enable", "0");
	put_file(TRACING "trace_clock", "local");
	for (i = 0; i < ARRAY_SIZE(triggers) && !no_hist; i++) {
		get_file(triggers[i], text, sizeof(text));
		if (!strncmp(text, "hist:", 5))
			put_file(triggers[i], "!hist:keys=i_ino,order");
	}
}

/* trace KIB: how much of it one pass may make */
static void trace_size(const char *kib)
{
	static char last[64] = "16384";

	if (!strcmp(kib, last))
		return;
	put_file(TRACING "buffer_size_kb", kib);
	snprintf(last, sizeof(last), "%s", kib);
}

static int field(const char *line, const char *name, unsigned long *value)
{
	char key[32];
	const char *p;

	snprintf(key, sizeof(key), " %s=", name);
	p = strstr(line, key);
	if (!p)
		return 0;
	*value = strtoul(p + strlen(key), NULL, 0);
	return 1;
}

static unsigned long must_field(const char *line, const char *name)
{
	unsigned long v;

	if (!field(line, name, &v))
		die("trace line without %s: %s", name, line);
	return v;
}

static unsigned long must_ino(const char *line)
{
	const char *p = strstr(line, " ino=");

	if (!p)
		die("trace line without ino: %s", line);
	return strtoul(p + 5, NULL, 16);
}

static void trace_overrun(void)
{
	char text[1024], *p;
	unsigned long lost = 0, v;

	get_file(TRACING "per_cpu/cpu0/stats", text, sizeof(text));
	p = strstr(text, "overrun: ");
	if (p)
		lost += strtoul(p + 9, NULL, 10);
	p = strstr(text, "dropped events: ");
	if (p) {
		v = strtoul(p + 16, NULL, 10);
		lost += v;
	}
	if (lost)
		die("%lu trace events lost: the buffer is too small", lost);
}

/*
 * The pipeline: every event as it is, in nanoseconds of the guest, which is what
 * the time stamp counter counts in model time.
 */
static const char * const pipe_events[] = {
	"readahead",
	"filemap/mm_filemap_get_pages",
	"filemap/mm_filemap_fault",
	"filemap/mm_filemap_map_pages",
	"block/block_bio_queue",
	"block/block_rq_issue",
	"block/block_rq_complete",
	"sched/sched_switch",
	"sched/sched_waking",
};

static void pipe_trace(const char *on)
{
	unsigned int i;

	if (*on == '1')
		put_file(TRACING "trace_clock", "x86-tsc");
	else
		put_file(TRACING "tracing_on", on);
	for (i = 0; i < ARRAY_SIZE(pipe_events); i++)
		trace_event(pipe_events[i], "enable", on);
	if (*on == '1')
		put_file(TRACING "tracing_on", on);
}

static void report_pipeline(unsigned long ino)
{
	char *text, *line, *next;
	unsigned int i;

	trace_overrun();
	say("t #pipeline dev %u:%u", dev_major, dev_minor);
	say("t #pipeline ino %lu", ino);
	for (i = 0; i < fiemap->fm_mapped_extents; i++) {
		struct fiemap_extent *e = &fiemap->fm_extents[i];

		say("t #pipeline extent %llu %llu %llu", e->fe_logical,
		    e->fe_physical, e->fe_length);
	}
	text = slurp(TRACING "trace");
	for (line = text; *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		else
			next = line + strlen(line);
		if (*line != '#')
			say("t %s", line);
	}
	free(text);
	/* back to what the counted passes have; this empties the buffer, too */
	put_file(TRACING "trace_clock", "local");
}

/*
 * Reads as they were submitted.
 *
 * How many requests the device gets for a window depends on where its folios lie
 * in memory: a bio has up to 256 vectors, a request up to max_segments, and pages
 * that follow each other in memory share one.  A window of 512 single pages is one
 * request if some of them do, and two if none do.  So reads are counted as they
 * would be if neither were a limit: the bios of one call of readahead that follow
 * each other on the device are one, which is split where it is longer than
 * max_sectors, and merged with the request that the task's plug ends with.  These
 * are the rules of blk_mq_submit_bio(), and what the device got beside them is
 * what memory made of it.
 */
struct submitter {
	int pid;
	unsigned long long start, end;	/* sectors of the bio; nothing if equal */
	unsigned long long rq_start, rq_end;	/* of the request that may grow */
	int flushed;			/* its plug; unless it goes on, see below */
};

#define MAX_SUBMITTERS	64
static struct submitter submitters[MAX_SUBMITTERS];
static unsigned int nr_submitters;
static unsigned long long max_sectors;	/* of the queue, for this pass */
static unsigned long data, data_sectors;

static void read_limit(void)
{
	char path[128], text[24];

	snprintf(path, sizeof(path), "/sys/block/%s/queue/max_sectors_kb", dev);
	get_file(path, text, sizeof(text));
	max_sectors = 2 * strtoull(text, NULL, 10);
	if (!max_sectors)
		die("%s: not a number: %s", path, text);
}

static struct submitter *submitter_of(int pid)
{
	unsigned int i;

	for (i = 0; i < nr_submitters; i++)
		if (submitters[i].pid == pid)
			return &submitters[i];
	if (i == MAX_SUBMITTERS)
		die("more than %d tasks have submitted reads", MAX_SUBMITTERS);
	memset(&submitters[i], 0, sizeof(submitters[i]));
	submitters[i].pid = pid;
	nr_submitters++;
	return &submitters[i];
}

static void submit_rq(struct submitter *s)
{
	unsigned long long nr = s->rq_end - s->rq_start;

	if (!nr)
		return;
	data++;
	data_sectors += nr;
	say("d %lu %llu", (unsigned long)file_offset(s->rq_start * 512) / PAGE,
	    nr / 8);
	s->rq_start = s->rq_end;
}

/* The call of readahead is over, or what comes next lies elsewhere. */
static void submit_bio(struct submitter *s)
{
	unsigned long long nr = s->end - s->start;

	if (!nr)
		return;
	if (nr > max_sectors || s->rq_end != s->start ||
	    s->rq_end - s->rq_start + nr > max_sectors) {
		submit_rq(s);
		s->rq_start = s->start;
	}
	/* what a bio is split into is not merged, but for the rest */
	while (s->end - s->rq_start > max_sectors) {
		s->rq_end = s->rq_start + max_sectors;
		submit_rq(s);
	}
	s->rq_end = s->end;
	s->start = s->end;
}

/* The plug is empty: there is nothing to merge with. */
static void submit_all(struct submitter *s)
{
	submit_bio(s);
	submit_rq(s);
	s->flushed = 0;
}

static void add_bio(struct submitter *s, unsigned long long sector,
		    unsigned int nr)
{
	if (s->flushed)
		submit_all(s);
	if (s->end != sector || s->start == s->end) {
		submit_bio(s);
		s->start = sector;
	}
	s->end = sector + nr;
}

/* "            init-1       [000] ...": a task's name may have anything in it */
static int line_pid(const char *line)
{
	const char *p = strstr(line, " [0");

	while (p && p > line && p[-1] == ' ')
		p--;
	while (p && p > line && p[-1] >= '0' && p[-1] <= '9')
		p--;
	if (!p || p == line || p[-1] != '-')
		die("trace line without a task: %s", line);
	return atoi(p);
}

/* 259,0 RA 16384 () 96 + 32 none,0,0 [init], or without what is in the middle */
static int parse_io(const char *p, const char *line, int request,
		    unsigned long long *sector, unsigned int *nr)
{
	unsigned int maj, min;
	char rwbs[16];
	int used;

	if (sscanf(p, "%u,%u %15s %n", &maj, &min, rwbs, &used) != 3)
		die("not a line of a bio or a request: %s", line);
	p += used;
	if (request) {
		/* the command in the parentheses is empty */
		p = strstr(p, "() ");
		p = p ? p + 3 : "";
	}
	if (sscanf(p, "%llu + %u", sector, nr) != 2)
		die("not a line of a bio or a request: %s", line);
	if (!strchr(rwbs, 'R'))
		return 0;
	/* fio comes from a disk of its own */
	return on_tmpfs() ? maj != fio_major || min != fio_minor :
			    maj == dev_major && min == dev_minor;
}

/*
 * One line an event: what readahead decided, and each read of the file's data as
 * file pages, of anything else as sectors.
 */
static void report_trace(unsigned long ino)
{
	unsigned long requests = 0, sectors = 0, meta = 0, meta_sectors = 0, n = 0;
	unsigned long long sector;
	char *line = NULL, *p;
	struct submitter *s;
	unsigned int nr, i;
	size_t size = 0;
	FILE *f;

	trace_overrun();
	nr_submitters = 0;
	data = 0;
	data_sectors = 0;
	f = fopen(TRACING "trace", "r");
	if (!f)
		die(TRACING "trace: %s", strerror(errno));
	while (getline(&line, &size, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (line[0] == '#')
			continue;
		if (++n % 65536 == 0)
			report_step("trace");
		p = strstr(line, ": block_");
		if (p && !strncmp(p, ": block_rq_issue: ", 18)) {
			if (!parse_io(p + 18, line, 1, &sector, &nr))
				continue;
			if (file_offset(sector * 512) < 0) {
				meta++;
				meta_sectors += nr;
				say("m %llu %u", sector, nr);
				continue;
			}
			requests++;
			sectors += nr;
			/* the last of a plug is sent when all before it are */
			for (i = 0; i < nr_submitters; i++)
				if (submitters[i].end == sector + nr)
					submit_all(&submitters[i]);
		} else if (p && !strncmp(p, ": block_bio_queue: ", 19)) {
			if (parse_io(p + 19, line, 0, &sector, &nr) &&
			    file_offset(sector * 512) >= 0)
				add_bio(submitter_of(line_pid(line)), sector, nr);
		} else if (p && !strncmp(p, ": block_unplug: ", 16)) {
			submitter_of(line_pid(line))->flushed = 1;
		} else if (p && !strncmp(p, ": block_plug: ", 14)) {
			/* flushed to make room for the request of this very bio */
			submitter_of(line_pid(line))->flushed = 0;
		}
		p = strstr(line, ": page_cache_");
		if (!p || must_ino(p) != ino)
			continue;
		s = submitter_of(line_pid(line));
		if (s->flushed)
			submit_all(s);
		else
			submit_bio(s);
		if (!strncmp(p, ": page_cache_ra_order:", 22))
			say("w %lu %lu %lu %lu", must_field(p, "index"),
			    must_field(p, "size"), must_field(p, "async_size"),
			    must_field(p, "order"));
		else if (!strncmp(p, ": page_cache_ra_unbounded:", 26))
			say("u %lu %lu %lu", must_field(p, "index"),
			    must_field(p, "nr_to_read"),
			    must_field(p, "lookahead_size"));
		else if (!strncmp(p, ": page_cache_sync_ra:", 21))
			say("s %lu %lu", must_field(p, "index"),
			    must_field(p, "req_count"));
		else if (!strncmp(p, ": page_cache_async_ra:", 22))
			say("a %lu %lu", must_field(p, "index"),
			    must_field(p, "req_count"));
	}
	if (ferror(f))
		die(TRACING "trace: %s", strerror(errno));
	fclose(f);
	free(line);
	for (i = 0; i < nr_submitters; i++)
		submit_all(&submitters[i]);
	if (data_sectors != sectors)
		die("%lu sectors of the file were submitted, the device got %lu",
		    data_sectors, sectors);
	say("data %s %lu %lu", pass, data, data_sectors);
	say("sent %s %lu", pass, requests);
	say("meta %s %lu %lu", pass, meta, meta_sectors);
}

/* { i_ino:        131, order:          5 } hitcount:       4096 */
static void report_folios(unsigned long ino, const char *hist,
			  const char *trigger)
{
	char *text = slurp(hist), *p = text;

	while ((p = strstr(p, "{ i_ino:"))) {
		unsigned long i, order, hits;

		if (sscanf(p, "{ i_ino: %lu, order: %lu } hitcount: %lu", &i,
			   &order, &hits) != 3)
			die("not a histogram line: %.60s", p);
		if (i == ino)
			say("folio %s %lu %lu", pass, order, hits);
		p++;
	}
	p = strstr(text, "Dropped: ");
	if (!p || strtoul(p + 9, NULL, 10))
		die("the folio histogram dropped entries");
	free(text);
	put_file(trigger, "!hist:keys=i_ino,order");
}

/* Without histograms, each folio that has gone is a line of the trace. */
static void report_gone(unsigned long ino)
{
	unsigned long hits[16] = { 0 }, order;
	char *text, *line, *next, *p;
	unsigned int i;

	trace_overrun();
	text = slurp(TRACING "trace");
	for (line = text; line && *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		p = strstr(line, ": mm_filemap_delete_from_page_cache: ");
		if (!p)
			continue;
		p = strstr(p, " ino ");
		order = must_field(line, "order");
		if (!p || order >= ARRAY_SIZE(hits))
			die("not a folio's line: %s", line);
		if (strtoul(p + 5, NULL, 16) == ino)
			hits[order]++;
	}
	free(text);
	for (i = 0; i < ARRAY_SIZE(hits); i++)
		if (hits[i])
			say("folio %s %u %lu", pass, i, hits[i]);
}

/* All files on it are closed, so the folios are gone when unlink() returns. */
static void remove_file(unsigned long ino)
{
	if (no_hist) {
		put_file(TRACING "trace", "");
		put_file(GONE_EVENT "enable", "1");
		put_file(TRACING "tracing_on", "1");
	} else {
		put_file(GONE_EVENT "trigger", "hist:keys=i_ino,order");
	}
	if (unlink(DATA))
		die(DATA ": unlink: %s", strerror(errno));
	if (no_hist) {
		put_file(TRACING "tracing_on", "0");
		put_file(GONE_EVENT "enable", "0");
		report_gone(ino);
	} else {
		report_folios(ino, GONE_EVENT "hist", GONE_EVENT "trigger");
	}
}

/* What the reader got: every word is compared, and summed for the report. */
static uint64_t got_bytes, got_sum;
/* but not while model time is taken: a reader that only reads */
static int unchecked;

static int64_t compare(const void *data, size_t len, uint64_t pos,
		       uint64_t *sum)
{
	if (is_written())
		return pattern_check(data, len, pos, seed, sum);
	return pattern_check_zeroes(data, len, pos, sum);
}

static void take(const void *data, size_t len, uint64_t pos)
{
	int64_t bad = -1;

	if (unchecked) {
		/* a page of a mapping is there once a byte of it was read */
		*(const volatile char *)data;
	} else {
		bad = compare(data, len, pos, &got_sum);
		go_on("read", got_bytes + len);
	}
	if (bad >= 0)
		die("wrong data at byte %lld of the file", (long long)bad);
	got_bytes += len;
}

/* each is a descriptor, or -1 */
static int fds[MAX_FDS];

static void close_fds(void)
{
	int i;

	for (i = 0; i < MAX_FDS; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
		fds[i] = -1;
	}
}

static int fd_of(int i)
{
	if (i < 0 || i >= MAX_FDS)
		die("open file %d: 0 to %d", i, MAX_FDS - 1);
	if (fds[i] < 0) {
		fds[i] = open(data_path(), O_RDONLY);
		if (fds[i] < 0)
			die(DATA ": %s", strerror(errno));
	}
	return fds[i];
}

/* As trace points have it; a block device's is its number */
static unsigned long file_ino(void)
{
	struct stat st;

	if (on_device())
		return (unsigned long)dev_major << 20 | dev_minor;
	if (fstat(fd_of(0), &st))
		die("%s: %s", data_path(), strerror(errno));
	return st.st_ino;
}

static void read_at(int fd, uint64_t pos, size_t len)
{
	ssize_t n = pread(fd, buf, len, pos);

	if (n != (ssize_t)len)
		die("read of %zu bytes at %llu gave %zd: %s", len,
		    (unsigned long long)pos, n, n < 0 ? strerror(errno) : "");
	take(buf, len, pos);
}

/* In parts of a page: looked at when a whole one is there. */
static void read_parts(int fd, uint64_t pos, size_t len)
{
	size_t off;
	ssize_t n;

	for (off = 0; off < PAGE; off += len) {
		n = pread(fd, buf + off, len, pos + off);
		if (n != (ssize_t)len)
			die("read of %zu bytes at %llu gave %zd: %s", len,
			    (unsigned long long)(pos + off), n,
			    n < 0 ? strerror(errno) : "");
	}
	take(buf, PAGE, pos);
}

/* read FD START END BS, so many times: only what is read is repeated */
static void op_read(char *args, unsigned long times)
{
	unsigned long long start, end, bs, pos;
	int f, fd;

	if (sscanf(args, "%d %llu %llu %llu", &f, &start, &end, &bs) != 4 ||
	    !bs)
		die("plan: read wants FD START END BS: %s", args);
	need(bs < PAGE ? PAGE : bs);
	fd = fd_of(f);
	while (times--) {
		for (pos = start; bs < PAGE && pos < end; pos += PAGE)
			read_parts(fd, pos, bs);
		for (; pos < end; pos += bs)
			read_at(fd, pos, end - pos < bs ? end - pos : bs);
	}
}

/* streams BS FD:START:END ...: one read of each in turn until all are done */
static void op_streams(char *args)
{
	struct { int fd; unsigned long long pos, end; } s[MAX_FDS];
	unsigned long long bs;
	int n = 0, left, i, used;

	if (sscanf(args, "%llu%n", &bs, &used) != 1 || !bs)
		die("plan: streams wants BS FD:START:END ...: %s", args);
	args += used;
	while (n < MAX_FDS &&
	       sscanf(args, " %d:%llu:%llu%n", &s[n].fd, &s[n].pos, &s[n].end,
		      &used) == 3) {
		s[n].fd = fd_of(s[n].fd);
		args += used;
		n++;
	}
	need(bs);
	do {
		for (left = 0, i = 0; i < n; i++) {
			unsigned long long len = s[i].end - s[i].pos;

			if (!len)
				continue;
			if (len > bs)
				len = bs;
			read_at(s[i].fd, s[i].pos, len);
			s[i].pos += len;
			left = 1;
		}
	} while (left);
}

/* list BS OFFSET ...: one read at each, so many times */
static void op_list(char *args, unsigned long times)
{
	unsigned long long bs, pos[MAX_OFFSETS];
	int used, nr = 0, i;

	if (sscanf(args, "%llu%n", &bs, &used) != 1 || !bs)
		die("plan: list wants BS OFFSET ...: %.200s", args);
	need(bs);
	for (args += used; nr < MAX_OFFSETS &&
	     sscanf(args, "%llu%n", &pos[nr], &used) == 1; args += used)
		nr++;
	if (strspn(args, " ") != strlen(args))
		die("plan: list takes at most %d offsets", MAX_OFFSETS);
	while (times--)
		for (i = 0; i < nr; i++)
			read_at(fd_of(0), pos[i], bs);
}

/* One mapping of the file at a time, so that a pass that is void leaves none */
static char *mapped;

static char *map_file(int fd)
{
	mapped = mmap(NULL, file_size, PROT_READ, MAP_SHARED, fd, 0);
	if (mapped == MAP_FAILED) {
		mapped = NULL;
		die("mmap: %s", strerror(errno));
	}
	return mapped;
}

static void unmap_file(void)
{
	if (mapped)
		munmap(mapped, file_size);
	mapped = NULL;
}

/* touch ADVICE START END: faults the range in through a mapping, in order */
static void op_touch(char *args)
{
	unsigned long long start, end;
	char advice[16], *map;
	int fd = fd_of(0);

	if (sscanf(args, "%15s %llu %llu", advice, &start, &end) != 3)
		die("plan: touch wants ADVICE START END: %s", args);
	map = map_file(fd);
	if (!strcmp(advice, "hugepage") &&
	    madvise(map, file_size, MADV_HUGEPAGE))
		die("madvise: %s", strerror(errno));
	for (; start < end; start += PAGE)
		take(map + start, end - start < PAGE ? end - start : PAGE,
		     start);
	unmap_file();
}

/* batch uring|aio N START END BS */
static void op_batch(char *args)
{
	unsigned long long start, end, bs;
	const char *why;
	struct batch b = { .take = take };
	char how[8];

	if (sscanf(args, "%7s %u %llu %llu %llu", how, &b.nr, &start, &end, &bs) != 5 ||
	    !bs || !b.nr || b.nr > BATCH_MAX)
		die("plan: batch wants uring|aio N START END BS: %s", args);
	b.fd = fd_of(0);
	b.start = start;
	b.end = end;
	b.bs = bs;
	b.buf = need(b.nr * bs);
	why = *how == 'u' ? batch_uring(&b) : batch_aio(&b);
	if (why)
		die("%s: %s", why, strerror(errno));
}

/* willneed madvise|fadvise RANGE START END BS: advice on a range, then its reads */
static void op_willneed(char *args)
{
	unsigned long long range, start, end, bs, pos, to;
	char how[12], *map = NULL;
	int fd = fd_of(0), err;

	if (sscanf(args, "%11s %llu %llu %llu %llu", how, &range, &start, &end, &bs) != 5 ||
	    !range || !bs)
		die("plan: willneed wants madvise|fadvise RANGE START END BS: %s", args);
	need(bs);
	if (*how == 'm')
		map = map_file(fd);
	for (; start < end; start = to) {
		to = end - start < range ? end : start + range;
		err = map ? madvise(map + start, to - start, MADV_WILLNEED) :
			    posix_fadvise(fd, start, to - start, POSIX_FADV_WILLNEED);
		if (err)
			die("%s: %s", how, strerror(map ? errno : err));
		for (pos = start; pos < to; pos += bs)
			read_at(fd, pos, to - pos < bs ? to - pos : bs);
	}
	unmap_file();
}

static pid_t start(char * const *argv, int in, int out, int other)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork: %s", strerror(errno));
	if (pid)
		return pid;
	if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || (other >= 0 && close(other)))
		_exit(126);
	execv(argv[0], argv);
	_exit(127);
}

/*
 * Waits for a program that reads the file, and tells how far the device has come.
 * But not while it is timed, where looking would take time.
 */
static int wait_for(pid_t pid)
{
	struct counters before, c;
	int status;
	pid_t got;

	read_counters(&before);
	while (!(got = waitpid(pid, &status, unchecked ? 0 : WNOHANG))) {
		usleep(100000);
		read_counters(&c);
		go_on("read", (c.sectors - before.sectors) * 512);
	}
	if (got != pid)
		die("waitpid: %s", strerror(errno));
	return status;
}

/* tar cf - DIR | cat >/dev/null */
static void op_tar(void)
{
	static char * const tar[] = { "/bin/tar", "cf", "-", "-C", MNT, "data", NULL };
	static char * const cat[] = { "/bin/cat", NULL };
	int null = open("/dev/null", O_RDWR), ends[2], i, status;
	pid_t pid[2];

	if (null < 0 || pipe(ends))
		die("pipe: %s", strerror(errno));
	flush();
	pid[0] = start(tar, null, ends[1], ends[0]);
	pid[1] = start(cat, ends[0], null, ends[1]);
	close(ends[0]);
	close(ends[1]);
	close(null);
	for (i = 0; i < 2; i++) {
		status = wait_for(pid[i]);
		if (status)
			die("%s ended with status %#x", i ? "cat" : "tar", status);
	}
	got_bytes += file_size;
}

/*
 * fio and its libraries come on a disk of their own, as a root to chroot to.
 * The measured file system is seen from there under the same name.
 */
static void fio_setup(const char *serial)
{
	char path[48];

	find_device(serial, fio_dev, &fio_major, &fio_minor);
	snprintf(path, sizeof(path), "/dev/%s", fio_dev);
	try_mount(path, "/fio", "ext4", MS_RDONLY, NULL);
	try_mount("tmpfs", "/fio/tmp", "tmpfs", 0, NULL);
	try_mount("proc", "/fio/proc", "proc", 0, NULL);
	try_mount("/dev", "/fio/dev", NULL, MS_BIND, NULL);
}

static void op_fio(char *args)
{
	char *argv[40], *p, *text, *q;
	int argc = 0, status;
	pid_t pid;

	argv[argc++] = "fio";
	argv[argc++] = "--name=job";
	argv[argc++] = "--filename=" DATA;
	argv[argc++] = "--ioengine=psync";
	argv[argc++] = "--thread";
	/* hints and cache dropping would be fio's readahead, not the kernel's */
	argv[argc++] = "--fadvise_hint=0";
	argv[argc++] = "--invalidate=0";
	argv[argc++] = "--allow_file_create=0";
	argv[argc++] = "--eta=never";
	argv[argc++] = "--output-format=json";
	argv[argc++] = "--output=/tmp/out";
	for (p = strtok(args, " "); p; p = strtok(NULL, " ")) {
		if (argc == 39)
			die("plan: fio takes at most 27 options");
		if (asprintf(&argv[argc++], "--%s", p) < 0)
			die("out of memory");
	}
	argv[argc] = NULL;
	if (mount(MNT, "/fio" MNT, NULL, MS_BIND, NULL))
		die("mount /fio" MNT ": %s", strerror(errno));
	flush();
	pid = fork();
	if (pid < 0)
		die("fork: %s", strerror(errno));
	if (!pid) {
		if (chroot("/fio") || chdir("/"))
			_exit(126);
		execv("/bin/fio", argv);
		_exit(127);
	}
	status = wait_for(pid);
	if (umount("/fio" MNT))
		die("umount /fio" MNT ": %s", strerror(errno));
	if (status)
		die("fio ended with status %#x", status);
	text = slurp("/fio/tmp/out");
	for (p = text; p && *p; p = q) {
		q = strchr(p, '\n');
		if (q)
			*q++ = '\0';
		if (strstr(p, "\"io_bytes\"") && !got_bytes) {
			p = strchr(p, ':');
			got_bytes = strtoull(p + 1, NULL, 10);
		}
	}
	free(text);
}

/* Provokes what the supervisor must tell apart: tests/faults.t */
static void op_fault(const char *kind)
{
	flush();
	if (!strcmp(kind, "panic"))
		put_file("/sys/kernel/debug/provoke-crash/DIRECT", "PANIC");
	else if (!strcmp(kind, "oops"))
		put_file("/sys/kernel/debug/provoke-crash/DIRECT", "EXCEPTION");
	else if (!strcmp(kind, "warning"))
		put_file("/sys/kernel/debug/provoke-crash/DIRECT", "WARNING");
	else if (!strcmp(kind, "hang"))
		for (;;)
			pause();
	else if (!strcmp(kind, "spin"))
		for (;;)
			;
	else if (!strcmp(kind, "die"))
		reboot(RB_AUTOBOOT);
	else if (!strcmp(kind, "truncated"))
		leave(EXIT_DONE);
	else
		die("plan: no fault is called %s", kind);
}

/*
 * A pass: the state that "pass ID" opens and "go" runs.  Operations between
 * the two are kept, so that only they are between the two readings of the
 * counters.
 */
#define MAX_OPS		64
static char *ops[MAX_OPS];
static int nr_ops;

static void verify_cached(void)
{
	uint64_t pos;
	int fd = fd_of(0);

	/* the counters are taken: what others read is checked now, and the rest */
	need(1 << 20);
	for (pos = 0; pos < file_size; pos += 1 << 20) {
		size_t n = file_size - pos < 1 << 20 ? file_size - pos : 1 << 20;
		uint64_t sum = 0;

		go_on("compare", pos);
		if (pread(fd, buf, n, pos) != (ssize_t)n)
			die("read at %llu: %s", (unsigned long long)pos,
			    strerror(errno));
		if (compare(buf, n, pos, &sum) >= 0)
			die("wrong data near byte %llu of the file",
			    (unsigned long long)pos);
		got_sum += sum;
	}
}

static void run_op(char *op, unsigned long times)
{
	if (!strncmp(op, "read ", 5))
		op_read(op + 5, times);
	else if (!strncmp(op, "streams ", 8))
		op_streams(op + 8);
	else if (!strncmp(op, "list ", 5))
		op_list(op + 5, times);
	else if (!strncmp(op, "touch ", 6))
		op_touch(op + 6);
	else if (!strncmp(op, "batch ", 6))
		op_batch(op + 6);
	else if (!strncmp(op, "willneed ", 9))
		op_willneed(op + 9);
	else if (!strcmp(op, "tar"))
		op_tar();
	else if (!strncmp(op, "fio ", 4))
		op_fio(op + 4);
	else if (!strncmp(op, "fault ", 6))
		op_fault(op + 6);
	else
		die("plan: unknown operation: %s", op);
}

/* Returns whether fio or tar was one of them: what they read we do not see. */
static int run_ops(void)
{
	int i, used, unseen = 0;
	unsigned long times;

	for (i = 0; i < nr_ops; i++) {
		char *op = ops[i];

		unseen |= !strncmp(op, "fio ", 4) || !strcmp(op, "tar");
		if (sscanf(op, "times %lu %n", &times, &used) == 1)
			run_op(op + used, times);
		else
			run_op(op, 1);
	}
	return unseen;
}

/*
 * The same pass once more, with nothing in it but the reads: no trace points,
 * no look at the data.  What they would cost is more where there is more to
 * trace.  Returns the nanoseconds.  Or, for the pipeline, with its trace points.
 */
static uint64_t timed_pass(int traced)
{
	struct counters before, after, below = { 0 }, below_after = { 0 };
	uint64_t start, t0, t1, least = UINT64_MAX;
	unsigned long times = 0;

	report_step(traced ? "read, traced" : "read, timed");
	if (!on_tmpfs())
		mount_data(MS_RDONLY);
	got_bytes = 0;
	unchecked = 1;
	read_counters(&before);
	if (*backing)
		add_counters(&below, backing);
	if (!on_tmpfs() && resident_pages(fd_of(0)))
		die("pages of the file were cached before the timed pass");
	fd_of(0);
	if (traced)
		pipe_trace("1");
	/* the quickest: a host with other work only ever adds to it */
	start = now_ns();
	do {
		t0 = now_ns();
		run_ops();
		t1 = now_ns();
		if (t1 - t0 < least)
			least = t1 - t0;
		times++;
	} while (t1 - start < timed_ms * 1000000ULL);
	if (!on_tmpfs())
		wait_idle();
	if (traced)
		pipe_trace("0");
	read_counters(&after);
	if (*backing)
		add_counters(&below_after, backing);
	unchecked = 0;
	if (traced) {
		say("piped %s %llu", pass, (unsigned long long)(t1 - t0));
		report_pipeline(file_ino());
	} else {
		say("timed %s %lu %llu %lu %lu %lu", pass, times,
		    (unsigned long long)got_bytes / times,
		    after.reads - before.reads, after.sectors - before.sectors,
		    below_after.reads - below.reads);
	}
	close_fds();
	if (!on_tmpfs())
		unmount_data();
	return least;
}

static void report_kmsg(void);

/*
 * What the kernel said in it is the pass's, and so are the traces of one that is
 * void: the next one finds what it would have found without it.
 */
static void end_pass(int is_void)
{
	int i;

	in_pass = 0;
	if (is_void) {
		trace_reset();
		unmap_file();
		close_fds();
		/* of fio; it may not be mounted */
		umount("/fio" MNT);
		if (!on_device() && umount(MNT) && errno != EINVAL && errno != ENOENT)
			die("umount " MNT ": %s", strerror(errno));
		unchecked = 0;
	}
	for (i = 0; i < nr_ops; i++)
		free(ops[i]);
	nr_ops = 0;
	report_kmsg();
	say("done %s", pass);
	strcpy(pass, "-");
	flush();
}

static void run_pass(void)
{
	struct counters before, after;
	uint64_t t0, t1, ns;
	struct stat st;
	int unseen;

	if (on_tmpfs())
		make_tmpfs();
	else
		read_limit();
	report_step("read");
	got_bytes = 0;
	got_sum = 0;
	if (!on_tmpfs())
		mount_data(MS_RDONLY);
	trace_start();
	read_counters(&before);
	if (fstat(fd_of(0), &st))
		die(DATA ": %s", strerror(errno));
	if (!on_device() && (uint64_t)st.st_size != file_size)
		die(DATA ": %lld bytes instead of %llu", (long long)st.st_size,
		    (unsigned long long)file_size);
	/*
	 * On tmpfs this is no condition, only what there is: it has no other
	 * place for its data than the page cache, so nothing can be read cold.
	 */
	say("cold %s %lu", pass, resident_pages(fds[0]));
	t0 = now_ns();
	unseen = run_ops();
	t1 = now_ns();
	if (!on_tmpfs())
		wait_idle();
	read_counters(&after);
	trace_stop();

	read_extents(fds[0]);
	if (!on_tmpfs())
		report_folios(file_ino(), FOLIO_EVENT "hist",
			      FOLIO_EVENT "trigger");
	say("stat %s %lu %lu %lu", pass, after.reads - before.reads,
	    after.merges - before.merges, after.sectors - before.sectors);
	if (untraced)
		say("untraced %s", pass);
	report_trace(file_ino());
	/*
	 * mincore() leaves out what was allocated and not written, and what is
	 * behind the end in a huge page; the folios hold both.
	 */
	if (fstat(fds[0], &st))
		die(DATA ": %s", strerror(errno));
	say("resident %s %lu", pass, on_tmpfs() ? st.st_blocks * 512UL / PAGE :
	    resident_pages(fds[0]));
	if (unseen)
		verify_cached();
	say("read %s %llu %016llx", pass, (unsigned long long)got_bytes,
	    (unsigned long long)got_sum);
	ns = t1 - t0;

	close_fds();
	if (on_tmpfs()) {
		if (timed)
			ns = timed_pass(0);
		remove_file(st.st_ino);
	}
	unmount_data();
	if (timed && !on_tmpfs())
		ns = timed_pass(0);
	if (piped)
		timed_pass(1);
	say("time %s %llu", pass, (unsigned long long)ns);
	end_pass(0);
}

/* Whatever the kernel said at warning level since the plan began */
static int kmsg = -1;
#define MAX_QUIET 4
static char quiet[MAX_QUIET][64];	/* but for what begins so: it is asked for */
static size_t nr_quiet;

static int is_quiet(const char *text)
{
	size_t i;

	for (i = 0; i < nr_quiet; i++)
		if (!strncmp(text, quiet[i], strlen(quiet[i])))
			return 1;
	return 0;
}

static void report_kmsg(void)
{
	char rec[8192];
	ssize_t n;

	for (;;) {
		unsigned int prio;
		char *p, *q;

		n = read(kmsg, rec, sizeof(rec) - 1);
		if (n < 0 && errno == EPIPE)
			continue;
		if (n <= 0)
			break;
		rec[n] = '\0';
		p = strchr(rec, ';');
		if (!p || sscanf(rec, "%u", &prio) != 1)
			continue;
		q = strchr(p, '\n');
		if (q)
			*q = '\0';
		/* nvme-loop's port could be one of many; it is not */
		if (*backing && strstr(p, "Please enable CONFIG_NVME_MULTIPATH"))
			continue;
		if (is_quiet(p + 1))
			continue;
		if ((prio & 7) <= 4 && *pass != '-')
			say("void %s the kernel said: %s", pass, p + 1);
		else if ((prio & 7) <= 4)
			say("kmsg %u %s", prio & 7, p + 1);
	}
}

/*
 * The program has said nothing for silent_s: where each task stands, what memory
 * there is, what locks are held, what runs and, last, what is blocked goes to the
 * console.  Once, as it is long; by a signal, as init may be stuck in a write.
 */
static int sysrq = -1;
static unsigned int silent_s;

static void on_silence(int sig)
{
	static const char what[] = "tmdlw";
	size_t i;

	(void)sig;
	/* one letter at a time is what it takes */
	for (i = 0; sysrq >= 0 && what[i]; i++)
		if (write(sysrq, what + i, 1) != 1)
			break;
	sysrq = -1;
}

/*
 * A program instead of passes.  What it prints, on either stream, is reported
 * line by line as it comes.
 */
static void run_program(char *line)
{
	struct sigaction sa = { .sa_handler = on_silence, .sa_flags = SA_RESTART };
	char *argv[32], *p, text[4000];
	int argc = 0, to[2], status;
	FILE *from;
	pid_t pid;

	for (p = strtok(line, " "); p && argc < 31; p = strtok(NULL, " "))
		argv[argc++] = p;
	argv[argc] = NULL;
	if (!argc || p)
		die("plan: exec wants PROGRAM and up to 30 arguments");
	mkdir("/tmp", 0777);
	if (pipe(to))
		die("pipe: %s", strerror(errno));
	flush();
	pid = fork();
	if (pid < 0)
		die("fork: %s", strerror(errno));
	if (!pid) {
		dup2(to[1], 1);
		dup2(to[1], 2);
		close(to[0]);
		close(to[1]);
		setenv("PATH", "/bin", 1);
		execvp(argv[0], argv);
		fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
		_exit(127);
	}
	close(to[1]);
	sysrq = open("/proc/sysrq-trigger", O_WRONLY | O_CLOEXEC);
	sigaction(SIGALRM, &sa, NULL);
	alarm(silent_s);
	from = fdopen(to[0], "r");
	while (from && fgets(text, sizeof(text), from)) {
		alarm(silent_s);
		text[strcspn(text, "\n")] = '\0';
		say("out - %s", text);
		flush();
	}
	if (waitpid(pid, &status, 0) != pid)
		die("waitpid: %s", strerror(errno));
	alarm(0);
	if (WIFSIGNALED(status))
		die("%s: ended by signal %d", argv[0], WTERMSIG(status));
	if (status)
		die("%s: exit status %d", argv[0], WEXITSTATUS(status));
}

static void run_line(char *line)
{
	char a[64], b[64];

	if (sscanf(line, "seed %63s", a) == 1) {
		seed = strtoull(a, NULL, 16);
	} else if (sscanf(line, "device %63s", a) == 1) {
		find_device(a, dev, &dev_major, &dev_minor);
	} else if (!strncmp(line, "model ", 6)) {
		make_model(line + 6);
	} else if (!strcmp(line, "image")) {
		write_image();
	} else if (!strcmp(line, "timed")) {
		timed = 1;
	} else if (sscanf(line, "timed %u ms", &timed_ms) == 1) {
		timed = 1;
	} else if (!strcmp(line, "pipeline")) {
		piped = 1;
	} else if (sscanf(line, "pad %lu", &pad) == 1) {
		/* made before the file */
	} else if (sscanf(line, "fs %15s", fs) == 1) {
		/* mounted when the file is made */
	} else if (sscanf(line, "tmpfs %15s %15s", huge, content) == 2) {
		/* the same */
	} else if (sscanf(line, "fio-device %63s", a) == 1) {
		fio_setup(a);
	} else if (sscanf(line, "file %63s", a) == 1) {
		file_size = strtoull(a, NULL, 10);
		if (!on_tmpfs())
			make_file();
	} else if (sscanf(line, "pass %63s", a) == 1) {
		report_kmsg();
		strcpy(pass, a);
		say("pass %s", pass);
		in_pass = 1;
	} else if (sscanf(line, "queue %63s %63s", a, b) == 2) {
		queue_setting(a, b, 1);
	} else if (sscanf(line, "expect-queue %63s %63s", a, b) == 2) {
		queue_setting(a, b, 0);
	} else if (sscanf(line, "trace %15s", a) == 1) {
		trace_size(a);
	} else if (!strncmp(line, "quiet ", 6) && nr_quiet < MAX_QUIET) {
		snprintf(quiet[nr_quiet++], sizeof(quiet[0]), "%s", line + 6);
	} else if (sscanf(line, "silent %u", &silent_s) == 1) {
		/* of the program that is run */
	} else if (!strncmp(line, "exec ", 5)) {
		run_program(line + 5);
	} else if (!strcmp(line, "go")) {
		run_pass();
	} else if (!strncmp(line, "op ", 3) && nr_ops < MAX_OPS) {
		ops[nr_ops] = strdup(line + 3);
		if (!ops[nr_ops++])
			die("out of memory");
	} else {
		die("plan: not understood: %s", line);
	}
}

/* What is left of the plan, line by line */
static char *plan;

static char *plan_line(void)
{
	char *line = plan, *end = strchr(line, '\n');

	if (!*line)
		return NULL;
	if (!end)
		die("plan: cut short: %s", line);
	*end = '\0';
	plan = end + 1;
	return line;
}

int main(void)
{
	struct utsname u;
	char *line;

	strcpy(pass, "-");
	memset(fds, 0xff, sizeof(fds));
	try_mount("proc", "/proc", "proc", 0, NULL);
	try_mount("sysfs", "/sys", "sysfs", 0, NULL);
	try_mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
	report = open_port("report");
	if (report < 0)
		report = open_host_report();
	if (report < 0) {
		fprintf(stderr, "init: no report port: %s\n", strerror(errno));
		leave(EXIT_ERROR);
	}
	if (uname(&u))
		die("uname: %s", strerror(errno));
	say("hello 1 %s", u.release);
	flush();
	kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	if (kmsg < 0 || lseek(kmsg, 0, SEEK_END) < 0)
		die("/dev/kmsg: %s", strerror(errno));
	try_mount("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL);

	plan = slurp("/plan");
	/* where a program is run nothing is measured, and the kernel may not trace */
	if (!strstr(plan, "\nexec ") && strncmp(plan, "exec ", 5))
		trace_setup();
	if (setjmp(end_of_pass)) {
		end_pass(1);
		/* the rest of this pass */
		while ((line = plan_line()) && strcmp(line, "go"))
			;
	}
	while ((line = plan_line()))
		if (*line && *line != '#')
			run_line(line);
	report_kmsg();
	finish(EXIT_DONE);
	return 0;
}
