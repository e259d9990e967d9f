// SPDX-License-Identifier: GPL-2.0
/*
 * gaps.c - page_cache_next_miss() and page_cache_prev_miss() against a plain walk
 *
 * The two functions, cut out of a tree's mm/filemap.c into miss.inc, run on the
 * tree's own lib/xarray.c in the harness of tools/testing/radix-tree, over random
 * populations of folios of orders 0 to 13, holes and shadows of evicted folios,
 * at the start of a file, in the middle and up to ULONG_MAX.  tests/gaps.t
 * builds it.
 *
 * gaps [SEED [ROUNDS]] prints how many answers of either are wrong, and ends
 * with 1 if any is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <limits.h>
#include "xarray-shared.h"
#include <linux/xarray.h>
#include "test.h"

struct address_space {
	struct xarray i_pages;
};

#define pgoff_t unsigned long
#undef EXPORT_SYMBOL
#define EXPORT_SYMBOL(symbol)

#include "miss.inc"

#define MAX_ORDER	13
#define PAGES		32768UL		/* in the part of the file that is looked at */
#define QUERIES		600		/* a round */

enum slot { HOLE, SHADOW, FOLIO };

static unsigned char state[PAGES];
static unsigned char order_of[PAGES];	/* of the folio there */
static struct address_space as;
static unsigned long base;		/* index of state[0] */
static unsigned long next_id;
static unsigned long long random_state;

static unsigned long rnd(unsigned long n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (unsigned long)(random_state >> 11) % n;
}

static void put_entry(unsigned long off, unsigned int order, void *entry)
{
	XA_STATE(xas, &as.i_pages, 0);

	xas_set_order(&xas, base + off, order);
	do {
		xas_lock(&xas);
		xas_store(&xas, entry);
		xas_unlock(&xas);
	} while (xas_nomem(&xas, GFP_KERNEL));
	if (xas_error(&xas)) {
		printf("xas_store(): error %d\n", xas_error(&xas));
		exit(2);
	}
}

static void put(unsigned long off, unsigned int order)
{
	unsigned long i;

	off &= ~((1UL << order) - 1);
	if (off + (1UL << order) > PAGES)
		return;
	for (i = 0; i < 1UL << order; i++)
		if (state[off + i])
			return;
	put_entry(off, order, (void *)(0x100000UL + (next_id++ << 6)));
	memset(state + off, FOLIO, 1UL << order);
	memset(order_of + off, order, 1UL << order);
}

/* as page_cache_delete(): all of the entry becomes NULL, or one shadow */
static void evict(unsigned long off, int shadow)
{
	unsigned int order = order_of[off];

	if (state[off] != FOLIO)
		return;
	off &= ~((1UL << order) - 1);
	put_entry(off, order, shadow ? xa_mk_value(next_id++) : NULL);
	memset(state + off, shadow ? SHADOW : HOLE, 1UL << order);
}

/* The plain walk: @step 1 up, with 0 for the wrap, or -1 down, with ULONG_MAX */
static unsigned long walk(unsigned long index, unsigned long max, long step)
{
	unsigned long wrapped = step > 0 ? 0 : ULONG_MAX;

	while (max--) {
		unsigned long off = index - base;

		if (off >= PAGES || state[off] != FOLIO)
			return index;
		if (index == wrapped)
			return wrapped;
		index += step;
	}
	return index;
}

static void populate(int shadows)
{
	int one_order = rnd(4) ? -1 : (int)rnd(MAX_ORDER + 1);
	unsigned long span = 1 + rnd(rnd(8) ? PAGES : 4), runs = rnd(400), i;

	/* runs of folios: what readahead leaves */
	for (i = 0; i < runs; i++) {
		unsigned long off = rnd(span), len = rnd(600);
		int order = one_order >= 0 ? one_order : (int)rnd(10);

		for (; len && off < PAGES; len--) {
			put(off, rnd(5) ? order : (int)rnd(MAX_ORDER + 1));
			off += state[off] == FOLIO ? 1UL << order_of[off] : 1;
		}
	}
	/* some go again, of which some leave a shadow, and others come */
	for (i = rnd(60); i; i--)
		evict(rnd(rnd(3) ? span : PAGES), shadows && rnd(2));
	for (i = rnd(10); i; i--)
		put(rnd(span), rnd(6));
	/* a tree that is its head only, or empty */
	if (!rnd(10))
		for (i = 1; i < PAGES; i++)
			evict(i, 0);
	if (!rnd(30))
		evict(0, 0);
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 2 ? strtoul(argv[2], NULL, 0) : 300;
	unsigned long wrong_next = 0, wrong_prev = 0, r, i;

	random_state = argc > 1 ? strtoull(argv[1], NULL, 0) | 1 : 1;
	radix_tree_init();
	for (r = 0; r < rounds; r++) {
		xa_init_flags(&as.i_pages, XA_FLAGS_LOCK_IRQ | XA_FLAGS_ACCOUNT);
		memset(state, HOLE, sizeof(state));
		memset(order_of, 0, sizeof(order_of));
		base = rnd(2) ? 0 : rnd(2) ? ULONG_MAX - PAGES + 1 :
					     rnd(1UL << 30) << 15;
		populate(r % 3 == 2);
		for (i = 0; i < QUERIES; i++) {
			unsigned long max = 1 + rnd(rnd(2) ? 64 : 1500);
			unsigned long index = base + rnd(PAGES);

			if (!rnd(20))
				index = base + (rnd(2) ? PAGES - 1 - rnd(8) : rnd(8));
			wrong_next += page_cache_next_miss(&as, index, max) !=
				      walk(index, max, 1);
			wrong_prev += page_cache_prev_miss(&as, index, max) !=
				      walk(index, max, -1);
		}
		xa_destroy(&as.i_pages);
	}
	printf("compared: %lu\nnext wrong: %lu\nprev wrong: %lu\n",
	       rounds * QUERIES, wrong_next, wrong_prev);
	return wrong_next || wrong_prev;
}
