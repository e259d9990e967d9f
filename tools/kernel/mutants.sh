#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# mutants.sh - undo one essential line of the quilt at a time
#
# Each diff in a mutants/ folder beside the patches is applied on top of the
# quilt, and an engine is made of that.  Some test has to go red: a line that
# can be lost without a test noticing is not tested.  The quilt as it is has to
# be green first, or the red ones would prove nothing.
set -eu

# shellcheck source=tools/kernel/lib.sh
. "$(dirname "$0")/lib.sh"

: "${CC:=gcc}"
ra=$top/tools/testing/readahead
sim=$(cd "$work/sim" && pwd)
program=$sim/readahead
simulated=$(simulated)
caught=0
missed=0

# red ENGINE: the first test that fails, or nothing
red()
{
	_out=$("$program" test -e "$1" 2>&1) || {
		printf '%s\n' "$_out" | sed -n 's/^[^ ]*\.c:[0-9]*: \([a-z0-9_]*\): .*/\1/p' | sed 1q
		return
	}
	_out=$("$program" check -e "$1" --count 20000 2>&1) ||
		printf '%s\n' "$_out" | sed -n 's/^sequence .* breaks a rule: /a rule: /p; s/^check: /check: /p'
}

_first=$(red "$sim/patched/engine.so")
[ -z "$_first" ] || die "the quilt itself is red: $_first"

for diff in "$PATCHES/$BASE"/*/mutants/*.diff; do
	[ -f "$diff" ] || die "patches/$BASE: expected diffs in */mutants/"
	touched "$diff" | grep -qxF "$simulated" || continue
	name=$(basename "$diff" .diff)
	"$top/tools/kernel/sources.sh" "$sim/mutants/$name/tree" \
		"$PATCHES/$BASE/series" "$diff"
	make -s -C "$ra" CC="$CC" KDIR="$sim/mutants/$name/tree" \
		OUT="$sim/mutants/$name" engine ||
		die "$diff: expected a mutant that compiles"
	first=$(red "$sim/mutants/$name/engine.so")
	mutant "$name" "$first"
done
[ $((caught + missed)) -gt 0 ] ||
	die "patches/$BASE: expected a diff that changes what is simulated in */mutants/"
say "mutants: $caught caught, $missed missed"
[ "$missed" = 0 ]
