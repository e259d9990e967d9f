#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The pinned tree is the pinned tree, wherever it comes from; and whatever goes
# wrong on the way there ends in one line, with nothing left half done.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"

real=$O/7.3/pristine
fetch=$top/tools/kernel/fetch.sh
export BASE=7.3 O="$tmp/o" PATCHES="$tmp/patches"
export KERNEL_ORG="file://$tmp/mirror" DEBIAN_MIRROR="file://$tmp/debian"
unset KERNEL_SRC KERNEL_REF CACHE

# A tree small enough to be made many times; the files that matter are real.
mktree()
{
	rm -rf "$1"
	mkdir -p "$1/mm"
	printf 'VERSION = %s\nPATCHLEVEL = %s\nSUBLEVEL = %s\n' \
		"${2%%.*}" "$(echo "$2" | cut -d. -f2)" "${2##*.}" >"$1/Makefile"
	pinned "$real" "$1"
}

# mktarball VERSION TREE: on our own kernel.org, with its list of sums
mktarball()
{
	mkdir -p "$tmp/mirror/v7.x"
	mv "$2" "$tmp/linux-$1"
	tar -C "$tmp" -cJf "$tmp/mirror/v7.x/linux-$1.tar.xz" "linux-$1"
	rm -rf "$tmp/linux-$1"
	(cd "$tmp/mirror/v7.x" && sha256sum -- *.tar.xz >sha256sums.asc)
}

clean()
{
	rm -rf "$O"
	mkdir -p "$O"
}

# nothing NAME: neither a tree, nor an id for one, nor a temporary file
nothing()
{
	is_true "$1: nothing is left half done" sh -c \
		"! ls -d '$O'/7.3/pristine* '$O'/7.3/drift* '$O'/7.3/import* '$O'/cache/*.tmp* '$O'/apt/new 2>/dev/null | grep ."
}

fails()
{
	check "$1" 1 "$2" "$fetch"
	nothing "$1"
}

mkdir -p "$PATCHES"
cp -r "$top/patches/7.3" "$PATCHES/7.3"
clean

mktree "$tmp/src" 7.3.4
check "KERNEL_SRC, a tree" 0 'Linux 7.3.4 from .*/src' env KERNEL_SRC="$tmp/src" "$fetch"
is_true "has the pinned file" cmp "$O/7.3/pristine/mm/readahead.c" "$real/mm/readahead.c"
check "the same once more is not copied again" 0 'unchanged' env KERNEL_SRC="$tmp/src" "$fetch"
echo >>"$tmp/src/Makefile"
check "a tree that has changed is" 0 'Linux 7.3.4 from .*/src$' env KERNEL_SRC="$tmp/src" "$fetch"

clean
before=$(find "$tmp/src" -type f -exec sha256sum {} + | sha256sum)
touch "$tmp/src/.config" "$tmp/src/mm/readahead.o"
env KERNEL_SRC="$tmp/src" "$fetch" >/dev/null 2>&1
is_true "what was built in the user's tree is not taken along" sh -c \
	"! ls '$O/7.3/pristine/.config' '$O/7.3/pristine/mm/readahead.o' 2>/dev/null | grep ."
rm "$tmp/src/.config" "$tmp/src/mm/readahead.o"
is_true "the user's tree is not written to" test "$before" = \
	"$(find "$tmp/src" -type f -exec sha256sum {} + | sha256sum)"

clean
export KERNEL_SRC="$tmp/none"
fails "KERNEL_SRC that is no directory" 'no such directory'
KERNEL_SRC=$tmp/src
export KERNEL_REF=v7.3.4
fails "KERNEL_REF without a git repository" 'is not the top of a git repository'
unset KERNEL_REF
mkdir "$tmp/empty"
KERNEL_SRC=$tmp/empty
fails "KERNEL_SRC that is no kernel tree" 'not a kernel tree'
unset KERNEL_SRC

mktree "$tmp/git" 7.3.4
git -C "$tmp/git" init -q
git -C "$tmp/git" add .
git -C "$tmp/git" -c user.name=t -c user.email=t@example.org commit -qm x
git -C "$tmp/git" tag v7.3.4
echo '/* not committed */' >>"$tmp/git/mm/readahead.c"
export KERNEL_SRC="$tmp/git"
check "KERNEL_SRC, a git repository" 0 'uncommitted changes: they are not used' "$fetch"
is_true "gives what is committed" cmp "$O/7.3/pristine/mm/readahead.c" "$real/mm/readahead.c"
clean
check "KERNEL_REF, a tag" 0 '\(v7.3.4, commit [0-9a-f]{12}\)' env KERNEL_REF=v7.3.4 "$fetch"
clean
ln -s "$tmp/git" "$tmp/link"
check "KERNEL_SRC, a link to a repository" 0 '\(v7.3.4, commit' \
	env KERNEL_SRC="$tmp/link" KERNEL_REF=v7.3.4 "$fetch"
