#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# kunit.sh - the KUnit tests of mm/tests, of base and patched, in UML and QEMU
#
# User mode Linux is quick and has the checks of a debug kernel, but no large
# folios; QEMU boots the very image that is measured, and skips nothing.  The
# kernel's own kunit.py runs the one, and reads what the other prints.
#
# A test that is named fixed_* is of what the quilt fixes.  On base it has to
# fail, and counts as passed then: one that passes there tests nothing.
#
# build.sh has been run, for $O/$BASE/{base,patched,um-base,um-patched}, or for
# the FLAVOURS and where they are to run: um, qemu.  What
# the kernels print, and what kunit.py makes of it, is in $O/$BASE/kunit/.  The
# last line is "N passed, N failed, N skipped", and the exit status is 1 if any
# failed.
#
# Environment: FLAVOURS (base patched), WHERE (um qemu; debug: on the images of "make
# shmem-cases", which check themselves), LIMIT (300), QEMU (qemu-system-x86_64), ACCEL (tcg: quick enough here, and no
# /dev/kvm has to be believed), PYTHON3, KUNIT_PY.
set -eu

# shellcheck source=tools/kernel/lib.sh
. "$(dirname "$0")/lib.sh"

: "${QEMU:=qemu-system-x86_64}" "${ACCEL:=tcg}" "${PYTHON3:=python3}"
[ -n "$ACCEL" ] || ACCEL=tcg
abs=$(cd "$work" 2>/dev/null && pwd) || die "$work: no such directory: run build.sh first"
: "${KUNIT_PY:=$abs/pristine/tools/testing/kunit/kunit.py}"
# seconds for a kernel, which takes a few; each test has a limit of its own
limit=${LIMIT:-300}
# what no kernel says that is well
alarm='WARNING: \|BUG: \|BUG at \|Oops\|Kernel panic\|possible .* detected'
passed=0
failed=0
skipped=0

# kunit COMMAND ARGUMENT...: nothing is written to the tree that it is part of,
# and its exit status says less than its result
kunit()
{
	"$PYTHON3" -B "$KUNIT_PY" "$@" >>"$dir/kunit.log" 2>&1 || true
}

run_um()
{
	ln -sf "$abs/um-$flavour/vmlinux" "$dir/linux"
	# UML would make directories of its own in $HOME and in /tmp
	mkdir -p "$dir/tmp"
	TMPDIR=$dir/tmp kunit exec --build_dir="$dir" --kunitconfig="$top/mm/tests" \
		--timeout="$limit" --kernel_args="uml_dir=$dir/tmp/" \
		--json="$dir/result.json"
	rm -rf "$dir/tmp"
}

# run_qemu [PREFIX]: of the image, for one of another build
run_qemu()
{
	timeout -k 5 "$limit" "$QEMU" -nodefaults -no-user-config -no-reboot \
		-display none -machine pc -accel "$ACCEL" \
		-cpu "$([ "$ACCEL" = kvm ] && echo host || echo qemu64)" \
		-smp 1,maxcpus=2 -m 1024 -kernel "$abs/${1:-}$flavour/vmlinux" \
		-append "console=ttyS0 loglevel=7 panic=-1 oops=panic tsc=reliable no_timer_check kunit.enable=1 kunit_shutdown=reboot" \
		-serial "file:$dir/test.log" </dev/null >"$dir/qemu.log" 2>&1 ||
		broken="QEMU ended with $?: $(sed 1q "$dir/qemu.log")"
	[ ! -f "$dir/test.log" ] || kunit parse --json="$dir/result.json" "$dir/test.log"
}

# count WHERE: adds up what is in result.json, and names what is not as it has
# to be
count()
{
	_p=0 _f=0 _s=0 _must=0 _note=
	"$PYTHON3" -B "$top/tools/kernel/kunit-results.py" "$dir/result.json" \
		>"$dir/results" 2>>"$dir/kunit.log" || : >"$dir/results"
	while read -r _result _name; do
		case $flavour-$_result-$_name in
		base-failed-fixed_*)
			_must=$((_must + 1))
			_p=$((_p + 1)) ;;
		base-passed-fixed_*)
			say "kunit: $flavour, $1: failed: $_name: it passes without the quilt"
			_f=$((_f + 1)) ;;
		*-passed-*) _p=$((_p + 1)) ;;
		*-skipped-*) _s=$((_s + 1)) ;;
		*)
			say "kunit: $flavour, $1: failed: $_name"
			_f=$((_f + 1)) ;;
		esac
	done <"$dir/results"
	[ -n "$broken" ] || [ $((_p + _f)) != 0 ] || broken="no test has been run"
	[ -n "$broken" ] || broken=$(grep -a -m1 "$alarm" "$dir/test.log" 2>/dev/null |
		sed 's/^\[[ 0-9.]*\] *//' | tr -d '\r')
	if [ -n "$broken" ]; then
		say "kunit: $flavour, $1: failed: $broken"
		_f=$((_f + 1))
	fi
	[ $_f = 0 ] || say "kunit: $flavour, $1: see $work/kunit/$(basename "$dir")/test.log"
	[ $_must = 0 ] || _note=" (of the passed, $_must fail without the quilt, as they have to)"
	say "kunit: $flavour, $1: $_p passed, $_f failed, $_s skipped$_note"
	passed=$((passed + _p))
	failed=$((failed + _f))
	skipped=$((skipped + _s))
}

for flavour in ${FLAVOURS:-base patched}; do
	for where in ${WHERE:-um qemu}; do
		dir=$abs/kunit/$where-$flavour
		rm -rf "$dir"
		mkdir -p "$dir"
		broken=
		case $where in
		um)
			run_um
			count UML ;;
		qemu)
			run_qemu
			count QEMU ;;
		debug)
			run_qemu debug-
			count "QEMU, KASAN and lockdep" ;;
		*) die "WHERE=$where: expected um, qemu or debug" ;;
		esac
	done
done

say "$passed passed, $failed failed, $skipped skipped"
# for .ci/run, which adds them up
[ -z "${COUNTS:-}" ] || echo "$passed $failed" >>"$COUNTS"
[ "$failed" = 0 ]
