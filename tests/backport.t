#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The quilt for 6.1 mends what its tests are about, loses nowhere that a rule
# would notice, and its messages have the figures of each patch.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"

export BASE=6.1
lab=$O/bin/lab
sim=$O/$BASE/sim
topic=patches/$BASE/readahead
# the simulator ends with all its memory in use
ASAN_OPTIONS=detect_leaks=0
export ASAN_OPTIONS

check "the tests, with the quilt" 0 '^[0-9]+ tests run, [0-9]+ passed, 0 failed' \
	"$sim/readahead-san" test -e "$sim/patched/engine-san.so"
is_true "what does not apply says why" sh -c \
	"! echo '$out' | grep '^skipped' | grep -Ev '^skipped: [a-z0-9_]+: [a-z ]{10,}\$'"
is_true "and is not of what this quilt mends" sh -c \
	"! echo '$out' | grep -q '^skipped: fixed_\(6_1\|in_both\)_'"
check "without it those of what it mends fail" 0 ' 0 failed' \
	"$sim/readahead-san" test --unfixed -e "$sim/base/engine-san.so"
check "which is a failure" 1 'passed, [1-9][0-9]* failed' \
	"$sim/readahead-san" test -e "$sim/base/engine-san.so"
check "to want them to fail with the quilt is one too" 1 \
	'fixed_6_1_.*: passed without what it is about' \
	"$sim/readahead-san" test --unfixed -e "$sim/patched/engine-san.so"

check "random sequences, with the quilt" 0 'every rule holds' \
	"$sim/readahead-san" check -e "$sim/patched/engine-san.so" --count 6000
check "without it a rule is broken" 1 'breaks a rule' \
	"$sim/readahead-san" check -e "$sim/base/engine-san.so" --count 6000

check "each essential line has a test" 0 '^mutants: [0-9]+ caught, 0 missed' \
	env O="$O" tools/kernel/mutants.sh

check "every pass of the stored result is met, requests in their order" 0 \
	'^parity: ([0-9]+) of \1 passes on real kernels' \
	"$lab" sim --base "$sim/base/engine.so" --patched "$sim/patched/engine.so" \
	--result $topic/result.json tests/claims
passes=$(echo "$out" | sed -n 's/^parity: \([0-9]*\) of .*/\1/p')
is_true "there are such passes" test "${passes:-0}" -ge 30

# shellcheck disable=SC2046 # ids
is_true "what each patch does" env O="$O" tools/kernel/steps.sh \
	$(awk '{ print $2 }' $topic/steps | sort -u)
printf '%s\n' "$out" | sort >"$tmp/steps"
sort $topic/steps >"$tmp/stored"
is_true "is what the messages have" cmp "$tmp/steps" "$tmp/stored"

done_testing