clean
check "KERNEL_REF that is none" 1 'no commit v9' env KERNEL_REF=v9 "$fetch"
nothing "KERNEL_REF that is none"
unset KERNEL_SRC

mktree "$tmp/src" 7.3.4
echo >>"$tmp/src/mm/readahead.c"
export KERNEL_SRC="$tmp/src"
fails "a wrong blob in the pinned version" \
	'mm/readahead.c is blob [0-9a-f]{40}, pinned is [0-9a-f]{40}'
mktree "$tmp/src" 7.4.0
fails "another series" 'Linux 7.4.0, but patches/7.3 is for 7.3.y'
mktree "$tmp/src" 7.3.9
check "a later release with the pinned blobs" 0 \
	'Linux 7.3.9 instead of 7.3.4: every file .* has the pinned blob' "$fetch"
clean
sed -i '1i /* shifted */' "$tmp/src/mm/readahead.c"
check "a later release to which the quilt applies" 0 \
	'Linux 7.3.9 instead of 7.3.4: mm/readahead.c differs from the pin, the quilt applies without fuzz' "$fetch"
clean
sed -i 's/aligned_end = round_down/aligned_end = my_round_down/' "$tmp/src/mm/readahead.c"
fails "a later release to which it does not" \
	'Linux 7.3.9 differs from 7.3.4 in mm/readahead.c, and the quilt does not apply'
unset KERNEL_SRC

for bad in "$tmp/a b" "$tmp/a:b"; do
	check "O=$bad" 1 'expected a directory without blanks or colons' \
		env O="$bad" "$fetch"
done

check "no network" 1 'no source for Linux 7.3.4; debian: .*; kernel.org: ' "$fetch"
nothing "no network"

mktree "$tmp/t" 7.3.4
mktarball 7.3.4 "$tmp/t"
check "V=1 does not get in the way" 0 'Linux 7.3.4 from linux-7.3.4' env V=1 "$fetch"
clean
check "the tarball of kernel.org" 0 'Linux 7.3.4 from linux-7.3.4.tar.xz' "$fetch"
check "once unpacked it stays" 0 '^$' "$fetch"
rm -rf "$O/7.3"
rm -rf "$tmp/gone" && mv "$tmp/mirror" "$tmp/gone"
check "the cache does without a network" 0 'linux-7.3.4.tar.xz from the cache' "$fetch"
mv "$tmp/gone" "$tmp/mirror"
rm -rf "$O/7.3"
# What is there is looked at before it is used
changes()
{
	check "$1: it is noticed, and put back" 0 "^fetch: put back as they came: $2 *\$" "$fetch"
	is_true "$1: it is as it came" cmp "$O/7.3/pristine/Makefile" "$tmp/Makefile"
	check "$1: the next run has nothing to say" 0 '^$' "$fetch"
	is_true "$1: no file more, no file less" test "$(cd "$O/7.3/pristine" && find . | sort | sha256sum)" = "$names"
}
is_true "a tree to change" "$fetch"
cp "$O/7.3/pristine/Makefile" "$tmp/Makefile"
names=$(cd "$O/7.3/pristine" && find . | sort | sha256sum)
echo >>"$O/7.3/pristine/Makefile"
changes "a file of the tree has changed" Makefile
rm "$O/7.3/pristine/Makefile"
changes "a file of the tree has gone" Makefile
echo 'int x;' >"$O/7.3/pristine/mm/more.c"
changes "a file more" mm/more.c
# one bit, with the time that it had
touch -r "$O/7.3/pristine/Makefile" "$tmp/time"
printf W | dd of="$O/7.3/pristine/Makefile" bs=1 conv=notrunc 2>/dev/null
touch -r "$tmp/time" "$O/7.3/pristine/Makefile"
changes "a file has another byte, and its time" Makefile
touch "$O/7.3/pristine/Makefile"
check "a file has another time alone" 0 '^$' "$fetch"
rm -rf "$O/7.3"

