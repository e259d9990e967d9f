#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Our KUnit tests are in a tree that is built with them, once, and are gone from
# one that is not.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"

overlay=$top/tools/kernel/overlay.sh
build=$top/tools/kernel/build.sh
real=$O/7.3/pristine
LAB=$O/bin/lab
O=$tmp/o
BASE=7.3
FRAGMENT=$tmp/kernel.config
CC=$tmp/bin/cc
JOBS=1
export LAB O BASE FRAGMENT CC JOBS
work=$O/7.3
stage=$tmp/stage

mkdir -p "$tmp/bin" "$work/pristine/mm/tests"
cp "$real/Makefile" "$work/pristine/"
cp "$real/mm/Makefile" "$real/mm/Kconfig.debug" "$real/mm/readahead.c" "$work/pristine/mm/"
chmod -R a-w "$work/pristine/mm/Makefile" "$work/pristine/mm/Kconfig.debug"
printf 'archive 1234\nlinux.tar.xz\n' >"$work/pristine.id"

# count LINE FILE
count()
{
	grep -cxF -- "$1" "$2"
}

# shellcheck disable=SC2016 # make's
obj='obj-$(CONFIG_READAHEAD_KUNIT_TEST) += tests/readahead_kunit.o'
src='source "mm/tests/Kconfig"'

mkdir "$stage"
check "the files are named" 0 '^mm/tests/readahead_kunit.c$' "$overlay" "$stage"
names=$(cd "$stage" && find . -type f | sed 's,^\./,,' | sort)
is_true "all of them, and no other" test "$names" = "$(printf '%s\n' "$out" | sort)"
is_true "the suite is ours" cmp mm/tests/readahead_kunit.c "$stage/mm/tests/readahead_kunit.c"
is_true "kbuild finds it" test "$(count "$obj" "$stage/mm/Makefile")" = 1
is_true "so does kconfig" test "$(count "$src" "$stage/mm/Kconfig.debug")" = 1
is_true "what was there comes first" sh -c \
	"head -c $(wc -c <"$real/mm/Makefile") '$stage/mm/Makefile' | cmp - '$real/mm/Makefile'"
is_true "a second time" "$overlay" "$stage"
is_true "has each line once" test "$(count "$obj" "$stage/mm/Makefile")" = 1 -a \
	"$(count "$src" "$stage/mm/Kconfig.debug")" = 1

rm -rf "$stage"
mkdir -p "$stage/mm"
echo "# a quilt was here" >"$stage/mm/Makefile"
is_true "a Makefile that a quilt has touched" "$overlay" "$stage"
is_true "is kept" grep -q 'a quilt was here' "$stage/mm/Makefile"
is_true "and has the line" test "$(count "$obj" "$stage/mm/Makefile")" = 1

#
# build.sh, with and without; a stand-in for kbuild copies what is asked of it
#

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
case $target in
allnoconfig) cp "$asked" "$obj/.config" ;;
vmlinux)
	mkdir -p "$obj/include/config" "$obj/usr"
	sed -n 's/^VERSION = //p; s/^PATCHLEVEL = //p; s/^SUBLEVEL = //p' "$2/Makefile" |
		tr '\n' . | sed "s/\.\$/$local\n/" >"$obj/include/config/kernel.release"
	(cd "$2" && find mm -type f | sort && cat mm/Makefile) >"$obj/vmlinux"
	echo tool >"$obj/usr/gen_init_cpio" ;;
esac
END
printf '#!/bin/sh\necho "cc (a stand-in)"\n' >"$CC"
chmod +x "$tmp/bin/make" "$CC"
PATH=$tmp/bin:$PATH
CALLS=$tmp/calls
export CALLS

with()
{
	printf 'CONFIG_KUNIT=y\nCONFIG_READAHEAD_KUNIT_TEST=y\n' >"$FRAGMENT"
}

without()
{
	echo 'CONFIG_KUNIT=y' >"$FRAGMENT"
}

tree=$work/tree
with
check "a fragment that asks for them" 0 '^build: base: image' "$build" base
is_true "they are built" grep -qx 'mm/tests/readahead_kunit.c' "$work/base/vmlinux"
is_true "the hook is there" grep -qxF "$obj" "$work/base/vmlinux"
is_true "of what the quilt touches they are none" test ! -s "$work/base/files"
first=$(readlink "$work/base")
check "the same again" 0 'nothing has changed' "$build" base
without
check "one that does not ask" 0 '^build: base: image' "$build" base
is_true "they are gone" sh -c "! grep -q readahead_kunit '$work/base/vmlinux'"
is_true "the Makefile is as it was" cmp "$real/mm/Makefile" "$tree/mm/Makefile"
is_true "so is Kconfig.debug" cmp "$real/mm/Kconfig.debug" "$tree/mm/Kconfig.debug"
is_true "the image is another" test "$(readlink "$work/base")" != "$first"
is_true "the tree that all is taken from is as before" cmp "$real/mm/Makefile" "$work/pristine/mm/Makefile"

# another suite is another image: a copy of us, of which a file is edited
mkdir "$tmp/us"
cp -r mm tools qemu patches "$tmp/us/"
with
check "the former one is found again" 0 'nothing has changed' "$build" base
echo '/* edited */' >>"$tmp/us/mm/tests/readahead_kunit.c"
check "an edit of the suite" 0 '^build: base: image' "$tmp/us/tools/kernel/build.sh" base
is_true "is another image" test "$(readlink "$work/base")" != "$first"
is_true "and in the tree" grep -q edited "$tree/mm/tests/readahead_kunit.c"

: >"$CALLS"
UML=1
export UML
check "user mode Linux" 0 '^build: um-base: image' "$build" um-base
is_true "is another architecture" grep -q 'ARCH=um .*vmlinux' "$CALLS"
is_true "with objects of its own" test -f "$work/kunit-um/vmlinux" -a \
	-f "$work/obj/vmlinux"
is_true "of the same tree" test ! -e "$work/um-tree"
is_true "and needs no tool for an initrd" test ! -e "$work/um-base/gen_init_cpio"

done_testing
