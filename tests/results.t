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

for f in README.md patches/7.3/readahead/0001-*.patch; do
	contains "$f"
	ok $? "it stands in $f"
done

# count ID KERNEL FIELD
count()
{
	awk -v id="\"id\": \"$1\"" -v kernel="\"$2\": {" -v field="\"$3\":" '
		index($0, id) { on = 1 }
		on && index($0, kernel) { in_kernel = 1 }
		on && in_kernel && index($0, field) {
			gsub(/[^0-9]/, "", $0)
			print
			exit
		}' $result
}

# The figures above the --- of the patch are those of the result.
patch=patches/7.3/readahead/0001-mm-readahead-ramp-up-from-the-window-wanted.patch
for id in A1 F60k A8 A11; do
	for kernel in base patched; do
		reads=$(count $id $kernel reads)
		folio=$(count $id $kernel folio_tenth_kib)
		folio=${folio%?}.${folio#"${folio%?}"}
		is_true "$id $kernel: $reads reads, $folio KiB stand above the ---" sh -c \
			"sed '/^---\$/q' $patch | grep -E '(^| )$reads ' | grep -Eq ' $folio( |\$)'"
	done
done

sed 's/"verdict": "better than posted"/"verdict": "void"/; s/"reads": 1029/"reads": 1030/' \
	$result >"$tmp/other.json"
is_true "another result gives another table" sh -c \
	"! '$lab' table '$tmp/other.json' | cmp -s - '$tmp/table'"
printf '{ "claims": 3 }\n' >"$tmp/no.json"
check "what is no result is refused" 2 'not a result' "$lab" table "$tmp/no.json"
printf '{ "claims": [\n' >"$tmp/cut.json"
check "so is one cut short" 2 'cut.json' "$lab" table "$tmp/cut.json"

done_testing
