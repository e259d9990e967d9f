#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# lab exec and shmem.sh, with a stand-in for QEMU: what a guest printed, and how it
# ended.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"

lab=$O/bin/lab
mkdir -p "$tmp/o/7.3/debug-base" "$tmp/o/7.3/debug-patched" "$tmp/o/bin" "$tmp/path"
for k in base patched; do
	# shellcheck disable=SC2016 # for the script
	printf '#!/bin/sh\ncat "$1"\n' >"$tmp/o/7.3/debug-$k/gen_init_cpio"
	chmod +x "$tmp/o/7.3/debug-$k/gen_init_cpio"
done
ln -s "$lab" "$tmp/o/bin/lab"
for f in init shmem-cases shmem-stress; do
	: >"$tmp/o/bin/$f"
done

# What the guest says is in a file by the kernel's name, or in $SAYS; then it ends
# as one does, or with half a report, or not at all
cat >"$tmp/path/qemu-system-x86_64" <<'END'
#!/bin/sh
for arg; do
	case $arg in
	file:*) console=${arg#file:} ;;
	file,id=report,path=*) report=${arg##*path=} ;;
	*/vmlinux) kernel=$(basename "$(dirname "$arg")") ;;
	esac
done
dir=$(dirname "$report")
cp "$dir/plan" "$dir/initrd" "$SEEN"
printf '%s\n' "$*" >"$SEEN/command"
echo "Linux version" >"$console"
echo "hello 1 7.3.4" >"$report"
text=$SAYS/$kernel
[ -f "$text" ] || text=$SAYS/all
cat "$text" >>"$report"
case $ENDS in
half) exit 85 ;;
never) exec sleep 30 ;;
oops) echo "BUG: KASAN: slab-use-after-free in shmem_file_read_iter" >>"$console" ;;
esac
n=$(wc -l <"$report")
echo "end $n" >>"$report"
exit "$((ENDS == 87 ? 87 : 85))"
END
chmod +x "$tmp/path/qemu-system-x86_64"
mkdir "$tmp/says" "$tmp/seen"
PATH=$tmp/path:$PATH SAYS=$tmp/says SEEN=$tmp/seen ENDS=
export PATH SAYS SEEN ENDS

run()
{
	_n=$1 _s=$2 _r=$3
	shift 3
	check "$_n" "$_s" "$_r" "$lab" exec --image "$tmp/o/7.3/debug-base" \
		--init "$tmp/o/bin/init" --out "$tmp/out" --limits 2,2,10 "$@"
}

printf 'out - one line\nout - \nout - the other\n' >"$tmp/says/all"
run "what the program prints is printed" 0 '^the other$' "$tmp/o/bin/shmem-cases"
check "and nothing else" 0 '^one line--the other-$' sh -c "printf '%s\n' '$out' | tr '\n' -"
run "its arguments are passed on" 0 '^one line$' --quiet "Memory failure: " \
	--quiet "MCE: Killing " "$tmp/o/bin/shmem-cases" -x 3
check "in the plan, behind what may be said" 0 \
	'^quiet Memory failure: -quiet MCE: Killing -silent 1-exec shmem-cases -x 3-$' sh -c "tr '\n' - <'$tmp/seen/plan'"
is_true "it is in the initrd" grep -qx "file /bin/shmem-cases $tmp/o/bin/shmem-cases 755 0 0" \
	"$tmp/seen/initrd"
run "so are other files, and what the kernel is told" 0 '^one line$' --file "$tmp/o/bin/init" \
	--append "page_poison=1" --append "quiet" --mb 512 --smp 1 "$tmp/o/bin/shmem-cases"
is_true "the file" grep -qx "file /bin/init $tmp/o/bin/init 755 0 0" "$tmp/seen/initrd"
is_true "the command line" grep -q ' -smp 1 -m 512 .*page_poison=1 quiet' "$tmp/seen/command"

ENDS=half
run "a report without an end is a failure" 1 'truncated report' "$tmp/o/bin/shmem-cases"
ENDS=never
run "so is a guest that hangs" 1 'hang: ' "$tmp/o/bin/shmem-cases"
ENDS=oops
run "and one whose kernel says BUG" 1 'oops: BUG: KASAN' "$tmp/o/bin/shmem-cases"
ENDS=87
printf 'error - shmem-cases: exit status 1\n' >"$tmp/says/all"
run "and a program that does not end with 0" 1 'guest error: .*exit status 1' \
	"$tmp/o/bin/shmem-cases"
