#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# An image is what its inputs make, it is built when one of them has changed and
# only then, and what was begun and did not end is never taken for one.  What
# stands in for kbuild here makes an "image" that holds the sources it was made
# of; nothing is said of the real one by it.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"

build=$top/tools/kernel/build.sh
LAB=$O/bin/lab
O=$tmp/o
BASE=7.3
PATCHES=$tmp/patches
FRAGMENT=$tmp/kernel.config
CC=$tmp/bin/cc
JOBS=1
export LAB O BASE PATCHES FRAGMENT CC JOBS
# for the stand-ins
CALLS=$tmp/calls
export CALLS CC_IS=1 DROP='' FAIL='' RELEASE=''
series=$PATCHES/7.3/series
work=$O/7.3

mkdir "$tmp/bin"
PATH=$tmp/bin:$PATH
# shellcheck disable=SC2016 # for the script to expand
printf '#!/bin/sh\necho "cc (a stand-in) $CC_IS"\n' >"$CC"
# FAIL: make what is asked for, or a part of it, and fail;
# DROP: an option that kconfig does not take; RELEASE: what to get wrong in it
cat >"$tmp/bin/make" <<'END'
#!/bin/sh
echo "$*" >>"$CALLS"
for arg; do
	case $arg in
	O=*) obj=${arg#O=} ;;
	LOCALVERSION=*) local=${arg#*=} ;;
	KCONFIG_ALLCONFIG=*) asked=${arg#*=} ;;
	esac
	target=$arg
done
tree=$2
case $target in
allnoconfig)
	grep -v "^${DROP:-none}=" "$asked" >"$obj/.config"
	[ "$FAIL" != config-disk ] || cat /dev/zero >"$obj/.config" || exit 2
	[ "$FAIL" != config ] || { echo "Kconfig:1: syntax error"; exit 2; } ;;
