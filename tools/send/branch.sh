#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# branch.sh TOPIC - a topic as the branch b4/TOPIC, ready for "b4 send"
#
# The commits are made in a temporary index: no file of a work tree is touched,
# nothing is configured, and the branch appears when all has applied.  First
# comes the cover, in the form in which b4 keeps it, then one commit a patch;
# what stands below the --- of a patch stays there, where git am drops it.
#
# With KERNEL_SRC, a git repository, the branch starts at BASE_REF there.  Without
# it, in $O/$BASE/send, a repository of the pinned tree: for a look, and for the
# checks.  Its base is a commit of this machine, so the mails do not name it.
#
# A function that is changed here has to be one that is changed on the pinned
# tree, by the same lines: a hunk that has found another place is refused.
#
# Environment: KERNEL_SRC, BASE_REF; SIGNOFF=1 to add the sender's sign-off.
# Nothing is sent.
set -eu

# shellcheck source=tools/kernel/lib.sh
. "$(dirname "$0")/../kernel/lib.sh"
# shellcheck source=tools/send/lib.sh
. "$top/tools/send/lib.sh"

topic=${1:-}
: "${KERNEL_SRC:=}" "${BASE_REF:=}" "${SIGNOFF:=}"
branch=b4/$topic
pristine=$work/pristine
version=$(pin_field version)
functions=$top/tools/send/functions.awk

topic_is_there "$topic"
[ -f "$pristine.id" ] || die "no kernel tree in $work: run make fetch first"
mkdir -p "$work"
tmp=$(cd "$work" && pwd)/send.$$
tmps="$tmps $tmp"
mkdir "$tmp"

