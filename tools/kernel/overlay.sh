#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# overlay.sh STAGE - our KUnit tests, as files of a kernel tree
#
# The tests are not part of the quilt: they lie in mm/tests, as they would in the
# kernel, and are the same for every flavour.  STAGE gets them, and what makes
# kbuild find them: a line at the end of mm/Kconfig.debug and of mm/Makefile, as
# a quilt has left these in STAGE, or else of the pristine tree.  The names of
# all these files are printed.  build.sh does the rest as for files that a patch
# touches, so they are gone from a tree that is built without them.
#
# Environment: PRISTINE, the tree to take files from ($O/$BASE/pristine).
set -eu

# shellcheck source=tools/kernel/lib.sh
. "$(dirname "$0")/lib.sh"

stage=${1:?usage: overlay.sh STAGE}
: "${PRISTINE:=$work/pristine}"

mkdir -p "$stage/mm/tests"
cp "$top/mm/tests/.kunitconfig" "$top/mm/tests/Kconfig" \
	"$top"/mm/tests/*_kunit.c "$stage/mm/tests/"

# append FILE LINE
append()
{
	[ -f "$stage/$1" ] || cp "$PRISTINE/$1" "$stage/$1" ||
		die "$1: no such file in $PRISTINE"
	! grep -qxF "$2" "$stage/$1" || return 0
	chmod u+w "$stage/$1"
	printf '\n%s\n' "$2" >>"$stage/$1"
}

append mm/Kconfig.debug 'source "mm/tests/Kconfig"'
cat <<END
mm/Kconfig.debug
mm/Makefile
mm/tests/.kunitconfig
mm/tests/Kconfig
END
for suite in "$top"/mm/tests/*_kunit.c; do
	suite=$(basename "$suite" _kunit.c)
	append mm/Makefile "obj-\$(CONFIG_$(echo "$suite" | tr '[:lower:]' '[:upper:]')_KUNIT_TEST) += tests/${suite}_kunit.o"
	echo "mm/tests/${suite}_kunit.c"
done