vmlinux)
	echo "  CC      mm/readahead.o"
	mkdir -p "$obj/include/config" "$obj/usr" "$obj/mm"
	echo "7.3.4$local$RELEASE" >"$obj/include/config/kernel.release"
	# as kbuild does, a switch of the two is noticed by time alone
	for f in "$tree"/mm/*.c; do
		o=$obj/mm/$(basename "$f" .c).o
		[ "$o" -nt "$f" ] || cp "$f" "$o"
	done
	[ "$FAIL" != compile ] || { echo "mm/readahead.c:7:1: error: no"; exit 2; }
	if [ "$FAIL" = disk ]; then
		head -c 300k /dev/zero >"$obj/vmlinux"
		cat /dev/zero >"$obj/vmlinux.o" || exit 2
	fi
	# an object without a source is one that make takes as it is
	sort "$obj"/mm/*.o >"$obj/vmlinux"
	(cd "$tree" && find . -name '*.[ch]' | sort) >>"$obj/vmlinux"
	[ -z "$LARGE" ] || head -c "$LARGE" /dev/zero >>"$obj/vmlinux"
	[ "$FAIL" != killed ] || kill -KILL $PPID
	[ "$FAIL" != link ] || { echo "ld: error: no"; exit 2; }
	echo tool >"$obj/usr/gen_init_cpio" ;;
esac
END
chmod +x "$tmp/bin/make" "$CC"
export LARGE=''

# A tree of its own for each test, and a git repository beside it to diff in
fresh()
{
	rm -rf "$O" "$tmp/git" "$PATCHES"
	mkdir -p "$work/pristine/mm" "$work/pristine/include" "$PATCHES/7.3"
	printf 'VERSION = 7\nPATCHLEVEL = 3\nSUBLEVEL = 4\n' >"$work/pristine/Makefile"
	for f in readahead gone; do
		for n in 1 2 3 4 5 6 7 8; do
			echo "$f $n"
		done >"$work/pristine/mm/$f.c"
	done
	sed 's/readahead/former/' "$work/pristine/mm/readahead.c" >"$work/pristine/include/former.h"
	printf 'archive 1234\nlinux-7.3.4.tar.xz\n' >"$work/pristine.id"
	printf 'CONFIG_A=y\n# CONFIG_B is not set\nCONFIG_C="c"\n' >"$FRAGMENT"
	echo 'version 7.3.4' >"$PATCHES/7.3/base"
	: >"$series"
	cp -r "$work/pristine" "$tmp/git"
	(cd "$tmp/git" && git init -q && git add -A &&
		git -c user.name=t -c user.email=t@example.org commit -qm x)
	before=$(digest "$work/pristine")
	FAIL='' DROP='' RELEASE='' LARGE='' CC_IS=1
}

digest()
{
	(cd "$1" && find . -type f -exec sha256sum {} + | sort | sha256sum)
}

# quilt NAME: a series of the one patch that was made in $tmp/git
quilt()
{
	(cd "$tmp/git" && git add -A && git diff --cached -M --full-index HEAD) >"$PATCHES/7.3/$1"
	echo "$1" >"$series"
}

# edit TEXT: a quilt that changes a line to TEXT
edit()
{
	sed "s/readahead 4/$1/" "$work/pristine/mm/readahead.c" >"$tmp/git/mm/readahead.c"
	quilt one.patch
}

base()
{
	: >"$CALLS"
	"$build" base
}

patched()
{
	: >"$CALLS"
	"$build" patched "$series"
}

# run NAME STATUS REGEX COMMAND: a function of ours, where check() takes programs
run()
{
	out=$($4 2>&1 </dev/null)
	_got=$?
	[ $_got = "$2" ] && printf '%s\n' "$out" | grep -Eq -- "$3"
	_bad=$?
	ok $_bad "$1"
	[ $_bad = 0 ] || printf '%s\n' "exit status $_got, expected $2, and a line like: $3" "$out" |
		sed 's/^/# /'
}

# has NAME FLAVOUR LINE, and has_not: in what the image was made of
has()
{
	is_true "$1" grep -qx -- "$3" "$work/$2/vmlinux"
}

has_not()
{
	is_true "$1" sh -c "test -s '$work/$2/vmlinux' && ! grep -qx -- '$3' '$work/$2/vmlinux'"
}

called()
{
	is_true "$1" test -s "$CALLS"
}

not_called()
{
	is_true "$1: make is not even called" test ! -s "$CALLS"
}

# nothing NAME FLAVOUR: no link, no image or part of one, nothing temporary
nothing()
{
	tidy "$1: nothing is left half done" "$work/$2" "$work/images/$2-"*
}

# tidy NAME [PATH...]: these are not there, and nothing temporary is
tidy()
{
	_name=$1 _left=$(find "$work" -name '*.new' -o -name '*.tmp' -o -name 'stage.*')
	shift
	for f; do
		[ ! -e "$f" ] && [ ! -L "$f" ] || _left="$_left $f"
	done
	[ -z "$_left" ]
	ok $? "$_name"
	[ -z "$_left" ] || echo "# left: $_left"
}

one_line()
{
	is_true "$1: in one line" test "$(printf '%s\n' "$out" | grep -vc '^build ')" = 1
}

#
# What is built, and when
#

fresh
edit 'readahead four'
run "base is built" 0 '^build: base: image [0-9a-f]{12}$' base
called "base is built, by make"
run "patched is built" 0 '^build: patched: image [0-9a-f]{12}$' patched
has "the image of base is of the tree" base 'readahead 4'
has "the image of patched is of the quilt" patched 'readahead four'
base_is=$(readlink "$work/base")
patched_is=$(readlink "$work/patched")
hash=${patched_is##*-}
is_true "the release string carries the hash" grep -qx "7.3.4-patched-$hash" "$work/patched/release"
check "what the quilt makes of its file is stored" 0 \
	"^$(git hash-object "$tmp/git/mm/readahead.c") mm/readahead.c\$" cat "$work/patched/files"

run "base again" 0 "^build: base: nothing has changed, image ${base_is##*-}\$" base
not_called "base again"
run "patched again" 0 "^build: patched: nothing has changed, image $hash\$" patched
not_called "patched again"
is_true "the links are as they were" test "$(readlink "$work/base") $(readlink "$work/patched")" = \
	"$base_is $patched_is"

# An image that is not what was built is not booted
for f in vmlinux config release; do
	printf x | dd of="$work/patched/$f" bs=1 conv=notrunc 2>/dev/null
	run "$f of an image has another byte" 0 '^build: patched: image [0-9a-f]* is not what was built: it is built again$' patched
	called "$f of an image has another byte: it is built, by make"
	has "$f of an image has another byte: it is right again" patched 'readahead four'
	run "$f of an image has another byte: once" 0 'nothing has changed' patched
done
for f in vmlinux sha256; do
	rm "$work/patched/$f"
	run "$f of an image is missing" 0 'is not what was built: it is built again$' patched
	is_true "$f of an image is missing: it is there again" test -s "$work/patched/$f"
done
: >"$work/patched/vmlinux"
run "an image is cut short" 0 'is not what was built: it is built again$' patched

# Nor is anything built of a tree that is not what was fetched
rm "$work/tree/mm/gone.c"
echo 'int changed;' >"$work/tree/mm/gone.c"
echo 'int more;' >"$work/tree/mm/more.c"
edit 'readahead fore'
run "files of the tree have changed" 0 'tree: put back as fetched: mm/gone.c mm/more.c *$' patched
has_not "files of the tree have changed: they are put back" patched 'int changed;'
has_not "a file more: it is gone" patched 'int more;'
has "the others are as they were" patched 'gone 4'
rm "$work/tree/mm/gone.c"
edit 'readahead fort'
run "a file of the tree is missing" 0 'tree: put back as fetched: mm/gone.c *$' patched
has "a file of the tree is missing: it is put back" patched 'gone 4'
edit 'readahead four'

edit 'readahead vier'
run "one line of the quilt is edited: base is kept" 0 'nothing has changed' base
not_called "one line of the quilt is edited: base"
run "one line of the quilt is edited: patched is built" 0 '^build: patched: image' patched
called "one line of the quilt is edited: patched, by make"
has "of what the quilt says now" patched 'readahead vier'
is_true "under another name" test "$(readlink "$work/patched")" != "$patched_is"
edit 'readahead four'
run "back to the former quilt" 0 "nothing has changed, image $hash" patched
not_called "back to the former quilt"
has "back to the former quilt: its image" patched 'readahead four'

# differs NAME: neither image is that of before
differs()
{
	run "$1: base is built" 0 '^build: base: image' base
	cp "$CALLS" "$tmp/base-calls"
	run "$1: patched is built" 0 '^build: patched: image' patched
	is_true "$1: kconfig is asked again" grep -q 'allnoconfig$' "$tmp/base-calls"
	is_true "$1: both hashes are new" test "$(readlink "$work/base")" != "$base_is" -a \
		"$(readlink "$work/patched")" != "$patched_is"
	has "$1: base is base" base 'readahead 4'
	has "$1: patched is patched" patched 'readahead four'
}

echo 'CONFIG_D=y' >>"$FRAGMENT"
differs "another option"
is_true "another option: it is in the image's config" grep -qx CONFIG_D=y "$work/patched/config"
printf '# words\n' >>"$FRAGMENT"
run "a comment in the fragment builds nothing" 0 'nothing has changed' base
sed -i '/CONFIG_D/d; /words/d' "$FRAGMENT"
run "back to the former options" 0 "nothing has changed, image ${base_is##*-}" base
# What a base has otherwise is in a file of the same name, beside its pin
printf '# words\n# CONFIG_A is not set\nCONFIG_D=y\n' >"$PATCHES/7.3/kernel.config"
differs "options of the base's own"
is_true "options of the base's own: one is added" grep -qx CONFIG_D=y "$work/patched/config"
is_true "options of the base's own: one is another" grep -qx '# CONFIG_A is not set' "$work/patched/config"
is_true "options of the base's own: and not the fragment's, too" sh -c "! grep -qx CONFIG_A=y '$work/patched/config'"
DROP=CONFIG_D
sed -i 's/CONFIG_D=y/CONFIG_D=m/' "$PATCHES/7.3/kernel.config"
sed -i 's/^CONFIG_D=.*//' "$work/obj/.config"
rm -f "$work/obj/mm-read.config"
run "one that is not in force" 1 'kernel.config:[0-9]+: CONFIG_D=m is not in force' base
DROP=''
rm "$PATCHES/7.3/kernel.config"
run "without them" 0 "nothing has changed, image ${base_is##*-}" base
CC_IS=2
differs "another compiler"
CC_IS=1
# one file that a quilt has touched, and one that none has
sed -i 's/ 8/ eight/' "$work/pristine/mm/readahead.c" "$work/pristine/mm/gone.c"
printf 'archive 5678\nlinux-7.3.5.tar.xz\n' >"$work/pristine.id"
differs "another tree"
has "another tree: base is of it" base 'readahead eight'
has "another tree: in all its files" base 'gone eight'

