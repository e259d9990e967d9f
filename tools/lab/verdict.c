// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "pattern.h"
#include "util.h"
#include "verdict.h"

const char *kernel_name(enum kernel k)
{
	static const char * const names[] = { "base", "patched", "rival" };

	return names[k];
}

const char *verdict_name(enum verdict v)
{
	static const char * const names[] = {
		"holds", "better than posted", "does not hold", "void",
	};

	return names[v];
}

/*
 * Reads of metadata that a posted total holds, by layout and kernel config: at
 * least the inode, at most three have been seen.
 */
#define META_MIN	1
#define META_MAX	3

static enum repeated repeated(int64_t posted, int64_t data)
{
	return posted < data + META_MIN || posted > data + META_MAX ?
		REPEATED_NO : REPEATED_YES;
}

/* Bytes of the file that a cold pass cannot but read from the device */
static uint64_t bytes_needed(const struct claim *c)
{
	uint64_t sum = 0, pos = 0;

	if (!claim_has_disk(c))
		return 0;
	if (c->ops[0].fio || c->ops[0].offsets)
		return c->ops[0].bytes;
	/* the union of the ranges that the steps read */
	for (;;) {
		const struct op *next = NULL;
		int i;

		for (i = 0; i < c->nr_ops; i++)
			if (c->ops[i].end > pos &&
			    (!next || c->ops[i].start < next->start))
				next = &c->ops[i];
		if (!next)
			return sum;
		if (next->start > pos)
			pos = next->start;
		sum += next->end - pos;
		pos = next->end;
	}
}

static uint64_t op_sum(const struct op *op, uint64_t seed)
{
	uint64_t sum = 0, bs;
	int i;

	if (!op->offsets)
		return op->times * pattern_sum(op->start, op->end, seed);
	bs = op->bytes / op->times / op->nr_offsets;
	for (i = 0; i < op->nr_offsets; i++)
		sum += pattern_sum(op->offsets[i], op->offsets[i] + bs, seed);
	return op->times * sum;
}

/* Was it measured as the claim says?  Each setting, as the guest read it back. */
static char *other_value(const struct sample *s, const char *name,
			 const char *value)
{
	char text[64];

	snprintf(text, sizeof(text), " %s=%s ", name, value);
	if (strstr(s->settings, text))
		return NULL;
	return xasprintf("%s was not read back as %s", name, value);
}

static char *other_setting(const struct claim *c, const struct sample *s)
{
	const struct {
		const char *name;
		unsigned int value;
	} queue[] = {
		{ "max_hw_sectors_kb", 4U << c->mdts },
		{ "max_sectors_kb", c->max_sectors_kb },
		{ "read_ahead_kb", c->read_ahead_kb },
	};
	const struct {
		const char *name, *value;
	} tmpfs[] = {
		{ "fs", "tmpfs" },
		{ "huge", huge_name(c->huge) },
		/* of all mounts: "deny" and "force" have their way over huge= */
		{ "shmem_enabled", "never" },
		{ "content", content_name(c->content) },
		{ "disks", "0" },
	};
	char *other = NULL, value[16];
	unsigned int i;

	if (!claim_has_disk(c)) {
		for (i = 0; i < ARRAY_SIZE(tmpfs) && !other; i++)
			other = other_value(s, tmpfs[i].name, tmpfs[i].value);
		return other;
	}
	for (i = 0; i < ARRAY_SIZE(queue) && !other; i++) {
		snprintf(value, sizeof(value), "%u", queue[i].value);
		other = other_value(s, queue[i].name, value);
	}
	return other;
}

/* Is something asked that only trace points can tell? */
static char *untold(const struct claim *c, const struct sample *s)
{
	unsigned int m;
	int i;

	for (m = 0; m < NR_METRICS; m++) {
		bool asked = c->stock[m] >= 0 || c->rival[m] >= 0;

		for (i = 0; i < c->nr_promises; i++)
			asked |= c->promises[i].metric == m;
		if (asked && s->untraced && sample_value(s, m) < 0)
			return xasprintf("%s cannot be counted: the kernel has no trace points of readahead",
					 metric_name(m));
	}
	return NULL;
}

/*
 * The timed run has to be the counted one over again, and the model of the
 * device has to leave its requests as they are.
 */
static char *unsound_time(const struct claim *c, const struct sample *s,
			  uint64_t bytes)
{
	if (c->engine == ENGINE_COUNTS)
		return s->timed ? xstrdup("it was measured in model time") : NULL;
	if (!s->timed)
		return xstrdup("there is no timed run");
	if (s->timed_bytes != bytes)
		return xasprintf("the timed reader got %" PRIu64 " bytes, expected %" PRIu64,
				 s->timed_bytes, bytes);
	if (s->timed_reads != s->reads || s->timed_sectors != s->sectors)
		return xasprintf("the timed run has %llu reads of %llu sectors, the counted one %llu of %llu",
				 (unsigned long long)s->timed_reads,
				 (unsigned long long)s->timed_sectors,
				 (unsigned long long)s->reads,
				 (unsigned long long)s->sectors);
	if (s->below != s->reads)
		return xasprintf("the model made %" PRIu64 " reads of %" PRIu64,
				 s->below, s->reads);
	return NULL;
}