printf 'x' | dd of="$O/cache/linux-7.3.4.tar.xz" bs=1 seek=100 conv=notrunc 2>/dev/null
fails "a cached archive that was tampered with" 'sha256 [0-9a-f]{64}, expected [0-9a-f]{64}; removed'
check "is fetched anew" 0 'linux-7.3.4.tar.xz from kernel.org' "$fetch"

# The cache may be another run's, too.
clean
mkdir "$O/cache"
: >"$O/cache/1.new.tmp"
touch -d '2 days ago' "$O/cache/2.new.tmp"
is_true "a cache in which another run is at work" "$fetch"
is_true "what it is about to get is left alone" test -e "$O/cache/1.new.tmp"
is_true "what is of a run long gone is removed" test ! -e "$O/cache/2.new.tmp"

clean
truncate -s -200 "$tmp/mirror/v7.x/linux-7.3.4.tar.xz"
fails "a truncated download" 'linux-7.3.4.tar.xz: sha256 [0-9a-f]{64}, expected'
# the sums agree, and still it is not a whole archive
(cd "$tmp/mirror/v7.x" && sha256sum -- *.tar.xz >sha256sums.asc)
fails "an archive that is cut short" 'unpacking failed'
clean
printf 'no sums here\n' >"$tmp/mirror/v7.x/sha256sums.asc"
fails "a list of sums without the file" 'sha256sums.asc has no line for linux-7.3.4.tar.xz'

mktree "$tmp/t" 7.3.4
echo '/* tampered */' >>"$tmp/t/mm/readahead.c"
mktarball 7.3.4 "$tmp/t"
fails "a tarball with a wrong blob" 'mm/readahead.c is blob'
mktree "$tmp/t" 7.3.4
mktarball 7.3.4 "$tmp/t"

# An unsigned repository must not be taken, whatever it holds.
clean
if command -v apt-get >/dev/null && [ -f /usr/share/keyrings/debian-archive-keyring.gpg ]; then
	mkdir -p "$tmp/debian/dists/trixie-backports/main/binary-amd64"
	: >"$tmp/debian/dists/trixie-backports/main/binary-amd64/Packages"
	printf 'Suite: trixie-backports\nCodename: trixie-backports\n' \
		>"$tmp/debian/dists/trixie-backports/Release"
	mv "$tmp/mirror" "$tmp/gone"
	check "an unsigned Debian mirror" 1 'debian: .*(not signed|Release)' "$fetch"
	mv "$tmp/gone" "$tmp/mirror"
else
	skip "an unsigned Debian mirror" "not a Debian machine"
fi

# Ctrl-C in every step.  What is slow pauses when it has done a part.

# stopped NAME SIGNAL REGEX: the next run goes on, and does what the line says
stopped()
{
	interrupted "$1" "$2" "$fetch"
	# a tree without a name may be there, whole as it is
	case $1.$2 in
	*.KILL | "the tree is named".*) ;;
	*) nothing "$1" ;;
	esac
	is_true "$1: no tree that is taken for one" test ! -e "$O/7.3/pristine.id"
	check "$1: the next run goes on" 0 "$3" "$fetch"
	is_true "$1: with the whole tree" sh -c "cmp '$O/7.3/pristine/mm/readahead.c' \
		'$real/mm/readahead.c' && test -s '$O/7.3/pristine.id'"
	# but for the cache, which others may use, after a kill
	[ "$2" != KILL ] || rm -f "$O"/cache/*.tmp
	is_true "$1: and nothing temporary is left" sh -c \
		"! find '$O' -name '*.tmp*' -o -name 'drift*' -o -name '*.err' | grep ."
}

from='Linux 7.3.4 from linux-7.3.4.tar.xz'
# curl's own arguments end in: --output FILE URL
# shellcheck disable=SC2016 # for the script to expand
half='while [ "$1" != --output ]; do shift; done; echo half >"$2"'
for sig in INT KILL; do
	clean
	slow curl '*sha256sums.asc' "$half"
	stopped "the list of sums comes" $sig "$from"
	clean
	slow curl '*.tar.xz' "$half"
	stopped "the tarball comes" $sig "$from"
	clean
	slow sha256sum '*.tmp'
	stopped "the tarball is checked" $sig "$from"
	clean
	# shellcheck disable=SC2016 # for the script to expand
	slow tar '-xJf *' 'mkdir -p "$5/mm"; echo half >"$5/Makefile"'
	stopped "it is unpacked" $sig 'tar.xz from the cache'
	clean
	slow mv '*.tmp */pristine'
	stopped "the tree is renamed" $sig 'tar.xz from the cache'
	clean
	slow mv '*pristine.id'
	stopped "the tree is named" $sig 'tar.xz from the cache'
