#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# check.sh DIR - what a maintainer's scripts would object to in the mails of DIR
#
# DIR has the mails of one series as *.eml, as "b4 send -o DIR" writes them.  Each
# objection is a line "MAIL: RULE: what is wrong"; the exit status is 1 if there
# is any.  The rules:
#
#   series      all parts are there, of one version, and none twice
#   subject     [PATCH n/m] area: what it does, in lower case, at most 75 columns
#   columns     no line of the text is wider than 75 columns, tags and URLs apart
#   diff        no line of the text looks like a diff: git am would cut there
#   diffstat    there is one
#   numbers     a patch to mm/ has figures above its ---
#   tag         Fixes:, Link: and Closes: are well-formed
#   person      no tag of a person that is not in the file TAGS, one a line
#   sign-off    the author has signed, and the sender is the last who did
#   recipients  To: and Cc: name somebody, and linux-mm is among them
#   cover       there is one, it is filled in and names base and change-id, and
#               what has changed since the version before
#   checkpatch  checkpatch.pl --strict, but for what tools/send/checkpatch.allow
#               has, which says why
#
# Environment: TAGS; TREE, the tree to take checkpatch.pl from.
set -eu

# shellcheck source=tools/kernel/lib.sh
. "$(dirname "$0")/../kernel/lib.sh"
# shellcheck source=tools/send/lib.sh
. "$top/tools/send/lib.sh"

dir=${1:?usage: check.sh DIR}
: "${TAGS:=}" "${TREE:=$work/pristine}" "${ALLOW:=$top/tools/send/checkpatch.allow}"
[ -z "$TAGS" ] || [ -r "$TAGS" ] || die "TAGS=$TAGS: no such file: expected one with a tag a line"
mails=$(find "$dir" -maxdepth 1 -name '*.eml' | sort)
[ -n "$mails" ] || die "$dir: no mail there (*.eml)"
[ -f "$TREE/scripts/checkpatch.pl" ] || die "$TREE: no kernel tree with scripts/checkpatch.pl"
_odd=$(awk -F '\t+' '!/^#/ && NF && NF != 4 { print FNR ": expected TYPE, FILE, TEXT, REASON, with tabs between"; exit }' "$ALLOW")
[ -z "$_odd" ] || die "$ALLOW:$_odd"

tmp=$(mktemp -d)
tmps="$tmps $tmp"
: >"$tmp/found"
# objection RULE TEXT, about $mail
objection()
{
	say "$(basename "$mail"): $1: $2" | tee -a "$tmp/found"
}

# header NAME: of $mail, unfolded
header()
{
	awk -v want="$(echo "$1" | tr '[:upper:]' '[:lower:]'):" '
		/^$/ { exit }
		/^[ \t]/ { if (on) { sub(/^[ \t]+/, " "); printf "%s", $0 } next }
		{ on = index(tolower($0), want) == 1 }
		on { sub(/^[^:]*:[ \t]*/, ""); printf "%s", $0 }
		END { print "" }' "$mail"
}

# each RULE: lines on standard input, as objections
each()
{
	sed 3q | while IFS= read -r _l; do
		objection "$1" "$_l"
	done
}

