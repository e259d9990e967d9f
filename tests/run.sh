#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# run.sh [-j N] TEST... - runs tests that speak TAP, N at a time, and adds them up
#
# prove(1) judges each: a plan that is not kept or an exit status that is not 0
# is a failure even if all lines say "ok".  Each has a log of its own, so what one
# prints stands together, in the order in which the tests were named.  The last line
# is "N passed, N failed, N skipped", and the exit status is 1 if any failed.
set -u

# one DIR N TOTAL TEST: a line when it has run, and what it took in DIR
if [ "${1:-}" = --one ]; then
	start=$(date +%s)
	unset COUNTS
	prove --exec '' --merge --verbose "$5" >"$2/$3.log" 2>&1 </dev/null
	echo $? >"$2/$3.status"
	took=$(($(date +%s) - start))
	echo "$took $5" >"$2/$3.took"
	[ "${V:-0}" != 1 ] || cat "$2/$3.log"
	echo "tests: $(find "$2" -name '*.took' | wc -l) of $4 have run: $5 ($took s)"
	exit 0
fi

jobs=1
if [ "${1:-}" = -j ]; then
	jobs=$2
	shift 2
fi
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
CMOCKA_MESSAGE_OUTPUT=TAP
export CMOCKA_MESSAGE_OUTPUT

n=0
for test; do
	n=$((n + 1))
	printf '%s\0' --one "$dir" "$n" $# "$test"
done | xargs -0 -r -n 5 -P "$jobs" "$0" || exit 1

# What failed, and why, and prove's own summary of that; one that has left no status
# has not run
failed=0
passed=0
skipped=0
n=0
for test; do
	n=$((n + 1))
	log=$dir/$n.log
	awk '/^(ok|1\.\.|Test Summary)/ { show = 0 } /^not ok/ { show = 1 } show' "$log"
	_s=$(grep -c '^ok .* # [Ss][Kk][Ii][Pp]' "$log")
	_p=$(($(grep -c '^ok ' "$log") - _s))
	_f=$(grep -c '^not ok ' "$log")
	if [ "$(cat "$dir/$n.status" 2>/dev/null)" != 0 ]; then
		sed -n '/^Test Summary Report/,$p' "$log"
		[ "$_f" -gt 0 ] || _f=1
	fi
	[ "$_s" = 0 ] || grep '^ok .* # [Ss][Kk][Ii][Pp]' "$log" | sed 's/^ok [0-9]* - /skipped: /'
	passed=$((passed + _p))
	failed=$((failed + _f))
	skipped=$((skipped + _s))
done
echo "tests: the longest: $(cat "$dir"/*.took | sort -rn | sed 5q | awk '{ printf("%s%s %d s", n++ ? ", " : "", $2, $1) }')"
echo "$passed passed, $failed failed, $skipped skipped"
# for .ci/run, which adds them up
[ -z "${COUNTS:-}" ] || echo "$passed $failed" >>"$COUNTS"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
