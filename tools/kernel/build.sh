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
# files that differ, and a link.
#
# An image is named by a hash of the tree, the files as patched, the config
# fragment and the compiler.  The hash is in the release string too.
set -eu

# shellcheck source=tools/kernel/lib.sh
. "$(dirname "$0")/lib.sh"

flavour=${1:?usage: build.sh FLAVOUR [SERIES]}
series=${2:-}
: "${CC:=gcc}" "${LAB:=$O/bin/lab}"
fragment=$top/qemu/kernel.config
pristine=$work/pristine
tree=$work/tree
obj=$work/obj
stage=$work/stage.$flavour
files=
# objects of a full build, for the time left; a wrong number does no harm
objects=1530

[ -f "$pristine.id" ] || die "no kernel tree in $work: run fetch.sh first"

# no link to a stale image while, or after, anything below fails
rm -f "$work/$flavour"
rm -rf "$stage"
if [ -n "$series" ]; then
	"$top/tools/kernel/apply.sh" "$stage" "$series"
	# those that a patch removes are among them
	patches=$(series_patches "$series")
	# shellcheck disable=SC2086 # a list of file names without blanks
	[ -z "$patches" ] || files=$(touched $patches)
else
	mkdir -p "$stage"
fi

hash=$({
	sed 1q "$pristine.id"
	for f in $files; do
		echo "$f $(blob_id "$stage/$f")"
	done
	grep '^CONFIG\|^# CONFIG' "$fragment"
	$CC --version | sed 1q
	ld --version | sed 1q
} | sha256sum | cut -c1-12)
image=$work/images/$flavour-$hash
release=$(tree_version "$pristine")-$flavour-$hash

if [ -f "$image/release" ]; then
	ln -s "images/$flavour-$hash" "$work/$flavour"
	say "build: $flavour: nothing has changed, image $hash"
	exit
fi

# The tree to build in: hard links, broken by the renames below.
if [ ! -f "$tree.id" ] || ! cmp -s "$tree.id" "$pristine.id"; then
	rm -rf "$tree.id" "$tree" "$tree.touched" "$obj"
	cp -al "$pristine" "$tree"
	cp "$pristine.id" "$tree.id"
fi

# put SOURCE FILE: replaced only if it differs, so make sees only real changes
put()
{
	cmp -s "$1" "$tree/$2" && return
	mkdir -p "$(dirname "$tree/$2")"
	# a copy, not a link, and with a time of its own: make goes by that
	cp "$1" "$tree/$2.new"
	mv "$tree/$2.new" "$tree/$2"
}

touch "$tree.touched"
for f in $files; do
	# noted first: an interrupted run is put right by the next one
	[ "$f" = /dev/null ] || grep -qxF "$f" "$tree.touched" ||
		echo "$f" >>"$tree.touched"
done
while read -r f; do
	if [ -f "$stage/$f" ]; then
		put "$stage/$f" "$f"
	elif echo "$files" | grep -qxF "$f"; then
		rm -f "$tree/$f"
	elif [ -f "$pristine/$f" ]; then
		put "$pristine/$f" "$f"
	else
		rm -f "$tree/$f"
	fi
done <"$tree.touched"

mkdir -p "$obj"
abs=$(cd "$obj" && pwd)
log=$work/build-$flavour.log

run_make()
{
	# -s would hide the object lines, which are the progress
	make -C "$tree" O="$abs" CC="$CC" LOCALVERSION="-$flavour-$hash" "$@"
}

# Only a changed fragment: kconfig would otherwise touch nothing but take 6 s
if ! cmp -s "$fragment" "$obj/mm-read.config" || [ ! -f "$obj/.config" ]; then
	rm -f "$obj/mm-read.config"
	run_make KCONFIG_ALLCONFIG="$fragment" allnoconfig >"$log" 2>&1 ||
		die "allnoconfig failed: $(tail -n 1 "$log"), see $log"
	"$top/tools/kernel/config-check.sh" "$fragment" "$obj/.config"
	cp "$fragment" "$obj/mm-read.config"
	full=$objects
else
	full=0
fi
[ -f "$obj/vmlinux" ] || full=$objects

failed=$obj/mm-read.failed
rm -f "$failed"
{
	run_make -j"$JOBS" vmlinux 2>&1 || echo $? >"$failed"
} | "$LAB" progress --title "build $flavour" --expect "$full" --log "$log"
if [ -f "$failed" ]; then
	grep -n 'error:\|Error \|No space' "$log" | sed 5q >&2
	die "building $flavour failed, see $log"
fi

built=$(cat "$obj/include/config/kernel.release")
[ "$built" = "$release" ] ||
	die "built release $built, expected $release"
# named last: an image that is there is whole
mkdir -p "$image"
cp "$obj/vmlinux" "$image/vmlinux"
cp "$obj/.config" "$image/config"
cp "$obj/usr/gen_init_cpio" "$image/gen_init_cpio"
for f in $files; do
	echo "$(blob_id "$stage/$f") $f"
done >"$image/files"
echo "$release" >"$image/release.tmp"
mv "$image/release.tmp" "$image/release"
ln -s "images/$flavour-$hash" "$work/$flavour"
say "build: $flavour: image $hash"
