// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "util.h"

uint64_t trace_add(uint64_t trace, const char *line)
{
	if (!trace)
		trace = 0xcbf29ce484222325ULL;
	for (; *line; line++)
		trace = (trace ^ (unsigned char)*line) * 0x100000001b3ULL;
	return (trace ^ '\n') * 0x100000001b3ULL;
}

int64_t sample_value(const struct sample *s, enum metric m)
{
	uint64_t pages = 0, folios = 0;
	int i;

	switch (m) {
	case METRIC_READS:
		return s->data + s->meta;
	case METRIC_DATA:
		return s->data;
	case METRIC_BYTES:
		return s->data_sectors * 512;
	case METRIC_WINDOWS:
		return s->untraced ? -1 : (int64_t)s->windows;
	case METRIC_SYNC:
		return s->untraced ? -1 : (int64_t)s->sync;
	case METRIC_NS:
		return s->ns;
	case METRIC_INSN:
		return s->bytes ? s->ns * 4096 / s->bytes : 0;
	case METRIC_FOLIO:
		for (i = 0; i < NR_ORDERS; i++) {
			pages += s->folios[i] << i;
			folios += s->folios[i];
		}
		return folios ? (pages * 40 + folios / 2) / folios : 0;
	case NR_METRICS:
		break;
	}
	return -1;
}

const char *sample_differs(const struct sample *a, const struct sample *b)
{
	if (a->data + a->meta != b->data + b->meta)
		return "reads";
	if (a->sectors != b->sectors)
		return "sectors";
	if (a->data != b->data || a->data_sectors != b->data_sectors)
		return "data reads";
	if (a->windows != b->windows)
		return "windows";
	if (a->trace != b->trace)
		return "windows and requests, in their order";
	if (a->resident != b->resident)
		return "resident pages";
	if (memcmp(a->folios, b->folios, sizeof(a->folios)))
		return "folio sizes";
	if (a->bytes != b->bytes || a->sum != b->sum)
		return "bytes read";
	return NULL;
}

static void spoil(struct sample *s, char *why)
{
	if (s->bad)
		free(why);
	else
		s->bad = why;
}

/* Trace lines have no pass of their own; they belong to the one that runs. */
static bool trace_line(struct sample *s, const char *line)
{
	unsigned long a, b;

	/* of the pipeline, for others: see run.c */
	if (!strncmp(line, "t ", 2))
		return true;
	if (!strchr("wusadm", line[0]) || line[1] != ' ')
		return false;
	if (!s)
		return true;
	/* from a kernel that has just said that it cannot tell */
	if (s->untraced && strchr("wusa", line[0]))
		return false;
	if (sscanf(line + 2, "%lu %lu", &a, &b) == 2) {
		s->windows += line[0] == 'w';
		s->sync += line[0] == 's';
	}
	if (line[0] != 'm')
		s->trace = trace_add(s->trace, line);
	if (line[0] == 'd')
		s->requests = trace_add(s->requests, line);
	return true;
}

static struct sample *add_sample(struct report *r, const char *id)
{
	struct sample *s;

	r->samples = xrealloc(r->samples, (r->nr + 1) * sizeof(*r->samples));
	s = &r->samples[r->nr++];
	memset(s, 0, sizeof(*s));
	s->claim = xstrdup(id);
	return s;
}

static const struct {
	const char *key;
	int values;
} records[NR_RECORDS] = {
	[REC_COLD]	= { "cold", 1 },
	[REC_PIECES]	= { "pieces", 1 },
	[REC_STAT]	= { "stat", 3 },
	[REC_DATA]	= { "data", 2 },
	[REC_SENT]	= { "sent", 1 },
	[REC_META]	= { "meta", 2 },
	[REC_RESIDENT]	= { "resident", 1 },
	[REC_READ]	= { "read", 2 },
	[REC_TIME]	= { "time", 1 },
};

static bool store(struct sample *s, enum record r, const char *rest)
{
	uint64_t v[3];
	int n;

	/* the checksum is in hex */
	if (r == REC_READ)
		n = sscanf(rest, "%" SCNu64 " %" SCNx64, &v[0], &v[1]);
	else
		n = sscanf(rest, "%" SCNu64 " %" SCNu64 " %" SCNu64, &v[0],
			   &v[1], &v[2]);
	if (n != records[r].values || s->seen & 1U << r)
		return false;
	s->seen |= 1U << r;
	switch (r) {
	case REC_COLD:
		s->cold = v[0];
		break;
	case REC_PIECES:
		s->pieces = v[0];
		break;
	case REC_STAT:
		s->reads = v[0];
		s->merges = v[1];
		s->sectors = v[2];
		break;
	case REC_DATA:
		s->data = v[0];
		s->data_sectors = v[1];
		break;
	case REC_SENT:
		s->sent = v[0];
		break;
	case REC_META:
		s->meta = v[0];
		s->meta_sectors = v[1];
		break;
	case REC_RESIDENT:
		s->resident = v[0];
		break;
	case REC_READ:
		s->bytes = v[0];
		s->sum = v[1];
		break;
	case REC_TIME:
		s->ns = v[0];
		break;
	case NR_RECORDS:
		return false;
	}
	return true;
}

