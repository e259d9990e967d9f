#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# review.sh MBOX DIR - the series that came by mail, as a quilt in DIR
#
# Takes the newest version of the series that the mailbox has, in the order of its
# numbers, whatever the order and the transfer encoding of the mails.  Replies are
# passed over, and it is said which.  The patches have to apply to the pinned tree
# without fuzz and to give the very files that their index lines name; a mail of
# which that is not true is named, and DIR is not there.
#
# DIR gets "series", the patches, and "topic", the topics of our claims that are
# about what is changed.
set -eu

# shellcheck source=tools/kernel/lib.sh
. "$(dirname "$0")/../kernel/lib.sh"
# shellcheck source=tools/send/lib.sh
. "$top/tools/send/lib.sh"

mbox=${1:-}
dir=${2:-}
[ -n "$dir" ] || die "usage: review.sh MBOX DIR"
rm -rf "$dir"
[ -n "$mbox" ] || die "MBOX=: expected a file with the mails of a series"
[ -f "$mbox" ] || die "MBOX=$mbox: no such file"
[ -s "$mbox" ] || die "MBOX=$mbox: is empty"
[ -f "$work/pristine.id" ] || die "no kernel tree in $work: run make fetch first"
: "${PRISTINE:=$work/pristine}"
mkdir -p "$(dirname "$dir")"
stage=$dir.new
tmps="$tmps $stage $dir.files"
rm -rf "$stage"
mkdir -p "$stage/mails"

# a CR at the end of each line is of the transport, and goes here
git mailsplit -b -o"$stage/mails" "$mbox" >/dev/null 2>"$stage/said" ||
	die "MBOX=$mbox: $(sed 1q "$stage/said")"

# subject, version, number, total, author of each that is a patch or a cover
: >"$stage/list"
for m in "$stage"/mails/*; do
	i=$(basename "$m")
	git mailinfo -k --encoding=UTF-8 "$stage/$i.msg" "$stage/$i.diff" <"$m" >"$stage/$i.info" 2>"$stage/said" ||
		die "mail $((${i#"${i%%[!0]*}"})) of $mbox: $(sed 1q "$stage/said")"
	s=$(sed -n 's/^Subject: //p' "$stage/$i.info")
	e=$(sed -n 's/^Email: //p' "$stage/$i.info")
	case $s in
	"") die "mail $((${i#"${i%%[!0]*}"})) of $mbox: has no subject: is it a mailbox?" ;;
	*'[PATCH'* | *'[RFC PATCH'*) ;;
	*) say "review: passed over: \"$s\": no [PATCH] in its subject"; continue ;;
	esac
	case $s in
	[Rr][Ee]:* | [Aa][Ww]:* | [Ff][Ww]*:*) say "review: passed over: \"$s\": a reply"; continue ;;
	esac
	tag=$(echo "$s" | sed -n 's/^[^[]*\[\([^]]*\)\].*/\1/p' | tr , ' ')
	v=$(echo " $tag " | sed -n 's/.* [vV]\([0-9][0-9]*\) .*/\1/p')
	n=$(echo " $tag " | sed -n 's/.* \([0-9][0-9]*\)\/[0-9][0-9]* .*/\1/p' | sed 's/^0*\([0-9]\)/\1/')
	t=$(echo " $tag " | sed -n 's/.* [0-9][0-9]*\/\([0-9][0-9]*\) .*/\1/p' | sed 's/^0*\([0-9]\)/\1/')
	id=$(awk '/^$/ { exit } tolower($0) ~ /^message-id:/ { sub(/^[^:]*:[ \t]*/, ""); print; exit }' "$m")
	printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "${v:-1}" "${n:-1}" "${t:-1}" "$i" "$e" "${id:--}" "$s" >>"$stage/list"
done
[ -s "$stage/list" ] || die "$mbox: no [PATCH] in it"

newest=$(cut -f1 "$stage/list" | sort -n | tail -n 1)
cut -f1 "$stage/list" | sort -nu | while read -r v; do
	[ "$v" = "$newest" ] || say "review: v$v is passed over, there is a v$newest"
done
awk -F '\t' -v v="$newest" '$1 == v' "$stage/list" | sort -t '	' -k2,2n -k4,4 >"$stage/now"
total=$(cut -f3 "$stage/now" | sort -u)
[ "$(echo "$total" | wc -l)" = 1 ] ||
	die "$mbox: more than one series of version $newest: of $(echo "$total" | tr '\n' ' ')parts: expected one"

