#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The table in the README is the one that the stored result gives, to the letter,
# and it fits into a mail; so do the times.  Changelogs: tests/changelog.t.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"

lab=$O/bin/lab
result=patches/7.3/readahead/result.json

is_true "the stored result gives a table" "$lab" table $result
printf '%s\n' "$out" >"$tmp/table"
# the columns of the claims may be wide, the mail may not
is_true "no line of it is wider than 75 columns" sh -c "! grep -E '^.{76}' '$tmp/table'"

is_true "no directory of a machine is in one of them" sh -c \
	"! grep -lE -- '-(kernel|initrd) /' patches/*/*/*.json"
is_true "there are times" sh -c "'$lab' table patches/7.3/readahead/time.json >'$tmp/times'"
is_true "no line of them is wider than 75 columns" sh -c "! grep -E '^.{76}' '$tmp/times'"

# contains FILE: all lines of the table, in one piece
contains()
{
	awk 'NR == FNR { want[n++] = $0; next }
	     { have[m++] = $0 }
	     END {
		for (i = 0; i + n <= m; i++) {
			for (j = 0; j < n && have[i + j] == want[j]; j++)
				;
			if (j == n)
				exit 0
		}
		exit 1
	     }' "$tmp/table" "$1"
}

contains README.md
ok $? "it stands in README.md"

# What was measured is what the whole quilt makes of the files: by blob id.
touched=$(sed -n 's,^+++ b/,,p' patches/7.3/readahead/0*.patch | sort -u)
for f in $touched; do
	blob=$(grep '^[a-z]' patches/7.3/series | while read -r p; do
		awk -v f="b/$f" '/^diff --git/ { here = $4 == f }
			here && /^index / { sub(/.*\.\./, "", $2); print $2 }' "patches/7.3/$p"
	done | tail -n 1)
	check "the result is of $f" 0 "\"files\": *\".*${blob:?} $f" grep '"files"' $result
done

sed 's/"better than posted"/"void"/' $result >"$tmp/other.json"
is_true "another result gives another table" sh -c \
	"'$lab' table '$tmp/other.json' >'$tmp/other' && ! cmp -s '$tmp/other' '$tmp/table'"
check "a figure that is not there is none" 2 'no reads of A99' \
	"$lab" get $result A99 base reads
printf '{ "claims": 3 }\n' >"$tmp/no.json"
check "what is no result is refused" 2 'not a result' "$lab" table "$tmp/no.json"
printf '{ "claims": [\n' >"$tmp/cut.json"
check "so is one cut short" 2 'cut.json' "$lab" table "$tmp/cut.json"

done_testing
