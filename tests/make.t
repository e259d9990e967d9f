#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# make itself: a program that was half made is made anew, Ctrl-C goes all the
# way down, and the lock with it.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"

real=$O/7.3/pristine
O=$tmp/o
export O
unset KERNEL_SRC KERNEL_REF CACHE CC
init=$O/bin/init

# A compiler that has written a part when it is gone
cat >"$tmp/cc" <<-END
	#!/bin/sh
	while [ "\$1" != -o ]; do
		shift
	done
	echo half >"\$2"
	[ ! -e "$tmp/wait" ] || { : >"$tmp/reached"; sleep 20; }
	echo "cc: Killed signal terminated program" >&2
	exit 1
END
chmod +x "$tmp/cc"

check "a compiler that is killed" 2 'bin/init\] Error 1$' make CC="$tmp/cc" "$init"
is_true "leaves no program" test ! -e "$init"
mkdir "$tmp/slow"
: >"$tmp/wait"
interrupted "Ctrl-C in the compiler" INT make CC="$tmp/cc" "$init"
is_true "leaves no program, either" test ! -e "$init"
is_true "the next run makes it" make "$init"
made=$(sha256sum <"$init")
printf x | dd of="$init" bs=1 seek=5000 conv=notrunc 2>/dev/null
check "one that has another byte is made again" 0 'bin/init is not what was made: it is made again$' \
	tools/setup/locked.sh "$O" make "$init"
is_true "as it was" test "$(sha256sum <"$init")" = "$made"
check "once" 0 "is up to date" tools/setup/locked.sh "$O" make "$init"
is_true "and it is one" sh -c "file=\$(head -c 4 '$init') && [ \"\${file#?}\" = ELF ]"

# free NAME: the lock is, as soon as those that had it have been killed
free()
{
	_n=0
	until tools/setup/locked.sh "$O" true 2>/dev/null || [ $_n = 30 ]; do
		sleep 0.1
		_n=$((_n + 1))
	done
	is_true "$1: the lock is free" tools/setup/locked.sh "$O" true
}

mkdir -p "$tmp/src/mm"
printf 'VERSION = 7\nPATCHLEVEL = 3\nSUBLEVEL = 4\n' >"$tmp/src/Makefile"
pinned "$real" "$tmp/src"
for sig in INT TERM; do
	slow tar '-xf *'
	interrupted "make fetch is stopped" $sig make fetch KERNEL_SRC="$tmp/src"
	is_true "make fetch is stopped by SIG$sig: nothing is left half done" sh -c \
		"! ls -d '$O'/7.3/pristine* 2>/dev/null"
	free "make fetch is stopped by SIG$sig"
done
check "the next run goes on" 0 'Linux 7.3.4 from .*/src$' make fetch KERNEL_SRC="$tmp/src"
slow sha256sum '*'
interrupted "make fetch is killed" KILL make fetch KERNEL_SRC="$tmp/src"
rm -r "$tmp/slow"
free "make fetch is killed"
check "make fetch is killed: what was there is there" 0 'from .*/src, unchanged$' \
	make fetch KERNEL_SRC="$tmp/src"

done_testing
