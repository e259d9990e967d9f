#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# fetch.sh - the pinned kernel tree, verified, in $O/$BASE/pristine
#
# Sources, in this order: KERNEL_SRC (a tree or a git repository, only read),
# what is unpacked or cached already, then those that patches/$BASE/base names.
# What it leaves:
#   $O/$BASE/pristine      the tree; nothing writes to it afterwards
#   $O/$BASE/pristine.id   where it came from and a hash of its content
#   $O/$BASE/pristine.sums, .stat   its files' sums, and their state when those were
#                          made: what has another state is looked at
#
# Environment: KERNEL_SRC, KERNEL_REF (git only, HEAD), CACHE ($O/cache),
# KERNEL_ORG and DEBIAN_MIRROR (other places to fetch from).
set -eu

# shellcheck source=tools/kernel/lib.sh
. "$(dirname "$0")/lib.sh"

: "${CACHE:=$O/cache}" "${KERNEL_SRC:=}" "${KERNEL_REF:=HEAD}"
: "${KERNEL_ORG:=https://cdn.kernel.org/pub/linux/kernel}" "${DEBIAN_MIRROR:=}"
version=$(pin_field version)
pristine=$work/pristine
id=$pristine.id

is_tree()
{
	[ -f "$1/Makefile" ] && [ -f "$1/mm/readahead.c" ]
}

# accept TREE SOURCE: is this the tree that the quilt was made for?
accept()
{
	is_tree "$1" ||
		die "$2: not a kernel tree (no Makefile or mm/readahead.c)"
	_v=$(tree_version "$1")
	case $_v in
	"${version%.*}".* | "${version%.*}") ;;
	*) die "$2: Linux $_v, but patches/$BASE is for ${version%.*}.y" ;;
	esac
	_wrong=$(pin_blobs | while read -r _blob _file; do
		_got=$(blob_id "$1/$_file")
		[ "$_got" = "$_blob" ] || echo "$_file $_got $_blob"
	done)
	if [ -z "$_wrong" ]; then
		[ "$_v" = "$version" ] ||
			say "fetch: Linux $_v instead of $version: every file that the quilt touches has the pinned blob id"
		return 0
	fi
	# shellcheck disable=SC2086 # split into file, id got, id wanted
	set -- "$1" "$2" $_wrong
	[ "$_v" != "$version" ] ||
		die "$2: $3 is blob $4, pinned is $5 (patches/$BASE/base)"
	tmps="$tmps $work/drift.$$"
	PRISTINE=$1 "$top/tools/kernel/apply.sh" "$work/drift.$$" ||
		die "$2: Linux $_v differs from $version in $3, and the quilt does not apply to it"
	rm -rf "$work/drift.$$"
	say "fetch: Linux $_v instead of $version: $3 differs from the pin, the quilt applies without fuzz"
}

# state TREE: a line for each of its files, changed by whatever changes the file
state()
{
	(cd "$1" && find . \( -type f -printf 'f %P %s %T@ %C@\n' \) -o \( -type l -printf 'l %P %l\n' \)) | sort
}

# sums_of TREE: of the files that standard input names, "SUM  NAME" a line, sorted
sums_of()
{
	(cd "$1" && tr '\n' '\0' | xargs -0 -r -P "$JOBS" -n 500 sha256sum 2>/dev/null) | sort
}

# note_sums TREE
note_sums()
{
	tmps="$tmps $pristine.sums.tmp $pristine.stat.tmp"
	(cd "$1" && find . -type f -printf '%P\n') | sums_of "$1" >"$pristine.sums.tmp" ||
		die "$pristine.sums: cannot be written: is the disk full?"
	state "$1" >"$pristine.stat.tmp" || die "$pristine.stat: cannot be written: is the disk full?"
}

# changed_files: of the tree that is there those that are not as they came
changed_files()
{
	state "$pristine" >"$pristine.stat.tmp"
	# a link that was made or removed changes a file's state, and not the file
	_names=$(comm -3 "$pristine.stat" "$pristine.stat.tmp" | awk '{ print $2 }' | sort -u)
	[ -n "$_names" ] || return 0
	# those that have the sum that they had
	echo "$_names" | while read -r _f; do
		[ ! -f "$pristine/$_f" ] || [ -L "$pristine/$_f" ] || echo "$_f"
	done | sums_of "$pristine" | comm -12 - "$pristine.sums" | cut -c67- | sort >"$pristine.good.tmp"
	echo "$_names" | comm -23 - "$pristine.good.tmp"
}

# intact: is it as it came?  If not, what is not is in $changed.
intact()
{
	[ -f "$pristine.sums" ] && [ -f "$pristine.stat" ] || return 1
	tmps="$tmps $pristine.stat.tmp $pristine.good.tmp"
	changed=$(changed_files)
	[ -z "$changed" ] || return 1
	mv "$pristine.stat.tmp" "$pristine.stat"
}

