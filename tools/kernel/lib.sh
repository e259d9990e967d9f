# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# Shared by the scripts beside it: messages, the pin, temporary files.
#
# Set by the Makefile (defaults for a call by hand):
#   O       output directory           BASE    folder of patches/ to work on
#   V       1 shows every command      JOBS    parallel jobs
#   PATCHES another patches/, for tests

unset CDPATH
: "${O:=build}" "${BASE:=7.3}" "${V:=0}" "${JOBS:=$(nproc)}"
LC_ALL=C
export LC_ALL

top=$(cd "$(dirname "$0")/../.." && pwd)
: "${PATCHES:=$top/patches}"
pin=$PATCHES/$BASE/base
# shellcheck disable=SC2034 # used by the scripts that read this file
work=$O/$BASE

[ "$V" = 1 ] && set -x

say()
{
	printf '%s\n' "$*"
}

# One line, and a stop.  Nothing that was begun is left to be taken for done:
# results get their final name last, and the trap below removes the rest.
die()
{
	printf '%s: %s\n' "$(basename "$0")" "$*" >&2
	exit 1
}

# kbuild cannot do with these, and a list of our own names is easier without
for _d in "$top" "$O" "${CACHE:-$O}"; do
	case $_d in
	"" | / | *[[:space:]:]*)
		die "\"$_d\": expected a directory without blanks or colons in its name" ;;
	esac
done

tmps=
on_exit()
{
	# shellcheck disable=SC2086 # none of them has a blank, see above
	[ -z "$tmps" ] || rm -rf $tmps
}
trap on_exit EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP

[ -r "$pin" ] || die "patches/$BASE/base: no such base; there are: $(
	cd "$PATCHES" && for f in */base; do dirname "$f"; done | tr '\n' ' ')"

# pin_field NAME: the rest of the first line of the pin that starts with NAME
pin_field()
{
	sed -n "s/^$1[[:blank:]][[:blank:]]*//p" "$pin" | sed 1q
}

# pin_blobs: "ID PATH" a line, for each file that the quilt touches
pin_blobs()
{
	sed -n 's/^blob[[:blank:]][[:blank:]]*//p' "$pin"
}

# tree_version TREE: 7.3.4
tree_version()
{
	sed -n 's/^VERSION = //p; s/^PATCHLEVEL = //p; s/^SUBLEVEL = //p' \
		"$1/Makefile" | sed 3q | tr '\n' . | sed 's/\.$//'
}

# series_patches SERIES: the patches of a quilt series, in order, as paths
series_patches()
{
	_dir=$(dirname "$1")
	sed 's/[[:blank:]]*#.*//; s/^[[:blank:]]*//; /^$/d; s/[[:blank:]].*//' "$1" |
		sed "s|^|$_dir/|"
}

# sound DIR: its files are those that DIR/sha256 was made of, by sums()
sound()
{
	(cd "$1" 2>/dev/null && [ -s sha256 ] && sha256sum --check --status --strict sha256 2>/dev/null)
}

# sums DIR: notes what its files are
sums()
{
	(cd "$1" && sha256sum -- * >sha256.tmp && mv sha256.tmp sha256)
}

# blob_id FILE: what git calls its content, or "none"
blob_id()
{
	git hash-object --no-filters "$1" 2>/dev/null || echo none
}

# touched PATCH...: the files that patches change, each once
touched()
{
	sed -n 's,^+++ b/\([^	]*\).*,\1,p; s,^--- a/\([^	]*\).*,\1,p
		s,^rename from \(.*\),\1,p; s,^rename to \(.*\),\1,p
		s,^copy from \(.*\),\1,p; s,^copy to \(.*\),\1,p' "$@" |
		sort -u
}

# mutant NAME FIRST: what went red with it, if anything did, into caught or missed
mutant()
{
	if [ -n "$2" ]; then
		say "caught: $1: $2"
		caught=$((caught + 1))
	else
		say "MISSED: $1: no test notices"
		missed=$((missed + 1))
	fi
}

# simulated: the files that the simulator is made of, one a line
simulated()
{
	echo mm/readahead.c
	sed -n 's/^?\{0,1\}\([a-z][^[:blank:]]*\).*/\1/p' \
		"$top/tools/testing/readahead/dup.list" | sort -u
}
