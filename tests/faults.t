#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The supervisor against real guests that fail, where lab-supervisor.t has only
# scripts: the kernel's own words for a panic may change with its version.
# The kernel's lkdtm provokes them.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"

lab=$O/bin/lab
cat >"$tmp/claims" <<END
base 7.3
fs ext4
file 1M
mdts 7
max_sectors_kb 512
END
for kind in panic oops warning hang spin die truncated; do
	printf '[%s]\ntitle a guest that fails\nreader fault %s\npromise reads <= stock\n' $kind $kind \
		>>"$tmp/claims"
done

# shellcheck disable=SC2016 # for the scripts to expand
# QEMU as it is, but the processor is never started
printf '#!/bin/sh\nexec qemu-system-x86_64 "$@" -S\n' >"$tmp/stopped"
# QEMU with an option that it does not have
printf '#!/bin/sh\nexec qemu-system-x86_64 "$@" -no-such-option\n' >"$tmp/wrong"
chmod +x "$tmp/stopped" "$tmp/wrong"
# an init that is gone before it has said anything
printf '#include <sys/reboot.h>\nint main(void) { return reboot(RB_AUTOBOOT); }\n' >"$tmp/early.c"
gcc -static -o "$tmp/early" "$tmp/early.c"
printf 'int main(void) { return 0; }\n' >"$tmp/dead.c"
gcc -static -o "$tmp/dead" "$tmp/dead.c"

# fault CLAIM REGEX OPTION...
fault()
{
	claim=$1 regex=$2
	shift 2
	check "${1:-$claim}: $regex" 1 "$regex" "$lab" run --base "$O/7.3/base" \
		--patched "$O/7.3/patched" --init "$O/bin/init" \
		--fio "$O/fio.img" --out "$tmp/results" --accel tcg --jobs 2 \
		--runs 1 --limits 6,4,90 "$@" "$tmp/claims" "$claim"
}

# What all this costs when nothing is wrong: a guest that makes a file of 4 KiB
# and reads it, from start to exit, where an empty plan takes less.
cat >"$tmp/least" <<END
base 7.3
fs ext4
file 4k
mdts 7
max_sectors_kb 512
[LEAST]
title the least that a guest can do
reader read 4k at 0
promise data = 1
END
is_true "the least that a guest can do is done" "$lab" run --base "$O/7.3/base" \
	--patched "$O/7.3/patched" --init "$O/bin/init" --fio "$O/fio.img" \
	--out "$tmp/results" --accel tcg --runs 1 "$tmp/least"
slowest=$(sed -n 's/.*"wall_ms":\([0-9]*\).*/\1/p' "$tmp/results/last/result.json" |
	sort -n | tail -n 1)
is_true "within 3 s of wall clock, without KVM (${slowest:-none} ms)" \
	test "${slowest:-99999}" -le 3000

fault panic 'panic: .*Kernel panic - not syncing'
fault oops 'oops: .*BUG: kernel NULL pointer dereference'
fault warning 'kernel warning: .*WARNING: .*lkdtm'
fault hang 'hang: nothing on console or report for [0-9]+ s, last at: hang read'
fault spin 'hang: nothing on console or report for [0-9]+ s, last at: spin read'
fault die 'truncated report: no "end" in the report, exit code 0'
fault truncated 'truncated report: no "end" in the report, exit code 85'
fault hang 'no console output: nothing on the console for [0-9]+ s; QEMU ran for 0.[0-9] s of it' --qemu "$tmp/stopped"
fault hang 'QEMU failed: .*no-such-option' --qemu "$tmp/wrong"
fault hang 'died before its plan: no "hello" in the report, exit code 0' --init "$tmp/early"
fault hang 'panic: .*Attempted to kill init' --init "$tmp/dead"

# A pass that fails voids its row and no other: what came before it stands, and what
# comes after it is run in another guest.
cat "$tmp/least" >"$tmp/rest"
for kind in panic hang; do
	cat >>"$tmp/rest" <<-END
	[$kind]
	title a guest that fails
	reader fault $kind
	promise reads <= stock
	[$kind.next]
	title the least that a guest can do
	reader read 4k at 0
	promise data = 1
	END
done
check "two of five passes fail" 1 '^5 claims: 0 better than posted, 3 hold, 0 do not hold, 2 void' \
	"$lab" run --base "$O/7.3/base" --patched "$O/7.3/patched" --init "$O/bin/init" \
	--fio "$O/fio.img" --out "$tmp/results" --accel tcg --jobs 2 --runs 1 --order 0 \
	--limits 6,4,90 "$tmp/rest"
printf '%s\n' "$out" >"$tmp/out"
for line in '^panic void: base, boot 1: panic: .*Kernel panic' '^hang void: base, boot 1: hang: ' \
	'^run: the 3 passes behind panic, in one more guest' '^run: the 1 passes behind hang, in one more guest'; do
	is_true "it says: $line" grep -Eq "$line" "$tmp/out"
done
check "what ran is kept, guest by guest" 0 '^6$' sh -c "ls -d '$tmp'/results/last/*-ext4-* | wc -l"

# With the limits as they are a hang is called one within 30 s, by the clock, and a
# guest that a busy host keeps waiting is not: here twice as many programs run as there
# are processors, four at least.
hang()
{
	_start=$(date +%s)
	fault "$1" 'hang: nothing on console or report for ' --limits 20,10,1800
	_took=$(($(date +%s) - _start))
	[ $_took -le "$3" ]
	ok $? "$1: that takes $_took s, on $2, and $3 at most"
}
hang hang "a quiet host" 30
hang spin "a quiet host" 30
busy=
i=0
while [ $i -lt 4 ] || [ $i -lt $((2 * $(nproc))) ]; do
	sh -c 'while :; do :; done' &
	busy="$busy $!"
	i=$((i + 1))
done
trap 'kill $busy; cd /; rm -rf "$tmp"' EXIT
hang hang "a busy host" 30
cat >"$tmp/large" <<END
base 7.3
fs xfs
file 512M
mdts 7
max_sectors_kb 512
[LARGE]
title much to write, to read and to compare
reader read 4k to end
promise data = 4101
END
start=$(date +%s)
check "a guest on a busy host is not taken for one that hangs" 0 '^1 claims: 0 better than posted, 1 hold' \
	"$lab" run --base "$O/7.3/base" --patched "$O/7.3/patched" --init "$O/bin/init" \
	--fio "$O/fio.img" --out "$tmp/results" --accel tcg --jobs 2 --runs 1 "$tmp/large"
echo "# that took $(($(date +%s) - start)) s"
# shellcheck disable=SC2086 # the programs
kill $busy
trap 'cd /; rm -rf "$tmp"' EXIT

done_testing
