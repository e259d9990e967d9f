#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A quilt applies as a whole and without fuzz, or not at all.  Wrong hunks were
# waved through elsewhere because patch(1) exits with 0 on fuzz, and because
# two bodies look alike, as the tails of page_cache_sync_ra() and
# page_cache_async_ra() do.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"

pristine=$O/7.3/pristine
apply=tools/kernel/apply.sh
series=$tmp/q/series
export PRISTINE="$tmp/tree"
mkdir -p "$tmp/tree/mm" "$tmp/q"

# fresh: the file as in the pinned tree
fresh()
{
	cp "$pristine/mm/readahead.c" "$tmp/tree/mm/readahead.c"
	rm -rf "$tmp/out" "$tmp/out.tmp"
}

# quilt NAME: a series of the one patch that git diff makes of tree and new
quilt()
{
	(cd "$tmp" && git diff --no-index --full-index --no-color \
		tree/mm/readahead.c new/mm/readahead.c) |
		sed 's,a/tree/,a/,g; s,b/new/,b/,g' >"$tmp/q/$1"
	echo "$1" >"$series"
}

fails()
{
	check "$1" 1 "$2" "$apply" "$tmp/out" "$series"
	is_true "$1: nothing is left" test ! -e "$tmp/out" -a ! -e "$tmp/out.tmp"
}

fresh
mkdir -p "$tmp/new/mm"
# three changes, in three hunks
sed -e 's/Initial version\./First version./' \
	-e 's/^readit:$/readit_now:/' -e 's/goto readit;/goto readit_now;/' \
	"$tmp/tree/mm/readahead.c" >"$tmp/new/mm/readahead.c"
quilt one.patch
check "a quilt that fits applies" 0 '' "$apply" "$tmp/out" "$series"
is_true "to the bytes that were meant" cmp "$tmp/out/mm/readahead.c" "$tmp/new/mm/readahead.c"
is_true "the tree it is taken from is as before" cmp "$tmp/tree/mm/readahead.c" "$pristine/mm/readahead.c"
check "our own quilt applies, and its index lines are right" 0 '^$' \
	env PRISTINE="$pristine" "$apply" "$tmp/out" patches/7.3/series
check "the rival's patch applies, and its index lines are right" 0 '^$' \
	env PRISTINE="$pristine" "$apply" "$tmp/out" tests/rivals/7.3/series

cp "$tmp/new/mm/readahead.c" "$tmp/tree/mm/readahead.c"
rm -rf "$tmp/out"
fails "a patch that is applied already" 'one.patch: applied to this tree already'

fresh
sed -i 's/Initial version\./First version./' "$tmp/tree/mm/readahead.c"
fails "a patch that is applied in part" 'one.patch: applied to this tree in part'

fresh
sed -i '1,200s/^#include <linux\/kernel.h>$/&\n#include <linux\/mm_types.h>\n#include <linux\/list.h>/' "$tmp/tree/mm/readahead.c"
check "an offset is reported" 0 'one.patch: hunk [0-9]+ at line [0-9]+, offset 2 lines' \
	"$apply" "$tmp/out" "$series"

fresh
# only the outermost line of context differs
sed -i 's/^ \* Copyright (C) 2002, Linus Torvalds$/ * Copyright (C) 2002/' "$tmp/tree/mm/readahead.c"
fails "a hunk that needs fuzz" 'one.patch: mm/readahead.c: hunk 1 .*only with fuzz'

fresh
sed -i 's/^readit:$/elsewhere:/; s/goto readit;/goto elsewhere;/' "$tmp/tree/mm/readahead.c"
fails "a hunk that does not apply" 'one.patch: mm/readahead.c: hunk [0-9]+ \(line [0-9]+\) does not apply'

fresh
head -c 700 "$tmp/q/one.patch" >"$tmp/q/cut.patch"
echo cut.patch >"$series"
fails "a patch cut short" 'cut.patch: .*(malformed|garbage|unexpected)'

printf 'Subject: words only\n' >"$tmp/q/words.patch"
echo words.patch >"$series"
fails "a file that is no patch" 'words.patch: no hunk in it'

echo missing.patch >"$series"
fails "a patch that is missing" 'missing.patch: no such patch'

quilt one.patch
printf 'one.patch -R\n' >"$series"
fails "an option in the series" '"one.patch -R": expected a file name and no option'
printf '  one.patch -p1 # the usual\n' >"$series"
is_true "-p1, blanks and comments in it are understood" "$apply" "$tmp/out" "$series"
rm -rf "$tmp/out"
sed 's/$/\r/' "$tmp/q/one.patch" >"$tmp/q/cr.patch"
echo cr.patch >"$series"
fails "a patch whose lines end in CR" 'cr.patch: has lines that end in CR'

check "a series that is missing" 1 'no such series' "$apply" "$tmp/out" "$tmp/q/none"

# The second of two patches fails: the first must not be left behind.
printf 'one.patch\nbad.patch\n' >"$series"
awk '/^@@/ { n++ } n < 2' "$tmp/q/one.patch" |
	sed 's/First version/Third version/; s/Initial version/Second version/' >"$tmp/q/bad.patch"
fails "the second patch of a series" 'bad.patch: mm/readahead.c'

echo one.patch >"$series"
sed -i 's/^index \([0-9a-f]*\)\.\.[0-9a-f]\{8\}/index \1..00000000/' "$tmp/q/one.patch"
check "an index line that is not true" 0 'becomes blob [0-9a-f]{12}, its index line says 00000000' \
	"$apply" "$tmp/out" "$series"

done_testing
