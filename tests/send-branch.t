#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# From the quilt to a branch of b4 and back: what arrives is what was there, a
# user's repository gets a branch and nothing else, and a tree that has moved on
# gets the patches in the right place or not at all.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
# shellcheck source=tests/send.sh
. "$top/tests/send.sh"

branch=$top/tools/send/branch.sh

#
# Every topic of every base
#

for base in patches/*/base; do
	base=$(basename "$(dirname "$base")")
	if ! small_tree "$base" "$O"; then
		skip "round trip: $base" "the tree of $base has not been fetched"
		continue
	fi
	for topic in $(BASE=$base tools/send/topic.sh -l); do
		if [ ! -f "patches/$base/$topic/cover" ]; then
			check "round trip: $base, $topic: it has a cover" 0 '.' false
			continue
		fi
		check "round trip: $base, $topic" 0 \
			"^roundtrip: $base $topic: tree [0-9a-f]{12} by quilt, branch, git am; b4 am" \
			env BASE="$base" tools/send/roundtrip.sh "$topic"
		case $out in
		*"left out"*) skip "round trip: $base, $topic: b4 am" "this b4 cannot read a subject that it has folded" ;;
		esac
	done
done

# Does it see anything?  A b4 that loses a tab, one that loses a mail, one that
# changes a body.
cat >"$tmp/b4" <<'END'
#!/bin/sh
b4 "$@" || exit
for last; do :; done
case "$1 $BREAK" in
"send tab") sed -i '/^+\t/s/\t/ /' "$last"/0001*.eml ;;
"send mail") rm "$last"/0002*.eml ;;
"send body") sed -i 's/^When two threads/When three threads/' "$last"/0001*.eml ;;
"send below") sed -i 's/^The rows are/The row is/' "$last"/0001*.eml ;;
esac
END
chmod +x "$tmp/b4"
breaks()
{
	check "a b4 that changes the $1" 1 "$2" env B4="$tmp/b4" BREAK="$1" \
		tools/send/roundtrip.sh readahead
}
breaks tab 'git am of what b4 wrote gives another tree than the branch: mm/filemap.c'
breaks mail 'b4 wrote 1 patches of 2'
breaks body '0001-.*: its message is not what is sent: < When two'
breaks below '0001-.*: its detail is not what is sent'

#
# The branch, in a repository of the pinned tree
#

check "a branch" 0 "^cd $O/7.3/send && b4 send\$" "$branch" readahead
is_true "its last line is what to type" test "$(printf '%s\n' "$out" | tail -n 1)" = "cd $O/7.3/send && b4 send"
repo=$O/7.3/send
n=$(grep -c '^readahead/' patches/7.3/series)
is_true "one commit a patch, and the cover" test \
	"$(git -C "$repo" rev-list --count v7.3.4-here..b4/readahead)" = $((n + 1))
is_true "b4 knows it" sh -c "cd '$repo' && b4 prep --show-revision"
check "and its revision" 0 "^v$(sed -n 's/^revision: *//p' patches/7.3/readahead/cover)\$" \
	sh -c "cd '$repo' && b4 prep --show-revision"
tools/send/mails.sh readahead "$tmp/mails"
cover=$(ls "$tmp"/mails/0000-*.eml)
id=$(sed -n 's/^change-id: *//p' patches/7.3/readahead/cover)
check "the change-id is that of the repository" 0 "^change-id: $id\$" cat "$cover"
check "the cover names the public base" 0 'applies to v7\.3\.4' cat "$cover"
check "and that it is to be rebased" 0 'rebased on the mm tree' cat "$cover"
check "no commit of this machine is called a base" 1 '' grep -rE 'base-commit|'"$(git -C "$repo" rev-parse v7.3.4-here)" "$tmp/mails"
check "it goes to the maintainers" 0 '^To: .*Matthew Wilcox' cat "$cover"
check "and to the lists" 0 '^Cc: .*linux-fsdevel' cat "$cover"
check "nothing is left to fill in" 1 '' grep -E '@[a-z]+@|\$\{' "$cover"
check "no patch is signed" 1 '' grep -r '^Signed-off-by' "$tmp/mails"
check "nobody signs by accident" 0 'not signed off: whoever sends it' "$branch" readahead
SIGNOFF=1 tools/send/mails.sh readahead "$tmp/mails"
check "with SIGNOFF=1 each is, once" 0 "^$n\$" sh -c "cat '$tmp'/mails/*.eml | grep -cxF 'Signed-off-by: $author'"
check "the mails that would be sent" 0 ' 0 objections' tools/send/check.sh "$tmp/mails"
SIGNOFF=1 tools/send/mails.sh tests "$tmp/mails"
check "those of the tests, too" 0 ' 0 objections' tools/send/check.sh "$tmp/mails"
for f in $(git ls-files mm/tests tools/testing/readahead); do
	git -C "$repo" show "b4/tests:$f" | cmp -s - "$f" || echo "$f"
