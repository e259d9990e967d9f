# SPDX-License-Identifier: GPL-2.0
#
# functions.awk - C source, with the function that each line is of
#
# Prints "NAME|LINE" for each line that is not blank or only a brace: NAME is
# the function, or "-" outside of any.  The second function of a name, as under
# an #else, is "NAME#2": a hunk that goes to the wrong one shows.

function out(name, line)
{
	if (line ~ /[^ \t{}]/)
		print name "|" line
}

# a head begins in the first column, and ends with "{" there
!inside && /^[A-Za-z_].*\(/ && !/;[ \t]*$/ && !/^(typedef|#)/ && !/\{.*\}[ \t]*$/ {
	name = $0
	# the word before the first parenthesis; of SYSCALL_DEFINE3(readahead,
	# the first word behind it
	if (match(name, /^[A-Z_0-9]+\([a-z_0-9]+/))
		name = substr(name, 1, RLENGTH)
	else
		sub(/[ \t]*\(.*/, "", name)
	sub(/.*[^A-Za-z0-9_]/, "", name)
	head = 1
}

head && /^\{/ || head && /^[A-Za-z_].*\)[ \t]*\{[ \t]*$/ {
	inside = 1
	head = 0
	now = name (seen[name]++ ? "#" seen[name] : "")
}

head && /;[ \t]*$/ { head = 0 }

{ out(inside ? now : "-", $0) }

inside && /^\}/ { inside = 0 }
