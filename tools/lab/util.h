/* SPDX-License-Identifier: GPL-2.0 */
/*
 * util.h - what every part of the laboratory needs
 */
#ifndef UTIL_H
#define UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Prints "lab: ..." and exits with 2: wrong input, or the host is at fault. */
__attribute__((noreturn, format(printf, 1, 2)))
void die(const char *fmt, ...);

/* These do not return without memory. */
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t size);
char *xstrdup(const char *s);
__attribute__((format(printf, 1, 2))) char *xasprintf(const char *fmt, ...);

/**
 * parse_size() - Read "4k", "512M", "3M", "100" as kernel people write them.
 * @text: Where the number starts.
 * @end: Set behind the last character used.
 * @value: Bytes; k, M and G are powers of 1024.
 *
 * Return: false if there is no number, or it does not fit 63 bits.
 */
bool parse_size(const char *text, const char **end, uint64_t *value);

/* Bytes as parse_size() reads them, in the largest unit that is exact. */
void print_size(char *text, size_t len, uint64_t bytes);

/* Seconds on a clock that only goes forward. */
double now(void);

/* The whole file as a string, or NULL with errno set; *len may be NULL. */
char *read_file(const char *path, size_t *len);

/**
 * write_files() - Write text files, all of them or none.
 * @path: Their names; what has such a name is replaced.
 * @text: What they hold.
 * @nr: How many; at most MAX_FILES.
 *
 * They get their names when all are written.  On a full disk there is neither
 * a part of one nor a new one beside an old one.
 */
void write_files(const char * const *path, const char * const *text, int nr);
#define MAX_FILES	32

/* Removes blanks at both ends, in place; returns the new start. */
char *strip(char *s);

/* A line of the progress display, see progress.c: overwritten on a terminal. */
__attribute__((format(printf, 2, 3)))
void progress(bool last, const char *fmt, ...);

#endif