# scratch: the repository of the pinned tree, made once
scratch()
{
	repo=$(cd "$work" && pwd)/send
	base=refs/tags/v$version-here
	if [ ! -f "$repo/.git/mm-read.id" ] || ! cmp -s "$repo/.git/mm-read.id" "$pristine.id"; then
		say "b4-branch: make a repository of the pinned tree, once (about a minute)"
		tmps="$tmps $repo.tmp"
		rm -rf "$repo" "$repo.tmp"
		git init -q "$repo.tmp"
		_src=$(cd "$pristine" && pwd)
		# one pack rather than 90,000 files
		_said=$(cd "$_src" && GIT_DIR=$repo.tmp/.git GIT_WORK_TREE=$_src \
			git -c core.bigFileThreshold=1 -c core.compression=1 \
			-c core.autocrlf=false -c core.excludesFile=/dev/null add -f -A . 2>&1) ||
			die "$repo: $(echo "$_said" | sed 1q)"
		git -C "$repo.tmp" config core.abbrev 12
		git -C "$repo.tmp" config b4.prep-cover-template "$repo/.git/mm-read.cover"
		# as b4's own, but for the base-commit
		cat >"$repo.tmp/.git/mm-read.cover" <<-'END'
		${cover}

		---
		${shortlog}

		${diffstat}
		---
		change-id: ${change_id}

		Best regards,
		-- 
		${signature}
		END
		_tree=$(git -C "$repo.tmp" write-tree)
		_c=$(printf 'Linux %s: %s\n\nA commit of this machine only.\n' "$version" \
			"$(sed -n 2p "$pristine.id")" |
			GIT_AUTHOR_NAME=mm-read GIT_AUTHOR_EMAIL=mm-read@localhost \
			GIT_COMMITTER_NAME=mm-read GIT_COMMITTER_EMAIL=mm-read@localhost \
			GIT_AUTHOR_DATE="1 Jan 2020 00:00 +0000" GIT_COMMITTER_DATE="1 Jan 2020 00:00 +0000" \
			git -C "$repo.tmp" commit-tree "$_tree")
		git -C "$repo.tmp" update-ref "$base" "$_c"
		# b4 looks at few of the files, and so do people
		git -C "$repo.tmp" sparse-checkout set mm scripts >/dev/null
		git -C "$repo.tmp" update-ref --no-deref HEAD "$_c"
		git -C "$repo.tmp" reset -q --hard
		cp "$pristine.id" "$repo.tmp/.git/mm-read.id"
		mv "$repo.tmp" "$repo"
	fi
	# who sends is told by the repository that we are called in
	_s=$(sender "$top")
	git -C "$repo" config user.name "${_s% <*}"
	_s=${_s##*<}
	git -C "$repo" config user.email "${_s%>}"
	commit=$(git -C "$repo" rev-parse "$base^{commit}")
	if git -C "$repo" rev-parse -q --verify "refs/heads/$branch" >/dev/null; then
		# ours to replace, unless somebody has worked on it
		[ "$(git -C "$repo" rev-parse "$branch")" = "$(git -C "$repo" rev-parse -q --verify "refs/made/$topic")" ] ||
			die "$repo: $branch has commits that are not from here: rename or delete it"
		[ -z "$(git -C "$repo" status --porcelain 2>&1)" ] ||
			die "$repo: has uncommitted changes"
		git -C "$repo" checkout -q --detach "$commit"
		git -C "$repo" update-ref -d "refs/heads/$branch"
	fi
	based="This applies to v$version, where it was made and measured.  A posting is to be
rebased on the mm tree."
}

# theirs: the user's repository, which gets one branch and nothing else
theirs()
{
	[ -d "$KERNEL_SRC" ] || die "KERNEL_SRC=$KERNEL_SRC: no such directory"
	repo=$(cd "$KERNEL_SRC" && pwd -P)
	git -C "$repo" rev-parse --git-dir >/dev/null 2>&1 ||
		die "KERNEL_SRC=$KERNEL_SRC: not a git repository"
	[ -n "$BASE_REF" ] || die "BASE_REF=: expected a branch or tag of $repo to start at, as mm-new"
	commit=$(git -C "$repo" rev-parse -q --verify "$BASE_REF^{commit}") ||
		die "BASE_REF=$BASE_REF: no such commit in $repo"
	git -C "$repo" cat-file -e "$commit:mm/readahead.c" 2>/dev/null ||
		die "BASE_REF=$BASE_REF: no kernel tree (no mm/readahead.c)"
	! git -C "$repo" rev-parse -q --verify "refs/heads/$branch" >/dev/null ||
		die "$repo: the branch $branch exists: rename or delete it"
	_where="refs/remotes refs/tags/v*"
	if [ "$(git -C "$repo" rev-parse --is-bare-repository)" = true ]; then
		_where="refs/heads $_where"
	elif [ -n "$(git -C "$repo" status --porcelain -uno --ignore-submodules 2>&1)" ]; then
		die "$repo: has uncommitted changes: commit or stash them, b4 would not send"
	fi
	# shellcheck disable=SC2086 # patterns
	[ -n "$(git -C "$repo" for-each-ref --count=1 --contains "$commit" $_where)" ] ||
		die "BASE_REF=$BASE_REF: in no branch that was fetched and under no version tag: nobody else has this base"
	_name=$(git -C "$repo" describe --always --match 'v[0-9]*' "$commit" 2>/dev/null)
	based="Made and measured on v$version; this applies to $BASE_REF ($_name)."
}

if [ -n "$KERNEL_SRC" ]; then
	theirs
else
	[ -z "$BASE_REF" ] || die "BASE_REF=$BASE_REF: expected KERNEL_SRC= with it"
	scratch
fi
who=$(sender "$repo")

"$top/tools/send/topic.sh" "$tmp/topic" "$topic"

GIT_INDEX_FILE=$tmp/index
export GIT_INDEX_FILE
in_repo()
{
	git -C "$repo" "$@"
}

# lines_of FILE: its lines with their functions; of C only
lines_of()
{
	[ -f "$1" ] || return 0
	awk -f "$functions" "$1"
}

# changed BEFORE AFTER: lines that differ, with their functions, sorted
changed()
{
	lines_of "$1" >"$tmp/x"
	lines_of "$2" >"$tmp/y"
	diff "$tmp/x" "$tmp/y" | sed -n '/^[<>]/p' | sort
}

# The pinned tree is patched beside it, to compare with.
(cd "$tmp" && mkdir pinned)
pinned_series=$tmp/topic/pinned
: >"$pinned_series"

# placed NAME: the patch has changed the same functions by the same lines as on
# the pinned tree
placed()
{
	# shellcheck disable=SC2046 # file names without blanks
	for _f in $(touched "$tmp/topic/$1" | grep '\.[ch]$'); do
		mkdir -p "$tmp/was" "$tmp/is"
		in_repo show "$before:$_f" >"$tmp/was/f" 2>/dev/null || : >"$tmp/was/f"
		in_repo show ":$_f" >"$tmp/is/f" 2>/dev/null || : >"$tmp/is/f"
		_old=$tmp/before/$_f
		[ -f "$_old" ] || _old=$pristine/$_f
		[ -f "$_old" ] || _old=/dev/null
		_now=$tmp/after/$_f
		[ -f "$_now" ] || _now=/dev/null
		! cmp -s "$_old" "$tmp/was/f" || cmp -s "$_now" "$tmp/is/f" ||
			die "$1: $_f: not what it is on v$version, though it began as that"
		! cmp -s "$_old" "$tmp/was/f" || continue
		changed "$_old" "$_now" >"$tmp/want"
		changed "$tmp/was/f" "$tmp/is/f" >"$tmp/got"
		if ! cmp -s "$tmp/want" "$tmp/got"; then
			_here=$(diff "$tmp/want" "$tmp/got" | sed -n 's/^> [<>] \([^|]*\)|.*/\1/p' | sort -u | tr '\n' ' ')
			_there=$(diff "$tmp/want" "$tmp/got" | sed -n 's/^< [<>] \([^|]*\)|.*/\1/p' | sort -u | tr '\n' ' ')
			die "$1: $_f: it would change ${_here:-nothing }where v$version has it in ${_there:-no function}"
		fi
		sed 's/^[<>] \([^|]*\)|.*/\1/' "$tmp/want" | sort -u | sed '/^-$/d' >"$tmp/names"
		while read -r _fn; do
			for _t in "$_old" "$tmp/was/f" "$_now" "$tmp/is/f"; do
				lines_of "$_t" | grep -F "$_fn|" | grep "^$(echo "$_fn" | sed 's/[^A-Za-z0-9_]/./g')|" | git hash-object --stdin
			done >"$tmp/ids" || :
			# old, was, now, is
			# shellcheck disable=SC2046 # four ids
			set -- "$1" $(cat "$tmp/ids")
			if [ "$2" = "$3" ]; then
				[ "$4" = "$5" ] ||
					die "$1: $_f: $_fn() does not become what it is on v$version"
			else
				say "b4-branch: $1: $_fn() has moved on since v$version: look at it, and measure anew"
			fi
		done <"$tmp/names"
	done
}

in_repo read-tree "$commit"
base_tree=$(in_repo write-tree)

# Each patch applies as it does on the pinned tree, or is there already, or all
# ends here.  The trees and messages are kept, for the cover comes first.
n=0
left_out=
: >"$tmp/commits"
while read -r p; do
	split "$tmp/topic/$p" "$tmp/m" || die "$p: $(sed 1q "$tmp/m/error")"
	echo "$p" >>"$pinned_series"
	rm -rf "$tmp/before"
	[ ! -d "$tmp/after" ] || mv "$tmp/after" "$tmp/before"
	mkdir -p "$tmp/before"
	"$top/tools/kernel/apply.sh" "$tmp/after" "$pinned_series" >/dev/null ||
		die "$topic: does not apply to the pinned tree by itself"
	before=$(in_repo write-tree)
	if in_repo apply --cached "$tmp/m/diff" 2>"$tmp/error"; then
		placed "$p"
	elif in_repo apply --cached -R --check "$tmp/m/diff" 2>/dev/null; then
		say "b4-branch: $p: is in ${BASE_REF:-the base} already, left out: the cover may have to say so"
		left_out="$left_out $p"
		continue
	else
		_why=$(sed -n 's/^error: //p' "$tmp/error" | sed 1q)
		_all=$(grep -c '^@@ ' "$tmp/m/diff")
		# hunk by hunk: how many are there already?
		for _f in $(touched "$tmp/topic/$p"); do
			mkdir -p "$tmp/part/$(dirname "$_f")"
			in_repo show ":$_f" >"$tmp/part/$_f" 2>/dev/null || :
		done
		_failed=$(cd "$tmp/part" && patch -p1 -R -f -F0 --dry-run <"$tmp/m/diff" 2>&1 | grep -c '^Hunk.*FAILED') || :
		[ "$_failed" = 0 ] || [ "$_failed" -ge "$_all" ] ||
			die "$p: is in ${BASE_REF:-the base} in part ($((_all - _failed)) of $_all hunks): ${_why:-does not apply}"
		die "$p: does not apply to ${BASE_REF:-the base}: ${_why:-git apply failed}"
	fi
	n=$((n + 1))
	mv "$tmp/m" "$tmp/$n"
	in_repo write-tree >"$tmp/$n/tree"
	echo "$p" >"$tmp/$n/patch"
done <"$tmp/topic/series"
[ "$n" -gt 0 ] || die "$topic: all of it is in ${BASE_REF:-the base} already"

# Who gets it: what get_maintainer.pl of that very tree says.
mkdir "$tmp/gm"
for f in scripts/get_maintainer.pl MAINTAINERS .get_maintainer.ignore .mailmap; do
	mkdir -p "$tmp/gm/$(dirname "$f")"
	in_repo show "$commit:$f" >"$tmp/gm/$f" 2>/dev/null || rm -f "$tmp/gm/$f"
done
[ "$(find "$tmp/gm" -name get_maintainer.pl -o -name MAINTAINERS | wc -l)" = 2 ] ||
	die "${BASE_REF:-the base}: expected scripts/get_maintainer.pl and MAINTAINERS in it"
# people OPTION: of all patches, each once
people()
{
	for _i in $(seq "$n"); do
		(cd "$tmp/gm" && perl scripts/get_maintainer.pl --no-tree --nogit --nogit-fallback \
			--nogit-chief-penguins --norolestats "$1" "$tmp/topic/$(cat "$tmp/$_i/patch")" \
			2>"$tmp/error") || die "get_maintainer.pl: $(sed 1q "$tmp/error")"
	done | awk '!seen[$0]++'
}
people --nol >"$tmp/to"
people --nom >"$tmp/cc"
[ "$(find "$tmp/to" "$tmp/cc" -size +0 | wc -l)" = 2 ] ||
	die "get_maintainer.pl names nobody for $topic in ${BASE_REF:-the base}"

cover=$tmp/topic/cover
{
	cover_text "$cover" | while IFS= read -r line; do
		case $line in
		@base@) printf '%s\n' "$based" ;;
		*) printf '%s\n' "$line" ;;
		esac
	done | awk '{ line[NR] = $0 } /[^ ]/ { last = NR } END { for (i = 1; i <= last; i++) print line[i] }'
	echo
	sed 's/^/To: /' "$tmp/to"
	sed 's/^/Cc: /' "$tmp/cc"
	cat <<-END

	--- b4-submit-tracking ---
	# This section is used internally by b4 prep for tracking purposes.
	{
	  "series": {
	    "revision": $(cover_field "$cover" revision),
	    "change-id": "$(cover_field "$cover" change-id)",
	    "base-branch": "${BASE_REF:-v$version}",
	    "prefixes": [$(cover_field "$cover" prefix | sed 's/..*/"&"/')]
	  }
	}
	END
} >"$tmp/message"
tip=$(in_repo commit-tree -p "$commit" -F "$tmp/message" "$base_tree") || exit
for i in $(seq "$n"); do
	m=$tmp/$i
	{
		cat "$m/subject"
		echo
		cat "$m/message"
	} >"$m/all"
	if [ "$SIGNOFF" = 1 ]; then
		git interpret-trailers --no-divider --if-exists addIfDifferent \
			--trailer "Signed-off-by: $who" "$m/all" >"$m/signed"
		mv "$m/signed" "$m/all"
	fi
	if [ -s "$m/detail" ]; then
		echo --- >>"$m/all"
		cat "$m/detail" >>"$m/all"
	fi
	tip=$(GIT_AUTHOR_NAME=$(cat "$m/name") GIT_AUTHOR_EMAIL=$(cat "$m/email") \
		GIT_AUTHOR_DATE=$(cat "$m/date") in_repo commit-tree -p "$tip" \
		-F "$m/all" "$(cat "$m/tree")") || exit
done
unset GIT_INDEX_FILE
in_repo update-ref "refs/heads/$branch" "$tip" ""
say "b4-branch: $branch: $n patches${left_out:+, left out:$left_out}, revision $(cover_field "$cover" revision), From: $who"
[ "$SIGNOFF" = 1 ] || say "b4-branch: not signed off: whoever sends it does that (SIGNOFF=1)"
if [ -z "$KERNEL_SRC" ]; then
	in_repo update-ref "refs/made/$topic" "$tip"
	in_repo checkout -q "$branch"
	say "b4-branch: to be posted it has to start from the mm tree: KERNEL_SRC= and BASE_REF="
	say "cd $repo && b4 send"
elif [ "$(in_repo rev-parse --is-bare-repository)" = true ]; then
	say "git -C $repo worktree add $repo-$topic $branch && cd $repo-$topic && b4 send"
else
	say "cd $repo && git checkout $branch && b4 send"
fi
