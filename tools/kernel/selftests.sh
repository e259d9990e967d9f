#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# selftests.sh - the kernel's own tests of tmpfs, memfd and large folios, for a guest
#
# Of the pinned tree, static, in $O/$BASE/selftests.  Their Makefiles build what is
# about anything else, too, and want libraries for that; so the compiler is called
# here, with the tree's own headers.
set -eu

# shellcheck source=tools/kernel/lib.sh
. "$(dirname "$0")/lib.sh"

: "${CC:=gcc}"
out=$work/selftests
tree=$(cd "$work/pristine" && pwd)
src=$tree/tools/testing/selftests
mm="mm/vm_util.c mm/hugepage_settings.c"

if [ -f "$out/id" ] && cmp -s "$out/id" "$work/pristine.id"; then
	exit
fi
rm -rf "$out"
mkdir -p "$out/headers"
log=$out/log
make -C "$tree" O="$(cd "$out/headers" && pwd)" headers </dev/null >"$log" 2>&1 ||
	die "making the headers failed: see $log"

# build TEST SOURCE...
build()
{
	_name=$(basename "$1")
	_files="$src/$1.c"
	shift
	for _f; do
		_files="$_files $src/$_f"
	done
	# shellcheck disable=SC2086 # names without blanks
	"$CC" -static -O2 -w -D_GNU_SOURCE= -D_FILE_OFFSET_BITS=64 -I"$src" \
		-isystem "$out/headers/usr/include" -o "$out/$_name" $_files \
		-lpthread -lrt >>"$log" 2>&1 || die "$_name: does not compile: see $log"
}

build memfd/memfd_test memfd/common.c
build tmpfs/bug-link-o-tmpfile
# shellcheck disable=SC2086 # two names
{
	build mm/folio_split_race_test $mm
	build mm/split_huge_page_test $mm
	build mm/khugepaged $mm
	build mm/memory-failure $mm
}
rm -rf "$out/headers"
cp "$work/pristine.id" "$out/id"
say "selftests: built in $out"
