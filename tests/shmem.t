#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Reads of tmpfs in guests whose kernels check themselves: each hard case, base and
# patched.  "make stress" is the other half.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"

# longer than check() waits
qemu/shmem.sh cases >"$tmp/cases" 2>&1
ok $? "every case, on base and patched, and the two alike"
[ "$failures" = 0 ] || sed 's/^/# /' "$tmp/cases"
# each case is a test of its own
sed -n 's/^\(cases: [a-z]*: [0-9]* passed.*\)/# \1/p' "$tmp/cases"

done_testing
