#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# run.sh TEST... - runs tests that speak TAP and adds them up
#
# prove(1) judges each: a plan that is not kept or an exit status that is not 0
# is a failure even if all lines say "ok".  The last line is
# "N passed, N failed, N skipped", and the exit status is 1 if any failed.
set -u

log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
CMOCKA_MESSAGE_OUTPUT=TAP
export CMOCKA_MESSAGE_OUTPUT

# prove's output comes file by file, as each has ended
exec 4>&1
status=$(
	{
		{
			prove --exec '' --merge --verbose "$@" 2>&1
			echo $? >&3
		} | tee "$log" | awk -v total=$# -v V="${V:-0}" '
			V == 1 { print; fflush(); next }
			/^[^ #]+ \.\.+ *$/ {
				printf("tests: %d of %d have run: %s\n", ++n, total, $1)
				fflush()
			}' >&4
	} 3>&1
)
# what failed, and why; then prove's own summary
awk '/^(ok|1\.\.|Test Summary)/ { show = 0 } /^not ok/ { show = 1 } show' "$log"
sed -n '/^Test Summary Report/,$p; /^All tests successful/,$p' "$log"

skipped=$(grep -c '^ok .* # [Ss][Kk][Ii][Pp]' "$log")
passed=$(($(grep -c '^ok ' "$log") - skipped))
failed=$(grep -c '^not ok ' "$log")
[ "$status" = 0 ] || [ "$failed" -gt 0 ] || failed=1
[ "$skipped" = 0 ] || grep '^ok .* # [Ss][Kk][Ii][Pp]' "$log" | sed 's/^ok [0-9]* - /skipped: /'
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
