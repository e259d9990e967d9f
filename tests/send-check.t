#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Each rule of send-check has mails that break it, and nothing else fires then.
# A folder of fixtures/send has what replaces a mail of "good"; its name begins
# with the rule.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"

send=$top/tools/send/check.sh
good=tests/fixtures/send/good
rules=$(sed -n 's/^#   \([a-z-]*\)  *[^ ].*/\1/p' "$send" | sort)

# with COMMAND...: what it does to a copy of the good mails, and what is said then
with()
{
	rm -rf "$tmp/mails"
	cp -r $good "$tmp/mails"
	(cd "$tmp/mails" && "$@")
}

check "mails in which all is well" 0 '^send-check: 3 mails, 0 objections$' "$send" $good
# fires RULE NAME: it alone does
fires()
{
	check "$2" 1 ": $1: " "$send" "$tmp/mails"
	_other=$(printf '%s\n' "$out" | grep -v '^send-check: ' | grep -v "^[^:]*: $1: ")
	ok "$([ -z "$_other" ]; echo $?)" "$2: and no other rule"
	[ -z "$_other" ] || printf '%s\n' "$_other" | sed 's/^/# /'
}

for d in tests/fixtures/send/*/; do
	name=$(basename "$d")
	[ "$name" != good ] || continue
	rule=
	for r in $rules; do
		case $name in
		"$r" | "$r"-*) rule=$r ;;
		esac
	done
	is_true "$name: is of a rule" test -n "$rule"
	with cp "$top/$d"/* .
	fires "$rule" "$name"
	echo "$rule" >>"$tmp/tried"
done
with rm 0000-cover.eml
fires cover "no cover"
with rm 0002-note.eml
fires series "a part that is missing"
with cp 0001-note.eml 0003-note.eml
fires series "a part that is there twice"
check "every rule has been broken" 0 '^$' sh -c \
	"sort -u '$tmp/tried' | printf '%s\n' '$rules' | grep -vxFf '$tmp/tried' || :"

# What lets a mail pass is told, and holds for that and nothing else.
with cp "$top/tests/fixtures/send/person/0001-note.eml" .
echo 'Reviewed-by: Nobody <nobody@example.org>' >"$tmp/tags"
check "a tag that was given" 0 '0 objections' env TAGS="$tmp/tags" "$send" "$tmp/mails"
echo 'Reviewed-by: Nobody <nobody@example.com>' >"$tmp/tags"
check "another one" 1 ': person: ' env TAGS="$tmp/tags" "$send" "$tmp/mails"
check "TAGS that is not there" 1 'TAGS=.*: no such file' env TAGS="$tmp/none" "$send" $good

with cp "$top/tests/fixtures/send/checkpatch/0001-note.eml" .
printf 'TRAILING_WHITESPACE\tmm/readahead.c\tFirst version\tto see if it works\n' >"$tmp/allow"
check "what the list allows" 0 '0 objections' env ALLOW="$tmp/allow" "$send" "$tmp/mails"
for other in 'LONG_LINE\tmm/readahead.c\tFirst version' 'TRAILING_WHITESPACE\tmm/shmem.c\tFirst version' \
	'TRAILING_WHITESPACE\tmm/readahead.c\tSecond version'; do
	printf '%b\tanother\n' "$other" >"$tmp/allow"
	check "another type, file or line" 1 ': checkpatch: TRAILING' env ALLOW="$tmp/allow" "$send" "$tmp/mails"
done
printf 'TRAILING_WHITESPACE\tmm/readahead.c\t*\n' >"$tmp/allow"
check "a line of the list without a reason" 1 'allow:1: expected TYPE, FILE, TEXT, REASON' \
	env ALLOW="$tmp/allow" "$send" $good

mkdir "$tmp/empty"
check "a folder without mails" 1 'no mail there' "$send" "$tmp/empty"
# A transfer encoding hides nothing.
with sh -c "awk '/^\$/ && !b { b = 1; print; exit } { sub(/Encoding: 7bit/, \"Encoding: base64\"); print }' \
	'$top/tests/fixtures/send/person/0001-note.eml' >0001-note.eml &&
	sed '1,/^\$/d' '$top/tests/fixtures/send/person/0001-note.eml' | base64 >>0001-note.eml"
check "a tag in base64 is found" 1 ': person: not given' "$send" "$tmp/mails"

done_testing
