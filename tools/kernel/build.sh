#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# build.sh FLAVOUR [SERIES] - a kernel image, if there is none for its inputs
#
# FLAVOUR is a word for the release string: base, patched, rival.  Without
# SERIES the tree is built as it is.  $O/$BASE/FLAVOUR becomes a link to the
# directory of the image, which holds vmlinux, config and release.
#
# All flavours share one source tree and one object directory, patched in
# place: kbuild writes absolute paths into its dependency files, so a copy of
# either would rebuild everything, while a switch costs the objects of the
# files that differ, and a link.  User mode Linux has an object directory of its
# own, for tests one and for times another; so has a debug kernel.
#
# An image is named by a hash of the tree, the files as patched, our tests if the
# fragment asks for them, the config fragment and the compiler.  The hash is in
# the release string too.
#
# Environment: CC, LAB ($O/bin/lab), FRAGMENT (qemu/kernel.config); DEBUG=1 for a
# kernel that checks itself (qemu/debug.config); UML=1 for
# user mode Linux to test (tools/kernel/uml.config), UML=native to measure
# (qemu/native.config).
set -eu

# shellcheck source=tools/kernel/lib.sh
. "$(dirname "$0")/lib.sh"

flavour=${1:?usage: build.sh FLAVOUR [SERIES]}
series=${2:-}
: "${CC:=gcc}" "${LAB:=$O/bin/lab}" "${UML:=0}" "${DEBUG:=0}"
pristine=$work/pristine
tree=$work/tree
objs="$work/obj $work/kunit-um $work/native-um $work/debug-obj"
stage=$work/stage.$flavour
files=
tests=
# objects of a full build, for the time left; a wrong number does no harm
if [ "$UML" = 1 ]; then
	: "${FRAGMENT:=$top/tools/kernel/uml.config}"
	obj=$work/kunit-um
	arch="ARCH=um"
	objects=950
elif [ "$UML" = native ]; then
	: "${FRAGMENT:=$top/qemu/native.config}"
	obj=$work/native-um
	arch="ARCH=um"
	objects=1000
elif [ "$DEBUG" = 1 ]; then
	: "${FRAGMENT:=$top/qemu/debug.config}"
	obj=$work/debug-obj
	arch=
	objects=1130
else
	: "${FRAGMENT:=$top/qemu/kernel.config}"
	obj=$work/obj
	arch=
	objects=1530
fi

[ -f "$pristine.id" ] || die "no kernel tree in $work: run fetch.sh first"

# no link to a stale image while, or after, anything below fails
rm -f "$work/$flavour"
rm -rf "$stage"
tmps="$tmps $stage"
if [ -n "$series" ]; then
	"$top/tools/kernel/apply.sh" "$stage" "$series"
	# those that a patch removes are among them
	patches=$(series_patches "$series")
	# shellcheck disable=SC2086 # a list of file names without blanks
	[ -z "$patches" ] || files=$(touched $patches)
else
	mkdir -p "$stage"
fi

[ -r "$FRAGMENT" ] || die "$FRAGMENT: no such config fragment"
# An option that a base does not have, or has otherwise, is in a file of the same
# name beside its pin.  Line numbers stay, for config-check.sh.
own=$PATCHES/$BASE/$(basename "$FRAGMENT")
if [ -f "$own" ]; then
	merged=$(cd "$work" && pwd)/$(basename "$FRAGMENT")
	awk '
		function name(line) {
			sub(/^# /, "", line)
			sub(/[ =].*/, "", line)
			return line
		}
		!/^CONFIG_|^# CONFIG_.* is not set$/ { if (NR != FNR) print; next }
		NR == FNR { other[name($0)] = 1; line[++n] = $0; next }
		{ print name($0) in other ? "" : $0 }
		END { for (i = 1; i <= n; i++) print line[i] }
	' "$own" "$FRAGMENT" >"$merged"
	FRAGMENT=$merged
fi
! grep -q '^CONFIG_READAHEAD_KUNIT_TEST=' "$FRAGMENT" ||
	tests=$("$top/tools/kernel/overlay.sh" "$stage")
tools=$($CC --version | sed 1q; ld --version | sed 1q)
hash=$({
	sed 1q "$pristine.id"
	for f in $files $tests; do
		echo "$f $(blob_id "$stage/$f")"
	done
	grep '^CONFIG\|^# CONFIG' "$FRAGMENT"
	echo "$tools"
} | sha256sum | cut -c1-12)
image=$work/images/$flavour-$hash
release=$(tree_version "$pristine")-$flavour-$hash

if [ -f "$image/release" ] && ! sound "$image"; then
	say "build: $flavour: image $hash is not what was built: it is built again"
	# what lies beside it may have suffered as it did
	rm -rf "$image" "$obj/vmlinux"
fi
if [ -f "$image/release" ]; then
	ln -s "images/$flavour-$hash" "$work/$flavour"
	say "build: $flavour: nothing has changed, image $hash"
	exit
fi

# The tree to build in: hard links, broken by the renames below.
if [ ! -f "$tree.id" ] || ! cmp -s "$tree.id" "$pristine.id"; then
	# shellcheck disable=SC2086 # two names without blanks
	rm -rf "$tree.id" "$tree" "$tree.touched" $objs
	# cp has a line for each file that did not go
	_said=$(cp -al "$pristine" "$tree" 2>&1) ||
		die "$tree: $(echo "$_said" | grep -v '^+' | sed 1q)"
	cp "$pristine.id" "$tree.id"
fi

new=$tree.new
tmps="$tmps $new"
asked=$obj/mm-read.config

# changing FILE: what was made of it goes first
changing()
{
	for _o in $objs; do
		case $1 in
		# make would ask on the terminal for what is new in it
		*Kconfig*) rm -f "$_o/mm-read.config" ;;
		# make takes an object whose source is gone as it is
		*.c | *.S) rm -f "$_o/${1%.?}.o" ;;
		esac
	done
}