done >"$tmp/differ"
is_true "their files are ours, to the byte" test ! -s "$tmp/differ"
git -C "$repo" checkout -q b4/readahead
git -C "$repo" commit -q --allow-empty -m mine
check "work that somebody has done on it is kept" 1 'b4/readahead has commits that are not from here' "$branch" readahead
git -C "$repo" checkout -q --detach v7.3.4-here
git -C "$repo" branch -q -D b4/readahead
check "a topic that is not there" 1 'TOPIC=nope: no such topic in patches/7.3; there are: readahead' "$branch" nope
check "none" 1 'TOPIC=: no such topic' "$branch"
check "nobody" 1 'who is sending\?' env -u GIT_AUTHOR_NAME -u GIT_AUTHOR_EMAIL PATCHES="$top/patches" \
	GIT_CONFIG_COUNT=2 GIT_CONFIG_KEY_0=user.name GIT_CONFIG_VALUE_0= GIT_CONFIG_KEY_1=user.email GIT_CONFIG_VALUE_1= \
	"$branch" readahead

#
# A user's repository
#

src=$tmp/src
git init -q "$src"
cp -r "$O/7.3/pristine/." "$src"
git -C "$src" add -A
git -C "$src" commit -q -m "a base"
# upstream REF: what is checked out is what was fetched as REF
upstream()
{
	git -C "$src" add -A
	git -C "$src" commit -q --allow-empty -m "upstream moves on"
	git -C "$src" update-ref "refs/remotes/origin/$1" HEAD
}
upstream mm-new
KERNEL_SRC=$src
export KERNEL_SRC

# all of it but the one branch
state()
{
	(cd "$src" && git for-each-ref | grep -v "refs/heads/b4/" && cat .git/config .git/HEAD &&
		git status --porcelain && git stash list && git worktree list && git ls-files -s &&
		find . -path ./.git -prune -o -type f -print | sort | xargs cat) | git hash-object --stdin
}
on()
{
	export BASE_REF="origin/$1"
}
# gone: so that there is room for the next one
gone()
{
	git -C "$src" branch -q -D b4/readahead 2>/dev/null
	:
}

on mm-new
was=$(state)
check "a branch in KERNEL_SRC" 0 "^cd $src && git checkout b4/readahead && b4 send\$" "$branch" readahead
is_true "and nothing else is touched" test "$(state)" = "$was"
is_true "it gives the same tree" test "$(git -C "$src" rev-parse 'b4/readahead^{tree}')" = \
	"$(git -C "$src" write-tree >/dev/null; cp -r "$src" "$tmp/am"; cd "$tmp/am" && git checkout -q --detach origin/mm-new &&
		git am -q "$top"/patches/7.3/readahead/0*.patch && git rev-parse 'HEAD^{tree}')"
rm -rf "$tmp/am"
check "its base is the one that was fetched" 0 "^$(git -C "$src" rev-parse origin/mm-new)\$" \
	git -C "$src" rev-parse "b4/readahead~$((n + 1))"
check "the cover names it" 0 'measured on v7.3.4; this applies to origin/mm-new' \
	git -C "$src" show -s "b4/readahead~$n"
check "a branch that exists" 1 'the branch b4/readahead exists' "$branch" readahead
gone