#
# What a patch does to files is done, and undone for the other kernel
#

fresh
rm "$tmp/git/mm/gone.c"
(cd "$tmp/git" && git mv include/former.h include/latter.h)
sed -i 's/former 4/latter 4/' "$tmp/git/include/latter.h"
mkdir "$tmp/git/mm/sub"
echo 'new 1' >"$tmp/git/mm/new.c"
echo 'sub 1' >"$tmp/git/mm/sub/sub.h"
quilt files.patch
is_true "the patch is what the test wants it to be" sh -c "cd '$PATCHES/7.3' &&
	grep -q '^deleted file' files.patch && grep -q '^rename from' files.patch &&
	grep -q '^new file' files.patch"
base >/dev/null 2>&1
run "a patch that deletes, renames and adds" 0 'patched: image' patched
has_not "the file it deletes is gone" patched ./mm/gone.c
has_not "and so is what was compiled of it" patched 'gone 1'
has "the file it adds is there" patched ./mm/new.c
has "and so is what was compiled of it" patched 'new 1'
has "one in a new directory, too" patched ./mm/sub/sub.h
has "the file it renames is there under its new name" patched ./include/latter.h
has_not "and not under the old one" patched ./include/former.h
is_true "the rename has its change" grep -qx 'latter 4' "$work/tree/include/latter.h"
echo '# CONFIG_E is not set' >>"$FRAGMENT"
run "base after it" 0 'base: image' base
for f in mm/gone.c include/former.h; do
	has "$f is back" base ./$f
	is_true "$f is as it was" cmp "$work/tree/$f" "$work/pristine/$f"
