#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The gap next to a large folio: page_cache_next_miss() and page_cache_prev_miss()
# of base and patched, on the tree's own lib/xarray.c, against a plain walk.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"

export BASE=7.3
pristine=$O/$BASE/pristine
harness=$tmp/tree/tools/testing/radix-tree
objects="xarray-shared.o radix-tree.o idr.o linux.o slab.o find_bit.o bitmap.o hweight.o vsprintf.o"

# A copy, since the harness builds in its own folder
mkdir -p "$tmp/tree/tools/testing"
cp -r "$pristine/tools/testing/radix-tree" "$pristine/tools/testing/shared" "$tmp/tree/tools/testing"
for d in tools/include tools/lib tools/arch tools/scripts include lib scripts; do
	mkdir -p "$tmp/tree/$(dirname $d)"
	cp -r "$pristine/$d" "$tmp/tree/$d"
done

# build TEST NAME FILEMAP: a program of the two functions of a mm/filemap.c
# shellcheck disable=SC2086 # lists of file names
build()
{
	sed -n '/^pgoff_t page_cache_next_miss(/,/^}/p; /^pgoff_t page_cache_prev_miss(/,/^}/p' \
		"$3" >"$harness/miss.inc"
	cp tests/unit/gaps.c "$harness/gaps.c"
	(cd "$harness" && rm -f gaps.o &&
		make -s SHIFT=6 generated/map-shift.h generated/bit-length.h generated/autoconf.h &&
		make -s SHIFT=6 EXTRA_CFLAGS="-O2 -Wno-unused-function" $objects gaps.o &&
		gcc -fsanitize=address,undefined -o "$tmp/$2" gaps.o $objects \
			-lpthread -lurcu) >"$tmp/log" 2>&1
	_rc=$?
	ok $_rc "$1"
	[ $_rc = 0 ] || sed "s/^/# /" "$tmp/log"
}

build "what base has builds" base "$O/$BASE/sim/base/tree/mm/filemap.c"
check "and is wrong both ways" 1 '^next wrong: [1-9]' "$tmp/base" 1 600
printf '%s\n' "$out" >"$tmp/gaps"
is_true "prev as well" grep -q '^prev wrong: [1-9]' "$tmp/gaps"
# what the changelog says of it; STORE=1 stores it anew
[ "${STORE:-0}" = 0 ] || cp "$tmp/gaps" patches/$BASE/readahead/gaps
is_true "by what is stored beside the patch" diff "$tmp/gaps" patches/$BASE/readahead/gaps
build "what patched has builds" patched "$O/$BASE/sim/patched/tree/mm/filemap.c"
for seed in 1 2; do
	check "and is right, seed $seed" 0 '^compared: [0-9]{6}$' "$tmp/patched" $seed 600
	printf '%s\n' "$out" >"$tmp/right"
	is_true "both ways" sh -c "grep -qx 'next wrong: 0' '$tmp/right' && grep -qx 'prev wrong: 0' '$tmp/right'"
done

# Without any one of its lines it is not.
for line in sibling reload next prev; do
	case $line in
	sibling) edit='s/if (xa_is_sibling(entry))/if (0)/' ;;
	reload) edit='s/entry = xas_reload(&xas);/entry = NULL;/' ;;
	next) edit='/^pgoff_t page_cache_next_miss/,/^}/s/xas_advance(.*);//' ;;
	prev) edit='/^pgoff_t page_cache_prev_miss/,/^}/s/xas_advance(.*);//' ;;
	esac
	sed "$edit" "$O/$BASE/sim/patched/tree/mm/filemap.c" >"$tmp/filemap.c"
	build "another $line builds" "$line" "$tmp/filemap.c"
	check "and is wrong" 1 ' wrong: [1-9]' "$tmp/$line"
done

done_testing
