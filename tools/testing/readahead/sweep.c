// SPDX-License-Identifier: GPL-2.0
/*
 * sweep.c - sequential passes of every shape, on two engines
 *
 * A cell is a pass: a first read, then requests of one size to the end of the
 * file, at a window, a device limit, a start and a file size.  The second
 * engine must not need more device reads or more bytes than the first in any,
 * and where its folios are smaller on average, the worst cells are listed.
 *
 * A pass's last window may fall this way or that, which is worth one read more
 * or less.  A loss of one read that is still one read when the file is twice
 * and three times as long is such; it is counted apart.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "load.h"
#include "readahead.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* All in pages; README has why these. */
static const unsigned int requests[] = {
	1, 2, 3, 4, 7, 8, 16, 17, 32, 48, 64, 100, 128, 192, 256, 257, 512,
	768, 1024,
};

static const unsigned int ra_pages[] = {
	1, 2, 3, 4, 8, 16, 24, 31, 32, 33, 48, 64, 96, 100, 125, 128, 192, 256,
	384, 512, 1000, 1024, 2048, 4096, 16383,
};

static const unsigned int io_pages[] = {
	32, 33, 48, 63, 64, 96, 100, 128, 160, 192, 255, 256, 320, 384, 500,
	512, 768, 1000, 1024,
};

static const unsigned int starts[] = { 0, 1, 17, 100, 511 };

/* added to the file's size */
static const unsigned int tails[] = { 0, 1, 37 };

#define NR_FIRST	65	/* 0 to 64 pages */

struct cell {
	unsigned int first, request, ra, io, start;
	unsigned int pages;	/* of the file */
};

struct measure {
	uint64_t calls, reads, pages, folios;
};

enum loss { LOSS_READS, LOSS_BYTES, LOSS_FOLIO, LOSS_LAST, NR_LOSS };

#define WORST	12

struct tally {
	uint64_t cells, calls, wins, nr[NR_LOSS];
	struct worst {
		double by;
		struct cell cell;
		struct measure m[2];
	} worst[NR_LOSS][WORST];
	uint64_t total_reads[2];
	char bad[2][256];	/* the first broken rule on either engine */
	uint64_t done;		/* of the work of this process */
};

static void pass(const struct engine *e, struct sim *sim, const struct cell *c,
		 unsigned int pages, struct measure *m)
{
	struct sim_params p = {
		.file_bytes = (uint64_t)pages << 12,
		.ra_pages = c->ra, .io_pages = c->io, .max_order = 9,
	};
	uint64_t pos = (uint64_t)c->start << 12;
	const struct sim_stats *st;
	unsigned int i;

	e->reset(sim, &p);
	if (c->first) {
		e->read(sim, 0, pos, (uint64_t)c->first << 12);
		pos += (uint64_t)c->first << 12;
	}
	for (; pos < p.file_bytes; pos += (uint64_t)c->request << 12)
		e->read(sim, 0, pos, (uint64_t)c->request << 12);
	st = e->stats(sim);
	m->calls = st->calls;
	m->reads = st->reads;
	m->pages = st->pages;
	m->folios = 0;
	for (i = 0; i < ENGINE_ORDERS; i++)
		m->folios += st->folios[i];
}

static double mean_folio(const struct measure *m)
{
	return m->folios ? 4.0 * m->pages / m->folios : 0;
}

static void note(struct tally *t, enum loss kind, double by,
		 const struct cell *c, const struct measure *m)
{
	struct worst *w = t->worst[kind];
	int i;

	t->nr[kind]++;
	if (by <= w[WORST - 1].by)
		return;
	for (i = WORST - 1; i && w[i - 1].by < by; i--)
		w[i] = w[i - 1];
	w[i].by = by;
	w[i].cell = *c;
	w[i].m[0] = m[0];
	w[i].m[1] = m[1];
}

static void compare(const struct engine **e, struct sim **sim,
		    struct tally *t, const struct cell *c)
{
	struct measure m[2], longer[2];
	int i, times;

