#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Measured times: a fixture for each verdict gets it, and the numbers are those
# that other programs get: GNU datamash for means, deviations and medians, awk
# for the tests, by trying all signs, and for Holm what was worked out by hand.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"

lab=$O/bin/lab
dir=tests/fixtures/stats

for f in "$dir"/*; do
	is_true "$f: the verdict that it expects" "$lab" stats "$f"
done
check "each verdict is in one of them" 0 '^5$' sh -c \
	"sed -n 's/^expect //p' $dir/* | sort -u | wc -l"

# The changes of a row, or those of its A/A pairs, in percent
# changes FILE ROW aa|pairs
changes()
{
	awk -v row="$2" -v aa="$([ "$3" = aa ] && echo 1)" '
		{ sub(/#.*/, "") }
		$1 == "row" { in_row = $2 == row; next }
		!in_row || $1 == "expect" || $1 == "exact" || $1 == "least" || !NF { next }
		aa && $1 == "aa" { print 100 * ($3 - $2) / $2 }
		!aa && $1 != "aa" { print 100 * ($2 - $1) / $1 }' \
		OFMT=%.17g CONVFMT=%.17g "$1"
}

# Quantiles of Student's t at 0.975 by degrees of freedom, from a printed table
t_quantile()
{
	case $1 in
	3) echo 3.182446 ;;
	4) echo 2.776445 ;;
	5) echo 2.570582 ;;
	7) echo 2.364624 ;;
	8) echo 2.306004 ;;
	9) echo 2.262157 ;;
	12) echo 2.178813 ;;
	*) echo "no quantile for $1" >&2 ;;
	esac
}

# mean, half width of the interval, median of the numbers in a file
centre()
{
	n=$(wc -l <"$1")
	datamash -R 9 mean 1 sstdev 1 median 1 <"$1" |
		awk -v n="$n" -v t="$(t_quantile $((n - 1)))" \
			'{ printf "%.9f %.9f %.9f\n", $1, t * $2 / sqrt(n), $3 }'
}

# Two-sided p of the sum, by trying all signs
brute_force()
{
	awk '{ d[n++] = $1; sum += $1; size += $1 < 0 ? -$1 : $1 }
	     END {
		if (sum < 0)
			sum = -sum
		for (i = 0; i < 2 ^ n; i++) {
			s = 0
			for (k = 0; k < n; k++)
				s += int(i / 2 ^ k) % 2 ? d[k] : -d[k]
			if (s < 0)
				s = -s
			if (s >= sum - size / 1e10)
				far++
		}
		printf "%.9f\n", far / 2 ^ n
	     }' "$1"
}

# The numbers by the rank of their size, ties and all, with their signs
ranks()
{
	awk '{ d[n++] = $1; a[n - 1] = $1 < 0 ? -$1 : $1 }
	     END {
		for (i = 0; i < n; i++) {
			below = same = 0
			for (k = 0; k < n; k++) {
				below += a[k] < a[i]
				same += a[k] == a[i]
			}
			r = below + (same + 1) / 2
			print (d[i] < 0 ? -r : (d[i] > 0 ? r : 0))
		}
	     }' "$1"
}

hodges_lehmann()
{
	awk '{ d[n++] = $1 }
	     END {
		for (i = 0; i < n; i++)
			for (k = i; k < n; k++)
				printf "%.17g\n", (d[i] + d[k]) / 2
	     }' "$1" | datamash -R 9 median 1
}

# Which of the numbers are beyond the median by 5 times the MAD
outlying()
{
	awk -v "of=$(datamash -R 9 median 1 madraw 1 <"$1")" '
		BEGIN { split(of, m, "\t") }
		{ x = $1 - m[1]; if (x < 0) x = -x }
		x > 5 * m[2] + 1e-9 { printf "%s%d", s, NR; s = " " }' "$1"
}