# put_back TREE: the files that have changed, from a tree that has just come
put_back()
{
	for _f in $changed; do
		rm -rf "${pristine:?}/$_f"
		[ -e "$1/$_f" ] || continue
		mkdir -p "$(dirname "$pristine/$_f")"
		# with a time of its own, so that make sees it
		cp -P "$1/$_f" "$pristine/$_f"
	done
	state "$pristine" >"$pristine.stat"
	say "fetch: put back as they came: $(echo "$changed" | tr '\n' ' ' | cut -c1-200)"
}

# finish TMP SOURCE ID: verified, then renamed: there is no half tree
finish()
{
	accept "$1" "$2"
	rm -rf "$id" "$pristine" "$pristine.sums" "$pristine.stat"
	tmps="$tmps $id.tmp"
	note "$id.tmp" "$3
$2"
	note_sums "$1"
	mv "$1" "$pristine"
	mv "$pristine.sums.tmp" "$pristine.sums"
	mv "$pristine.stat.tmp" "$pristine.stat"
	mv "$id.tmp" "$id"
	say "fetch: Linux $(tree_version "$pristine") from $2"
}

# note FILE TEXT: where "set -e" has no say, too
note()
{
	printf '%s\n' "$2" 2>/dev/null >"$1" || die "$1: cannot be written: is the disk full?"
}

# What a pipeline of ours says of itself goes into $said, with a line "FAILED"
# from each part that did: a full disk has no room for a note of it.
failed()
{
	case $said in
	*FAILED*) ;;
	*) return 1 ;;
	esac
	said=$(echo "$said" | grep -v '^+\|^FAILED' | sed 1q)
	case $said in
	*"Wrote only"* | *"No space"*) said="$said: is the disk full?" ;;
	esac
}

# unpack ARCHIVE DIR: with the reason in one line when it fails
unpack()
{
	mkdir -p "$2"
	say "fetch: unpack $(basename "$1") (about 20 s)"
	said=$({ case $1 in
	*.deb)
		{ dpkg-deb --fsys-tarfile "$1" || echo FAILED >&2; } |
			{ tar -xOf - --wildcards './usr/src/linux-source-*.tar.xz' ||
				echo FAILED >&2; } |
			tar -xJf - --strip-components=1 -C "$2" || echo FAILED ;;
	*) tar -xJf "$1" --strip-components=1 -C "$2" || echo FAILED ;;
	esac; } 2>&1)
	! failed || die "$(basename "$1"): unpacking failed: $said"
}

# tree_tar DIR: its sources as a tar archive, the same for the same content
tree_tar()
{
	tar -C "$1" --exclude-from="$top/tools/kernel/built" --sort=name \
		--owner=0 --group=0 --mtime=@0 -cf - .
}

# The user's own tree: copied, never written to.
import()
{
	[ -d "$KERNEL_SRC" ] || die "KERNEL_SRC=$KERNEL_SRC: no such directory"
	src=$(cd "$KERNEL_SRC" && pwd -P)
	tmp=$pristine.tmp
	tmps="$tmps $tmp"
	if [ "$(git -C "$src" rev-parse --show-toplevel 2>/dev/null)" = "$src" ] ||
	   [ "$(git -C "$src" rev-parse --is-bare-repository 2>/dev/null)" = true ]; then
		commit=$(git -C "$src" rev-parse --verify -q "$KERNEL_REF^{commit}") ||
			die "KERNEL_SRC=$src: no commit $KERNEL_REF"
		new="git $commit"
		what="$src ($KERNEL_REF, commit $(echo "$commit" | cut -c1-12))"
		[ -z "$(git -C "$src" status --porcelain -uno 2>/dev/null)" ] ||
			say "fetch: $src has uncommitted changes: they are not used"
	else
		[ ! -e "$src/.git" ] ||
			die "KERNEL_SRC=$src: $(git -C "$src" rev-parse --show-toplevel 2>&1 | sed 1q)"
		[ "$KERNEL_REF" = HEAD ] ||
			die "KERNEL_REF=$KERNEL_REF: KERNEL_SRC=$src is not the top of a git repository"
		is_tree "$src" ||
			die "KERNEL_SRC=$src: not a kernel tree (no Makefile or mm/readahead.c)"
		say "fetch: hash $src"
		said=$({ { tree_tar "$src" || echo FAILED >&2; } |
			sha256sum || echo FAILED; } 2>&1)
		! failed || die "KERNEL_SRC=$src: $said"
		# the sum comes last
		new="tree $(echo "$said" | tail -n 1 | cut -c1-40)"
		what=$src
	fi
	if [ -f "$id" ] && [ "$(sed 1q "$id")" = "$new" ] && intact; then
		accept "$pristine" "$what"
		say "fetch: Linux $(tree_version "$pristine") from $what, unchanged"
		return
	fi
	rm -rf "$tmp"
	mkdir -p "$tmp"
	said=$({ case $new in
	git*) { git -C "$src" archive "$commit" || echo FAILED >&2; } ;;
	*) { tree_tar "$src" || echo FAILED >&2; } ;;
	esac | tar -xf - -C "$tmp" || echo FAILED; } 2>&1)
	! failed || die "copying $src to $work failed: $said"
	finish "$tmp" "$what" "$new"
}

