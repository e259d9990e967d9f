#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A series that comes by mail ends as the tree that its author had, whatever was
# done to the mails, or is refused by one line that names the mail.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
# shellcheck source=tests/send.sh
. "$top/tests/send.sh"

review=$top/tools/send/review.sh
small_tree 7.3 "$O"
# the last line of a table goes below the diffstat if it is sent by mail
tools/send/mails.sh readahead "$tmp/sent"
one=$(ls "$tmp"/sent/0001*)
two=$(ls "$tmp"/sent/0002*)
cover=$(ls "$tmp"/sent/0000*)
# the tree with this topic alone
cp -r patches/7.3 "$tmp/quilt"
sed -i "/^readahead\\//!d" "$tmp/quilt/series"
PRISTINE=$O/7.3/pristine tools/kernel/apply.sh "$tmp/want" "$tmp/quilt/series"

# mbox MAIL...: $tmp/mbox of them
mbox()
{
	for _m in "$@"; do
		echo "From mboxrd@z Thu Jan  1 00:00:00 1970"
		cat "$_m"
		echo
	done >"$tmp/mbox"
}
# arrives NAME REGEX: the tree is right, and a line of what is said is like that
arrives()
{
	check "$1" 0 "$2" "$review" "$tmp/mbox" "$tmp/got"
	rm -rf "$tmp/tree"
	PRISTINE=$O/7.3/pristine tools/kernel/apply.sh "$tmp/tree" "$tmp/got/series" >/dev/null 2>&1
	is_true "$1: the right tree" diff -r "$tmp/want" "$tmp/tree"
}
refused()
{
	mkdir -p "$tmp/got"
	check "$1" 1 "$2" "$review" "$tmp/mbox" "$tmp/got"
	is_true "$1: nothing is left" test ! -e "$tmp/got" -a ! -e "$tmp/got.new"
}
# encoded MAIL CTE COMMAND...: its body in another transfer encoding
encoded()
{
	_mail=$1 _cte=$2
	shift 2
	sed '/^$/q' "$_mail" | sed "s/^Content-Transfer-Encoding: .*/Content-Transfer-Encoding: $_cte/"
	sed '1,/^$/d' "$_mail" | "$@"
}

mbox "$cover" "$one" "$two"
arrives "as it was sent" '^review: 2 patches, version 1, apply to v7.3.4; topic: readahead $'
mbox "$two" "$cover" "$one"
arrives "in another order" '2 patches'
mbox "$two" "$one"
arrives "without the cover, by the files that it touches" 'topic: readahead $'
mbox "$cover" "$one" "$two" "$two"
arrives "one of them twice" '2 patches'
mbox "$cover" "$one" "$two"
sed -i 's/$/\r/' "$tmp/mbox"
arrives "with CRLF" '2 patches'
encoded "$one" base64 base64 >"$tmp/b64"
# shellcheck disable=SC2016 # perl's
encoded "$two" quoted-printable perl -MMIME::QuotedPrint -0777 -ne 'print encode_qp($_)' >"$tmp/qp"
mbox "$cover" "$tmp/b64" "$tmp/qp"
arrives "base64 and quoted-printable" '2 patches'
encoded "$one" base64 sh -c "sed 's/\$/\r/' | base64" >"$tmp/b64cr"
mbox "$cover" "$tmp/b64cr" "$two"
check "CRLF inside base64" 1 '"\[PATCH 1/2\] mm/filemap: .*has lines that end in CR' "$review" "$tmp/mbox" "$tmp/got"

# an older version, which would not apply, or would give another tree
sed 's/^Subject: \[PATCH/Subject: [PATCH v2/' "$cover" >"$tmp/c2"
sed 's/^Subject: \[PATCH/Subject: [PATCH v2/' "$one" >"$tmp/12"
sed 's/^Subject: \[PATCH/Subject: [PATCH v2/' "$two" >"$tmp/22"
sed 's/^+\t\/\* the first load.*/+\t\t\/* of old *\//' "$one" >"$tmp/11"
mbox "$cover" "$tmp/11" "$two" "$tmp/c2" "$tmp/12" "$tmp/22"
arrives "an older version with it" 'v1 is passed over, there is a v2'
mbox "$tmp/c2" "$tmp/22" "$tmp/11" "$tmp/12" "$two"
arrives "an older version among it" '2 patches, version 2'