	for (i = 0; i < 2; i++) {
		pass(e[i], sim[i], c, c->pages, &m[i]);
		t->total_reads[i] += m[i].reads;
		if (e[i]->bad(sim[i]) && !t->bad[i][0])
			snprintf(t->bad[i], sizeof(t->bad[i]),
				 "%s (first %u, then %u, ra %u, io %u, start %u, file %u)",
				 e[i]->bad(sim[i]), c->first, c->request, c->ra,
				 c->io, c->start, c->pages);
	}
	t->cells++;
	t->calls += m[0].calls + m[1].calls;
	t->wins += m[1].reads < m[0].reads;
	if (m[1].pages > m[0].pages)
		note(t, LOSS_BYTES, m[1].pages - m[0].pages, c, m);
	if (mean_folio(&m[1]) < mean_folio(&m[0]))
		note(t, LOSS_FOLIO, 1 - mean_folio(&m[1]) / mean_folio(&m[0]),
		     c, m);
	if (m[1].reads <= m[0].reads)
		return;
	if (m[1].reads == m[0].reads + 1) {
		for (times = 2; times <= 3; times++) {
			for (i = 0; i < 2; i++)
				pass(e[i], sim[i], c, c->pages * times,
				     &longer[i]);
			if (longer[1].reads > longer[0].reads + 1)
				break;
		}
		if (times > 3) {
			note(t, LOSS_LAST, 1, c, m);
			return;
		}
	}
	note(t, LOSS_READS, (double)m[1].reads / m[0].reads - 1, c, m);
}

/* The largest window that a pass comes to: what ractl_max_pages() gives. */
static unsigned int cap_of(unsigned int ra, unsigned int io,
			   unsigned int request)
{
	unsigned int most = request < io ? request : io;

	return request > ra && io > ra ? most : ra;
}

/*
 * Long enough for the ramp and some windows after it, but no pass needs more
 * than 16 Ki reads.
 */
static unsigned int file_pages(const struct cell *c, unsigned int tail)
{
	unsigned int cap = cap_of(c->ra, c->io, c->request), pages = 6 * cap;

	if (pages < 4 * c->request)
		pages = 4 * c->request;
	if (pages < 640)
		pages = 640;
	if (pages > 16384 * 2)
		pages = 16384 * 2;
	return pages + c->start + tail;
}

#define NR_CELLS							\
	(ARRAY_SIZE(ra_pages) * ARRAY_SIZE(requests) * ARRAY_SIZE(io_pages) * \
	 ARRAY_SIZE(starts) * NR_FIRST * ARRAY_SIZE(tails))

static unsigned int take(unsigned int *at, unsigned int nr)
{
	unsigned int v = *at % nr;

	*at /= nr;
	return v;
}

/* All cells of which the number is @part modulo @parts, one in @every. */
static void sweep_part(const struct engine **e, struct tally *t,
		       unsigned int part, unsigned int parts,
		       unsigned int every)
{
	static const struct sim_params p = { .file_bytes = 4096, .ra_pages = 32,
					     .io_pages = 128, .max_order = 9 };
	struct sim *sim[2] = { e[0]->create(&p), e[1]->create(&p) };
	unsigned int n, at;

	/* a number a cell: the last of these varies fastest */
	for (n = every * (part + 1) - 1; n < NR_CELLS; n += every * parts) {
		struct cell c;
		unsigned int tail;

		at = n;
		tail = tails[take(&at, ARRAY_SIZE(tails))];
		c.first = take(&at, NR_FIRST);
		c.start = starts[take(&at, ARRAY_SIZE(starts))];
		c.io = io_pages[take(&at, ARRAY_SIZE(io_pages))];
		c.request = requests[take(&at, ARRAY_SIZE(requests))];
		c.ra = ra_pages[at];
		c.pages = file_pages(&c, tail);
		compare(e, sim, t, &c);
		t->done = n;
	}
	t->done = NR_CELLS;
	e[0]->destroy(sim[0]);
	e[1]->destroy(sim[1]);
}

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static void merge(struct tally *all, const struct tally *t)
{
	int i, k;

	all->cells += t->cells;
	all->calls += t->calls;
	all->wins += t->wins;
	for (i = 0; i < 2; i++) {
		all->total_reads[i] += t->total_reads[i];
		if (!all->bad[i][0])
			strcpy(all->bad[i], t->bad[i]);
	}
	for (k = 0; k < NR_LOSS; k++) {
		uint64_t nr = all->nr[k] + t->nr[k];

		for (i = 0; i < WORST && t->worst[k][i].by > 0; i++)
			note(all, k, t->worst[k][i].by, &t->worst[k][i].cell,
			     t->worst[k][i].m);
		all->nr[k] = nr;
	}
}

