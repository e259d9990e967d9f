/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pattern.h - what the measured file holds, if it was written
 *
 * Word i (64 bits, little endian, at byte 8 * i) is seed + i * STEP, modulo
 * 2^64.  STEP is odd, so no word of a file stands in two places, and a page
 * that comes from elsewhere is noticed at its first word.  The sum over a
 * range has a closed form, so the host works out the expected checksum without
 * making the data: see pattern_sum().
 *
 * Shared by the guest and by tools/lab.
 */
#ifndef PATTERN_H
#define PATTERN_H

#include <stddef.h>
#include <stdint.h>

#define PATTERN_STEP	0x9e3779b97f4a7c15ULL	/* 2^64 / golden ratio, odd */

static inline uint64_t pattern_word(uint64_t i, uint64_t seed)
{
	return seed + i * PATTERN_STEP;
}

/**
 * pattern_fill() - Make the data of a range of the file.
 * @data: Where to; @len bytes.
 * @len: Bytes, a multiple of 8.
 * @pos: Byte offset in the file, a multiple of 8.
 * @seed: The run's seed.
 */
static inline void pattern_fill(void *data, size_t len, uint64_t pos,
				uint64_t seed)
{
	uint64_t *p = data, w = pattern_word(pos / 8, seed);
	size_t i;

	for (i = 0; i < len / 8; i++, w += PATTERN_STEP)
		p[i] = w;
}

/**
 * pattern_check() - Compare data with what the file holds there.
 * @data: What was read; @len bytes.
 * @len: Bytes, a multiple of 8.
 * @pos: Byte offset in the file, a multiple of 8.
 * @seed: The run's seed.
 * @sum: The words are added to it.
 *
 * Return: -1 if all is right, else the offset of the first wrong word.
 */
static inline int64_t pattern_check(const void *data, size_t len, uint64_t pos,
				    uint64_t seed, uint64_t *sum)
{
	const uint64_t *p = data;
	uint64_t w = pattern_word(pos / 8, seed), s = 0, diff = 0;
	size_t i;

	for (i = 0; i < len / 8; i++, w += PATTERN_STEP) {
		diff |= p[i] ^ w;
		s += p[i];
	}
	*sum += s;
	if (!diff)
		return -1;
	w = pattern_word(pos / 8, seed);
	for (i = 0; p[i] == w; i++)
		w += PATTERN_STEP;
	return pos + 8 * i;
}

/**
 * pattern_check_zeroes() - The same for a file that was never written.
 * @data: What was read; @len bytes.
 * @len: Bytes, a multiple of 8.
 * @pos: Byte offset in the file, a multiple of 8.
 * @sum: The words are added to it.
 *
 * Return: -1 if all are zero, else the offset of the first word that is not.
 */
static inline int64_t pattern_check_zeroes(const void *data, size_t len,
					   uint64_t pos, uint64_t *sum)
{
	const uint64_t *p = data;
	uint64_t any = 0, s = 0;
	size_t i;

	for (i = 0; i < len / 8; i++) {
		any |= p[i];
		s += p[i];
	}
	*sum += s;
	if (!any)
		return -1;
	for (i = 0; !p[i]; i++)
		;
	return pos + 8 * i;
}

/**
 * pattern_sum() - The sum of the words of a range, modulo 2^64.
 * @start: Byte offset, a multiple of 8.
 * @end: Byte offset behind the last, a multiple of 8.
 * @seed: The run's seed.
 *
 * n words from word a on: n * seed + STEP * (n * a + n * (n - 1) / 2).
 */
static inline uint64_t pattern_sum(uint64_t start, uint64_t end, uint64_t seed)
{
	uint64_t a = start / 8, n = (end - start) / 8;
	uint64_t tri = n % 2 ? n * ((n - 1) / 2) : (n / 2) * (n - 1);

	return n * seed + PATTERN_STEP * (n * a + tri);
}

#endif
