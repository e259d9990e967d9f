// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "util.h"

void die(const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fputs("lab: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(2);
}

void *xrealloc(void *p, size_t size)
{
	p = realloc(p, size ? size : 1);
	if (!p)
		die("out of memory");
	return p;
}

void *xcalloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);

	if (!p)
		die("out of memory");
	return p;
}

char *xstrdup(const char *s)
{
	char *p = strdup(s);

	if (!p)
		die("out of memory");
	return p;
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *p;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&p, fmt, ap);
	va_end(ap);
	if (n < 0)
		die("out of memory");
	return p;
}

bool parse_size(const char *text, const char **end, uint64_t *value)
{
	unsigned int shift = 0;
	char *e;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*value = strtoull(text, &e, 10);
	if (errno)
		return false;
	switch (*e) {
	case 'k':
	case 'K':
		shift = 10;
		break;
	case 'M':
		shift = 20;
		break;
	case 'G':
		shift = 30;
		break;
	}
	if (shift)
		e++;
	if (*value > (uint64_t)INT64_MAX >> shift)
		return false;
	*value <<= shift;
	*end = e;
	return true;
}

void print_size(char *text, size_t len, uint64_t bytes)
{
	if (bytes && !(bytes & ((1 << 30) - 1)))
		snprintf(text, len, "%" PRIu64 "G", bytes >> 30);
	else if (bytes && !(bytes & ((1 << 20) - 1)))
		snprintf(text, len, "%" PRIu64 "M", bytes >> 20);
	else if (bytes && !(bytes & 1023))
		snprintf(text, len, "%" PRIu64 "k", bytes >> 10);
	else
		snprintf(text, len, "%" PRIu64, bytes);
}

double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

char *read_file(const char *path, size_t *len)
{
	size_t size = 0, used = 0;
	char *text = NULL;
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return NULL;
	do {
		if (used + 1 >= size) {
			size = size ? 2 * size : 65536;
			text = xrealloc(text, size);
		}
		n = read(fd, text + used, size - used - 1);
		if (n > 0)
			used += n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	if (n < 0) {
		free(text);
		text = NULL;
	} else {
		text[used] = '\0';
		if (len)
			*len = used;
	}
	close(fd);
	return text;
}

static bool write_one(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");
	int err;

	if (!f)
		return false;
	if (fputs(text, f) >= 0 && !fflush(f))
		return !fclose(f);
	err = errno;
	fclose(f);
	errno = err;
	return false;
}

void write_files(const char * const *path, const char * const *text, int nr)
{
	char *tmp[MAX_FILES];
	int i;

	for (i = 0; i < nr; i++) {
		tmp[i] = xasprintf("%s.tmp", path[i]);
		if (!write_one(tmp[i], text[i])) {
			int err = errno, n;

			for (n = 0; n <= i; n++)
				unlink(tmp[n]);
			die("%s: %s", path[i], strerror(err));
		}
	}
	for (i = 0; i < nr; i++) {
		if (rename(tmp[i], path[i]))
			die("%s: %s", path[i], strerror(errno));
		free(tmp[i]);
	}
}

char *strip(char *s)
{
	char *e;

	s += strspn(s, " \t");
	e = s + strlen(s);
	while (e > s && (e[-1] == ' ' || e[-1] == '\t' || e[-1] == '\n' ||
			 e[-1] == '\r'))
		e--;
	*e = '\0';
	return s;
}
