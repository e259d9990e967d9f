# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2154
# For the tests of sending and reviewing, after tap.sh: a small tree in place of
# the pinned one, with all that these read of it, and git set up for nobody in
# particular.

real=$O

# small_tree BASE DIR: of the pinned tree of a base, what is needed; false if that
# has not been fetched
small_tree()
{
	_from=$real/$1/pristine
	[ -d "$_from" ] || return 1
	mkdir -p "$2/$1/pristine"
	# shellcheck disable=SC2046,SC2012 # file names without blanks
	(cd "$_from" && ls -d $(
		# what patches of this and of the simulator touch or read
		sed 's/#.*//; s/[[:blank:]].*//; /^$/d' "$top/patches/$1/series" | while read -r _p; do
			sed -n 's,^+++ b/\([^	]*\).*,\1,p' "$top/patches/$1/$_p"
		done
		sed -n 's/^?\{0,1\}\([a-z][^[:blank:]]*\).*/\1/p' "$top/tools/testing/readahead/dup.list"
		echo Makefile Kconfig MAINTAINERS CREDITS mm/Makefile mm/Kconfig.debug mm/readahead.c
		echo scripts/get_maintainer.pl scripts/checkpatch.pl scripts/spelling.txt
		echo scripts/const_structs.checkpatch .get_maintainer.ignore) 2>/dev/null | sort -u |
		tar -cf - -T -) | tar -xf - -C "$2/$1/pristine"
	printf 'archive 1234\nlinux.tar.xz\n' >"$2/$1/pristine.id"
}

# whoever runs this, and whatever they have configured
HOME=$tmp/home
export HOME
mkdir -p "$HOME"
unset KERNEL_SRC BASE_REF SIGNOFF BASE PATCHES TAGS SENT
GIT_CONFIG_NOSYSTEM=1
export GIT_CONFIG_NOSYSTEM
# the author of the quilt, who can sign for it
author=$(sed -n 's/^From: //p' patches/7.3/readahead/0001-*.patch | sed 1q)
GIT_AUTHOR_NAME=${author% <*}
GIT_AUTHOR_EMAIL=$(echo "${author##*<}" | tr -d '>')
GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME
GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL
export GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL
O=$tmp/o
export O
