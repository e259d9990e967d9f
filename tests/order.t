#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What a pass counts depends on the pass alone: rows are run by themselves, each after
# each other one, and in random orders by seed, in real guests; every figure and every
# decision of readahead is the same.  What the device got is not: how many requests it
# takes for a window of single pages depends on where those lie in memory, and that
# on what ran before.  So the test also has to see such a difference, or it is blind.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"

lab=$O/bin/lab
rows="W3M M2 A10 A1 RA0"

# row NAME COPY: the second line is what it does
row()
{
	echo "[$1.$2]"
	echo "title $1"
	echo "promise reads <= stock"
	case $1 in
	# windows of 512 pages, the first one of single pages
	W3M) echo "max_sectors_kb 2048"; echo "reader read 3M to end" ;;
	# leaves memory in another state than it was in
	M2) echo "max_sectors_kb 384"; echo "reader read 4k at 0; read 2M to end" ;;
	A10) echo "max_sectors_kb 2048"; echo "reader read 4k at 0; read 1M to end" ;;
	A1) echo "max_sectors_kb 512"; echo "reader read 4k at 0; read 1M to end" ;;
	# no readahead: each page is a read
	RA0) echo "max_sectors_kb 512"; echo "read_ahead_kb 0"; echo "reader read 64k at 0 to 16M" ;;
	esac
}

# claims FILE ROW...
claims()
{
	_file=$1 _n=0
	shift
	printf 'base 7.3\nfs xfs\nfile 128M\nmdts 9\nread_ahead_kb 128\n' >"$_file"
	for _r; do
		_n=$((_n + 1))
		row "$_r" $_n >>"$_file"
	done
}

# passes NAME: of each guest of the last run, what each pass reported of what readahead
# did and the reader got, as $tmp/passes/KERNEL/ROW.NAME.COPY; and what the device got
passes()
{
	for _g in "$tmp"/results/last/*/report; do
		_k=$(basename "$(dirname "$_g")")
		_b=$(echo "$_k" | cut -d- -f2 | tr -d /)
		mkdir -p "$tmp/passes/${_k%%-*}" "$tmp/device/${_k%%-*}"
		awk -v to="$tmp/passes/${_k%%-*}/" -v dev="$tmp/device/${_k%%-*}/" -v run="$1-$_b" '
			$1 == "pass" {
				split($2, id, ".")
				file = to id[1] "." run "." id[2]
				device = dev id[1]
				next
			}
			$1 == "done" { close(file); file = ""; next }
			file == "" || $1 ~ /^(set|at|cold|time|extent|pieces)$/ { next }
			$1 == "sent" { print $3 >>device; close(device); next }
			# of these the device is a part
			$1 == "stat" { next }
			$2 ~ /^[A-Z]/ { $2 = "" }
			{ print >file }
		' "$_g"
	done
}

# run NAME OPTION... CLAIMS
run()
{
	_name=$1
	shift
	timeout 580 "$lab" run --base "$O/7.3/base" --patched "$O/7.3/patched" --init "$O/bin/init" \
		--fio "$O/fio.img" --out "$tmp/results" --accel tcg --jobs 2 --runs 1 "$@" >"$tmp/out" 2>&1
	ok $? "$_name"
	grep -Eq '^([0-9]+) claims: 0 better than posted, \1 hold' "$tmp/out" || sed 's/^/# /' "$tmp/out"
	passes "$_name"
}

for r in $rows; do
	claims "$tmp/claims" "$r"
	run "alone" "$tmp/claims"
done

# each after each, itself among them: a cyclic sequence in which every pair is there once
sequence=$(echo "$rows" | awk '{
	for (i = 1; i <= NF; i++) {
		printf("%s ", $i)
		for (j = i + 1; j <= NF; j++)
			printf("%s %s ", $i, $j)
	}
	print $1
}')
# shellcheck disable=SC2086 # the rows
claims "$tmp/claims" $sequence
run "each after each" --order 0 "$tmp/claims"
is_true "each pair is there" sh -c "test \$(echo '$sequence' | tr ' ' '\n' |
	awk 'p { print p, \$0 } { p = \$0 }' | sort -u | wc -l) = 25"

# shellcheck disable=SC2086 # the rows
claims "$tmp/claims" $rows
for seed in 1 2 3; do
	run "in random order, seed $seed" --order $seed "$tmp/claims"
	for k in base patched; do
		sed -n 's/^pass //p' "$tmp/results/last/$k-1-xfs-mdts9-128M/plan" >"$tmp/order.$seed.$k"
	done
	is_true "base and patched have the same order, seed $seed" cmp "$tmp/order.$seed.base" "$tmp/order.$seed.patched"
done
is_true "orders differ" sh -c "! cmp -s '$tmp/order.1.base' '$tmp/order.2.base' ||
	! cmp -s '$tmp/order.1.base' '$tmp/order.3.base'"

for k in base patched; do
	for r in $rows; do
		set -- "$tmp/passes/$k/$r".*
		for f; do
			cmp -s "$1" "$f" || break
		done
		ok $? "$k, $r: the same in all of its $# passes"
		cmp -s "$1" "$f" || diff "$1" "$f" | sed 's/^/# /; 20q'
		is_true "$k, $r: there are nine or more" test $# -ge 9
		is_true "$k, $r: and what is compared is whole" grep -Eq '^read  (134217728|16777216) ' "$1"
		# shellcheck disable=SC2046 # numbers
		echo "# $k, $r: the device got" $(sort -n "$tmp/device/$k/$r" | uniq -c |
			awk '{ printf("%s%d requests %d times", n++ ? ", " : "", $2, $1) }')
	done
done
check "where single pages lie made a difference for the device" 0 '^[2-9]|^[0-9][0-9]' \
	sh -c "sort -u '$tmp/device/base/W3M' | wc -l"

done_testing