{
	echo "From: Reader <reader@example.org>"
	sed -n 's/^Subject: /Subject: Re: /p' "$one"
	echo "Date: Mon, 30 Nov 2026 12:00:00 +0000"
	echo
	echo "> what it said"
	echo "Why not so:"
	echo
	sed -n '/^diff --git/,$p' "$one" | sed 's/^+\t\txas_advance.*/+\t\txas_advance(\&xas, 0);/'
} >"$tmp/reply"
mbox "$cover" "$one" "$tmp/reply" "$two"
arrives "a reply with a diff in it" 'passed over: "Re: \[PATCH 1/2\] mm/filemap: .*: a reply'
sed 's/^Subject: .*/Subject: something else/' "$tmp/reply" >"$tmp/other"
mbox "$tmp/other" "$cover" "$one" "$two"
arrives "another mail with a diff in it" 'passed over: "something else": no \[PATCH\]'

mbox "$cover" "$one"
refused "a part is missing" '\[PATCH 2/2\] of version 1 is missing'
mbox "$cover" "$two"
refused "the first is missing" '\[PATCH 1/2\] of version 1 is missing'
expand "$one" >"$tmp/blanks"
mbox "$cover" "$tmp/blanks" "$two"
refused "blanks for tabs" '"\[PATCH 1/2\] mm/filemap: .*": its tabs have become blanks'
sed '/^@@ /,$s/[ \t]*$//; /^diff/,$s/^$/ /' "$two" | sed '/^@@ /,/^-- /s/^ \t\t\(.*\)$/ \t \t\1/' >"$tmp/white"
mbox "$cover" "$one" "$tmp/white"
refused "white space that has changed" '"\[PATCH 2/2\] mm/readahead: .*": mm/readahead.c: hunk'
sed 's/^+\t\t\/\* the first load may have/+\t\t\/* this load may have/' "$one" >"$tmp/words"
mbox "$cover" "$tmp/words" "$two"
refused "a line that has changed on the way" '"\[PATCH 1/2\] .*": mm/filemap.c does not become what its index line says'
sed '/^@@ .*prev_miss/,/^-- $/{/^-- $/!d}' "$one" >"$tmp/cut"
mbox "$cover" "$tmp/cut" "$two"
refused "a hunk that is lost" '"\[PATCH 1/2\] .*": mm/filemap.c does not become'
awk '/^@@ / { n = 12 } n && !--n { exit } { print }' "$two" >"$tmp/short"
mbox "$cover" "$one" "$tmp/short"
refused "a mail cut short" '"\[PATCH 2/2\] mm/readahead: '
sed '/^diff --git/,$d' "$one" >"$tmp/empty"
mbox "$cover" "$tmp/empty" "$two"
refused "a mail without its patch" '"\[PATCH 1/2\] .*": no patch in it'
sed 's/ 2\/2\]/ 1\/2]/' "$two" >"$tmp/same"
mbox "$cover" "$one" "$two" "$tmp/same"
refused "two with one number" 'two different mails "\[PATCH 1/2\]'
sed 's/ 2\/2\]/ 2\/3]/' "$two" >"$tmp/three"
mbox "$cover" "$one" "$tmp/three"
refused "two series" 'more than one series of version 1: of 2 3 parts'
mbox "$tmp/other"
refused "no patch at all" 'no \[PATCH\] in it'
: >"$tmp/mbox"
refused "an empty file" 'is empty'
rm "$tmp/mbox"
check "none" 1 'MBOX=.*: no such file' "$review" "$tmp/mbox" "$tmp/got"
check "no name" 1 'MBOX=: expected a file' "$review" '' "$tmp/got"

# The fixtures of send-check are a series, too, but touch no file of a quilt alone.
mbox tests/fixtures/send/good/*.eml
check "somebody else's series: of all that touch its file" 0 'version 2, apply to v7.3.4; topic: readahead' "$review" "$tmp/mbox" "$tmp/got"
sed 's,mm/readahead\.c,mm/Makefile,g' tests/fixtures/send/good/0001-note.eml >"$tmp/else"
mbox "$tmp/else"
check "one that does not apply" 1 '"\[PATCH v2 2/2\] of version|\[PATCH 2/2\] of version 2 is missing' "$review" "$tmp/mbox" "$tmp/got"

done_testing
