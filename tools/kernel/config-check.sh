#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# config-check.sh FRAGMENT CONFIG - every option asked for is in force
#
# kconfig drops without a word what it cannot set.  Exit 1 and one line for
# each option of FRAGMENT that CONFIG does not have as asked.
set -eu

fragment=${1:?usage: config-check.sh FRAGMENT CONFIG}
config=${2:?usage: config-check.sh FRAGMENT CONFIG}

awk -v fragment="$fragment" '
	function name(line) {
		sub(/^# /, "", line)
		sub(/[ =].*/, "", line)
		return line
	}
	FNR == NR {
		if (/^CONFIG_|^# CONFIG_.* is not set$/)
			have[name($0)] = $0
		next
	}
	/^CONFIG_|^# CONFIG_.* is not set$/ {
		n = name($0)
		# an option that does not exist is not set
		if (n in have ? have[n] == $0 : /^#/)
			next
		printf "%s:%d: %s is not in force (have: %s)\n", fragment,
			FNR, $0, n in have ? have[n] : "no such option"
		bad = 1
	}
	END { exit bad }
' "$config" "$fragment" >&2