# cached ARCHIVE: is there one, whole, with the hash noted when it was verified?
cached()
{
	[ -f "$1" ] && [ -f "$1.sha256" ] || return 1
	_got=$(sha256sum "$1" | cut -d' ' -f1)
	[ -n "$_got" ] || die "$1: cannot be read"
	_want=$(cat "$1.sha256")
	[ "$_got" = "$_want" ] && return 0
	rm -f "$1" "$1.sha256"
	die "$1: sha256 $_got, expected $_want; removed, the next run fetches it anew"
}

reasons=
# no_source NAME REASON: kept for the one line when no source is left
no_source()
{
	reasons="$reasons; $1: $2"
}

# keep FILE NAME SUM: a verified FILE, which may be on another disk, gets its
# name in the cache
keep()
{
	archive=$CACHE/$2
	said=$(mv -T "$1" "$CACHE/$$.keep.tmp" 2>&1) || die "$archive: $said"
	# the sum alone is nothing, and an archive without one is not looked at
	note "$archive.sha256" "$3"
	mv "$CACHE/$$.keep.tmp" "$archive" || die "$archive: cannot be renamed"
}

# The mirror of the machine's own configuration, whatever release it is on.
# debian_mirrors SUITE: where what is on its security suites lies is another place
debian_mirrors()
{
	if [ -n "$DEBIAN_MIRROR" ]; then
		echo "$DEBIAN_MIRROR"
		return
	fi
	# shellcheck disable=SC2016 # apt's own placeholders
	apt-get indextargets --format '$(SITE) $(RELEASE)' 'Created-By: Packages' |
		awk -v want="$1" '
			(/security/) == (want ~ /-security$/) && !seen[$1]++ { print $1 }'
}

# deb PACKAGE SUITE: with a private source list; the system's stays as it is
from_debian()
{
	keyring=/usr/share/keyrings/debian-archive-keyring.gpg
	if ! command -v apt-get >/dev/null || [ ! -f $keyring ]; then
		no_source debian "not a Debian machine"
		return 1
	fi
	apt=$(cd "$O" && pwd)/apt
	new=$apt/new
	tmps="$tmps $new"
	mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$CACHE"
	set -- "$1" "$2" -o "Dir::Etc::SourceList=$apt/sources.list" \
		-o Dir::Etc::SourceParts=- -o "Dir::State::Lists=$apt/lists" \
		-o "Dir::Cache=$apt/cache" -o APT::Sandbox::User=root \
		-o Acquire::Retries=2 -o Acquire::http::Timeout=30
	package=$1
	suite=$2
	shift 2
	mirrors=$(debian_mirrors "$suite")
	[ -n "$mirrors" ] || no_source debian "no mirror in the configuration of apt"
	for mirror in $mirrors; do
		note "$apt/sources.list" "deb [signed-by=$keyring] $mirror $suite main"
		say "fetch: $package from Debian $suite"
		if ! said=$(apt-get "$@" -qq update 2>&1) ||
		   echo "$said" | grep -q '^[WE]: .*Failed to fetch'; then
			no_source debian "$(echo "$said" | grep -m1 '^[WE]:' |
				cut -d' ' -f2- | cut -c1-160)"
			continue
		fi
		file=$(apt-cache "$@" show "$package" 2>/dev/null |
			sed -n 's/^Filename: .*\///p' | sed 1q)
		want=$(apt-cache "$@" show "$package" 2>/dev/null |
			sed -n 's/^SHA256: //p' | sed 1q)
		if [ -z "$file" ] || [ -z "$want" ]; then
			no_source debian "no package $package in $suite"
			continue
		fi
		# the file name of a download has its colons and such encoded
		rm -rf "$new"
		mkdir "$new" || die "$new: cannot be made"
		if ! said=$(cd "$new" && apt-get "$@" -q download "$package" 2>&1); then
			no_source debian "$(echo "$said" | grep -m1 '^E:' | cut -c4-160)"
			continue
		fi
		got=$(sha256sum "$new"/*.deb | cut -d' ' -f1)
		if [ "$got" != "$want" ]; then
			no_source debian "$file: sha256 $got, expected $want"
			continue
		fi
		keep "$new"/*.deb "$file" "$got"
		rm -rf "$new"
		return 0
	done
	return 1
}

# get URL FILE: why not is in $reason
get()
{
	_ended=0
	reason=$(curl --fail --silent --show-error --location --connect-timeout 20 \
		--retry 2 --output "$2" "$1" 2>&1) || _ended=$?
	reason=$(echo "$reason" | grep -v '^+' | sed 's/^curl: *//; 1q')
	# it may be silent on that
	[ $_ended != 23 ] ||
		reason="$(basename "$1"): $2 cannot be written: is the disk full?"
	[ $_ended = 0 ]
}

