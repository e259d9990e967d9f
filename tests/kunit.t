#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What make kunit makes of what kernels print.  The kernels are stand-ins, and
# kunit.py is that of the tree.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"

KUNIT_PY=$O/7.3/pristine/tools/testing/kunit/kunit.py
O=$tmp/o
BASE=7.3
QEMU=$tmp/qemu
PRINTS=$tmp/prints
export KUNIT_PY O BASE QEMU PRINTS
unset ACCEL

# UML prints, and QEMU writes to where its first serial line goes
cat >"$tmp/vmlinux" <<'END'
#!/bin/sh
cat "$PRINTS/$(basename "$(dirname "$(readlink "$0")")")"
END
cat >"$QEMU" <<'END'
#!/bin/sh
for arg; do
	case $arg in
	*/vmlinux) kernel=$(basename "$(dirname "$arg")") ;;
	file:*) file=${arg#file:} ;;
	esac
done
[ -z "$QEMU_FAILS" ] || { echo "qemu: no such thing" >&2; exit 1; }
sed 's/^/[    1.000000] /; s/$/\r/' "$PRINTS/$kernel" >"$file"
END
chmod +x "$tmp/vmlinux" "$QEMU"
for k in base patched um-base um-patched; do
	mkdir -p "$O/7.3/$k"
	cp "$tmp/vmlinux" "$O/7.3/$k/vmlinux"
done

# ktap RESULT...: of the tests "plain", with two parameters, and "fixed_it"
ktap()
{
	cat <<-END
	Linux version 7.3.4
	KTAP version 1
	1..1
	    KTAP version 1
	    # Subtest: readahead
	    # module: readahead_kunit
	    1..3
	        KTAP version 1
	        # Subtest: plain
	        $1 1 small
	        $1 2 large
	    # plain: pass:2 fail:0 skip:0 total:2
	    $1 1 plain
	    ok 2 no_large # SKIP no large folios
	    $2 3 fixed_it
	# Totals: pass:2 fail:1 skip:0 total:3
	$2 1 readahead
	END
}

good()
{
	rm -rf "$PRINTS"
	mkdir "$PRINTS"
	for _k in base um-base; do
		ktap ok 'not ok' >"$PRINTS/$_k"
	done
	for _k in patched um-patched; do
		ktap ok ok >"$PRINTS/$_k"
	done
}

kunit=tools/kernel/kunit.sh
good
check "all is well" 0 '^12 passed, 0 failed, 4 skipped$' $kunit
said=$out
for l in 'base, UML' 'base, QEMU'; do
	is_true "$l: what has to fail is counted" sh -c "printf '%s\n' '$said' |
		grep -qx 'kunit: $l: 3 passed, 0 failed, 1 skipped (of the passed, 1 fail.*)'"
done
is_true "what the kernel printed is kept" cmp "$PRINTS/um-base" "$O/7.3/kunit/um-base/test.log"

for k in base um-base; do
	ktap ok ok >"$PRINTS/$k"
	check "$k: a test of the fix that passes without it" 1 \
		'failed: fixed_it: it passes without the quilt' $kunit
	is_true "$k: is one failure" sh -c "printf '%s\n' '$out' |
		grep -qx '11 passed, 1 failed, 4 skipped'"
	good
done
for k in patched um-patched; do
	ktap ok 'not ok' >"$PRINTS/$k"
	check "$k: a test of the fix that fails with it" 1 'failed: fixed_it$' $kunit
	good
done
for k in base um-patched; do
	ktap 'not ok' 'not ok' >"$PRINTS/$k"
	check "$k: another test that fails" 1 'failed: plain: large$' $kunit
	good
done

for k in patched um-base; do
	sed -i '/fixed_it/,$d' "$PRINTS/$k"
	check "$k: an end in the middle" 1 '^1[0-9] passed, [1-9][0-9]* failed' $kunit
	good
	: >"$PRINTS/$k"
	check "$k: silence" 1 'failed: no test has been run$' $kunit
	good
	sed -i '/ok 2 no_large/i WARNING: mm/readahead.c:7 at f' "$PRINTS/$k"
	check "$k: a warning" 1 'failed: WARNING: mm/readahead.c:7 at f$' $kunit
	good
done
export QEMU_FAILS=1
check "QEMU that does not start" 1 'base, QEMU: failed: QEMU ended with 1: qemu: no such thing$' $kunit
QEMU_FAILS=
rm "$O/7.3/um-patched/vmlinux"
check "a kernel that is not there" 1 'patched, UML: failed: no test has been run' $kunit
rm -rf "$O/7.3"
check "nothing is built" 1 'kunit.sh: .*: no such directory: run build.sh first$' $kunit

done_testing
