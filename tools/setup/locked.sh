#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# locked.sh DIR COMMAND... - run it while no other run works in DIR, with the programs
# there as they were made
#
# The lock is on an open file that the command's children inherit: it is gone
# when the last of them is, however they end.
set -eu

dir=${1:?usage: locked.sh DIR COMMAND...}
shift
mkdir -p "$dir"
exec 9>>"$dir/lock"
if ! flock -n 9; then
	echo "$(basename "$0"): another run is at work in $dir; wait for it, or use O= for a directory of your own" >&2
	exit 1
fi
# A program of ours that is not what was made goes, and make makes it again.
for sum in "$dir"/bin/*.sha256; do
	[ -e "$sum" ] || continue
	(cd "$dir/bin" && sha256sum --check --status --strict "${sum##*/}" 2>/dev/null) && continue
	echo "$(basename "$0"): ${sum%.sha256} is not what was made: it is made again"
	rm -f "$sum" "${sum%.sha256}"
done
exec "$@"
