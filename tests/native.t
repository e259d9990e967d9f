#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Native time in real kernels of user mode Linux: they boot in under a second, a
# kernel that is slower is told from one that is not, and a guest that fails is
# found as in QEMU.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"

lab=$O/bin/lab
claims=tests/fixtures/native/claims
BASE=7.3
export BASE O

# run KERNEL OPTION...: against the base kernel
cat >"$tmp/run" <<END
#!/bin/sh
kernel=\$1
shift
exec "$lab" run --engine native --base "$O/7.3/native-base" \
	--patched "$O/7.3/\$kernel" --init "$O/bin/init" --fio "$O/fio.img" \
	--out "$tmp/results" "\$@"
END
chmod +x "$tmp/run"
run=$tmp/run
last=$tmp/results/last

is_true "a kernel that reads slowly is built from the same tree" \
	env UML=native timeout 600 tools/kernel/build.sh native-slow tests/fixtures/native/series

check "the slow kernel is a loss, and the run does not fail" 0 \
	'^2 claims: 2 measured, 0 void$' "$run" native-slow --runs 7 $claims 'N*'
printf '%s\n' "$out" >"$tmp/out"
# N2 is system calls, which are slow and uneven
is_true "N1: a loss" grep -q '^N1 .*  loss$' "$tmp/out"
# As much longer as the kernel spins, which takes any processor a microsecond or more
more()
{
	echo $(($("$lab" get "$last/result.json" "$1" patched page_ns) -
		$("$lab" get "$last/result.json" "$1" base page_ns)))
}
is_true "N1: by what it spins for each page ($(more N1))" test "$(more N1)" -gt 300

# A copy of 4 KiB takes a processor less than a microsecond; under TCG it takes more.
ns=$("$lab" get "$last/result.json" N1 base page_ns)
is_true "a page is read at native speed (${ns:-none} ns)" test "${ns:-99999}" -lt 3000
# each kind of pass is read for so long, and how often that was is kept
cat "$last"/*/report >"$tmp/reports"
is_true "a pass is repeated" sh -c \
	"times=\$(sed -n 's/^timed N2 \\([0-9]*\\) .*/\\1/p' '$tmp/reports' | sort -n | head -n 1)
	 test \"\$times\" -gt 1"
is_true "and that is stored" grep -q '"timed_passes": *[1-9]' "$last/result.json"

# Of a guest with one claim 0.4 s are timed reads: the rest is the boot and the exit.
wall=$(awk '/"wall_ms"/ { gsub(/[^0-9]/, ""); print }' "$last/result.json" | sort -n |
	awk '{ a[NR] = $0 } END { print a[int((NR + 1) / 2)] }')
is_true "a guest boots and ends in under a second, of $((${wall:-99999} - 400)) ms" \
	test "${wall:-99999}" -lt 1400

# fault CLAIM REGEX OPTION...
fault()
{
	_claim=$1 _regex=$2
	shift 2
	check "$_claim: $_regex" 1 "$_regex" "$run" native-slow --runs 1 --limits 30,5,60 "$@" \
		$claims "$_claim"
}
printf '#include <sys/reboot.h>\nint main(void) { return reboot(RB_AUTOBOOT); }\n' >"$tmp/early.c"
printf 'int main(void) { return 0; }\n' >"$tmp/dead.c"
for f in early dead; do
	gcc -static -o "$tmp/$f" "$tmp/$f.c"
done

fault panic 'panic: .*Kernel panic - not syncing'
# a fault of the kernel is a panic here
fault oops 'panic: .*Kernel panic - not syncing: Kernel mode fault'
fault warning 'kernel warning: .*WARNING: .*lkdtm'
fault hang 'hang: nothing on console or report for 5 s, last at: hang read'
fault die 'truncated report: no "end" in the report, exit code 0'
fault truncated 'truncated report: no "end" in the report, exit code 85'
fault N2 'died before its plan: no "hello" in the report, exit code 0' --init "$tmp/early"
fault N2 'panic: .*Attempted to kill init' --init "$tmp/dead"

# Each process of a guest is one of the host, and goes with the first
is_true "what hung is gone" sh -c "! readlink /proc/[0-9]*/exe | grep '^$O/7.3/images/native-'"

done_testing