refused()
{
	_s=$(state)
	check "$1" 1 "$2" "$branch" readahead
	is_true "$1: in one line" test "$(printf '%s\n' "$out" | grep -c .)" = 1
	ok "$([ "$(state)" = "$_s" ] && ! git -C "$src" rev-parse -q --verify b4/readahead >/dev/null; echo $?)" \
		"$1: and nothing is touched"
}
echo dirty >>"$src/mm/readahead.c"
refused "a dirty tree" 'uncommitted changes'
git -C "$src" checkout -q mm/readahead.c
BASE_REF='' refused "no BASE_REF" 'BASE_REF=: expected a branch or tag'
BASE_REF=nope refused "a BASE_REF that is not there" 'BASE_REF=nope: no such commit'
git -C "$src" commit -q --allow-empty -m "of this machine"
BASE_REF=HEAD refused "a base that nobody else has" 'nobody else has this base'
check "KERNEL_SRC that is not there" 1 'KERNEL_SRC=.*: no such directory' env KERNEL_SRC="$tmp/none" "$branch" readahead
mkdir "$tmp/plain"
check "KERNEL_SRC that is no repository" 1 'not a git repository' env KERNEL_SRC="$tmp/plain" "$branch" readahead
check "BASE_REF alone" 1 'expected KERNEL_SRC= with it' env KERNEL_SRC= "$branch" readahead

#
# A tree that has moved on
#

# drift NAME SED FILE...: a branch of upstream that differs so
drift()
{
	_d=$1 _sed=$2
	shift 2
	git -C "$src" checkout -q --detach origin/mm-new
	(cd "$src" && sed -i "$_sed" "$@")
	upstream "$_d"
	on "$_d"
}
# engine: the simulator compiles what has become of mm/
engine()
{
	rm -rf "$tmp/tree" "$tmp/sim"
	mkdir "$tmp/tree" "$tmp/sim"
	git -C "$src" archive b4/readahead | tar -xf - -C "$tmp/tree"
	make -s -C tools/testing/readahead KDIR="$tmp/tree" OUT="$tmp/sim" engine program &&
		"$tmp/sim/readahead" test -e "$tmp/sim/engine.so"
}

drift shifted '1s/^/\/\* a line more \*\/\n\n\n/' mm/filemap.c mm/readahead.c
check "files that are shifted" 0 'b4 send$' "$branch" readahead
engine >"$tmp/said" 2>&1
ok $? "files that are shifted: it builds, and passes its tests"
gone

drift edited "/^pgoff_t page_cache_next_miss/,/^}/s,^\tXA_STATE(.*,&\n\t/* moved on */," mm/filemap.c
check "a function that has been edited elsewhere is named" 0 \
	'0001-.*: page_cache_next_miss\(\) has moved on since v7.3.4' "$branch" readahead
gone

# The same body under another name, as when two look alike
drift other 's/^\(pgoff_t page_cache_\)next_miss(/\1some_miss(/' mm/filemap.c
refused "a hunk that would go into another function" \
	'0001-.*: mm/filemap.c: it would change page_cache_some_miss where v7.3.4 has it in page_cache_next_miss'
# The right one is edited, and a copy of what it was stands under #else
git -C "$src" checkout -q --detach origin/mm-new
awk '/^pgoff_t page_cache_next_miss/ { on = 1 } on { body = body $0 "\n" }
     on && /^}/ { on = 0; other = body; sub(/max_scan--/, "max_scan-- > 0", other)
		  printf "#ifdef CONFIG_OTHER\n%s#else\n%s#endif\n", other, body; next }
     !on { print }' "$src/mm/filemap.c" >"$tmp/filemap.c"
cp "$tmp/filemap.c" "$src/mm/filemap.c"
upstream twice
on twice
refused "a hunk that fits only a second function of the name" \
	'would change page_cache_next_miss#2 where v7.3.4 has it in page_cache_next_miss'

git -C "$src" checkout -q --detach origin/mm-new
(cd "$src" && git apply "$top"/patches/7.3/readahead/0001-*.patch)
upstream merged
on merged
check "a patch that is merged is left out" 0 '0001-.*: is in origin/merged already, left out' "$branch" readahead
is_true "a patch that is merged: the rest is there" test \
	"$(git -C "$src" rev-list --count origin/merged..b4/readahead)" = "$n"
engine >"$tmp/said" 2>&1
ok $? "a patch that is merged: it builds, and does its tests"
gone
(cd "$src" && git checkout -q --detach origin/merged && git apply "$top"/patches/7.3/readahead/0002-*.patch)
upstream all
on all
check "all of it is merged" 1 'all of it is in origin/all already' "$branch" readahead