/* A line of the pass that runs; nothing may come behind its "done". */
static bool pass_line(struct sample *s, const char *key, const char *rest)
{
	char name[32], asked[64], got[64];
	uint64_t a, b;
	unsigned int r;
	size_t n;

	if (s->done)
		return false;
	if (!strcmp(key, "set")) {
		if (sscanf(rest, "%31s %63s %63s", name, asked, got) != 3)
			return false;
		if (strcmp(asked, got))
			spoil(s, xasprintf("%s is %s, asked for %s", name, got,
					   asked));
		n = strlen(s->settings);
		return snprintf(s->settings + n, sizeof(s->settings) - n,
				" %s=%s ", name, got) <
			(int)(sizeof(s->settings) - n);
	}
	if (!strcmp(key, "extent") || !strcmp(key, "piped"))
		return true;
	if (!strcmp(key, "untraced")) {
		if (s->untraced || *rest)
			return false;
		s->untraced = true;
		return true;
	}
	if (!strcmp(key, "timed")) {
		if (s->timed)
			return false;
		s->timed = true;
		return sscanf(rest, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
			      &s->timed_passes, &s->timed_bytes, &s->timed_reads,
			      &s->timed_sectors, &s->below) == 5;
	}
	if (!strcmp(key, "folio")) {
		if (sscanf(rest, "%" SCNu64 " %" SCNu64, &a, &b) != 2 ||
		    a >= NR_ORDERS || s->folios[a])
			return false;
		s->folios[a] = b;
		return true;
	}
	if (!strcmp(key, "void")) {
		spoil(s, xstrdup(rest));
		return *rest;
	}
	if (!strcmp(key, "done")) {
		s->done = true;
		return s->bad || s->seen == (1U << NR_RECORDS) - 1;
	}
	for (r = 0; r < NR_RECORDS; r++)
		if (!strcmp(key, records[r].key))
			return store(s, r, rest);
	return false;
}

char *report_parse(struct report *r, char *text)
{
	unsigned long lines = 0, end;
	struct sample *s = NULL;
	char *line, *next;

	memset(r, 0, sizeof(*r));
	for (line = text; *line; line = next, lines++) {
		char key[16], pass[64];
		int used = 0;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		else if (!r->complete)
			break;	/* cut short */
		if (r->complete)
			return xasprintf("line %lu: expected nothing behind \"end\", not \"%.60s\"",
					 lines + 1, line);
		if (trace_line(s, line))
			continue;
		if (sscanf(line, "%15s %63s %n", key, pass, &used) != 2)
			return xasprintf("line %lu: expected KEYWORD PASS ..., not \"%.60s\"",
					 lines + 1, line);
		if (!lines) {
			if (strcmp(key, "hello") || strcmp(pass, "1") ||
			    !line[used])
				return xasprintf("line 1: expected \"hello 1 RELEASE\", not \"%.60s\"",
						 line);
			r->release = xstrdup(line + used);
		} else if (!strcmp(key, "end")) {
			if (sscanf(pass, "%lu", &end) != 1 || end != lines)
				return xasprintf("line %lu: \"end %s\" after %lu lines",
						 lines + 1, pass, lines);
			r->complete = true;
		} else if (!strcmp(key, "at") || !strcmp(key, "out")) {
			/* read as it comes: see guest.c and exec.c */
		} else if (!strcmp(key, "kmsg")) {
			if (!r->warning)
				r->warning = xstrdup(line + used);
		} else if (!strcmp(key, "error")) {
			if (!r->error)
				r->error = xasprintf("%s: %s", pass, line + used);
			if (s && !strcmp(s->claim, pass))
				spoil(s, xstrdup(line + used));
		} else if (!strcmp(key, "pass")) {
			s = add_sample(r, pass);
		} else if (!s || strcmp(s->claim, pass) ||
			   !pass_line(s, key, line + used)) {
			return xasprintf("line %lu: not understood: \"%.60s\"",
					 lines + 1, line);
		}
	}
	r->open = s && !s->done;
	return NULL;
}

void report_free(struct report *r)
{
	int i;

	for (i = 0; i < r->nr; i++) {
		free(r->samples[i].claim);
		free(r->samples[i].bad);
	}
	free(r->samples);
	free(r->release);
	free(r->error);
	free(r->warning);
	memset(r, 0, sizeof(*r));
}