done

clean
"$fetch" >/dev/null 2>&1
rm -rf "$O/7.3"
slow sha256sum '*.tar.xz'
stopped "the cache is checked" INT 'tar.xz from the cache'
rm -rf "$O/7.3"
mkdir "$tmp/bin"
printf '#!/bin/sh\nexit 1\n' >"$tmp/bin/sha256sum"
chmod +x "$tmp/bin/sha256sum"
check "a check that cannot be made" 1 'linux-7.3.4.tar.xz: cannot be read' \
	env PATH="$tmp/bin:$PATH" "$fetch"
is_true "costs nobody the archive" test -s "$O/cache/linux-7.3.4.tar.xz"

mktree "$tmp/src" 7.3.4
KERNEL_SRC=$tmp/src
export KERNEL_SRC
for sig in INT KILL; do
	clean
	slow sha256sum '*'
	stopped "a tree is hashed" $sig 'Linux 7.3.4 from .*/src$'
	clean
	# shellcheck disable=SC2016 # for the script to expand
	slow tar '-xf *' 'mkdir -p "$4/mm"; echo half >"$4/Makefile"'
	stopped "a tree is copied" $sig 'Linux 7.3.4 from .*/src$'
	echo >>"$tmp/src/Makefile"
	slow mv '*.tmp */pristine'
	stopped "a tree is replaced" $sig 'Linux 7.3.4 from .*/src$'
done
mktree "$tmp/src" 7.3.9
sed -i '1i /* shifted */' "$tmp/src/mm/readahead.c"
clean
slow patch '*-F0*'
interrupted "the quilt is tried" INT "$fetch"
nothing "the quilt is tried"
clean
# of those it is the one that is not of apply.sh
# shellcheck disable=SC2016 # for the script to expand
slow rm '*drift.*[0-9]' '[ $# = 2 ] || exec /bin/rm "$@"'
interrupted "the quilt was tried" INT "$fetch"
nothing "the quilt was tried"
interrupted "the quilt was tried" KILL "$fetch"
is_true "the quilt was tried: the next run goes on" "$fetch"
is_true "the quilt was tried: and nothing temporary is left" sh -c \
	"! ls -d '$O/7.3/drift'* 2>/dev/null"
KERNEL_SRC=$tmp/git
clean
slow git '*archive*'
stopped "a commit is copied" INT 'Linux 7.3.4 from .*/git '
unset KERNEL_SRC

# A file that cannot be read is not left out without a word.
mktree "$tmp/src" 7.3.4
cat >"$tmp/bin/tar" <<-END
	#!/bin/sh
	case "\$*" in
	*-cf*)
		$(command -v tar) "\$@"
		echo "tar: ./mm/page_io.c: Cannot open: Permission denied" >&2
		exit 2 ;;
	esac
	exec $(command -v tar) "\$@"
END
rm "$tmp/bin/sha256sum"
chmod +x "$tmp/bin/tar"
clean
check "a tree that cannot be read" 1 'KERNEL_SRC=.*/src: .*page_io.c: Cannot open' \
	env PATH="$tmp/bin:$PATH" KERNEL_SRC="$tmp/src" "$fetch"
nothing "a tree that cannot be read"
rm "$tmp/bin/tar"

