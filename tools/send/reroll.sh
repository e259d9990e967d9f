#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# reroll.sh TOPIC - the next version of a topic that was sent
#
# Raises the revision in the cover, keeps the change-id, adds a section "Changes
# in vN" to be filled in (b4 does not send a cover that says EDITME), and stores
# the range-diff between the version that was sent and the quilt as it is now,
# which the cover includes.  What was sent is what the tag sent/$BASE/TOPIC-vN of
# this repository names; SENT= names it otherwise.
set -eu

# shellcheck source=tools/kernel/lib.sh
. "$(dirname "$0")/../kernel/lib.sh"
# shellcheck source=tools/send/lib.sh
. "$top/tools/send/lib.sh"

topic=${1:-}
: "${SENT:=}"
unset KERNEL_SRC BASE_REF SIGNOFF
topic_is_there "$topic"
dir=$PATCHES/$BASE/$topic
cover=$dir/cover
cover_check "$cover"
old=$(cover_field "$cover" revision)
new=$((old + 1))
! grep -q EDITME "$cover" || die "$cover: says EDITME: v$old was never finished"
[ "$new" -le 99 ] || die "$cover: revision: expected 1 to 98"
: "${SENT:=sent/$BASE/$topic-v$old}"
repo=$(git -C "$PATCHES" rev-parse --show-toplevel 2>/dev/null) ||
	die "patches/ is in no git repository: no version of $topic is kept"
git -C "$repo" rev-parse -q --verify "$SENT^{commit}" >/dev/null ||
	die "$SENT: no such commit: which one was sent as v$old? git tag sent/$BASE/$topic-v$old COMMIT, or SENT=COMMIT"

tmp=$(mkdir -p "$work" && cd "$work" && pwd)/reroll.$$
tmps="$tmps $tmp"
mkdir -p "$tmp/old"
git -C "$repo" archive "$SENT" | tar -xf - -C "$tmp/old"
[ -x "$tmp/old/tools/send/branch.sh" ] || die "$SENT: expected tools/send in it"
was=$(cover_field "$tmp/old/patches/$BASE/$topic/cover" revision) || was=
[ "$was" = "$old" ] || die "$SENT: its cover is of revision ${was:-none}, the one here of $old: expected what was sent as v$old"
[ "$(cover_field "$tmp/old/patches/$BASE/$topic/cover" change-id)" = "$(cover_field "$cover" change-id)" ] ||
	die "$SENT: has another change-id for $topic: it is never changed"

# tip TREE PATCHES: of the branch that the scripts of a tree of ours make
who=$(sender "$top")
tip()
{
	(O=$(cd "$O" && pwd) GIT_AUTHOR_NAME=${who% <*} GIT_AUTHOR_EMAIL=$(echo "${who##*<}" | tr -d '>')
	 export O GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL
	 env PATCHES="$2" "$1/tools/send/branch.sh" "$topic" >/dev/null) || exit 1
	git -C "$work/send" rev-parse "b4/$topic"
}
before=$(tip "$tmp/old" "$tmp/old/patches")
after=$(tip "$top" "$PATCHES")
base=$(git -C "$work/send" merge-base "$before" "$after")
# the covers, which are empty commits, are not compared
first()
{
	git -C "$work/send" rev-list --reverse "$base..$1" | sed 1q
}
git -C "$work/send" range-diff --no-color --abbrev=12 "$(first "$before")..$before" \
	"$(first "$after")..$after" >"$tmp/range-diff"
grep -q '^[0-9-]*: .* [!<>] ' "$tmp/range-diff" ||
	die "$topic: nothing has changed since v$old"

# next FILE: the cover, or what it is made of, of the next version
next()
{
	awk -v old="$old" -v new="$new" '
		function changes()
		{
			if (done++)
				return
			print "Changes in v" new ":"
			print "- EDITME: what is new, in few words"
			print "- Link to v" old ": EDITME"
			print ""
		}
		!body && /^revision:/ { print "revision: " new; next }
		!body && /^$/ { body = 1 }
		body && /^(Changes in v[0-9]+:|@[a-z]+@)/ { changes() }
		{ print }
		END { if (!done) { print ""; changes() } }' "$1" >"$tmp/cover"
	grep -q '^@range-diff@$' "$tmp/cover" ||
		printf '\nRange-diff against the last version:\n\n@range-diff@\n' >>"$tmp/cover"
	cp "$tmp/cover" "$1.tmp"
	mv "$1.tmp" "$1"
}
cp "$tmp/range-diff" "$dir/range-diff"
# "make changelog" makes the cover of cover.msg, if there is one
made=cover
[ ! -f "$cover.msg" ] || { next "$cover.msg"; made="cover.msg, and in cover"; }
next "$cover"
say "reroll: $topic is v$new: fill in what EDITME stands for in patches/$BASE/$topic/$made"
