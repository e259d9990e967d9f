// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"
#include "util.h"

void plan_groups(struct groups *gs, const struct claims *all)
{
	int i, j;

	memset(gs, 0, sizeof(*gs));
	for (i = 0; i < all->nr; i++) {
		struct claim *c = all->claim[i];
		/* natively what has no device shares a guest again */
		bool alone = c->engine == ENGINE_MODEL || c->model;
		bool timed = c->engine != ENGINE_COUNTS;
		struct group *g = NULL;
		char size[24];

		for (j = 0; j < gs->nr && !g; j++) {
			g = &gs->group[j];
			if (strcmp(g->fs, c->fs) || g->file != c->file ||
			    g->mdts != c->mdts || alone)
				g = NULL;
		}
		if (!g) {
			gs->group = xrealloc(gs->group, (gs->nr + 1) *
					     sizeof(*gs->group));
			g = &gs->group[gs->nr++];
			memset(g, 0, sizeof(*g));
			g->timed = timed;
			g->native = c->engine == ENGINE_NATIVE;
			g->model = c->model;
			g->fs = c->fs;
			g->file = c->file;
			g->mdts = c->mdts;
			print_size(size, sizeof(size), c->file);
			if (c->model)
				snprintf(g->name, sizeof(g->name),
					 "%s-%s-mdts%u-%s-%s", c->fs,
					 c->model->name, c->mdts, size, c->id);
			else if (c->mdts)
				snprintf(g->name, sizeof(g->name),
					 "%s-mdts%u-%s", c->fs, c->mdts, size);
			else
				snprintf(g->name, sizeof(g->name), "%s-%s%s%s",
					 c->fs, size, alone ? "-" : "",
					 alone ? c->id : "");
		}
		g->claim = xrealloc(g->claim, (g->nr + 1) * sizeof(*g->claim));
		g->claim[g->nr++] = c;
		for (j = 0; j < c->nr_ops; j++)
			g->fio |= c->ops[j].fio;
	}
}

/*
 * Of each read some 60 bytes an event are traced.  Where readahead makes no windows
 * to speak of, each page is one, with up to six events.
 */
#define TRACE_KIB	16384
#define TRACE_PAGE	384

static unsigned int trace_kib(const struct claim *c)
{
	uint64_t kib = c->file / 4096 * TRACE_PAGE / 1024;

	return c->read_ahead_kb >= 16 || kib < TRACE_KIB ? TRACE_KIB : kib;
}

static void plan_setup(FILE *f, const struct claim *c)
{
	if (!claim_has_disk(c)) {
		fprintf(f, "tmpfs %s %s\n", huge_name(c->huge),
			content_name(c->content));
		return;
	}
	fprintf(f, "trace %u\n", trace_kib(c));
	fprintf(f, "expect-queue max_hw_sectors_kb %u\n", 4U << c->mdts);
	/* null_blk itself would have another, the laboratory's NVMe has not */
	fprintf(f, "%s scheduler none\n", c->model ? "queue" : "expect-queue");
	fprintf(f, "expect-queue rotational 0\n");
	fprintf(f, "queue max_sectors_kb %u\n", c->max_sectors_kb);
	fprintf(f, "queue read_ahead_kb %u\n", c->read_ahead_kb);
}

/*
 * nvme-loop takes requests of up to 1020 KiB; a device that takes more is
 * null_blk itself.
 */
#define LOOP_MDTS	7

static void plan_model(FILE *f, const struct group *g)
{
	const struct model *m = g->model;
	char more[16] = "";

	if (m->spread_ns)
		snprintf(more, sizeof(more), " %u", m->spread_ns);
	fprintf(f, "model %s %u %u %u %u %u%s\nimage\n",
		g->mdts <= LOOP_MDTS ? "loop" : "plain", g->mdts,
		strcmp(g->fs, "raw") ? MODEL_DISK_MB : (unsigned int)(g->file >> 20),
		m->latency_ns, m->mbps, m->depth, more);
}

char *plan_text(const struct group *g, const struct boot *b, uint64_t seed)
{
	size_t size;
	char *text;
	FILE *f = open_memstream(&text, &size);
	int i, j;

	if (!f)
		die("out of memory");
	fprintf(f, "seed %016" PRIx64 "\n", seed);
	if (g->fio)
		fputs("fio-device fio\n", f);
	if (g->model)
		plan_model(f, g);
	else if (g->mdts)
		fputs("device data\n", f);
	/* a file on a device is cold once only */
	if (g->native && !g->mdts)
		fprintf(f, "timed %d ms\n", NATIVE_MS);
	else if (g->timed)
		fputs("timed\n", f);
	if (g->piped)
		fputs("pipeline\n", f);
	if (b->pad)
		fprintf(f, "pad %u\n", b->pad);
	if (g->fs)
		fprintf(f, "fs %s\nfile %" PRIu64 "\n", g->fs, g->file);
	for (i = 0; i < g->nr; i++) {
		const struct claim *c = g->claim[i];

		fprintf(f, "pass %s\n", c->id);
		plan_setup(f, c);
		for (j = 0; j < c->nr_ops; j++)
			fprintf(f, "op %s\n", c->ops[j].line);
		fputs("go\n", f);
	}
	fclose(f);
	return text;
}
