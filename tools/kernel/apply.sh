#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# apply.sh DEST [SERIES] - a quilt applied to the files that it touches
#
# The files are copied from the pristine tree to DEST.tmp, patched there with
# no fuzz, and DEST appears once everything has applied: a tree is never left
# with half a quilt.  SERIES is a quilt series file, patches/$BASE/series
# unless named.  Offsets are reported; fuzz is an error.
#
# Environment: PRISTINE, the tree to take the files from ($O/$BASE/pristine).
set -eu

# shellcheck source=tools/kernel/lib.sh
. "$(dirname "$0")/lib.sh"

dest=${1:?usage: apply.sh DEST [SERIES]}
series=${2:-$PATCHES/$BASE/series}
: "${PRISTINE:=$work/pristine}"
stage=$dest.tmp

[ -r "$series" ] || die "$series: no such series"
patches=$(series_patches "$series")
_odd=$(sed 's/[[:blank:]]*#.*//' "$series" | awk 'NF > 1 && !(NF == 2 && $2 == "-p1")' | sed 1q)
[ -z "$_odd" ] || die "$series: \"$_odd\": expected a file name and no option but -p1"
for p in $patches; do
	[ -r "$p" ] || die "$series: $p: no such patch"
	# a mail that went through the wrong hands: patch(1) would strip them
	! grep -q "$(printf '\r')" "$p" || die "$p: has lines that end in CR"
	grep -q '^@@ ' "$p" || die "$p: no hunk in it: not a patch"
done

tmps="$tmps $stage"
rm -rf "$stage" "$dest"
mkdir -p "$stage"
# shellcheck disable=SC2086 # a list of file names without blanks
[ -z "$patches" ] || for f in $(touched $patches); do
	[ -f "$PRISTINE/$f" ] || continue
	mkdir -p "$stage/$(dirname "$f")"
	cp "$PRISTINE/$f" "$stage/$f"
done

# attempt OPTION...: dry, from the stage as it is; what patch said is in $log
attempt()
{
	log=$(cd "$stage" && patch -p1 -f --dry-run "$@" <"$p" 2>&1)
}

# refuse: say in one line what is the matter with the patch in $p
refuse()
{
	_name=$(basename "$p")
	_said=$log
	_hunk=$(echo "$log" | sed -n 's/^Hunk #\([0-9]*\) FAILED at \([0-9]*\).*/hunk \1 (line \2)/p' | sed 1q)
	_file=$(echo "$log" | sed -n 's/^\(checking\|patching\) file //p' | tail -n 1)
	if ! echo "$_said" | grep -q 'FAILED'; then
		die "$_name: ${_file:+$_file: }$(echo "$_said" | tail -n 1 | sed 's/^patch: *\**//')"
	fi
	attempt -F0 -R && die "$_name: applied to this tree already"
	# patch(1) prints the hunks that fail; the others are there
	_there=$(($(grep -c '^@@ ' "$p") - $(echo "$log" | grep -c '^Hunk #[0-9]* FAILED')))
	[ "$_there" -le 0 ] ||
		die "$_name: applied to this tree in part: $_there hunk(s) of $_file are there already"
	attempt -F2 && die "$_name: $_file: ${_hunk:-a hunk} applies only with fuzz: refresh the patch"
	die "$_name: $_file: ${_hunk:-a hunk} does not apply"
}

for p in $patches; do
	p=$(cd "$(dirname "$p")" && pwd)/$(basename "$p")
	attempt -F0 || refuse
	# patch(1) takes what stands there already for a reversed patch: -f
	# makes that a failure, and the dry run has gone well, so this will.
	log=$(cd "$stage" && patch -p1 -f -F0 --no-backup-if-mismatch <"$p" 2>&1) ||
		die "$(basename "$p"): $(echo "$log" | tail -n 1)"
	echo "$log" | sed -n 's/^Hunk #\([0-9]*\) succeeded at \([0-9]*\) (offset \(.*\))\.$/hunk \1 at line \2, offset \3/p' |
		while read -r _l; do
			say "apply: $(basename "$p"): $_l"
		done
	# The blob ids of the index lines are what git am goes by.
	sed -n 's/^diff --git a\/\([^ ]*\) .*/F \1/p; s/^index [0-9a-f]*\.\.\([0-9a-f]*\).*/I \1/p' "$p" |
		while read -r _k _v; do
			[ "$_k" = I ] || { _f=$_v; continue; }
			_got=$(blob_id "$stage/$_f")
			case $_got in
			"$_v"*) ;;
			*) say "apply: $(basename "$p"): $_f becomes blob $(echo "$_got" |
				cut -c1-12), its index line says $(echo "$_v" | cut -c1-12)" ;;
			esac
		done
done
find "$stage" -name '*.orig' -exec rm -f {} +
mv "$stage" "$dest"
