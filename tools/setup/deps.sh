#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# deps.sh - is all that we need on this machine?
#
# As root on Debian, what is missing is installed, after saying so.  Elsewhere
# the one command that would do it is printed, and that is all.
#
# Environment, for tests: OS_RELEASE (/etc/os-release), EUID_IS (the user id).
set -eu

: "${CC:=gcc}" "${OS_RELEASE:=/etc/os-release}" "${EUID_IS:=$(id -u)}"
PATH=$PATH:/usr/sbin:/sbin
table=$(dirname "$0")/packages

if [ "$CC" != gcc ] && ! command -v "$CC" >/dev/null; then
	echo "deps.sh: CC=$CC: no such compiler" >&2
	exit 1
fi

# The compiler is asked below, and it needs a place for its files: without one
# everything would seem to be missing.
tmp=${TMPDIR:-/tmp}
if [ ! -d "$tmp" ]; then
	echo "deps.sh: TMPDIR=$tmp: no such directory" >&2
	exit 1
fi
probe=$tmp/mm-read-deps.$$
trap 'rm -f "$probe"' EXIT
if ! said=$({ head -c 1048576 /dev/zero >"$probe"; } 2>&1); then
	echo "deps.sh: no room for a file of 1 MiB in $tmp: $(echo "$said" | sed 's/.*: //' | sed 1q)" >&2
	exit 1
fi
rm -f "$probe"

# is_there NEED
is_there()
{
	case $1 in
	/*) [ -e "$1" ] ;;
	*.a) _f=$($CC -print-file-name="$1" 2>/dev/null) && [ "$_f" != "$1" ] ;;
	*.h)
		# cmocka.h wants others before it
		printf '#include <stdarg.h>\n#include <stddef.h>\n#include <setjmp.h>\n#include <stdint.h>\n#include <%s>\n' "$1" |
			$CC -E -x c - >/dev/null 2>&1 ;;
	libFuzzer)
		# where it lies differs by release and by distribution
		printf 'int LLVMFuzzerTestOneInput(void){return 0;}\n' |
			clang -fsanitize=fuzzer,address -x c -o /dev/null - >/dev/null 2>&1 ;;
	*) command -v "$1" >/dev/null ;;
	esac
}

# A test may take this file for the whole world: ID and ID_LIKE decide.
id=$(sed -n 's/^ID="\{0,1\}\([^"]*\)"\{0,1\}$/\1/p' "$OS_RELEASE" 2>/dev/null)
like=$(sed -n 's/^ID_LIKE="\{0,1\}\([^"]*\)"\{0,1\}$/\1/p' "$OS_RELEASE" 2>/dev/null)
case " $id $like " in
*" debian "* | *" ubuntu "*) column=2 command="apt-get install --no-install-recommends" ;;
*" fedora "* | *" rhel "*) column=3 command="dnf install" ;;
*" arch "*) column=4 command="pacman -S --needed" ;;
*suse*) column=5 command="zypper install" ;;
*) column=2 command="with your package manager, install what Debian calls" ;;
esac

# missing PREFIX: the packages of what is not there
missing()
{
	grep -v '^#' "$table" | while read -r need rest; do
		is_there "$need" && continue
		# shellcheck disable=SC2086 # the columns
		set -- "$need" $rest
		shift $((column - 1))
		echo "$1"
	done | sort -u | tr '\n' ' ' | sed 's/ $//'
}

packages=$(missing)
[ -n "$packages" ] || exit 0

if [ "$id" != debian ] || [ "$EUID_IS" != 0 ]; then
	sudo=
	[ "$EUID_IS" = 0 ] || sudo="sudo "
	[ "$column" = 2 ] && [ -z "$id$like" ] && sudo=
	echo "deps.sh: missing on this machine; run: $sudo$command $packages" >&2
	exit 1
fi

echo "deps: installing from Debian: $packages"
DEBIAN_FRONTEND=noninteractive
export DEBIAN_FRONTEND
# shellcheck disable=SC2086 # a list of package names
if ! said=$({ apt-get -q update && apt-get -q -y install --no-install-recommends \
	$packages; } 2>&1 </dev/null); then
	why=$(echo "$said" | grep -m1 '^E:' || echo "$said" | tail -n 1)
	echo "deps.sh: apt-get failed: ${why:-it said nothing}" >&2
	exit 1
fi
packages=$(missing)
if [ -n "$packages" ]; then
	echo "deps.sh: installed, but still not there: $packages" >&2
	exit 1
fi