ENDS=
printf 'kmsg 4 a warning\n' >"$tmp/says/all"
run "and a warning" 1 'kernel warning: a warning' "$tmp/o/bin/shmem-cases"

run "a program that is not there is named" 2 'no-such: No such file' "$tmp/no-such"
run "so is memory that is none" 2 'mb: expected MiB of memory, 64 or more, not x' --mb x \
	"$tmp/o/bin/shmem-cases"
check "without a program it says what it wants" 2 'wants --image DIR' "$lab" exec

# What shmem.sh makes of that
O=$tmp/o
export O
# cases BASE PATCHED: a line that differs
cases()
{
	for k in base patched; do
		[ $k = base ] || shift
		{
			echo "out - ok 1 - huge=never: written # 5 ms"
			echo "out - # is huge=never: SH-14 behind the end: zeroes"
			echo "out - $1"
			echo "out - 1..2"
		} >"$tmp/says/debug-$k"
	done
}
good="ok 2 - huge=never: hole # 7 ms"
cases "$good" "ok 2 - huge=never: hole # 9 ms"
check "all cases pass, and both kernels are alike" 0 '^5 passed, 0 failed$' qemu/shmem.sh cases
cases "$good" "not ok 2 - huge=never: hole # 9 ms"
check "a case that fails is named" 1 '^patched: failed: huge=never: hole$' qemu/shmem.sh cases
check "and counted" 1 '^4 passed, 1 failed$' qemu/shmem.sh cases
cases "$good" "# is huge=never: SH-14 behind the end: more"
check "a kernel that behaves in another way is a failure" 1 '^3 passed, 1 failed$' \
	qemu/shmem.sh cases
cases "$good" ""
sed -i '/1\.\./d' "$tmp/says/debug-patched"
check "so are cases that do not come to their end" 1 '^4 passed, 1 failed$' qemu/shmem.sh cases
check "one kernel alone" 0 '^2 passed, 0 failed$' env FLAVOURS=base qemu/shmem.sh cases
printf 'out - shmem-stress: seed 1: passed\n' >"$tmp/says/debug-patched"
check "the stress is one" 0 '^1 passed, 0 failed$' qemu/shmem.sh stress 5
is_true "its minutes are seconds there" grep -qx 'exec shmem-stress 300 1' "$tmp/seen/plan"
ENDS=half
check "it fails with its guest" 1 '^0 passed, 1 failed$' qemu/shmem.sh stress 5
for m in 0 x ""; do
	check "MINUTES=\"$m\" is refused" 1 'expected a number of minutes' qemu/shmem.sh stress "$m"
done

# The tests of others: what is not ok on base may be so on patched
ENDS=
mkdir -p "$tmp/o/7.3/selftests"
: >"$tmp/o/7.3/selftests/memfd_test"
: >"$tmp/o/bin/shmem-each"
printf 'out - ok 1 - a\nout - not ok 2 - b\n' >"$tmp/says/debug-base"
cp "$tmp/says/debug-base" "$tmp/says/debug-patched"
check "what is not ok on base either is none of ours" 0 '^1 passed, 0 failed$' \
	qemu/shmem.sh selftests memfd_test
printf 'out - not ok 1 - a\nout - ok 2 - b\n' >"$tmp/says/debug-patched"
check "what is new is named" 1 '^selftests: new: not ok 1 - a$' qemu/shmem.sh selftests memfd_test
check "and is a failure" 1 '^0 passed, 1 failed$' qemu/shmem.sh selftests memfd_test
printf 'out - cannot be started\n' | tee "$tmp/says/debug-base" >"$tmp/says/debug-patched"
ENDS=half
check "so is one that passes nowhere" 1 '^0 passed, 1 failed$' qemu/shmem.sh selftests memfd_test
ENDS=
printf 'out - ok 1 - huge=never\n' >"$tmp/says/debug-patched"
check "fio is called by the loader" 0 '^1 passed, 0 failed$' qemu/shmem.sh selftests fio
check "so is stress-ng" 0 '^1 passed, 0 failed$' qemu/shmem.sh selftests stress-ng
is_true "with their libraries" grep -q '^file /bin/libc.so.6 ' "$tmp/seen/initrd"
is_true "in the plan" grep -qx \
	'exec shmem-each /bin/ld-linux-x86-64.so.2 --library-path /bin /bin/stress-ng --job /bin/tmpfs.stress-ng' \
	"$tmp/seen/plan"
check "anything else, too" 1 'usage: ' qemu/shmem.sh

done_testing
