#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# mails.sh TOPIC DIR - the mails that "b4 send" would send of a topic, as files
#
# The branch is made anew in $O/$BASE/send.  Of a branch in a KERNEL_SRC, say
# "b4 send -o DIR" there.
#
# Environment: SIGNOFF, B4.
set -eu

# shellcheck source=tools/kernel/lib.sh
. "$(dirname "$0")/../kernel/lib.sh"
# shellcheck source=tools/send/lib.sh
. "$top/tools/send/lib.sh"

topic=${1:-}
dir=${2:?usage: mails.sh TOPIC DIR}
: "${KERNEL_SRC:=}"
[ -z "$KERNEL_SRC" ] ||
	die "KERNEL_SRC=$KERNEL_SRC: b4 send -o DIR there, and MAILS=DIR to look at them"
rm -rf "$dir"
"$top/tools/send/branch.sh" "$topic" >/dev/null
mkdir -p "$dir"
b4_send "$work/send" "$(cd "$dir" && pwd)"
