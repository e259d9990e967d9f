#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# libs.sh PROGRAM - the libraries that a program of the host needs in a guest, and
# the loader, one a line
set -eu

ldd "$1" | awk '$2 == "=>" { print $3 } $1 ~ "^/" { print $1 }'