/* Why is this sample worth nothing?  NULL if it is sound. */
static char *unsound(const struct claim *c, const struct sample *s,
		     uint64_t seed)
{
	uint64_t bytes = 0, sum = 0, pages = 0, need = bytes_needed(c);
	bool fio = false, disk = claim_has_disk(c);
	char *other;
	int i;

	for (i = 0; i < c->nr_ops; i++) {
		bytes += c->ops[i].bytes;
		/* the sum of zeroes is 0 */
		if (c->content == CONTENT_WRITTEN)
			sum += op_sum(&c->ops[i], seed);
		fio |= c->ops[i].fio;
	}
	if (s->bad)
		return xstrdup(s->bad);
	if (!s->done)
		return xstrdup("the pass did not end");
	other = other_setting(c, s);
	if (!other)
		other = untold(c, s);
	if (other)
		return other;
	for (i = 0; i < NR_ORDERS; i++)
		pages += s->folios[i] << i;
	if (pages != s->resident)
		return xasprintf("the folios hold %llu pages, %llu are cached",
				 (unsigned long long)pages,
				 (unsigned long long)s->resident);
	/* tmpfs is the page cache: what is not cached there is a hole */
	if (disk && s->cold)
		return xasprintf("%" PRIu64 " pages of the file were cached before the pass",
				 s->cold);
	if (s->pieces != disk)
		return xasprintf("the file lies in %" PRIu64 " pieces on the device, expected %d",
				 s->pieces, disk);
	if (s->bytes != bytes)
		return xasprintf("the reader got %" PRIu64 " bytes, expected %" PRIu64,
				 s->bytes, bytes);
	/* fio keeps its data to itself; the guest compares the cached file */
	if (!fio && s->sum != sum)
		return xasprintf("checksum %016" PRIx64 ", expected %016" PRIx64,
				 s->sum, sum);
	if (s->data_sectors * 512 < need)
		return xasprintf("the device read %llu bytes of the file, a cold pass needs %llu",
				 (unsigned long long)s->data_sectors * 512,
				 (unsigned long long)need);
	if (!disk && (s->reads || s->sectors || s->sent || s->meta))
		return xasprintf("a device was read (it counts %llu reads, the trace %llu), expected none with %s",
				 (unsigned long long)s->reads,
				 (unsigned long long)(s->sent + s->meta), c->fs);
	if (s->reads != s->sent + s->meta ||
	    s->sectors != s->data_sectors + s->meta_sectors)
		return xasprintf("the device counts %" PRIu64 " reads, the trace %" PRIu64,
				 s->reads, s->sent + s->meta);
	return unsound_time(c, s, bytes);
}

static void print_value(char *text, size_t len, enum metric m, int64_t v)
{
	if (m == METRIC_FOLIO)
		snprintf(text, len, "%" PRId64 ".%" PRId64 " KiB", v / 10,
			 v % 10);
	else
		snprintf(text, len, "%" PRId64, v);
}

/* Is there a promise that takes statistics? */
static bool compares_times(const struct claim *c)
{
	int i;

	for (i = 0; i < c->nr_promises; i++)
		if (c->promises[i].stock && is_time(c->promises[i].metric))
			return true;
	return false;
}

static char *broken_promise(const struct claim *c, const struct judged *j)
{
	int i;

	for (i = 0; i < c->nr_promises; i++) {
		const struct promise *p = &c->promises[i];
		int64_t v = j->value[PATCHED][p->metric];
		bool time = p->stock && is_time(p->metric);
		int64_t bound = p->stock ? j->value[BASE][p->metric] : p->bound;
		char got[32], want[32];

		/* a difference that is none is no loss, and no gain */
		if (time ? j->time == STATS_GAIN ||
		    (p->compare == CMP_LE && j->time == STATS_NOISE) :
		    compare_holds(p->compare, v, bound))
			continue;
		print_value(got, sizeof(got), p->metric, v);
		print_value(want, sizeof(want), p->metric, bound);
		return xasprintf("%s %s, promised %s %s%s%s%s",
				 c->engine == ENGINE_NATIVE && p->metric == METRIC_INSN ?
				 "ns for a page" : metric_name(p->metric), got,
				 compare_name(p->compare), want,
				 p->stock ? " (stock)" : "",
				 time ? ": " : "",
				 time ? stats_verdict_name(j->time) : "");
	}
	return NULL;
}