done
has "what is compiled of it is back" base 'gone 1'
for f in mm/new.c mm/sub/sub.h include/latter.h; do
	has_not "$f is gone" base ./$f
done
has_not "what was compiled of it is gone" base 'new 1'
is_true "the tree that all is taken from is as before" test "$before" = "$(digest "$work/pristine")"

fresh
(cd "$tmp/git" && git mv include/former.h include/latter.h)
edit 'readahead four'
run "a rename without a change, beside a change" 0 'patched: image' patched
has "is done" patched ./include/latter.h
has_not "and leaves nothing behind" patched ./include/former.h

fresh
cp "$tmp/git/include/former.h" "$tmp/git/include/copy.h"
sed "s/readahead 4/readahead four/" "$work/pristine/mm/readahead.c" >"$tmp/git/mm/readahead.c"
(cd "$tmp/git" && git add -A && git diff --cached --find-copies-harder --full-index HEAD) \
	>"$PATCHES/7.3/one.patch"
echo one.patch >"$series"
is_true "a copy is one" grep -q '^copy from' "$PATCHES/7.3/one.patch"
run "a copy without a change, beside a change" 0 'patched: image' patched
has "is made" patched ./include/copy.h
has "of what stays" patched ./include/former.h
run "base after it" 0 'base: image' base
has_not "the copy is gone" base ./include/copy.h