git -C "$src" checkout -q --detach origin/mm-new
awk '/^@@ / { n++ } n < 2' patches/7.3/readahead/0001-*.patch >"$tmp/half.diff"
(cd "$src" && git apply "$tmp/half.diff")
upstream half
on half
refused "a patch that is merged in part" '0001-.*: is in origin/half in part \(1 of 2 hunks\)'

drift conflict 's/while (max_scan--)/while (max_scan-- > 0)/' mm/filemap.c
refused "a conflict" '0001-.*: does not apply to origin/conflict: patch failed: mm/filemap.c:[0-9]+'
drift nobody '/./d' MAINTAINERS
refused "a tree that names no maintainers" 'get_maintainer.pl|names nobody'

#
# The next version, in a clone of this repository
#

unset KERNEL_SRC BASE_REF
us=$tmp/us
mkdir "$us"
git ls-files --cached --others --exclude-standard | tar -cf - -T - | tar -xf - -C "$us"
git -C "$us" init -q
git -C "$us" config user.name "$GIT_AUTHOR_NAME"
git -C "$us" config user.email "$GIT_AUTHOR_EMAIL"
git -C "$us" add -A
git -C "$us" commit -q -m "as sent"
our=$us/patches/7.3/readahead
rev=$(sed -n 's/^revision: *//p' "$our/cover")
next=$((rev + 1))
reroll=$us/tools/send/reroll.sh
check "reroll: what was sent is not known" 1 "sent/7.3/readahead-v$rev: no such commit: which one was sent" "$reroll" readahead
git -C "$us" tag "sent/7.3/readahead-v$rev"
check "reroll: nothing has changed" 1 'nothing has changed since v' "$reroll" readahead
sed -i 's/^When two threads read one open file/When threads read one open file/' "$our"/0001-*.patch
check "reroll" 0 "readahead is v$next: fill in what EDITME" "$reroll" readahead
check "reroll: the revision" 0 "^revision: $next\$" cat "$our/cover"
check "reroll: the change-id is as it was" 0 "^change-id: $id\$" cat "$our/cover"
check "reroll: there is a section for what is new" 0 "^Changes in v$next:\$" cat "$our/cover"
check "reroll: the range-diff is kept" 0 '^    \+    When threads read' cat "$our/range-diff"
check "reroll: it is in the cover that is sent" 1 'cover letter needs to be edited' \
	"$us/tools/send/mails.sh" readahead "$tmp/mails"
check "reroll: once" 1 'says EDITME: v[0-9]* was never finished' env SENT=HEAD "$reroll" readahead
sed -i 's/^- EDITME.*/- say it in fewer words/; s/EDITME/https:\/\/example.org\/v1/' "$our/cover"
is_true "reroll: the next version can be sent" "$us/tools/send/mails.sh" readahead "$tmp/mails"
check "reroll: as that" 0 "^Subject: \[PATCH v$next 0/$n\]" cat "$tmp"/mails/0000*.eml
check "reroll: with the range-diff" 0 '^    \+    When threads read' cat "$tmp"/mails/0000*.eml
SIGNOFF=1 "$us/tools/send/mails.sh" readahead "$tmp/mails"
check "reroll: and nothing is objected" 0 ' 0 objections' "$us/tools/send/check.sh" "$tmp/mails"
check "reroll: another commit than was sent" 1 "HEAD~0: its cover is of revision $rev, the one here of $next" \
	env SENT=HEAD~0 "$reroll" readahead

#
# The cover
#

for what in 's/^change-id: .*/change-id: readahead/' 's/^revision: .*/revision: 0/' '/^change-id:/d'; do
	cp patches/7.3/readahead/cover "$our/cover"
	sed -i "$what" "$our/cover"
	check "a cover with $what" 1 'cover: (change-id|revision): expected' "$us/tools/send/branch.sh" readahead
done
head -n 3 patches/7.3/readahead/cover >"$our/cover"
check "a cover without a text" 1 'cover: expected a subject' "$us/tools/send/branch.sh" readahead
sed 's/^@size@$/@sizes@/' patches/7.3/readahead/cover >"$our/cover"
check "a cover that includes what is not there" 1 '@sizes@: no such file beside it' "$us/tools/send/branch.sh" readahead

is_true "the cover: no line is wider than 75 columns" sh -c "! grep -E '^.{76}' patches/7.3/*/cover"

done_testing