static void print_worst(const struct tally *t, enum loss kind,
			const char *title)
{
	int i;

	printf("%s: %llu\n", title, (unsigned long long)t->nr[kind]);
	if (!t->nr[kind])
		return;
	printf("  first  then    ra    io start   file      reads        pages       folio KiB\n");
	for (i = 0; i < WORST && t->worst[kind][i].by > 0; i++) {
		const struct worst *w = &t->worst[kind][i];
		const struct cell *c = &w->cell;

		printf("%7u %5u %5u %5u %5u %6u %5llu %5llu %6llu %6llu %6.1f %6.1f\n",
		       c->first, c->request, c->ra, c->io, c->start, c->pages,
		       (unsigned long long)w->m[0].reads,
		       (unsigned long long)w->m[1].reads,
		       (unsigned long long)w->m[0].pages,
		       (unsigned long long)w->m[1].pages,
		       mean_folio(&w->m[0]), mean_folio(&w->m[1]));
	}
}

int run_sweep(const struct engine **e, unsigned int jobs, unsigned int every)
{
	uint64_t total = NR_CELLS;
	struct tally *shared, all = { 0 };
	double began = seconds();
	unsigned int i, running = jobs;
	int status, failed = 0;

	shared = mmap(NULL, jobs * sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED) {
		fprintf(stderr, "sweep: mmap: %s\n", strerror(errno));
		return 2;
	}
	for (i = 0; i < jobs; i++) {
		pid_t pid = fork();

		if (pid < 0) {
			fprintf(stderr, "sweep: fork: %s\n", strerror(errno));
			return 2;
		}
		if (!pid) {
			sweep_part(e, &shared[i], i, jobs, every);
			_exit(0);
		}
	}
	while (running) {
		double share = 0, t = seconds() - began;
		pid_t pid = waitpid(-1, &status, WNOHANG);

		if (pid > 0) {
			running--;
			failed |= status;
			continue;
		}
		for (i = 0; i < jobs; i++)
			share += (double)shared[i].done / total / jobs;
		if (isatty(2) && share > 0)
			fprintf(stderr, "\rsweep: %2.0f %% of %llu cells, %.0f s left ",
				100 * share, (unsigned long long)total / every,
				t / share - t);
		poll(NULL, 0, 200);
	}
	if (isatty(2))
		fprintf(stderr, "\n");
	if (failed) {
		fprintf(stderr, "sweep: a worker died, status %#x\n", failed);
		return 2;
	}
	for (i = 0; i < jobs; i++)
		merge(&all, &shared[i]);

	/* on standard output is what is the same on every machine */
	fprintf(stderr, "sweep: %.1f s on %u processors (%.1f million a second on each)\n",
		seconds() - began, jobs,
		all.calls / (seconds() - began) / jobs / 1e6);
	printf("cells: %llu\none in: %u\nread() calls on each engine: %llu\n",
	       (unsigned long long)all.cells, every,
	       (unsigned long long)all.calls / 2);
	printf("device reads of all cells: %llu -> %llu; fewer in %llu cells\n",
	       (unsigned long long)all.total_reads[0],
	       (unsigned long long)all.total_reads[1],
	       (unsigned long long)all.wins);
	for (i = 0; i < 2; i++)
		if (all.bad[i][0])
			printf("broken on %s: %s\n", i ? "the second" : "the first",
			       all.bad[i]);
	print_worst(&all, LOSS_READS, "cells with more device reads");
	print_worst(&all, LOSS_BYTES, "cells with more bytes");
	print_worst(&all, LOSS_LAST, "cells with one read more, from where the last window falls");
	print_worst(&all, LOSS_FOLIO, "cells with smaller folios");
	printf("smaller at most by, %%: %.0f\n",
	       100 * all.worst[LOSS_FOLIO][0].by);
	return all.nr[LOSS_READS] || all.nr[LOSS_BYTES] || all.bad[0][0] ||
	       all.bad[1][0];
}
