# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# Shared by the scripts beside it, after tools/kernel/lib.sh: topics, mails,
# the sender.

# topics: those of the quilt, in its order, and "tests" if it has a changelog
topics()
{
	sed 's/[[:blank:]]*#.*//; s/^[[:blank:]]*//; s,/.*,,; /^$/d' "$PATCHES/$BASE/series" |
		awk '!seen[$0]++'
	[ ! -d "$PATCHES/$BASE/tests" ] || echo tests
}

# topic_is_there TOPIC
topic_is_there()
{
	topics | grep -qxF -- "$1" ||
		die "TOPIC=$1: no such topic in patches/$BASE; there are: $(topics | tr '\n' ' ')"
}

# cover_field COVER NAME: of the head of a cover, which ends at the first blank
# line
cover_field()
{
	sed -n '/^$/q; s/^'"$2"':[[:blank:]]*//p' "$1" | sed 1q
}

# cover_text COVER: subject, a blank line, and the body
cover_text()
{
	sed '1,/^$/d' "$1"
}

# cover_check COVER: die unless it has what b4 has to know
cover_check()
{
	[ -r "$1" ] || die "$1: no such cover: expected change-id:, revision:, a blank line, a subject and a body"
	cover_field "$1" change-id | grep -qE '^[0-9]{8}-[a-z0-9-]+-[0-9a-f]{12}$' ||
		die "$1: change-id: expected YYYYMMDD-words-12hex in the head"
	cover_field "$1" revision | grep -qE '^[1-9][0-9]?$' ||
		die "$1: revision: expected 1 to 99 in the head"
	! cover_field "$1" prefix | grep -qvE '^[A-Za-z0-9.-]+$' ||
		die "$1: prefix: expected a word for [PATCH word n/m] in the head"
	# shellcheck disable=SC2016 # awk's
	cover_text "$1" | awk 'NR == 1 && /[^ ]/ { s = 1 } NR == 2 && $0 == "" { b = 1 }
		NR > 2 && /[^ ]/ { t = 1 } END { exit !(s && b && t) }' ||
		die "$1: expected a subject, a blank line and a body below the head"
}

# split MAIL DIR: DIR/subject, DIR/from, DIR/date, DIR/message (what becomes the
# commit message), DIR/detail (what stands between the first --- and the
# diffstat) and DIR/diff.  git decides what is what, as "git am" would.
split()
{
	mkdir -p "$2"
	git mailinfo --encoding=UTF-8 "$2/message" "$2/diff" <"$1" >"$2/info" 2>"$2/error" ||
		return 1
	sed -n 's/^Author: //p' "$2/info" | sed 1q >"$2/name"
	sed -n 's/^Email: //p' "$2/info" | sed 1q >"$2/email"
	sed -n 's/^Subject: //p' "$2/info" | sed 1q >"$2/subject"
	sed -n 's/^Date: //p' "$2/info" | sed 1q >"$2/date"
	# the diffstat is the last of what is above the diff: it begins where
	# nothing but its lines follow
	awk '/^diff --git / || /^--- a\// || /^@@ / { exit } NR > 1 || $0 != "---"' "$2/diff" |
		awk '{ line[NR] = $0 }
		     END {
			for (n = NR; n && line[n] ~ /^$|^---$|^ .* \| +[0-9]+ ?[+-]*$|^ .* \| +Bin |^ [0-9]+ files? changed|^ (create|delete) mode |^ rename /; n--)
				;
			for (i = 1; i <= n; i++)
				print line[i]
		     }' >"$2/detail"
}

# sender REPOSITORY: "Name <mail>", as git has it there
sender()
{
	_n=$(git -C "$1" config user.name) || _n=
	_e=$(git -C "$1" config user.email) || _e=
	_n=${GIT_AUTHOR_NAME:-$_n} _e=${GIT_AUTHOR_EMAIL:-$_e}
	case $_n:$_e in
	:* | *:) die "who is sending? git config user.name and user.email in $1 say nothing" ;;
	esac
	printf '%s <%s>\n' "$_n" "$_e"
}

# b4_send REPOSITORY DIR: the mails of the branch that is checked out there, as
# files; nothing is sent.  0.12 would otherwise choose kernel.org's endpoint for a
# tree with a Kconfig, and then insist on a signature.
b4_send()
{
	mkdir -p "$2"
	(cd "$1" && unset GIT_INDEX_FILE && GIT_CONFIG_COUNT=1 \
		GIT_CONFIG_KEY_0=sendemail.smtpserver GIT_CONFIG_VALUE_0=localhost \
		"${B4:-b4}" send --no-sign -o "$2" </dev/null >"$2/log" 2>&1) ||
		die "b4 send: $({ grep "CRITICAL\|ERROR" "$2/log" || tail -n 1 "$2/log"; } | sed 1q)"
	rm -f "$2/log"
	_last=$(find "$2" -name '*.eml' | sort | sed 1q)
	[ -n "$_last" ] || die "b4 send wrote no mail into $2"
}

# patches_of DIR: the mails that are patches, in order; a cover letter has no diff
patches_of()
{
	find "$1" -name '*.eml' | sort | while read -r _m; do
		! grep -q '^diff --git ' "$_m" || echo "$_m"
	done
}

# to_mbox DIR: all mails as one mbox
to_mbox()
{
	find "$1" -name '*.eml' | sort | while read -r _m; do
		echo "From mboxrd@z Thu Jan  1 00:00:00 1970"
		sed 's/^\(>*From \)/>\1/' "$_m"
		echo
	done
}
