# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# For the *.t files: each checks what a command prints and how it ends, and
# reports in TAP.  Source this first; call done_testing last.
#
# $tmp is a fresh directory, removed at the end; $top is the project; $O the
# output directory, absolute.

LC_ALL=C
export LC_ALL
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit 1
: "${O:=build}"
case $O in
/*) ;;
*) O=$top/$O ;;
esac
tmp=$(mktemp -d "${TMPDIR:-/tmp}/mm-read-test.XXXXXX") || exit 1
trap 'cd /; rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM HUP
tests=0
failures=0
# make's own variables are not for the commands under test
unset MAKEFLAGS MAKEOVERRIDES MFLAGS MAKELEVEL V

# ok RESULT NAME [SKIP-REASON]: RESULT is 0 for a pass
ok()
{
	tests=$((tests + 1))
	if [ -n "${3:-}" ]; then
		echo "ok $tests - $2 # SKIP $3"
	elif [ "$1" = 0 ]; then
		echo "ok $tests - $2"
	else
		echo "not ok $tests - $2"
		failures=$((failures + 1))
	fi
}

# check NAME STATUS REGEX COMMAND...: it ends with STATUS, within two minutes,
# and a line of what it prints matches the extended REGEX.  $out has the output.
check()
{
	_name=$1 _want=$2 _regex=$3
	shift 3
	out=$(timeout -k 5 120 "$@" 2>&1 </dev/null)
	_got=$?
	if [ "$_got" = "$_want" ] && printf '%s\n' "$out" | grep -Eq -- "$_regex"; then
		ok 0 "$_name"
		return 0
	fi
	ok 1 "$_name"
	printf '%s\n' "exit status $_got, expected $_want, and a line like: $_regex" \
		"command: $*" "$out" | sed 's/^/# /' | head -n 40
	return 1
}

# is_true NAME COMMAND...: it ends with 0
is_true()
{
	_name=$1
	shift
	check "$_name" 0 '' "$@"
}

skip()
{
	ok 0 "$1" "$2"
}

done_testing()
{
	echo "1..$tests"
	[ "$failures" = 0 ]
	exit
}
