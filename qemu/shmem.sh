#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# shmem.sh cases [-1] [TEXT] - each hard case of a read of tmpfs, on base and patched
# shmem.sh stress MINUTES [SEED] - everything at once, on patched
# shmem.sh selftests [TEST] - the kernel's own tests of tmpfs, memfd and large folios,
#     and fio and stress-ng on tmpfs with each huge= mode: what passes on base has
#     to pass on patched
#
# In guests of the kernels that "DEBUG=1 build.sh debug-FLAVOUR" has built.  Of the
# cases none may fail, and what is recorded of a kernel ("# is") has to be the same
# in both; TEXT takes those with it in their names, -1 those up to the first that
# fails.  The last line is "N passed, N failed", and the exit status is 1 if any
# failed.
#
# Environment: O (build), BASE (7.3), FLAVOURS (of cases: base patched, of stress:
# patched), HANG (150 s without a word).
set -eu

: "${O:=build}" "${BASE:=7.3}" "${HANG:=150}"
bin=$O/bin
results=$O/results
files=		# more of them in the guest: --file FILE...
what=${1:-}
passed=0
failed=0

die()
{
	echo "shmem.sh: $*" >&2
	exit 1
}

# in_guest FLAVOUR NAME SECONDS PROGRAM ARGUMENT...: NAME is for its results
in_guest()
{
	_dir=$results/$2-$1 _flavour=$1 _seconds=$3 _program=$4
	shift 4
	# free memory is poisoned, so that what nobody has cleared shows; a RAM disk
	# to swap to; pages go bad, and who touches them is killed, on purpose; who waits
	# for a minute is named well before $HANG
	# shellcheck disable=SC2086 # options
	"$O/bin/lab" exec --image "$O/$BASE/debug-$_flavour" --init "$O/bin/init" \
		--out "$_dir" --limits "60,$HANG,$_seconds" --quiet "Memory failure: " \
		--quiet "MCE: Killing " --append "page_poison=1 brd.rd_size=131072" \
		--append "sysctl.kernel.hung_task_timeout_secs=60" \
		--append "sysctl.kernel.hung_task_check_interval_secs=20" \
		$files "$bin/$_program" "$@"
}

# judge_cases FLAVOUR STATUS: adds up what is in its log
judge_cases()
{
	_log=$results/shmem-cases-$1.log
	_p=$(grep -c '^ok ' "$_log" || :)
	_f=$(grep -c '^not ok ' "$_log" || :)
	sed -n 's/^not ok [0-9]* - \(.*\) # [0-9]* ms$/\1/p' "$_log" | while read -r _name; do
		echo "$1: failed: $_name"
		grep -F "# $_name: " "$_log" | sed 5q
	done
	if [ "$_f" = 0 ] && { [ "$2" != 0 ] || ! grep -q '^1\.\.' "$_log"; }; then
		cat "$_log"
		_f=1
	fi
	echo "cases: $1: $_p passed, $_f failed"
	passed=$((passed + _p))
	failed=$((failed + _f))
	grep '^# is ' "$_log" >"$_log.is" || :
	if [ -z "$recorded" ]; then
		recorded=$_log.is
	elif diff "$recorded" "$_log.is"; then
		echo "cases: $1: $(grep -c . "$_log.is" || :) lines on how it behaves, as the first"
		passed=$((passed + 1))
	else
		echo "cases: $1 behaves in another way than the first"
		failed=$((failed + 1))
	fi
}

run_cases()
{
	: "${FLAVOURS:=base patched}"
	recorded=
	# at the same time: most of a case is waiting for one processor
	for _k in $FLAVOURS; do
		in_guest "$_k" shmem-cases 1500 shmem-cases "$@" >"$results/shmem-cases-$_k.log" 2>&1 &
		eval "_pid_$_k=$!"
	done
	for _k in $FLAVOURS; do
		_status=0
		eval "wait \$_pid_$_k" || _status=$?
		judge_cases "$_k" $_status
	done
}

run_stress()
{
	case $1 in
	"" | *[!0-9]* | 0*) die "MINUTES=$1: expected a number of minutes" ;;
	esac
	for _k in ${FLAVOURS:-patched}; do
		echo "stress: $_k, $1 min, seed $2"
		if in_guest "$_k" shmem-stress $(($1 * 90 + 300)) shmem-stress $(($1 * 60)) "$2"; then
			passed=$((passed + 1))
		else
			failed=$((failed + 1))
		fi
	done
}

# run_selftest NAME PROGRAM ARGUMENT...
run_selftest()
{
	_test=$1
	shift
	for _k in base patched; do
		_log=$results/$_test-$_k.log
		if in_guest "$_k" "$_test" 1500 "$@" >"$_log" 2>&1 </dev/null; then
			echo "ok ended well" >>"$_log"
		else
			echo "not ok ended badly" >>"$_log"
		fi
		# TAP, and what khugepaged says of each of its own
		sed -n 's/^# *//; /^not ok/p; /Fail$/p' "$_log" | sort >"$_log.bad"
	done
	_new=$(comm -13 "$results/$_test-base.log.bad" "$_log.bad")
	_ok=$(grep -c '^ok\|OK$' "$_log" || :)
	echo "selftests: $_test: ok on patched $_ok, not ok on base $(grep -c . "$results/$_test-base.log.bad" || :), on patched $(grep -c . "$_log.bad" || :)"
	if [ "$_ok" = 0 ]; then
		cat "$_log"
		failed=$((failed + 1))
	elif [ -z "$_new" ]; then
		passed=$((passed + 1))
	else
		echo "$_new" | sed 's/^/selftests: new: /'
		failed=$((failed + 1))
	fi
}

# on_tmpfs PROGRAM ARGUMENT...: a program of the host, with each huge= mode
on_tmpfs()
{
	_name=$1
	_path=$(command -v "$_name") || die "no $_name in PATH"
	shift
	files="--file $_path --file qemu/guest/tmpfs.$_name"
	for _lib in $(qemu/libs.sh "$_path"); do
		files="$files --file $_lib"
		case $_lib in
		*/ld-*) _loader=${_lib##*/} ;;
		esac
	done
	run_selftest "tmpfs-$_name" shmem-each "/bin/$_loader" --library-path /bin \
		"/bin/$_name" "$@" "/bin/tmpfs.$_name"
	files=
}

run_selftests()
{
	HANG=600	# one says nothing for 100 rounds
	for _t in memfd_test bug-link-o-tmpfile folio_split_race_test \
		  split_huge_page_test "khugepaged all:shmem" memory-failure \
		  "fio --output-format=terse" "stress-ng --job"; do
		case ${1:-${_t%% *}} in
		"${_t%% *}") ;;
		*) continue ;;
		esac
		# shellcheck disable=SC2086 # a name, and what it is called with
		case $_t in
		fio\ * | stress-ng\ *)
			bin=$O/bin
			on_tmpfs $_t ;;
		*)
			bin=$O/$BASE/selftests
			run_selftest "${_t%% *}" $_t ;;
		esac
	done
}

mkdir -p "$results"
[ $# = 0 ] || shift
case $what in
cases) run_cases "$@" ;;
stress) run_stress "${1:-}" "${2:-1}" ;;
selftests) run_selftests "$@" ;;
*) die "usage: shmem.sh cases [-1] [TEXT] | stress MINUTES [SEED] | selftests [TEST]" ;;
esac

echo "$passed passed, $failed failed"
# for .ci/run, which adds them up
[ -z "${COUNTS:-}" ] || echo "$passed $failed" >>"$COUNTS"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
