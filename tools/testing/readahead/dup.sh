#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# dup.sh KDIR LIST OUT - copy what LIST names out of a kernel tree
#
# Word for word, so they cannot differ from the tree's.  What LIST takes from
# include/ goes into OUT/dup-include.h, what it takes from mm/ into OUT/dup-mm.h.
# OUT/include gets an empty file for each header that mm/readahead.c includes:
# all that it needs comes before it.
#
# A line of LIST is a file of the tree and a name in it.  "?" before the file:
# not every tree has it; HAVE_name is defined where it is there.  Of a name
# STRUCT.MEMBER nothing is copied: HAVE_STRUCT_MEMBER says that there is one.
set -eu

kdir=${1:?usage: dup.sh KDIR LIST OUT}
list=${2:?usage: dup.sh KDIR LIST OUT}
out=${3:?usage: dup.sh KDIR LIST OUT}

[ -f "$kdir/mm/readahead.c" ] || {
	echo "dup.sh: KDIR=$kdir: expected a kernel tree, with mm/readahead.c" >&2
	exit 1
}
rm -rf "$out/include"
mkdir -p "$out/include"
sed -n 's/^#include [<"]\(.*\)[>"].*/\1/p' "$kdir/mm/readahead.c" |
	while read -r header; do
		mkdir -p "$out/include/$(dirname "$header")"
		echo "/* nothing: see engine.c */" >"$out/include/$header"
	done

# One definition: a macro with its continuation lines; a structure, union or
# enum up to the closing brace in column 0; a function from the line of its
# type, a prototype not being one.
copy()
{
	awk -v name="$2" '
	function flush_if(text) { if (!done) { printf "%s", text; done = 1 } }
	macro {
		body = body $0 "\n"
		if ($0 !~ /\\$/) { flush_if(body); exit }
		next
	}
	block {
		body = body $0 "\n"
		if ($0 ~ /^}/) { flush_if(body); exit }
		next
	}
	head {
		body = body $0 "\n"
		if ($0 ~ /^\{/ || $0 ~ /\{$/) { block = 1; head = 0 }
		else if ($0 ~ /;[[:blank:]]*$/) { head = 0 }
		prev = $0
		next
	}
	$0 ~ "^#[[:blank:]]*define[[:blank:]]+" name "([(]|[[:blank:]])" {
		body = $0 "\n"
		if ($0 !~ /\\$/) { flush_if(body); exit }
		macro = 1
		next
	}
	$0 ~ "^(struct|union|enum) " name " [{]" { body = $0 "\n"; block = 1; next }
	$0 ~ "^[a-z].*[^a-zA-Z0-9_]" name "[(]" || $0 ~ "^" name "[(]" {
		body = $0 "\n"
		# the type may stand on the line before
		if ($0 ~ "^" name "[(]" || prev ~ /^static( inline)?( [a-z ]+)?$/ ||
		    prev ~ /^[a-z][a-z ]*$/)
			body = prev "\n" body
		if ($0 ~ /;[[:blank:]]*$/) { prev = $0; next }
		if ($0 ~ /\{$/) block = 1
		else head = 1
		next
	}
	{ prev = $0 }
	END { exit !done }
	' "$1"
}

for dir in include mm; do
	{
	echo "/* SPDX-License-Identifier: GPL-2.0 */"
	echo "/* Copied by dup.sh from the tree, word for word. */"
	while read -r file name; do
		optional=0
		case $file in
		"?"*) file=${file#"?"} optional=1 ;;
		esac
		case $file in
		"$dir"/*) ;;
		*) continue ;;
		esac
		case $name in
		*.*)
			[ ! -f "$kdir/$file" ] ||
				! copy "$kdir/$file" "${name%.*}" |
				grep -q "[[:blank:]*]${name#*.};" ||
				echo "#define HAVE_${name%.*}_${name#*.} 1"
			continue ;;
		esac
		if [ -f "$kdir/$file" ] && copy "$kdir/$file" "$name" >"$out/dup.tmp"; then
			printf '\n/* %s */\n#define HAVE_%s 1\n' "$file" "$name"
			cat "$out/dup.tmp"
		elif [ "$optional" = 0 ]; then
			echo "dup.sh: $kdir/$file: expected a definition of $name ($list)" >&2
			exit 1
		fi
	done <"$list"
	} >"$out/dup-$dir.h.tmp"
	mv "$out/dup-$dir.h.tmp" "$out/dup-$dir.h"
done
rm -f "$out/dup.tmp"