# tarball PATH: checked against the signed list of sums that lies beside it
from_kernel_org()
{
	url=$KERNEL_ORG/$1
	file=$(basename "$1")
	mkdir -p "$CACHE"
	sums=$CACHE/$$.sums.tmp
	signed=$CACHE/$$.signed.tmp
	tmp=$CACHE/$$.new.tmp
	say "fetch: $file from kernel.org"
	if ! get "$(dirname "$url")/sha256sums.asc" "$sums"; then
		no_source kernel.org "$reason"
		return 1
	fi
	rm -f "$signed"
	if command -v gpg >/dev/null; then
		status=$(gpg --batch --status-fd 1 --output "$signed" \
			--decrypt "$sums" 2>/dev/null) || true
	else
		status="no gpg"
	fi
	case $status in
	*BADSIG*)
		no_source kernel.org "the signature on sha256sums.asc is bad"
		return 1 ;;
	*GOODSIG*)
		say "fetch: the signature on kernel.org's list of sums is good" ;;
	*)
		say "fetch: the signature on kernel.org's list of sums is not checked (its key is not in your keyring)"
		signed=$sums ;;
	esac
	want=$(sed -n "s/^\([0-9a-f]\{64\}\)  $file\$/\1/p" "$signed" | sed 1q)
	if [ -z "$want" ]; then
		no_source kernel.org "sha256sums.asc has no line for $file"
		return 1
	fi
	if ! get "$url" "$tmp"; then
		no_source kernel.org "$reason"
		return 1
	fi
	got=$(sha256sum "$tmp" | cut -d' ' -f1)
	if [ "$got" != "$want" ]; then
		no_source kernel.org "$file: sha256 $got, expected $want"
		return 1
	fi
	keep "$tmp" "$file" "$got"
}

mkdir -p "$work"
# of a run that was killed
rm -rf "$pristine.tmp" "$work"/drift.*
# in a cache that others may use, too
[ ! -d "$CACHE" ] || find "$CACHE" -maxdepth 1 -name '*.tmp' -mmin +1440 -exec rm -f {} +
tmps="$tmps $CACHE/$$.*.tmp"

if [ -n "$KERNEL_SRC" ]; then
	import
	exit
fi

# Unpacked already, from an archive rather than from a KERNEL_SRC?
changed=
whole=
if [ -f "$id" ] && [ -d "$pristine" ] && grep -q '^archive ' "$id"; then
	if intact; then
		accept "$pristine" "$(sed -n 2p "$id")"
		exit
	fi
	[ -z "$changed" ] || whole=$(sed 1q "$id")
fi

archive=
for f in "$CACHE"/linux-source-"${version%.*}"_*.deb \
	 "$CACHE"/linux-"${version%.*}"*.tar.xz; do
	[ -f "$f" ] || continue
	if cached "$f"; then
		archive=$f
		say "fetch: $(basename "$f") from the cache"
		break
	fi
done
if [ -z "$archive" ]; then
	while read -r key kind a b; do
		[ "$key" = source ] || continue
		case $kind in
		debian) from_debian "$a" "$b" && break ;;
		kernel.org) from_kernel_org "$a" && break ;;
		*) die "patches/$BASE/base: source $kind: expected debian or kernel.org" ;;
		esac
	done <"$pin"
fi
[ -n "$archive" ] || die "no source for Linux $version$reasons"

tmp=$pristine.tmp
rm -rf "$tmp"
tmps="$tmps $tmp"
unpack "$archive" "$tmp"
# the same tree that is there, but for some files: not all is to be built again
if [ -n "$whole" ] && [ "$whole" = "archive $(cut -c1-40 "$archive.sha256")" ]; then
	put_back "$tmp"
	accept "$pristine" "$(sed -n 2p "$id")"
	exit
fi
finish "$tmp" "$(basename "$archive")" "archive $(cut -c1-40 "$archive.sha256")"
