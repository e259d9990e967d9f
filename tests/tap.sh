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
trap 'cd /; umount "$tmp/small" 2>/dev/null; rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM HUP
tests=0
failures=0
# make's own variables are not for the commands under test
unset MAKEFLAGS MAKEOVERRIDES MFLAGS MAKELEVEL V

# pinned FROM TO: the files that the quilt for 7.3 touches, from tree to tree
pinned()
{
	sed -n 's/^blob[[:blank:]]*[0-9a-f]*[[:blank:]]*//p' "$top/patches/7.3/base" |
		while read -r _f; do
			mkdir -p "$2/$(dirname "$_f")"
			cp "$1/$_f" "$2/$_f"
		done
}

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

# slow TOOL PATTERN [COMMAND]: from now on a TOOL in $tmp/slow pauses when its
# arguments match the pattern, having made $tmp/reached; COMMAND is what it has
# done by then.  It takes the place of nothing: the next run has the real one.
slow()
{
	_real=$(command -v "$1")
	rm -rf "$tmp/slow"
	mkdir "$tmp/slow"
	cat >"$tmp/slow/$1" <<-END
	#!/bin/sh
	pattern='$2'
	case "\$*" in
	\$pattern)
		${3:-:}
		: >"$tmp/reached"
		sleep 20 ;;
	esac
	exec "$_real" "\$@"
	END
	chmod +x "$tmp/slow/$1"
}

# interrupted NAME SIGNAL COMMAND...: its process group gets SIGNAL once it has
# come to the step that slow() named, as from a terminal, and it does not end
# well.  $out is what it printed.
interrupted()
{
	_name=$1 _sig=$2
	shift 2
	rm -f "$tmp/reached"
	# a background job of a script starts with SIGINT ignored
	env --default-signal=INT PATH="$tmp/slow:$PATH" setsid "$@" \
		>"$tmp/said" 2>&1 </dev/null &
	_pid=$!
	_n=0
	while [ ! -e "$tmp/reached" ] && [ $_n -lt 400 ] && kill -0 $_pid 2>/dev/null; do
		sleep 0.05
		_n=$((_n + 1))
	done
	kill "-$_sig" "-$_pid" 2>/dev/null
	wait $_pid 2>/dev/null
	_got=$?
	out=$(cat "$tmp/said")
	[ -e "$tmp/reached" ] && [ $_got != 0 ]
	ok $? "$_name: SIG$_sig ends it"
	[ -e "$tmp/reached" ] ||
		printf '%s\n' "it did not come to the step" "$out" | sed 's/^/# /'
}

# small SIZE [OPTIONS]: $tmp/small is a file system of that size; false if it
# cannot be mounted, as by anyone but root
small()
{
	mkdir -p "$tmp/small"
	mount -t tmpfs -o "size=$1${2:+,$2}" tmpfs "$tmp/small" 2>/dev/null
}

# filled: nothing more fits into it
filled()
{
	cat /dev/zero >"$tmp/small/fill" 2>/dev/null
	:
}

done_testing()
{
	echo "1..$tests"
	[ "$failures" = 0 ]
	exit
}