# put SOURCE FILE: replaced only if it differs, so make sees only real changes
put()
{
	cmp -s "$1" "$tree/$2" && return
	changing "$2"
	mkdir -p "$(dirname "$tree/$2")"
	# a copy, not a link, and with a time of its own: make goes by that
	cp "$1" "$new"
	mv "$new" "$tree/$2"
}

# take FILE: away from the tree
take()
{
	[ -e "$tree/$1" ] || return 0
	changing "$1"
	rm -f "$tree/$1"
}

# A file that the quilt does not touch is a link to the tree that was fetched, or it
# is put back; an editor that writes to it in place writes to that tree, too, which
# fetch.sh looks at.
: >>"$tree.touched"
changed=$({
	(cd "$tree" && find . -type f -links 1 -printf '%P\n')
	# those that are in one of them only
	{
		(cd "$pristine" && find . -type f -printf '%P\n')
		(cd "$tree" && find . -type f -printf '%P\n')
	} | sort | uniq -u
} | sort -u | comm -23 - "$tree.touched" | while read -r f; do
	cmp -s "$pristine/$f" "$tree/$f" || echo "$f"
done)
[ -z "$changed" ] ||
	say "build: $tree: put back as fetched: $(echo "$changed" | tr '\n' ' ' | cut -c1-200)"
for f in $changed; do
	take "$f"
	[ -e "$pristine/$f" ] || continue
	mkdir -p "$(dirname "$tree/$f")"
	ln "$pristine/$f" "$tree/$f"
	# make goes by time
	touch "$tree/$f"
done

# Noted first, and all at once: an interrupted run is put right by the next one.
{
	[ ! -f "$tree.touched" ] || cat "$tree.touched"
	[ -z "$files" ] || echo "$files"
	[ -z "$tests" ] || echo "$tests"
} | sort -u >"$new"
mv "$new" "$tree.touched"
while read -r f; do
	if [ -f "$stage/$f" ]; then
		put "$stage/$f" "$f"
	elif echo "$files" | grep -qxF "$f"; then
		take "$f"
	elif [ -f "$pristine/$f" ]; then
		put "$pristine/$f" "$f"
	else
		take "$f"
	fi
done <"$tree.touched"

mkdir -p "$obj"
abs=$(cd "$obj" && pwd)
log=$work/build-$flavour.log

run_make()
{
	# -s would hide the object lines, which are the progress
	make -C "$tree" ${arch:+"$arch"} O="$abs" CC="$CC" LOCALVERSION="-$flavour-$hash" "$@" </dev/null
}

# Only for another fragment, compiler or Kconfig: kconfig would otherwise touch
# nothing but take 6 s.
{ cat "$FRAGMENT"; echo "$tools"; } >"$new"
if ! cmp -s "$new" "$asked" || [ ! -f "$obj/.config" ]; then
	rm -f "$asked"
	_said=$(run_make KCONFIG_ALLCONFIG="$FRAGMENT" allnoconfig 2>&1) ||
		die "allnoconfig failed: $(echo "$_said" | awk '
			!/^(make|\+)/ { line = $0 }
			END { print line ? line : $0 }')"
	"$top/tools/kernel/config-check.sh" "$FRAGMENT" "$obj/.config"
	mv "$new" "$asked"
	full=$objects
else
	full=0
fi
[ -f "$obj/vmlinux" ] || full=$objects

# What is noted is success: on a full disk a failure may not be.
made=$obj/mm-read.made
rm -f "$made"
{
	run_make -j"$JOBS" vmlinux 2>&1 && : >"$made"
} | "$LAB" progress --title "build $flavour" --expect "$full" --log "$log"
if [ ! -f "$made" ]; then
	! grep -q 'No space left' "$log" ||
		die "building $flavour failed: No space left on device, see $log"
	grep -n 'error:\|Error ' "$log" | sed 5q >&2
	die "building $flavour failed, see $log"
fi

built=$(cat "$obj/include/config/kernel.release")
[ "$built" = "$release" ] ||
	die "built release $built, expected $release"
# named last: an image that is there is whole
part=$image.tmp
tmps="$tmps $part"
rm -rf "$part" "$image"
mkdir -p "$part"
cp "$obj/vmlinux" "$part/vmlinux"
cp "$obj/.config" "$part/config"
[ ! -x "$obj/usr/gen_init_cpio" ] || cp "$obj/usr/gen_init_cpio" "$part/gen_init_cpio"
for f in $files; do
	echo "$(blob_id "$stage/$f") $f"
done >"$part/files"
echo "$release" >"$part/release"
sums "$part"
mv "$part" "$image"
ln -s "images/$flavour-$hash" "$work/$flavour"
say "build: $flavour: image $hash"
