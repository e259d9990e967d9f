#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# steps.sh ID... - what each patch of the quilt does to claims, in user space
#
# For the first N patches of the series a line for each claim, "N ID reads M" and
# "N ID folio KIB": reads of file data, and the mean size of folios.  N is 0 for
# base.  The messages of the patches take figures from there.
#
# Environment: CC, LAB ($O/bin/lab); the engine of base has been made.
set -eu

# shellcheck source=tools/kernel/lib.sh
. "$(dirname "$0")/lib.sh"

: "${CC:=gcc}" "${LAB:=$O/bin/lab}"
[ $# -gt 0 ] || die "expected claims"
sim=$(cd "$work/sim" && pwd) || die "$work/sim: no engines: run make sim first"
step=$sim/step
mkdir -p "$step"
for d in "$PATCHES/$BASE"/*/; do
	ln -sfn "$(cd "$d" && pwd)" "$step/$(basename "$d")"
done
patches=$(series_patches "$PATCHES/$BASE/series" | sed "s|^$PATCHES/$BASE/||")

# figures N ENGINE ID...: a promise that is not kept yet is no matter here
figures()
{
	_n=$1 _engine=$2
	shift 2
	"$LAB" sim --base "$sim/base/engine.so" --patched "$_engine" \
		"$top/tests/claims" "$@" >"$step/said" || [ -s "$step/said" ]
	for _id; do
		_row=$(sed -n "s/^$_id  *//p" "$step/said")
		[ -n "$_row" ] || die "$_id: no such row: $(tail -n 1 "$step/said")"
		echo "$_row" | awk -v n="$_n" -v id="$_id" \
			'{ print n, id, "reads", $2; print n, id, "folio", $4 }'
	done
}

: >"$step/series"
figures 0 "$sim/base/engine.so" "$@"
n=0
for p in $patches; do
	n=$((n + 1))
	echo "$p" >>"$step/series"
	"$top/tools/kernel/sources.sh" "$step/tree" "$step/series"
	make -s -C "$top/tools/testing/readahead" CC="$CC" KDIR="$step/tree" \
		OUT="$step" engine >&2
	figures $n "$step/engine.so" "$@"
done
