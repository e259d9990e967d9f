#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# sources.sh DIR [SERIES [DIFF...]] - what the simulator needs of a kernel tree
#
# DIR becomes a tree with the few files that tools/testing/readahead takes from
# KDIR, with the quilt SERIES applied, and then each DIFF, which is how mutants
# are made.  A file that has not changed is left alone: make goes by its time.
# DIR.files names those of them that a quilt or a diff has changed, "BLOB PATH".
set -eu

# shellcheck source=tools/kernel/lib.sh
. "$(dirname "$0")/lib.sh"

dir=${1:?usage: sources.sh DIR [SERIES [DIFF...]]}
series=${2:-}
shift
[ $# = 0 ] || shift
pristine=$work/pristine
stage=$dir.stage

[ -f "$pristine.id" ] || die "no kernel tree in $work: run fetch.sh first"
mkdir -p "$(dirname "$dir")"
tmps="$tmps $stage $stage.tmp"
rm -rf "$stage"
mkdir -p "$stage"
[ -z "$series" ] || "$top/tools/kernel/apply.sh" "$stage" "$series" >/dev/null

for d in "$@"; do
	d=$(cd "$(dirname "$d")" && pwd)/$(basename "$d")
	_log=$(cd "$stage" && patch -p1 -f -F0 --no-backup-if-mismatch <"$d" 2>&1) ||
		die "$d: expected a diff that applies on top of the quilt: $(
			echo "$_log" | sed -n 's/^\(Hunk.*FAILED.*\)/\1/p; $p' | sed 1q)"
done

for f in $(simulated); do
	if [ -f "$stage/$f" ]; then
		from=$stage/$f
	elif [ -f "$pristine/$f" ]; then
		from=$pristine/$f
	else
		rm -f "$dir/$f"
		continue
	fi
	cmp -s "$from" "$dir/$f" && continue
	mkdir -p "$(dirname "$dir/$f")"
	# not the pristine file's time, which may be older than what was built
	cp "$from" "$dir/$f.tmp"
	mv "$dir/$f.tmp" "$dir/$f"
done
(cd "$stage" && find . -type f) | sed 's|^\./||' | sort | while read -r f; do
	[ ! -f "$dir/$f" ] ||
		echo "$(blob_id "$stage/$f") $f"
done >"$dir.files.tmp"
mv "$dir.files.tmp" "$dir.files"