# same NAME PRINTED EXPECTED: to the last of the digits that are printed
same()
{
	awk -v a="$2" -v b="$3" 'BEGIN { x = a - b; exit !(a != "" && b != "" &&
		a != "-" && x < 0.00006 && x > -0.00006) }'
	_ok=$?
	ok $_ok "$1: $3"
	[ $_ok = 0 ] || echo "# lab prints $2"
}

compared=0
for f in "$dir"/*; do
	"$lab" stats "$f" >"$tmp/out" 2>&1
	rows=$(sed -n 's/^row \([^ ]*\) .*/\1/p' "$f")
	for row in $rows; do
		line=$(awk -v row="$row" '$1 == row' "$tmp/out")
		case $line in
		*" void: "*) continue ;;
		esac
		compared=$((compared + 1))
		name=$(basename "$f"):$row
		changes "$f" "$row" pairs >"$tmp/pairs"
		changes "$f" "$row" aa >"$tmp/aa"
		ranks "$tmp/pairs" >"$tmp/ranks"
		read -r mean half median <<-END
		$(centre "$tmp/pairs")
		END
		read -r aa_mean aa_half _ <<-END
		$(centre "$tmp/aa")
		END
		# shellcheck disable=SC2086 # the columns
		set -- $line
		same "$name: pairs" "$2" "$(wc -l <"$tmp/pairs")"
		same "$name: mean" "$3" "$mean"
		same "$name: low" "$4" "$(echo "$mean - $half" | bc)"
		same "$name: high" "$5" "$(echo "$mean + $half" | bc)"
		same "$name: median" "$6" "$median"
		same "$name: Hodges-Lehmann" "$7" "$(hodges_lehmann "$tmp/pairs")"
		same "$name: smallest p" "$8" "$(echo "scale=9; 2 / 2^$2" | bc)"
		same "$name: p" "$9" "$(brute_force "$tmp/pairs")"
		shift 9
		least=$(awk -v row="$row" '$1 == "row" { in_row = $2 == row }
			in_row && $1 == "least" { print $2 }' "$f")
		same "$name: floor" "$3" "$(echo "$aa_mean $aa_half ${least:-0}" |
			awk '{ f = ($1 < 0 ? -$1 : $1) + $2; print f < $3 ? $3 : f }')"
		# in a table of one there is nothing to correct
		if [ "$(grep -c '^row' "$f")" = 1 ]; then
			same "$name: p of the ranks" "$2" "$(brute_force "$tmp/ranks")"
			same "$name: Holm" "$1" "$(brute_force "$tmp/pairs")"
		fi
		case $line in
		*" too few boots: "*) continue ;;
		esac
		said=$(echo "$line" | grep -o 'pair [0-9]* is outlying' | tr -dc '0-9\n' |
			paste -sd' ' -)
		[ "$said" = "$(outlying "$tmp/pairs")" ]
		ok $? "$name: outlying: ${said:-none}"
	done
done
# as many as there are rows but for the void ones
[ "$compared" = "$(grep -h '^expect' "$dir"/* | grep -vc void)" ] && [ "$compared" -gt 8 ]
ok $? "all rows were compared"

# 2/1024 by 5, 2/256 by 4, by 3 and not below the one before, 4/256 by 2
"$lab" stats $dir/table >"$tmp/out"
holm()
{
	same "Holm: $1" "$(awk -v row="$1" '$1 == row { print $10 }' "$tmp/out")" "$2"
}
holm ten 0.009766
holm eight 0.031250
holm eight.rate 0.031250
holm one-against 0.031250

check "the other verdict is an error" 1 'time: expected "loss", it is "gain"' \
	sh -c "sed 's/^expect .*/expect loss/' $dir/gain >'$tmp/f'; '$lab' stats '$tmp/f'"
check "so is a file that is not one" 2 'Makefile: line [0-9]*: no row has begun' \
	"$lab" stats Makefile
check "so is one that is not there" 2 'No such file' "$lab" stats "$tmp/none"
check "so is none" 2 'wants a FILE' "$lab" stats

done_testing
