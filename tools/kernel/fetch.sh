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
	PRISTINE=$1 "$top/tools/kernel/apply.sh" "$O/$BASE/drift.$$" ||
		die "$2: Linux $_v differs from $version in $3, and the quilt does not apply to it"
	rm -rf "$O/$BASE/drift.$$"
	say "fetch: Linux $_v instead of $version: $3 differs from the pin, the quilt applies without fuzz"
}

# finish TMP SOURCE ID: verified, then renamed: there is no half tree
finish()
{
	accept "$1" "$2"
	rm -rf "$id" "$pristine"
	mv "$1" "$pristine"
	printf '%s\n%s\n' "$3" "$2" >"$id.tmp"
	mv "$id.tmp" "$id"
	say "fetch: Linux $(tree_version "$pristine") from $2"
}

# unpack ARCHIVE DIR: with the reason in one line when it fails
unpack()
{
	mkdir -p "$2"
	say "fetch: unpack $(basename "$1") (about 20 s)"
	case $1 in
	*.deb)
		{ dpkg-deb --fsys-tarfile "$1" || : >"$2.bad"; } |
			{ tar -xOf - --wildcards './usr/src/linux-source-*.tar.xz' ||
				: >"$2.bad"; } |
			tar -xJf - --strip-components=1 -C "$2" || : >"$2.bad" ;;
	*) tar -xJf "$1" --strip-components=1 -C "$2" || : >"$2.bad" ;;
	esac 2>"$2.err"
	if [ -e "$2.bad" ]; then
		_why=$(grep -v '^+' "$2.err" | sed 1q)
		rm -rf "$2" "$2.err" "$2.bad"
		die "$(basename "$1"): unpacking failed: $_why"
	fi
	rm -f "$2.err"
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
	bad=$work/import.bad
	rm -f "$bad"
	tmps="$tmps $tmp $bad"
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
		new="tree $({ tree_tar "$src" 2>"$bad.err" || cat "$bad.err" >"$bad"; } |
			sha256sum | cut -c1-40)"
		rm -f "$bad.err"
		[ ! -e "$bad" ] || die "KERNEL_SRC=$src: $(sed 1q "$bad")"
		what=$src
	fi
	if [ -f "$id" ] && [ "$(sed 1q "$id")" = "$new" ]; then
		accept "$pristine" "$what"
		say "fetch: Linux $(tree_version "$pristine") from $what, unchanged"
		return
	fi
	rm -rf "$tmp"
	mkdir -p "$tmp"
	case $new in
	git*) { git -C "$src" archive "$commit" || : >"$bad"; } ;;
	*) { tree_tar "$src" || : >"$bad"; } ;;
	esac 2>/dev/null | tar -xf - -C "$tmp" 2>/dev/null || : >"$bad"
	[ ! -e "$bad" ] || die "copying $src to $O failed: is the disk full?"
	finish "$tmp" "$what" "$new"
}

# cached ARCHIVE: is there one, whole, with the hash noted when it was verified?
cached()
{
	[ -f "$1" ] && [ -f "$1.sha256" ] || return 1
	_got=$(sha256sum "$1" | cut -d' ' -f1)
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

# The mirror of the machine's own configuration, whatever release it is on.
debian_mirrors()
{
	if [ -n "$DEBIAN_MIRROR" ]; then
		echo "$DEBIAN_MIRROR"
		return
	fi
	# shellcheck disable=SC2016 # apt's own placeholders
	apt-get indextargets --format '$(SITE) $(RELEASE)' 'Created-By: Packages' |
		grep -v security | cut -d' ' -f1 | sort -u
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
	mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$CACHE"
	set -- "$1" "$2" -o "Dir::Etc::SourceList=$apt/sources.list" \
		-o Dir::Etc::SourceParts=- -o "Dir::State::Lists=$apt/lists" \
		-o "Dir::Cache=$apt/cache" -o APT::Sandbox::User=root \
		-o Acquire::Retries=2 -o Acquire::http::Timeout=30
	package=$1
	suite=$2
	shift 2
	mirrors=$(debian_mirrors)
	[ -n "$mirrors" ] || no_source debian "no mirror in the configuration of apt"
	for mirror in $mirrors; do
		echo "deb [signed-by=$keyring] $mirror $suite main" \
			>"$apt/sources.list"
		say "fetch: $package from Debian $suite"
		if ! apt-get "$@" -qq update >"$apt/log" 2>&1 ||
		   grep -q '^[WE]: .*Failed to fetch' "$apt/log"; then
			no_source debian "$(grep -m1 '^[WE]:' "$apt/log" |
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
		rm -f "$apt"/*.deb
		if ! (cd "$apt" && apt-get "$@" -q download "$package") \
		     >"$apt/log" 2>&1; then
			no_source debian "$(grep -m1 '^E:' "$apt/log" | cut -c4-160)"
			continue
		fi
		got=$(sha256sum "$apt"/*.deb | cut -d' ' -f1)
		if [ "$got" != "$want" ]; then
			rm -f "$apt"/*.deb
			no_source debian "$file: sha256 $got, expected $want"
			continue
		fi
		archive=$CACHE/$file
		mv "$apt"/*.deb "$archive"
		echo "$got" >"$archive.sha256"
		return 0
	done
	return 1
}

get()
{
	curl --fail --silent --show-error --location --connect-timeout 20 \
		--retry 2 --output "$2" "$1" 2>"$2.err" || {
		reason=$(sed 's/^curl: *//' "$2.err" | sed 1q)
		rm -f "$2" "$2.err"
		return 1
	}
	rm -f "$2.err"
}

# tarball PATH: checked against the signed list of sums that lies beside it
from_kernel_org()
{
	url=$KERNEL_ORG/$1
	file=$(basename "$1")
	mkdir -p "$CACHE"
	tmp=$CACHE/$file.tmp
	tmps="$tmps $tmp $CACHE/sums.tmp"
	say "fetch: $file from kernel.org"
	if ! get "$(dirname "$url")/sha256sums.asc" "$CACHE/sums.tmp"; then
		no_source kernel.org "$reason"
		return 1
	fi
	signed=$CACHE/signed.tmp
	tmps="$tmps $signed"
	rm -f "$signed"
	if command -v gpg >/dev/null; then
		status=$(gpg --batch --status-fd 1 --output "$signed" \
			--decrypt "$CACHE/sums.tmp" 2>/dev/null) || true
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
		cp "$CACHE/sums.tmp" "$signed" ;;
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
		rm -f "$tmp"
		no_source kernel.org "$file: sha256 $got, expected $want"
		return 1
	fi
	archive=$CACHE/$file
	echo "$got" >"$archive.sha256"
	mv "$tmp" "$archive"
}

mkdir -p "$work"

if [ -n "$KERNEL_SRC" ]; then
	import
	exit
fi

# Unpacked already, from an archive rather than from a KERNEL_SRC?
if [ -f "$id" ] && [ -d "$pristine" ] && grep -q '^archive ' "$id"; then
	accept "$pristine" "$(sed -n 2p "$id")"
	exit
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
tmps="$tmps $tmp $tmp.err $tmp.bad"
unpack "$archive" "$tmp"
finish "$tmp" "$(basename "$archive")" "archive $(cut -c1-40 "$archive.sha256")"
