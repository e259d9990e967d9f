#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# topic.sh DIR TOPIC - the patches of one topic and its cover, in DIR
#
# DIR gets "series", the patches that it names, and "cover", with what the cover
# includes in place.  A line "@FILE@" of a cover stands for FILE beside it.
#
# TOPIC is a folder of the quilt, or "tests": our tests are no part of a quilt,
# they lie in mm/tests and tools/testing/readahead, as they would in the kernel.
# patches/$BASE/tests has one NAME.txt each, the head and the changelog, and the
# patch is made here of that and of the files: nothing is stored twice.
set -eu

# shellcheck source=tools/kernel/lib.sh
. "$(dirname "$0")/../kernel/lib.sh"
# shellcheck source=tools/send/lib.sh
. "$top/tools/send/lib.sh"

# -l: the topics there are
if [ "${1:-}" = -l ]; then
	topics
	exit
fi
dir=${1:?usage: topic.sh DIR TOPIC}
topic=${2:?usage: topic.sh DIR TOPIC}
from=$PATCHES/$BASE/$topic
pristine=$work/pristine

topic_is_there "$topic"
cover_check "$from/cover"
rm -rf "$dir"
mkdir -p "$dir"

# lay FILE...: into the tree that the next patch is made of
lay()
{
	for _f in "$@"; do
		mkdir -p "$new/$(dirname "$_f")"
		cp -p "$top/$_f" "$new/$_f"
	done
}

# under DIR: its files that belong to us, as git has them, without what is built
under()
{
	(cd "$top" && if [ -e .git ]; then
		git ls-files --cached --others --exclude-standard -- "$1"
	else
		find "$1" -type f
	fi) | sort
}

# listed ENTRY FILE: there in MAINTAINERS, in alphabetical order
listed()
{
	[ -f "$new/MAINTAINERS" ] || cp "$pristine/MAINTAINERS" "$new/MAINTAINERS"
	awk -v entry="$1" -v f="$2" '
		function put() { print "F:\t" f; done = 1 }
		/^[A-Z]/ && !/^[A-Z]:/ { here = $0 == entry }
		here && !done && /^F:/ { seen = 1; if (substr($0, 4) > f) put() }
		here && !done && seen && /^$/ { put() }
		{ print }
		END { exit !done }' "$new/MAINTAINERS" >"$dir/maintainers" ||
		die "MAINTAINERS of $pristine: expected an entry $1"
	mv "$dir/maintainers" "$new/MAINTAINERS"
}

# What each commit of the tests adds to a tree; a function for each NAME.txt.
tools_testing_readahead()
{
	# shellcheck disable=SC2046 # file names without blanks
	lay $(under tools/testing/readahead)
	listed "PAGE CACHE" tools/testing/readahead/
}

mm_tests()
{
	"$top/tools/kernel/overlay.sh" "$new" >/dev/null
	chmod -R u+w "$new"
	listed "PAGE CACHE" mm/tests/readahead_kunit.c
	listed "TMPFS (SHMEM FILESYSTEM)" mm/tests/shmem_read_kunit.c
}

# in_old COMMAND...: git, on what the commits before have made
in_old()
{
	(cd "$new" && GIT_DIR=$old GIT_WORK_TREE=. git -c core.autocrlf=false -c core.fileMode=true "$@")
}

if [ "$topic" = tests ]; then
	case $dir in
	/*) ;;
	*) die "$dir: expected an absolute path" ;;
	esac
	[ -f "$pristine.id" ] || die "no kernel tree in $work: run fetch.sh first"
	old=$dir/git
	new=$dir/b
	total=$(find "$from" -name '*.txt' | wc -l)
	n=0
	mkdir "$new"
	git init -q --bare "$old"
	for txt in "$from"/*.txt; do
		n=$((n + 1))
		name=$(basename "$txt" .txt | sed 's/^[0-9]*-//')
		PRISTINE=$pristine
		export PRISTINE
		case $name in
		tools-testing-readahead) tools_testing_readahead ;;
		mm-tests) mm_tests ;;
		*) die "$txt: expected N-tools-testing-readahead.txt or N-mm-tests.txt" ;;
		esac
		(cd "$new" && find . -type f) | sed "s,^\./,," | while read -r f; do
			# those of the pinned tree that are new here are what is compared with
			{ in_old ls-files --error-unmatch "$f" >/dev/null 2>&1 || [ ! -f "$pristine/$f" ]; } && continue
			mkdir -p "$dir/was/$(dirname "$f")"
			cp "$pristine/$f" "$dir/was/$f"
			(cd "$dir/was" && GIT_DIR=$old GIT_WORK_TREE=. git add -f "$f")
		done
		patch=$(basename "$txt" .txt).patch
		{
			echo "From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001"
			sed "s,^Subject: ,Subject: [PATCH $n/$total] ," "$txt"
			grep -q "^---\$" "$txt" || echo ---
			echo
			tree=$(in_old write-tree)
			in_old add -f -A .
			in_old diff --cached --full-index --no-color --no-renames "$tree"
		} >"$dir/$patch"
		echo "$patch" >>"$dir/series"
		rm -rf "$dir/was"
	done
	rm -rf "$new" "$old"
else
	grep "^[[:blank:]]*$topic/" "$PATCHES/$BASE/series" | sed 's/[[:blank:]]*#.*//; s/^[[:blank:]]*//; s/[[:blank:]].*//' |
		while read -r p; do
			cp "$PATCHES/$BASE/$p" "$dir/" || die "patches/$BASE/series: $p: no such patch"
			basename "$p"
		done >"$dir/series"
fi
[ -s "$dir/series" ] || die "patches/$BASE/$topic: expected at least one patch"

while IFS= read -r line; do
	case $line in
	@base@ | @changes@) printf '%s\n' "$line" ;;
	@?*@)
		f=${line#@}
		f=${f%@}
		[ -r "$from/$f" ] || die "$from/cover: $line: no such file beside it"
		cat "$from/$f" ;;
	*) printf '%s\n' "$line" ;;
	esac
done <"$from/cover" >"$dir/cover"
