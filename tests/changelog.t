#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Every message in the quilts is what its .msg and the stored results give, and
# a figure that differs is named.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"

lab=$O/bin/lab
topic=patches/7.3/readahead
two=0002-mm-readahead-do-not-ramp-up-again-after-an-aligned-window

topics=0
for d in patches/*/*/; do
	[ -f "$d/result.json" ] || [ -f "$d/time.json" ] || continue
	topics=$((topics + 1))
	is_true "${d%/}: its messages are what its results give" "$lab" changelog --check "${d%/}"
	for p in "$d"*.patch; do
		is_true "$(basename "$p") has a .msg" test -f "${p%.patch}.msg"
	done
done
is_true "there are topics" test $topics -ge 1
check "they can be printed" 0 'takes 3328\.$' "$lab" changelog $topic

# changed NAME FILE SED REGEX: a copy of the topic with an edit is not as it should be
changed()
{
	rm -rf "$tmp/t"
	cp -r $topic "$tmp/t"
	sed "$3" $topic/"$2" >"$tmp/t/$2"
	is_true "$1: something was changed" sh -c "! cmp -s '$tmp/t/$2' '$topic/$2'"
	check "$1" "${5:-1}" "$4" "$lab" changelog --check "$tmp/t"
}
changed "a figure above the ---" $two.patch 's/^takes 3328\./takes 3329./' \
	"^$tmp/t/$two.patch:[0-9]+: \"3329\\.\" stands there, \\{A1 base reads\\} gives \"3328\\.\"\$"
changed "a figure in a table" $two.patch 's/^A6 \(.*\) 4098 \(.*\)/A6 \1 4097 \2/' \
	"\"4097\" stands there, \\{table\\} gives \"4098\""
changed "a losing row left out" $two.patch '/^TR2M .*loss/d' '\{times\} gives "TR2M"'
changed "a word" $two.patch 's/^The cut itself is right/The cut itself is wrong/' \
	'"wrong:" stands there, its .msg has "right:"'
changed "a row that was typed into the result" result.json \
	'/"claims"/,/"order"/s/"reads": *1029/"reads":1028/' \
	'claim A1: reads of patched: 1028 is stored, its samples give 1029' 2
# shellcheck disable=SC2016 # the last line, to sed
changed "a sample that was typed" result.json '/"samples"/,$s/"reads": *1029/"reads":1028/' \
	'claim A1: reads in a sample of patched: 1028 is stored, its samples give 1029' 2
# shellcheck disable=SC2016 # the same
changed "a time that was typed" time.json '/"samples"/,$s/"guest_ns": *83/"guest_ns":73/' \
	'claim T1: ns of base: [0-9]* is stored, its samples give' 2
changed "a field of nothing" $two.msg 's/{A1 base reads}/{A99 base reads}/' \
	"^lab: $tmp/t/$two.msg:[0-9]+: \\{A99 base reads\\}: no claim A99" 2
changed "a figure that is none" $two.msg 's/{A1 base reads}/{A1 base luck}/' \
	'\{A1 base luck\}: no such figure' 2
changed "a field without an end" $two.msg 's/{A1 base reads}/{A1 base reads/' \
	"^lab: $tmp/t/$two.msg:[0-9]+: expected a \\} that ends the field" 2
changed "a file that has no such line" $two.msg 's/{sweep: cells|M}/{sweep: sells|M}/' \
	'no line of .*/sweep begins with "sells" and a number' 2

# Put into the patches, all is well; but for the message nothing changes.
rm -rf "$tmp/t"
cp -r $topic "$tmp/t"
sed -i 's/3328/4711/; s/5[0-9]*\.[0-9] KiB/7 KiB/' "$tmp/t/$two.patch"
is_true "--apply" "$lab" changelog --apply "$tmp/t"
is_true "makes them as they were" diff -r $topic "$tmp/t"
rm "$tmp/t/$two.patch"
check "a message without its patch" 2 "$two.patch: No such file" "$lab" changelog --apply "$tmp/t"
is_true "and nothing else is changed" diff $topic/0001-*.patch "$tmp/t"/0001-*.patch
check "a folder without messages" 2 'no message \(\*.msg\) there' "$lab" changelog --check tests
check "make: no topic" 2 'TOPIC=: expected one of: ' make -s changelog TOPIC=
check "make: a topic that is none" 2 'TOPIC=../..: expected one of|TOPIC=tea: expected one of: .*readahead' \
	make -s changelog TOPIC=tea

done_testing
