#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# kernel-mutants.sh [NAME...] - mutants.sh, for what the simulator is not made of
#
# Each diff in a mutants/ folder that changes another file than those of the
# simulator is applied on top of the quilt, and a kernel is made of that: user
# mode Linux, for the KUnit tests.  Some test has to go red, and none may without
# the diff.  With DEBUG=1 it is a debug kernel instead, for the cases in a guest and,
# if these notice nothing, for a minute of stress.  NAME, without .diff, is one of
# them; all if none is named.
set -eu

# shellcheck source=tools/kernel/lib.sh
. "$(dirname "$0")/lib.sh"

dir=$(cd "$work" && pwd)/mutant
series=$PATCHES/$BASE/series
simulated=$(simulated)
caught=0
missed=0
start=$(date +%s)

# said PATTERN: the first such line of the log, in which there has to be something
said()
{
	{ sed -n "$1" "$dir/log"; tail -n 1 "$dir/log"; } | sed 1q
}

# red_guest DIFF: the same in a guest
red_guest()
{
	"$top/tools/kernel/build.sh" debug-mutant "$dir/series" >"$dir/log" 2>&1 ||
		die "$*: expected a mutant that compiles: $(tail -n 1 "$dir/log")"
	export FLAVOURS=mutant HANG=60
	if ! "$top/qemu/shmem.sh" cases -1 >"$dir/log" 2>&1; then
		said 's/^mutant: failed: //p; s/^guest [^:]*: /the guest: /p'
	elif ! "$top/qemu/shmem.sh" stress 1 >"$dir/log" 2>&1; then
		said 's/^huge=/stress: &/p; s/^guest [^:]*: /stress: the guest: /p'
	fi
}

# red DIFF: what goes red with it, or without any; or nothing
red()
{
	rm -rf "$dir"
	mkdir -p "$dir"
	for _p in $(series_patches "$series") "$@"; do
		cp "$_p" "$dir/"
		basename "$_p" >>"$dir/series"
	done
	if [ "${DEBUG:-0}" = 1 ]; then
		red_guest "$@"
		return
	fi
	UML=1 "$top/tools/kernel/build.sh" um-mutant "$dir/series" >"$dir/log" 2>&1 ||
		die "$*: expected a mutant that compiles: $(tail -n 1 "$dir/log")"
	FLAVOURS=mutant WHERE=um LIMIT=60 "$top/tools/kernel/kunit.sh" >"$dir/log" 2>&1 || :
	sed -n 's/^.*: failed: //p' "$dir/log" | sed 1q
}

_first=$(red)
[ -z "$_first" ] || die "the quilt itself is red: $_first"

tried=0
for diff in "$PATCHES/$BASE"/*/mutants/*.diff; do
	[ -f "$diff" ] || continue
	! touched "$diff" | grep -qxF "$simulated" || continue
	name=$(basename "$diff" .diff)
	case " $* " in
	"  " | *" $name "*) ;;
	*) continue ;;
	esac
	tried=$((tried + 1))
	first=$(red "$diff")
	mutant "$name" "$first"
done
rm -rf "$dir"
[ $tried != 0 ] || die "no mutant of that name: ${*:-none at all}"
say "mutants: $caught caught, $missed missed, $(($(date +%s) - start)) s"
[ "$missed" = 0 ]
