#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The table in a changelog and in the README is the one that the stored result
# gives, to the letter; and it fits into a mail.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"

lab=$O/bin/lab
result=patches/7.3/readahead/result.json

is_true "the stored result gives a table" "$lab" table $result
printf '%s\n' "$out" >"$tmp/table"
# the columns of the claims may be wide, the mail may not
is_true "no line of it is wider than 75 columns" sh -c "! grep -E '^.{76}' '$tmp/table'"

is_true "no directory of a machine is in it" sh -c \
	"! grep -E -- '-(kernel|initrd) /' $result"

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

for f in README.md patches/7.3/readahead/0002-*.patch; do
	contains "$f"
	ok $? "it stands in $f"
done

# The figures above the --- of the patch are those of the result.
patch=patches/7.3/readahead/0002-mm-readahead-do-not-ramp-up-again-after-an-aligned-window.patch
sed '/^---$/q' $patch >"$tmp/above"

# stands NAME REGEX: a figure that the result does not give fails, too
stands()
{
	check "above the ---: $1" 0 "$2" cat "$tmp/above"
}

for id in A1 F60k A8 A11; do
	b=$("$lab" get $result $id base reads)
	p=$("$lab" get $result $id patched reads)
	bf=$("$lab" get $result $id base folio_tenth_kib)
	pf=$("$lab" get $result $id patched folio_tenth_kib)
	stands "$id: $b to $p reads, $bf to $pf KiB" \
		" ${b:?}  *${p:?}  *${bf:?}  *${pf:?}\$"
done
# What is said of the posted policy stands below it.
two=$("$lab" get $result F60k rival reads)
four=$("$lab" get $result A11 rival reads)
check "the posted policy: $two and $four" 0 \
	"takes ${two:?} reads in F60k, and ${four:?}, more than before, in A11" \
	sh -c "tr '\n' ' ' <'$patch'"

# mib ID KERNEL: one decimal
mib()
{
	"$lab" get $result "$1" "$2" bytes | awk '{ printf "%.1f", $1 / 1048576 }'
}
tr '\n' ' ' <"$tmp/above" >"$tmp/line"
for id in R2M R1M; do
	p=$(mib $id patched)
	b=$(mib $id base)
	check "above the ---: $id reads $p MiB instead of $b" 0 \
		" ${p:?} (MiB )?instead of ${b:?}[,.]" cat "$tmp/line"
done
more=$(awk -v p="$("$lab" get $result R2M patched bytes)" \
	-v b="$("$lab" get $result R2M base bytes)" 'BEGIN { printf "%.1f", 100 * (p / b - 1) }')
check "above the ---: $more % more" 0 " read ${more:?} % more," cat "$tmp/line"
p=$("$lab" get $result R2M patched reads)
b=$("$lab" get $result R2M base reads)
check "above the ---: in $p reads instead of $b" 0 \
	" in ${p:?} device reads instead of ${b:?};" cat "$tmp/line"
b=$("$lab" get $result A1 base reads)
check "above the ---: 7.3 takes $b" 0 " where 7.3 takes ${b:?}\." cat "$tmp/line"

# Those of the first one
first=patches/7.3/readahead/0001-mm-filemap-find-the-gap-that-is-next-to-a-large-folio.patch
sed '/^---$/q' $first >"$tmp/above"

# row NAME METRIC ID: what it was and what it is
row()
{
	_b=$("$lab" get $result "$3" base "$2")
	_p=$("$lab" get $result "$3" patched "$2")
	stands "$1: $_b to $_p" "^  $1  *${_b:?}  *${_p:?}\$"
}
row "synchronous readahead" sync SHARED
row "device reads" reads SHARED
row "mean folio, KiB" folio_tenth_kib SHARED
b=$("$lab" get $result A5 base bytes | awk '{ printf "%.3f", $1 / 1048576 }')
p=$("$lab" get $result A5 patched bytes | awk '{ printf "%.3f", $1 / 1048576 }')
check "below the ---: $p MiB instead of $b" 0 " ${p:?} MiB instead of ${b:?}\." \
	sh -c "tr '\n' ' ' <'$first'"

# What was measured is what the patches make of the files: by blob id.
for p in $first $patch; do
	blob=$(sed -n 's/^index [0-9a-f]*\.\.\([0-9a-f]*\) .*/\1/p' "$p")
	check "the result is of $(basename "$p")" 0 "\"files\": *\".*${blob:?} mm/" \
		grep '"files"' $result
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
