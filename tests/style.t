#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Shell, C, patches and texts are in the form that kernel people expect.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"

tree=$O/7.3/pristine
checkpatch=$tree/scripts/checkpatch.pl
types()
{
	grep -v '^#' "$1" | awk '{ printf "%s%s", s, $1; s = "," }'
}
ignore=$(types tests/checkpatch.ignore)
shims=$(types tests/checkpatch.shims)

files=$(git ls-files --cached --others --exclude-standard)

for f in $(echo "$files" | grep '\.sh$\|\.t$') tests/fake-qemu .ci/run; do
	is_true "shellcheck: $f" shellcheck -x "$f"
done

# run.sh runs them, and a file that is copied may have lost its mode
for f in $(echo "$files" | grep "^tests/.*\.t\$"); do
	is_true "executable: $f" test -x "$f"
done

# checkpatch judges by what it prints
for f in $(echo "$files" | grep '\.[ch]$'); do
	more=
	case $f in
	*/testing/readahead/stubs.h | */testing/readahead/custom.h | */testing/readahead/tests.c) more=,$shims ;;
	esac
	check "checkpatch: $f" 0 '^$' "$checkpatch" --no-tree --strict --terse \
		--no-summary --quiet --ignore "$ignore$more" --file "$f"
done
# The sender signs, and no one else does it for them.  Commits that a backport
# names are not of this repository.
for f in $(echo "$files" | grep '^patches/.*\.patch$'); do
	# on standard input: a tracked file it would take for source
	check "checkpatch: $f" 0 '^$' sh -c "'$checkpatch' --root='$tree' --strict \
		--terse --no-summary --quiet --ignore MISSING_SIGN_OFF,UNKNOWN_COMMIT_ID - <'$f'"
	# what is above it becomes the commit message
	check "one line of --- before the diff: $f" 0 '^1$' sh -c \
		"sed '/^diff /q' '$f' | grep -c '^---\$'"
	is_true "no tag of a person: $f" sh -c \
		"! grep -E '^(Signed-off|Reviewed|Acked|Tested|Reported|Suggested)-by:' '$f'"
	is_true "index lines have whole blob ids: $f" sh -c \
		"! grep '^index ' '$f' | grep -vE '^index [0-9a-f]{40}\\.\\.[0-9a-f]{40} '"
done

# Does checkpatch find anything at all, the way it is called?
printf '// SPDX-License-Identifier: GPL-2.0\nint f(void)\n{\n        return(0) ;\n}\n' >"$tmp/bad.c"
check "a file in bad style is found" 1 'ERROR' "$checkpatch" --no-tree --strict \
	--terse --no-summary --quiet --ignore "$ignore" --file "$tmp/bad.c"

# get_maintainer.pl checks the form of a MAINTAINERS file from the top of a tree
mkdir "$tmp/tree"
echo "$files" | while read -r f; do
	mkdir -p "$tmp/tree/$(dirname "$f")"
	cp "$f" "$tmp/tree/$f"
done
(cd "$tmp/tree" && git init -q && git add -A && touch COPYING CREDITS Kbuild README &&
	mkdir -p Documentation arch include drivers fs init ipc kernel lib scripts)
for t in sections patterns; do
	check "MAINTAINERS: $t" 0 '^$' sh -c \
		"cd '$tmp/tree' && '$tree/scripts/get_maintainer.pl' --self-test=$t"
done
printf 'F:\tno/such/file\n' >>"$tmp/tree/MAINTAINERS"
check "a pattern without a file is found" 0 'no file matches.*no/such/file' sh -c \
	"cd '$tmp/tree' && '$tree/scripts/get_maintainer.pl' --self-test=patterns"

# The tree has our own options only while it is built.
{ cat "$tree/Kconfig"; printf 'source "%s"\n' "$top/mm/tests/Kconfig"; } >"$tmp/Kconfig"
is_true "the kernel takes our options" make -C "$tree" O="$tmp/obj" \
	KBUILD_KCONFIG="$tmp/Kconfig" KCONFIG_ALLCONFIG="$top/qemu/kernel.config" allnoconfig
config=$tmp/obj/.config
check "every option asked for is in force" 0 '^$' tools/kernel/config-check.sh \
	qemu/kernel.config "$config"
is_true "so does user mode Linux" make -C "$tree" O="$tmp/um" ARCH=um \
	KBUILD_KCONFIG="$tmp/Kconfig" KCONFIG_ALLCONFIG="$top/tools/kernel/uml.config" allnoconfig
check "every option of its own is in force" 0 '^$' tools/kernel/config-check.sh \
	tools/kernel/uml.config "$tmp/um/.config"
is_true "so does that of native time" make -C "$tree" O="$tmp/native" ARCH=um \
	KBUILD_KCONFIG="$tmp/Kconfig" KCONFIG_ALLCONFIG="$top/qemu/native.config" allnoconfig
check "and every option of that" 0 '^$' tools/kernel/config-check.sh \
	qemu/native.config "$tmp/native/.config"
cat qemu/kernel.config >"$tmp/fragment"
printf 'CONFIG_NO_SUCH_THING=y\n# CONFIG_XFS_FS is not set\n' >>"$tmp/fragment"
sed '/^CONFIG_XFS_FS/d' qemu/kernel.config >"$tmp/less"
printf 'CONFIG_NO_SUCH_THING=y\n' >>"$tmp/less"
check "one that kconfig dropped is named" 1 \
	'CONFIG_NO_SUCH_THING=y is not in force \(have: no such option\)' \
	tools/kernel/config-check.sh "$tmp/less" "$config"
check "so is one that it turned on" 1 \
	'# CONFIG_XFS_FS is not set is not in force \(have: CONFIG_XFS_FS=y\)' \
	tools/kernel/config-check.sh "$tmp/fragment" "$config"

for bad in "" / "a b"; do
	check "make clean O=\"$bad\" is refused" 2 'expected a directory' make clean O="$bad"
done
check "make alone prints help" 0 '^make qemu-test ' make
for v in CLAIMS RUNS KERNEL_SRC ACCEL JOBS O V; do
	check "help tells of $v=" 0 "$v=" make
done
# Every target that a user may name is in the help.
targets=$(sed -n 's/^\([a-z][a-z-]*\):.*/\1/p' Makefile | grep -v '^help$')
for t in $targets; do
	check "help tells of $t" 0 "^make $t " make help
done

done_testing
