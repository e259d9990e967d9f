#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# roundtrip.sh TOPIC - what arrives is what was in the quilt
#
# Four trees have to be the same: of "quilt push -a", of the branch that b4 sends,
# of "git am" on the mails that it writes, and of "b4 am" on them as a mailbox;
# and so have the bodies of the patches, byte by byte, above and below the ---.
# Nothing is fetched or sent.
#
# Environment: B4, another b4 than that of the PATH.
set -eu

# shellcheck source=tools/kernel/lib.sh
. "$(dirname "$0")/../kernel/lib.sh"
# shellcheck source=tools/send/lib.sh
. "$top/tools/send/lib.sh"

topic=${1:?usage: roundtrip.sh TOPIC}
unset KERNEL_SRC BASE_REF SIGNOFF
: "${B4:=b4}"

"$top/tools/send/branch.sh" "$topic" >/dev/null
repo=$(cd "$work/send" && pwd)
tmp=$(cd "$work" && pwd)/roundtrip.$$
tmps="$tmps $tmp"
mkdir "$tmp"
branch=b4/$topic
base=$(git -C "$repo" rev-parse "refs/tags/v$(pin_field version)-here^{commit}")
want=$(git -C "$repo" rev-parse "$branch^{tree}")

# same TREE NAME: or the files that differ
same()
{
	[ "$1" != "$want" ] || return 0
	die "$topic: $2 gives another tree than the branch: $(
		git -C "$repo" diff --name-only "$want" "$1" | head -n 3 | tr '\n' ' ')"
}

# quilt itself, in a directory of the files that the topic touches
"$top/tools/send/topic.sh" "$tmp/topic" "$topic"
mkdir "$tmp/quilt"
# shellcheck disable=SC2046 # file names without blanks
for f in $(touched "$tmp"/topic/*.patch); do
	[ -f "$work/pristine/$f" ] || continue
	mkdir -p "$tmp/quilt/$(dirname "$f")"
	cp "$work/pristine/$f" "$tmp/quilt/$f"
done
chmod -R u+w "$tmp/quilt"
(cd "$tmp/quilt" && QUILT_PATCHES=$tmp/topic QUILT_SERIES=series \
	quilt --quiltrc /dev/null push -a -q --fuzz=0 >"$tmp/log" 2>&1) ||
	die "$topic: quilt push -a: $(grep -v '^$\|^+' "$tmp/log" | tail -n 1)"
rm -rf "$tmp/quilt/.pc"
got=$(
	GIT_INDEX_FILE=$tmp/index
	export GIT_INDEX_FILE
	git -C "$repo" read-tree "$base"
	# a file that is gone is taken out
	touched "$tmp"/topic/*.patch | (cd "$tmp/quilt" && GIT_DIR=$repo/.git GIT_WORK_TREE=$tmp/quilt \
		git -c core.autocrlf=false -c core.sparseCheckout=false update-index --add --remove --stdin)
	git -C "$repo" write-tree)
same "$got" "quilt push -a"

b4_send "$repo" "$tmp/mails"
sent=$(patches_of "$tmp/mails")
n=$(wc -l <"$tmp/topic/series")
[ "$(echo "$sent" | wc -l)" = "$n" ] || die "$topic: b4 wrote $(echo "$sent" | wc -l) patches of $n"

# commits of their own, at a place of their own: a work tree without files
git -C "$repo" worktree prune
am()
{
	tmps="$tmps $tmp/$1"
	git -C "$repo" worktree add -q --no-checkout --detach "$tmp/$1" "$base"
	git -C "$tmp/$1" sparse-checkout set mm >/dev/null
	git -C "$tmp/$1" read-tree -m -u HEAD
	shift
	git -C "$tmp/$_dir" am -q "$@" >"$tmp/log" 2>&1 ||
		die "$topic: git am: $(grep -v '^hint' "$tmp/log" | sed 1q)"
	git -C "$tmp/$_dir" rev-parse 'HEAD^{tree}'
}
_dir=am
# shellcheck disable=SC2086 # file names without blanks
got=$(am am $sent)
same "$got" "git am of what b4 wrote"

i=0
while read -r p; do
	i=$((i + 1))
	split "$tmp/topic/$p" "$tmp/q"
	split "$(echo "$sent" | sed -n "${i}p")" "$tmp/s"
	# b4 puts the cover of a single patch above what is below its ---
	if [ "$n" = 1 ]; then
		sed -i -e :a -e '/^\n*$/{$d;N;ba' -e '}' "$tmp/s/message"
		tail -n "$(wc -l <"$tmp/q/detail")" "$tmp/s/detail" >"$tmp/s/own"
		mv "$tmp/s/own" "$tmp/s/detail"
	fi
	for f in name email subject message detail; do
		cmp -s "$tmp/q/$f" "$tmp/s/$f" ||
			die "$topic: $p: its $f is not what is sent: $(diff "$tmp/q/$f" "$tmp/s/$f" | sed -n 2p)"
	done
	git -C "$tmp/am" log -1 --format=%b "HEAD~$((n - i))" >"$tmp/body"
	# git log ends with one blank line more
	sed '$d' "$tmp/body" | cmp -s - "$tmp/q/message" ||
		die "$topic: $p: its body is not that of the commit that git am makes"
done <"$tmp/topic/series"

to_mbox "$tmp/mails" >"$tmp/mbox"
mkdir "$tmp/b4"
how="b4 am"
if (cd "$repo" && GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=b4.attestation-policy GIT_CONFIG_VALUE_0=off \
	"$B4" --offline-mode am -m "$tmp/mbox" -o "$tmp/b4" </dev/null >"$tmp/log" 2>&1) ||
   (cd "$repo" && GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=b4.attestation-policy GIT_CONFIG_VALUE_0=off \
	"$B4" am -m "$tmp/mbox" -o "$tmp/b4" </dev/null >"$tmp/log" 2>&1); then
	_dir=am2
	got=$(am am2 "$tmp"/b4/*.mbx)
	same "$got" "b4 am"
elif grep -q 'Header values may not contain linefeed' "$tmp/log"; then
	# 0.12 on Python 3.11: it cannot take a subject that b4 itself has folded
	how="b4 am cannot read folded subjects here, left out"
else
	die "$topic: b4 am: $(grep -v '^ \|^$\|^---' "$tmp/log" | tail -n 1)"
fi
for d in am am2; do
	[ ! -d "$tmp/$d" ] || git -C "$repo" worktree remove --force "$tmp/$d"
done
say "roundtrip: $BASE $topic: tree $(echo "$want" | cut -c1-12) by quilt, branch, git am; $how"