for n in $(seq "$total"); do
	got=$(awk -F '\t' -v n="$n" '$2 == n' "$stage/now")
	[ -n "$got" ] || die "$mbox: [PATCH $n/$total] of version $newest is missing"
	if [ "$(echo "$got" | wc -l)" != 1 ]; then
		# the same mail twice, as from two lists, is one
		for i in $(echo "$got" | cut -f4); do
			cat "$stage/$i.msg" "$stage/$i.diff" | git hash-object --stdin
		done | sort -u >"$stage/ids"
		[ "$(wc -l <"$stage/ids")" = 1 ] ||
			die "$mbox: two different mails \"$(echo "$got" | sed 1q | cut -f7)\": expected one series"
		got=$(echo "$got" | sed 1q)
	fi
	i=$(echo "$got" | cut -f4)
	s=$(echo "$got" | cut -f7)
	grep -q '^@@ ' "$stage/$i.diff" || die "\"$s\": no patch in it"
	# What a mailer does to a patch shows before it does not apply.
	grep -q "$(printf '\r')" "$stage/$i.diff" && die "\"$s\": has lines that end in CR"
	awk '/^@@ / { hunk = 1; next } /^diff |^-- $/ { hunk = 0 }
	     hunk && /^[ +-]        / { blanks++ } hunk && /^[ +-]\t/ { tabs++ }
	     END { exit !(blanks && !tabs) }' "$stage/$i.diff" &&
		die "\"$s\": its tabs have become blanks on the way"
	f=$(printf '%04d-mail.patch' "$n")
	cat "$stage/$i.msg" "$stage/$i.diff" >"$stage/$f"
	echo "$f" >>"$stage/series"
	printf '%s\t%s\n' "$f" "$s" >>"$stage/names"
done

# subject_of PATCH
subject_of()
{
	awk -F '\t' -v f="$1" '$1 == f { print $2 }' "$stage/names"
}

# What apply.sh says of a patch is said of the mail.
if ! "$top/tools/kernel/apply.sh" "$dir.files" "$stage/series" >"$stage/said" 2>&1; then
	what=$(tail -n 1 "$stage/said")
	f=$(echo "$what" | grep -o '[0-9]*-mail\.patch' | sed 1q)
	[ -n "$f" ] || die "$what"
	die "\"$(subject_of "$f")\": ${what##*"$f": }"
fi
while read -r line; do
	f=$(echo "$line" | grep -o '[0-9]*-mail\.patch' | sed 1q)
	case $line in
	*'becomes blob'*)
		# made for other files than ours it may well be another blob
		path=$(echo "$line" | sed 's/.*patch: \(.*\) becomes blob.*/\1/')
		was=$(sed -n "\\,^diff --git a/$path ,,/^index /s/^index \\([0-9a-f]*\\)\\.\\..*/\\1/p" "$stage/$f" | sed 1q)
		first=$(grep -l "^+++ b/$path" "$stage"/*-mail.patch | sed 1q)
		case $(blob_id "$PRISTINE/$path") in
		"$was"*)
			[ "$(basename "$first")" != "$f" ] ||
				die "\"$(subject_of "$f")\": $path does not become what its index line says: it was changed on the way" ;;
		esac
		[ "$(basename "$first")" = "$f" ] ||
			die "\"$(subject_of "$f")\": $path does not become what its index line says: it was changed on the way"
		say "review: \"$(subject_of "$f")\": was made for another $path than that of v$(pin_field version)" ;;
	*) say "review: \"$(subject_of "$f")\": ${line##*"$f": }" ;;
	esac
done <"$stage/said"

# Which claims?  Those of the topic whose change-id the mails have; or that has a
# patch of one of their names; or else, of somebody else's patches, those of all
# topics that touch the same files.
id=$(grep -hs '^change-id: ' "$stage"/*.msg "$stage"/*.diff | sed 1q | sed 's/^change-id: *//')
touched "$stage"/*-mail.patch >"$stage/touched"
cut -f 2 "$stage/names" | sed 's/^.*\[[^]]*PATCH[^]]*\] *//' >"$stage/titles"

# of_topic TOPIC: its patches
of_topic()
{
	[ "$1" = tests ] || series_patches "$PATCHES/$BASE/series" | grep "/$1/"
}
has_id()
{
	[ -n "$id" ] && [ "$(cover_field "$PATCHES/$BASE/$1/cover" change-id)" = "$id" ]
}
has_title()
{
	# shellcheck disable=SC2046 # file names without blanks
	[ "$1" != tests ] &&
		sed -n 's/^Subject: \[[^]]*\] *//p' $(of_topic "$1") | grep -qxFf "$stage/titles"
}
has_file()
{
	# shellcheck disable=SC2046 # file names without blanks
	[ "$1" != tests ] && touched $(of_topic "$1") | grep -qxFf "$stage/touched"
}
for how in has_id has_title has_file; do
	for t in $(topics); do
		! $how "$t" || echo "$t"
	done >"$stage/topic"
	[ ! -s "$stage/topic" ] || break
done
rm -rf "$stage"/mails "$stage"/*.msg "$stage"/*.diff "$stage"/*.info "$stage/said" "$stage/list" "$stage/now" "$stage/names" "$stage/ids" "$stage/touched" "$stage/titles"
mv "$stage" "$dir"
say "review: $total patches, version $newest, apply to v$(pin_field version); topic: $(tr '\n' ' ' <"$dir/topic")"
