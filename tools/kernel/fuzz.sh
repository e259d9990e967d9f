#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# fuzz.sh SECONDS - the rules of readahead, by libFuzzer, on the quilt
#
# The corpus is kept in $O/$BASE/sim/corpus and grows from run to run.
set -eu

# shellcheck source=tools/kernel/lib.sh
. "$(dirname "$0")/lib.sh"

seconds=${1:?usage: fuzz.sh SECONDS}
sim=$work/sim
log=$sim/fuzz.log
mkdir -p "$sim/corpus"
"$sim/patched/fuzz" -max_total_time="$seconds" -max_len=268 -timeout=10 \
	-print_final_stats=1 -artifact_prefix="$sim/fuzz-" "$sim/corpus" \
	>"$log" 2>&1 || {
	sed -n '/^a rule is broken/,/^  as bytes/p; /^SUMMARY/p' "$log" >&2
	die "a rule is broken, see $log"
}
say "fuzz: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") sequences in $seconds s, no rule broken; $(
	sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1) edges of the code seen"
