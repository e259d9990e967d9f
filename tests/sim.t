#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# mm/readahead.c in user space does what it does in the guests, keeps its rules,
# and the quilt loses nowhere; and each of these tests can fail.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"

export BASE=7.3
lab=$O/bin/lab
sim=$O/$BASE/sim
ra=$sim/readahead
base=$sim/base/engine.so
patched=$sim/patched/engine.so
result=patches/$BASE/readahead/result.json
# the simulator ends with all its memory in use
ASAN_OPTIONS=detect_leaks=0
export ASAN_OPTIONS

# Parity with real kernels
check "every pass of the stored result is met, to the last decision" 0 \
	'^parity: ([0-9]+) of \1 passes on real kernels' \
	"$lab" sim --base "$base" --patched "$patched" --result $result tests/claims
passes=$(echo "$out" | sed -n 's/^parity: \([0-9]*\) of .*/\1/p')
is_true "there are such passes" test "${passes:-0}" -ge 100
sed 's/"trace":"\(.\)/"trace":"x/' $result >"$tmp/result.json"
check "another order of the same windows is noticed" 1 \
	'A1, base, boot 1: windows and requests, in their order' \
	"$lab" sim --base "$base" --patched "$patched" --result "$tmp/result.json" tests/claims A1
sed 's/"data_reads":1028,/"data_reads":1027,/' $result >"$tmp/result.json"
check "so is a read less" 1 'A1, patched, boot 1: data_reads is 1028, in the guest 1027' \
	"$lab" sim --base "$base" --patched "$patched" --result "$tmp/result.json" tests/claims A1
check "a result of another patch is not compared" 0 'patched is not what .* was measured with' \
	"$lab" sim --base "$base" --patched "$base" --result $result tests/claims A2
check "a promise that is not kept" 1 '^A1 .* reads 3327, promised <= 1031' \
	"$lab" sim --base "$base" --patched "$base" --result $result tests/claims A1
check "an engine that is none" 2 'cannot dynamically load|expected an engine|invalid ELF' \
	"$lab" sim --base "$lab" --patched "$patched" tests/claims A1

# The tests, on the kernel that they are for and on one that has nothing mended
check "the tests, with the quilt" 0 '^[0-9]+ tests run, [0-9]+ passed, 0 failed' \
	"$sim/readahead-san" test -e "$sim/patched/engine-san.so"
check "without it those of what it mends fail" 0 ' 0 failed' \
	"$sim/readahead-san" test --unfixed -e "$sim/base/engine-san.so"
check "which is a failure" 1 'passed, [1-9][0-9]* failed' "$ra" test -e "$base"
check "to want them to fail with the quilt is one too" 1 \
	'passed without what it is about' "$ra" test --unfixed -e "$patched"

# Rules
for k in base patched; do
	check "random sequences, $k" 0 'every rule holds' \
		"$sim/readahead-san" check -e "$sim/$k/engine-san.so" --count 6000
	check "more of them, without sanitizers, $k" 0 'every rule holds' \
		"$ra" check -e "$sim/$k/engine.so" --count 30000 --seed 2
done
check "libFuzzer, 8 s" 0 '^fuzz: [0-9]{4,} sequences in 8 s, no rule broken' \
	env O="$O" tools/kernel/fuzz.sh 8

# No cell loses
check "a sweep of each 150th cell" 0 '^cells with more device reads: 0$' \
	"$ra" sweep -e "$base" -e "$patched" --every 150
swept=$out
is_true "nor are there more bytes" sh -c "echo '$swept' | grep -q '^cells with more bytes: 0\$'"
speed=$(echo "$swept" | sed -n 's/.*(\([0-9]*\)\.[0-9] million a second on each).*/\1/p')
is_true "a million calls a second on each processor" test "${speed:-0}" -ge 1
check "the other way round it does" 1 '^cells with more device reads: [1-9]' \
	"$ra" sweep -e "$patched" -e "$base" --every 2000

# Pictures
check "the windows of A1" 0 '^\.\.\. and so on every 512 pages: 13 windows' \
	"$lab" windows "$base" "$patched" tests/claims A1
is_true "those with the quilt" sh -c "echo '$out' | grep -q 'every 512 pages: 4 windows'"
is_true "narrow enough for a changelog" sh -c "! echo '$out' | grep -E '^.{76}'"
check "a claim that is not a single stream" 0 'SHARED' \
	"$lab" windows "$base" "$patched" tests/claims SHARED

# Mutants
check "each essential line has a test" 0 '^mutants: [0-9]+ caught, 0 missed' \
	env O="$O" tools/kernel/mutants.sh
mkdir -p "$tmp/patches"
cp -r patches/$BASE "$tmp/patches/$BASE"
rm "$tmp/patches/$BASE/readahead/mutants/"*
cat >"$tmp/patches/$BASE/readahead/mutants/nothing.diff" <<'EOF'
--- a/mm/readahead.c
+++ b/mm/readahead.c
@@ -1,3 +1,3 @@
-// SPDX-License-Identifier: GPL-2.0-only
+// SPDX-License-Identifier: GPL-2.0
 /*
  * mm/readahead.c - address_space-level file readahead.
EOF
check "a change that none notices is reported" 1 'MISSED: nothing' \
	env O="$O" PATCHES="$tmp/patches" tools/kernel/mutants.sh
cp patches/$BASE/readahead/mutants/0002-start-not-moved.diff \
	"$tmp/patches/$BASE/readahead/mutants/nothing.diff"
env O="$O" PATCHES="$tmp/patches" tools/kernel/mutants.sh >/dev/null 2>&1
check "a broken rule comes with its shortest sequence" 1 '^the shortest like it:' \
	"$ra" check -e "$sim/mutants/nothing/engine.so" --count 20000
is_true "and with a picture of its windows" sh -c "echo '$out' | grep -q 'ra->size\$'"
rm "$tmp/patches/$BASE/readahead/mutants/nothing.diff"
check "no line undone is no success" 1 'expected a diff that changes what is simulated' \
	env O="$O" PATCHES="$tmp/patches" tools/kernel/mutants.sh
rm -rf "$sim/mutants/nothing"

# Trees that are not as expected
check "KDIR that is no kernel tree" 1 'expected a kernel tree' \
	tools/testing/readahead/dup.sh "$tmp" tools/testing/readahead/dup.list "$tmp/dup"
cp -r "$sim/base/tree" "$tmp/tree"
sed -i 's/filemap_get_pages/filemap_got_pages/' "$tmp/tree/mm/filemap.c"
check "one without a function that is needed" 1 \
	'mm/filemap.c: expected a definition of filemap_get_pages' \
	tools/testing/readahead/dup.sh "$tmp/tree" tools/testing/readahead/dup.list "$tmp/dup"

done_testing