# Debian, with an apt that has one package and no network
if [ -f /usr/share/keyrings/debian-archive-keyring.gpg ]; then
	package=linux-source-7.3_7.3.4-1_all.deb
	mkdir -p "$tmp/root/DEBIAN" "$tmp/root/usr/src"
	printf 'Package: linux-source-7.3\nVersion: 7.3.4-1\nArchitecture: all\nMaintainer: t <t@example.org>\nDescription: t\n' \
		>"$tmp/root/DEBIAN/control"
	cp "$tmp/mirror/v7.x/linux-7.3.4.tar.xz" "$tmp/root/usr/src/linux-source-7.3.tar.xz"
	dpkg-deb -Znone -b "$tmp/root" "$tmp/$package" >/dev/null 2>&1
	cat >"$tmp/bin/apt-get" <<-END
	#!/bin/sh
	case "\$*" in
	*" download "*) exec cp "$tmp/$package" . ;;
	*" update") exit 0 ;;
	"indextargets "*)
		printf '%s\\n' 'http://a/debian stable' 'http://a/debian stable-updates' \\
			'http://a/debian-security stable-security'
		exit ;;
	esac
	exit 100
	END
	cat >"$tmp/bin/apt-cache" <<-END
	#!/bin/sh
	echo "Filename: pool/$package"
	echo "SHA256: \$(sha256sum <"$tmp/$package" | cut -d' ' -f1)"
	END
	chmod +x "$tmp/bin/apt-get" "$tmp/bin/apt-cache"
	OLDPATH=$PATH
	PATH=$tmp/bin:$PATH
	from="Linux 7.3.4 from $package"
	clean
	check "a package of Debian" 0 "$from" env DEBIAN_MIRROR= "$fetch"
	is_true "comes from where packages are" grep -q ' http://a/debian trixie-backports main' "$O/apt/sources.list"
	clean
	sed -i 's/trixie-backports/stable-security/' "$PATCHES/7.3/base"
	check "a package of a security suite" 0 "$from" env DEBIAN_MIRROR= "$fetch"
	is_true "comes from where these are" grep -q ' http://a/debian-security stable-security main' "$O/apt/sources.list"
	sed -i 's/stable-security/trixie-backports/' "$PATCHES/7.3/base"
	clean
	slow apt-get '* update'
	stopped "the lists of Debian come" INT "$from"
	clean
	slow apt-get '* download *' "echo half >$package"
	stopped "the package comes" INT "$from"
	clean
	slow sha256sum '*.deb'
	stopped "the package is checked" INT "$from"
	clean
	slow mv '*.deb'
	stopped "the package is put into the cache" INT "$from"
	clean
	slow dpkg-deb '*'
	stopped "the package is unpacked" INT "$package from the cache"
	clean
	if small 8k; then
		check "the disk of the cache is full" 1 \
			"small/$package: .*No space" env CACHE="$tmp/small" "$fetch"
		is_true "the disk of the cache is full: in one line" \
			test "$(printf '%s\n' "$out" | grep -vc '^fetch: ')" = 1
		is_true "the disk of the cache is full: nothing is left there" \
			test -z "$(ls "$tmp/small")"
		umount "$tmp/small"
	else
		skip "the disk of the cache is full" "cannot mount a small file system"
	fi
	PATH=$OLDPATH
else
	skip "a package of Debian" "not a Debian machine"
fi

# A full disk, likewise
mkdir "$tmp/large"
dd if=/dev/urandom of="$tmp/large/mm" bs=1k count=600 2>/dev/null
mktree "$tmp/t" 7.3.4
cp "$tmp/large/mm" "$tmp/t/mm/large"
mktarball 7.3.4 "$tmp/t"

# full NAME SIZE REGEX: fetched in one line, and in the next run with room for it
full()
{
	if ! small "$2"; then
		skip "$1" "cannot mount a small file system"
		skip "$1: the rest" "cannot mount a small file system"
		return
	fi
	O=$tmp/small
	fails "$1" "$3"
	is_true "$1: in one line" test "$(printf '%s\n' "$out" | grep -vc '^fetch: ')" = 1
	mount -o remount,size=10m "$tmp/small"
	check "$1: the next run goes on" 0 'Linux 7.3.4 from' "$fetch"
	is_true "$1: with the whole tree" cmp "$O/7.3/pristine/mm/large" "$tmp/large/mm"
	O=$tmp/o
	umount "$tmp/small"
}

echo 'version 7.3.4
source kernel.org v7.x/linux-7.3.4.tar.xz' >"$PATCHES/7.3/base"
full "the disk is full at the download" 400k 'kernel.org: .*tar.xz.*(full|No space)'
full "the disk is full when it unpacks" 900k 'unpacking failed: .*mm/[a-z.]+: .*is the disk full'
mktree "$tmp/src" 7.3.4
cp "$tmp/large/mm" "$tmp/src/mm/large"
KERNEL_SRC=$tmp/src
export KERNEL_SRC
full "the disk is full when a tree is copied" 400k 'copying .* failed: .*mm/large: .*is the disk full'
git -C "$tmp/src" init -q
git -C "$tmp/src" add .
git -C "$tmp/src" -c user.name=t -c user.email=t@example.org commit -qm x
full "the disk is full when a commit is copied" 400k 'copying .* failed: .*mm/large: .*is the disk full'
unset KERNEL_SRC

mkdir -p "$tmp/lock"
flock "$tmp/lock/lock" sleep 3 &
sleep 0.5
check "two runs at once in one directory" 1 'another run is at work' \
	"$top/tools/setup/locked.sh" "$tmp/lock" true
wait
check "the lock is gone with its holder" 0 '' "$top/tools/setup/locked.sh" "$tmp/lock" true

done_testing