fresh
edit 'readahead four'
run "a patch that leaves Kconfig alone" 0 'patched: image' patched
edit 'readahead vier'
run "is built anew" 0 'patched: image' patched
is_true "kconfig is not asked for it" sh -c "! grep allnoconfig '$CALLS'"
echo 'config NEW' >"$tmp/git/mm/Kconfig.new"
edit 'readahead four'
run "a patch to Kconfig" 0 'patched: image' patched
is_true "kconfig is asked for it" grep -q allnoconfig "$CALLS"
run "base after it" 0 'base: image' base
is_true "kconfig is asked again" grep -q allnoconfig "$CALLS"

#
# What goes wrong, goes wrong by name, and is not there afterwards
#

fresh
edit 'readahead four'
rm "$work/pristine.id"
run "no tree" 1 'no kernel tree in .*: run fetch.sh first' base

fresh
DROP=CONFIG_A
run "an option that is not in force" 1 \
	'kernel.config:1: CONFIG_A=y is not in force \(have: no such option\)' base
nothing "an option that is not in force" base
is_true "an option that is not in force: nothing is compiled" sh -c "! grep vmlinux '$CALLS'"
run "an option that is not in force: nor taken for done the next time" 1 'CONFIG_A=y is not in force' base
DROP=
run "an option that is in force again" 0 'base: image' base

fresh
FAIL=config
run "kconfig fails" 1 'allnoconfig failed: Kconfig:1: syntax error$' base
nothing "kconfig fails" base

fresh
edit 'readahead four'
patched >/dev/null 2>&1
edit 'readahead vier'
for FAIL in compile link; do
	run "a build that fails ($FAIL)" 1 'building patched failed, see .*build-patched.log' patched
	is_true "$FAIL: the error is shown" sh -c "printf '%s\n' '$out' | grep -q ': error: no'"
	is_true "$FAIL: no link to the former image" test ! -e "$work/patched" -a ! -L "$work/patched"
done
FAIL=
run "a build after one that failed" 0 'patched: image' patched
has "is of the quilt" patched 'readahead vier'
echo 'nothing that applies' >"$PATCHES/7.3/one.patch"
run "a quilt that does not apply" 1 'one.patch: no hunk in it' patched
is_true "a quilt that does not apply: no link to the former image" test ! -L "$work/patched"

# Whoever waits for make is gone before it could say that make failed.
fresh
FAIL=killed
run "make is not waited for" 1 'building base failed' base
nothing "make is not waited for" base

fresh
RELEASE=+
run "a wrong release" 1 'built release 7.3.4-base-[0-9a-f]{12}\+, expected 7.3.4-base-[0-9a-f]{12}$' base
nothing "a wrong release" base

#
# Ctrl-C and worse, in every step
#

# stopped NAME TOOL PATTERN FLAVOUR LINE [SIGNAL]: built as if nothing had been.
# cp has copied a part by then.
stopped()
{
	# shellcheck disable=SC2016 # for the script to expand
	case $2 in
	cp) slow cp "$3" 'if [ -d "$2" ]; then mkdir "$3"; else head -c 9 "$1" >"$2"; fi' ;;
	*) slow "$2" "$3" ;;
	esac
	set -- "$1" "$4" "$5" "${6:-INT}"
	if [ "$2" = base ]; then
		interrupted "$1" "$4" "$build" base
	else
		interrupted "$1" "$4" "$build" patched "$series"
	fi
	if [ "$4" = KILL ]; then
		is_true "$1: no link" test ! -L "$work/$2"
	else
		nothing "$1" "$2"
	fi
	run "$1: the next run builds" 0 "^build: $2: image" "$2"
	called "$1: by make"
	has "$1: what it should" "$2" "$3"
	run "$1: for base, too" 0 "^build: base: " base
	has "$1: of all of the tree" base 'gone 8'
	has "$1: base is base" base 'readahead 4'
	tidy "$1: nothing temporary is left then"
}