static char *check_known(const struct judged *j, enum kernel k,
			 const int64_t *known)
{
	unsigned int m;

	for (m = 0; m < NR_METRICS; m++) {
		char got[32], want[32];

		if (known[m] < 0 || known[m] == j->value[k][m])
			continue;
		print_value(got, sizeof(got), m, j->value[k][m]);
		print_value(want, sizeof(want), m, known[m]);
		return xasprintf("%s kernel: %s %s, known to be %s: the laboratory or the kernel is not what it was",
				 kernel_name(k), metric_name(m), got, want);
	}
	return NULL;
}

uint64_t mean_ns(uint64_t ns, int pairs)
{
	return (ns + pairs / 2) / pairs;
}

uint64_t mean_insn(uint64_t ns, uint64_t bytes, int pairs)
{
	return (ns * 4096 / bytes + pairs / 2) / pairs;
}

static char *judge_kernel(struct judged *j, const struct claim *c,
			  enum kernel k, const struct sample **s,
			  const char **why, int runs, int pairs,
			  uint64_t seed)
{
	char *reason, *more;
	uint64_t ns = 0;
	unsigned int m;
	int r;

	for (r = 0; r < runs; r++) {
		const char *differs;

		reason = s[r] ? unsound(c, s[r], seed) :
				xstrdup(why[r] ? why[r] : "no sample");
		if (!reason && r) {
			differs = sample_differs(s[0], s[r]);
			if (differs)
				reason = xasprintf("%s differ from those of boot 1",
						   differs);
			else if (c->engine == ENGINE_MODEL && r == pairs &&
				 s[0]->ns != s[r]->ns)
				reason = xasprintf("ns varies: %llu, in boot 1, which is the same, %llu",
						   (unsigned long long)s[r]->ns,
						   (unsigned long long)s[0]->ns);
		}
		if (reason) {
			more = xasprintf("%s, boot %d: %s", kernel_name(k),
					 r + 1, reason);
			free(reason);
			return more;
		}
	}
	for (m = 0; m < NR_METRICS; m++)
		j->value[k][m] = sample_value(s[0], m);
	for (r = 0; r < pairs; r++)
		ns += s[r]->ns;
	if (pairs) {
		j->value[k][METRIC_NS] = mean_ns(ns, pairs);
		j->value[k][METRIC_INSN] = mean_insn(ns, s[0]->bytes, pairs);
	}
	j->meta[k] = s[0]->meta;
	for (r = 0; r < runs; r++) {
		if (!r || (int64_t)s[r]->reads < j->device_least[k])
			j->device_least[k] = s[r]->reads;
		if (!r || (int64_t)s[r]->reads > j->device_most[k])
			j->device_most[k] = s[r]->reads;
	}
	j->measured[k] = true;
	return NULL;
}

void judge(struct judged *j, const struct claim *c,
	   const struct sample *s[NR_KERNELS][MAX_RUNS],
	   const char *why[NR_KERNELS][MAX_RUNS],
	   const int runs[NR_KERNELS], const struct stats_result *time,
	   int pairs, uint64_t seed)
{
	char *reason = NULL;
	unsigned int k;

	memset(j, 0, sizeof(*j));
	for (k = 0; k < NR_KERNELS; k++) {
		char *r;

		if (!runs[k])
			continue;
		r = judge_kernel(j, c, k, s[k], why[k], runs[k], pairs, seed);
		if (!r && k == BASE)
			r = check_known(j, k, c->stock);
		if (!r && k == RIVAL)
			r = check_known(j, k, c->rival);
		if (k == RIVAL)
			j->rival = r;	/* does not touch what we promise */
		else if (reason)
			free(r);
		else
			reason = r;
	}
	judge_values(j, c, time, reason);
}

void judge_values(struct judged *j, const struct claim *c,
		  const struct stats_result *time, char *reason)
{
	if (j->measured[BASE] && c->posted_before[METRIC_READS] >= 0)
		j->before = repeated(c->posted_before[METRIC_READS],
				     j->value[BASE][METRIC_DATA]);
	if (j->measured[RIVAL] && c->posted_after[METRIC_READS] >= 0)
		j->after = repeated(c->posted_after[METRIC_READS],
				    j->value[RIVAL][METRIC_DATA]);
	if (time)
		j->time = time->verdict;
	if (time && !reason &&
	    (j->time == STATS_VOID ||
	     (j->time == STATS_TOO_FEW && compares_times(c))))
		reason = xasprintf("%s: %s", stats_verdict_name(j->time),
				   time->reason);
	if (reason) {
		j->verdict = VERDICT_VOID;
		j->reason = reason;
		return;
	}
	j->reason = broken_promise(c, j);
	if (j->reason)
		j->verdict = VERDICT_FAILS;
	/* whatever metadata the posted total holds */
	else if (c->posted_after[METRIC_READS] >= 0 &&
		 j->value[PATCHED][METRIC_DATA] + META_MAX <
		 c->posted_after[METRIC_READS])
		j->verdict = VERDICT_BETTER;
	else
		j->verdict = VERDICT_HOLDS;
}

void judged_free(struct judged *j)
{
	free(j->reason);
	free(j->rival);
	j->reason = NULL;
	j->rival = NULL;
}