total=
revision=
numbers=
for mail in $mails; do
	git mailinfo --encoding=UTF-8 "$tmp/message" "$tmp/diff" <"$mail" >"$tmp/info" 2>&1 ||
		die "$mail: $(sed 1q "$tmp/info")"
	# decoded, whatever the transfer encoding was, and with what mailinfo cuts
	cat "$tmp/message" "$tmp/diff" >"$tmp/body"
	subject=$(header Subject)
	from=$(header From)
	author=$(sed -n 's/^Author: //p' "$tmp/info") email=$(sed -n 's/^Email: //p' "$tmp/info")

	_tag=$(echo "$subject" | sed -n 's/^\[PATCH\( RFC\| [0-9]*\.[0-9]*\)\{0,1\}\( v[0-9]*\)\{0,1\}\( [0-9]*\/[0-9]*\)\{0,1\}\] .*/\2 \3/p')
	what=${subject#*\] }
	if [ -z "$_tag" ]; then
		objection subject "expected [PATCH vN n/m] in front, have \"$subject\""
		continue
	fi
	_v=$(echo "$_tag" | sed -n 's/.*v\([0-9]*\).*/\1/p')
	_n=$(echo "$_tag" | sed -n 's/.* \([0-9]*\)\/\([0-9]*\)$/\1/p')
	_m=$(echo "$_tag" | sed -n 's/.* \([0-9]*\)\/\([0-9]*\)$/\2/p')
	: "${_v:=1}" "${_n:=1}" "${_m:=1}"
	[ "${total:=$_m}" = "$_m" ] || objection series "is one of $_m, others of $total"
	[ "${revision:=$_v}" = "$_v" ] || objection series "is version $_v, others are $revision"
	! echo "$numbers" | grep -qw "$_n" || objection series "there are two with number $_n"
	numbers="$numbers $_n"

	echo "$what" | grep -qE '^[a-z][a-z0-9_/.-]*(: [a-z0-9_/.-]+)*: [a-z0-9]' ||
		objection subject "expected \"area: what it does\", in lower case, have \"$what\""
	[ ${#what} -le 75 ] || objection subject "${#what} columns, expected at most 75"
	case $what in
	*.) objection subject "ends with a full stop" ;;
	esac

	is_cover=
	[ "$_n" != 0 ] || is_cover=1

	# The text is all above the diffstat; a diff that starts before that is none
	awk '/^ [0-9]+ files? changed/ { exit } { print }' "$tmp/body" >"$tmp/text"
	if ! grep -q '^ [0-9][0-9]* files\{0,1\} changed' "$tmp/body"; then
		objection diffstat "there is none"
		awk '/^diff --git / { exit } { print }' "$tmp/body" >"$tmp/text"
	fi
	# lines of a range-diff and of the diffstat are as wide as they are
	awk -v cover="$is_cover" '
		/^[A-Za-z-]+: / || /https?:\/\// || /^ .* \| +[0-9]+ / { next }
		cover && (/^ *[0-9-]+: +[0-9a-f-]+ [!<>=] / || /^    /) { next }
		length > 75 { print length " columns, expected at most 75: " substr($0, 1, 40) "..." }' "$tmp/text" |
		each columns
	grep -E '^(diff -|diff [^ ]+ [^ ]+$|Index: |--- [^ ]|\+\+\+ |@@ -)' "$tmp/text" |
		sed 's/^/looks like a diff: /' | each diff

	for _h in To Cc; do
		[ -n "$(header $_h)" ] || objection recipients "no $_h:"
	done
	echo "$(header To), $(header Cc)" | grep -q 'linux-mm@kvack\.org' ||
		objection recipients "linux-mm@kvack.org is not among them"

	# trailers are looked for in all of the text
	grep -E '^Fixes:' "$tmp/text" | grep -vE '^Fixes: [0-9a-f]{12,40} \(".+"\)$' |
		sed 's/^/expected Fixes: 12 digits ("subject"): /' | each tag
	grep -E '^(Link|Closes):' "$tmp/text" | grep -vE '^(Link|Closes): https?://[^ ]+( (\[[0-9]+\]|# .*))?$' |
		sed 's/^/expected a URL: /' | each tag
	grep -E '^[A-Z][A-Za-z-]*-[Bb]y:' "$tmp/text" | grep -vFx "Signed-off-by: $from" |
		grep -vFx "Signed-off-by: $author <$email>" | while IFS= read -r _l; do
			[ -n "$TAGS" ] && grep -qFx -- "$_l" "$TAGS" || echo "not given by TAGS: $_l"
		done | each person

	if [ -n "$is_cover" ]; then
		! grep -q EDITME "$tmp/text" || objection cover "says EDITME: fill it in"
		grep -q '^change-id: ' "$tmp/body" || objection cover "names no change-id"
		grep -qE '^base-commit: [0-9a-f]{40}$|applies to v[0-9.]+' "$tmp/body" ||
			objection cover "names no base"
		[ "$(awk '/^---$/ { exit } NF' "$tmp/text" | wc -l)" -ge 5 ] ||
			objection cover "is almost empty"
		[ "$_v" = 1 ] || grep -q "^Changes in v$_v:" "$tmp/text" ||
			objection cover "does not say what is new: expected \"Changes in v$_v:\""
		continue
	fi

	# what is above the first ---, also if something there looks like a diff
	awk '/^---$/ { exit } { print }' "$tmp/text" >"$tmp/above"
	if grep -qE '^\+\+\+ b/mm/[^/]*\.[ch]$' "$tmp/diff"; then
		# words that are figures; two of them are a before and an after
		_c=$(tr -s '[:space:](),;' '\n' <"$tmp/above" | grep -cE '^[0-9]+(\.[0-9]+)?%?[.:]?$') || :
		[ "$_c" -ge 2 ] || objection numbers "none above the ---: what does it gain, and what does it cost?"
	fi
	_last=$(grep '^Signed-off-by: ' "$tmp/above" | tail -n 1)
	if [ -z "$_last" ]; then
		objection sign-off "there is none: SIGNOFF=1 adds the sender's"
	else
		grep -qF "<$email>" <<-END || objection sign-off "the author, $author <$email>, has not signed"
		$(grep '^Signed-off-by: ' "$tmp/above")
		END
		_f=$(echo "$from" | sed 's/.*<\(.*\)>.*/\1/')
		echo "$_last" | grep -qF "<$_f>" ||
			objection sign-off "the last is not of the sender, $from"
	fi

	# What is judged here by rules of our own is ignored there.  It looks for
	# commits in the repository that it is called in, which is not the kernel's.
	perl "$TREE/scripts/checkpatch.pl" --root="$TREE" --strict --show-types --no-summary \
		--quiet --ignore MISSING_SIGN_OFF,NO_AUTHOR_SIGN_OFF,BAD_SIGN_OFF,COMMIT_LOG_LONG_LINE \
		--ignore DIFF_IN_COMMIT_MSG,COMMIT_LOG_WRONG_LINK,BAD_FIXES_TAG,UNKNOWN_COMMIT_ID,EMAIL_SUBJECT - \
		<"$mail" 2>/dev/null |
		awk -F '\n' -v RS='' '
			$1 ~ /^(ERROR|WARNING|CHECK):[A-Z_]+: / {
				gsub(/\t/, " ")
				type = $1
				sub(/^[A-Z]+:/, "", type)
				why = type
				sub(/: .*/, "", type)
				sub(/^[A-Z_]*: /, "", why)
				file = "-"
				if ($2 ~ /FILE: /) {
					file = $2
					sub(/.*FILE: /, "", file)
					sub(/:[0-9]+:$/, "", file)
				}
				print type "\t" file "\t" why "\t" $3
			}' >"$tmp/checkpatch"
	while IFS='	' read -r _type _file _why _line; do
		_ok=
		while IFS='	' read -r _t _p _x _r; do
			# shellcheck disable=SC2254 # FILE is a pattern
			case $_type:$_file in
			$_t:$_p) ;;
			*) continue ;;
			esac
			case $_line in
			*"$_x"*) _ok=1 ;;
			*) [ "$_x" != "*" ] || _ok=1 ;;
			esac
		done <<-END
		$(grep -v '^#\|^$' "$ALLOW" | tr -s '\t')
		END
		[ -n "$_ok" ] || objection checkpatch "$_type: $_file: $_why: $_line"
	done <"$tmp/checkpatch"
done

mail=$dir
_first=1
[ "${total:-1}" = 1 ] || _first=0
for _i in $(seq $_first "${total:-0}"); do
	echo "$numbers" | grep -qw "$_i" && continue
	if [ "$_i" = 0 ]; then
		objection cover "there is none"
	else
		objection series "part $_i of $total is missing"
	fi
done
_n=$(wc -l <"$tmp/found")
say "send-check: $(echo "$mails" | wc -l) mails, $_n objections"
[ "$_n" = 0 ]