fresh
edit 'readahead four'
stopped "Ctrl-C while the quilt is applied" patch '*-F0*' patched 'readahead four'
fresh
edit 'readahead four'
stopped "Ctrl-C while the tree is linked" cp '-al *' patched 'readahead four'
fresh
edit 'readahead four'
stopped "Ctrl-C in kconfig" make '*allnoconfig' patched 'readahead four'
fresh
edit 'readahead four'
base >/dev/null 2>&1
stopped "Ctrl-C while a file is replaced" cp '*stage.patched/mm/readahead.c *' patched 'readahead four'
fresh
edit 'readahead four'
base >/dev/null 2>&1
stopped "Ctrl-C before a file is replaced" mv '*tree/mm/readahead.c' patched 'readahead four'
for sig in INT TERM KILL; do
	fresh
	edit 'readahead four'
	base >/dev/null 2>&1
	stopped "SIG$sig while it compiles" make '*vmlinux' patched 'readahead four' $sig
	fresh
	edit 'readahead four'
	stopped "SIG$sig while the image is copied" cp '*/obj/vmlinux *' patched 'readahead four' $sig
done
fresh
edit 'readahead four'
stopped "Ctrl-C at the last rename" mv '*images/*' patched 'readahead four'

fresh
edit 'readahead four'
patched >/dev/null 2>&1
# base is to be built, and the run ends when the tree is base's in part
slow mv '*tree/mm/readahead.c'
interrupted "Ctrl-C on the way back to base" INT "$build" base
edit 'readahead vier'
run "patched after it" 0 'patched: image' patched
has "is of the quilt" patched 'readahead vier'
run "base after it" 0 'base: image' base
has "is base" base 'readahead 4'

# A link is all that is missing: nothing is built for it.
fresh
slow ln '*'
interrupted "Ctrl-C before the link" INT "$build" base
run "the image is whole, and found" 0 'nothing has changed' base
not_called "the image is whole, and found"

#
# A full disk
#

# full NAME SIZE OPTIONS REGEX: base does not fit
full()
{
	fresh
	mv "$O" "$tmp/large"
	if ! small "$2" "$3"; then
		for t in "" ": in one line" ": nothing is left" ": the next run builds"; do
			skip "$1$t" "cannot mount a small file system"
		done
		mv "$tmp/large" "$O"
		return
	fi
	O=$tmp/small/o
	work=$O/7.3
	mv "$tmp/large" "$O"
	LARGE=$5 FAIL=$6
	run "$1" "$7" "$4" base
	one_line "$1"
	nothing "$1" base
	mount -o remount,size=10m,nr_inodes=1000 "$tmp/small"
	LARGE='' FAIL=''
	run "$1: the next run builds" 0 '^build: base: image' base
	has "$1: what it should" base 'readahead 4'
	O=$tmp/o
	work=$O/7.3
	umount "$tmp/small"
}

full "a disk that is full in kconfig" 500k '' 'allnoconfig failed: .*No space' '' config-disk 1
full "a disk that is full when it compiles" 500k '' 'build-base.log: No space' '' disk 2
full "a disk that is full when the image is copied" 500k '' 'vmlinux.*No space' 300k '' 1
full "a disk without room for a link" 500k nr_inodes=16 'tree.*No space' '' '' 1

done_testing
