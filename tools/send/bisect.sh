#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# bisect.sh - every patch of the quilt, one after the other
#
# After each patch the objects that the quilt touches are built at W=1 and are
# read by sparse, with gcc and with clang, with all of CONFIG_SHMEM, TMPFS, SWAP,
# TRANSPARENT_HUGEPAGE and NUMA, with none of them and with each one off: no
# warning may be there that the tree does not have without the quilt.  The tests
# of tools/testing/readahead, and those of mm/tests in user mode Linux, run as
# well: what passes before a patch passes after it, and with all of them all do.
# The rest is objects only: no other kernel is linked.
#
# sparse up to 0.6.4 does not know __typeof_unqual__, and the kernel's make then
# leaves it out altogether.  So it is called by hand, with the flags of the
# compiler and __typeof__ in that place: it then keeps a qualifier that the kernel
# meant to drop, and sees all else.
#
# What the quilt does to size and stack, by bloat-o-meter and checkstack, is left
# in $O/$BASE/bisect/TOPIC.size, and has to be what patches/$BASE/TOPIC/size says
# if that names the same compiler; STORE=1 puts it there.
#
# Environment: CCS ("gcc clang"; clang-NN where clang is too old), CONFIGS (words of the list below), STORE,
# KUNIT (1; empty leaves it out).
set -eu

# shellcheck source=tools/kernel/lib.sh
. "$(dirname "$0")/../kernel/lib.sh"
# shellcheck source=tools/send/lib.sh
. "$top/tools/send/lib.sh"

: "${CCS:=gcc clang}" "${CONFIGS:=all none SHMEM TMPFS SWAP TRANSPARENT_HUGEPAGE NUMA}" "${STORE:=}" "${KUNIT=1}"
options="SHMEM TMPFS SWAP TRANSPARENT_HUGEPAGE NUMA"
pristine=$work/pristine
here=$work/bisect
[ -f "$pristine.id" ] || die "no kernel tree in $work: run make fetch first"
mkdir -p "$here"
here=$(cd "$here" && pwd)
tree=$here/tree
series=$PATCHES/$BASE/series
patches=$(series_patches "$series")
start=$(date +%s)
failed=0

# A tree of its own: hard links, broken by the renames below.  It is noted when
# it is whole, and is as the pinned one when a run ends.
if ! cmp -s "$tree.id" "$pristine.id"; then
	rm -rf "$tree.id" "$tree" "$here"/obj-*
	cp -al "$pristine" "$tree"
	cp "$pristine.id" "$tree.id"
fi
# shellcheck disable=SC2086 # file names without blanks
files=$(touched $patches)
objects=$(echo "$files" | sed -n 's/\.c$/.o/p')
[ -n "$objects" ] || die "$series: no patch of it touches C"

# The quilt up to each patch, as files
steps=0
rm -rf "$here"/step-*
: >"$here/series"
for p in "" $patches; do
	if [ -n "$p" ]; then
		steps=$((steps + 1))
		cp "$p" "$here/$(basename "$p")"
		basename "$p" >>"$here/series"
		tmps="$tmps $here/$(basename "$p")"
	fi
	"$top/tools/kernel/apply.sh" "$here/step-$steps" "$here/series" >/dev/null
	mkdir -p "$here/step-$steps"
done

# name STEP: of its patch
name()
{
	if [ "$1" = 0 ]; then
		echo "without the quilt"
	else
		sed -n "$1p" "$here/series"
	fi
}

# put STEP: the tree as after that patch; what does not change keeps its time
put()
{
	for f in $files; do
		_s=$here/step-$1/$f
		[ -f "$_s" ] || _s=$pristine/$f
		if [ ! -f "$_s" ]; then
			rm -f "$tree/$f"
		elif ! cmp -s "$_s" "$tree/$f"; then
			mkdir -p "$tree/$(dirname "$f")"
			cp "$_s" "$tree/$f.new"
			mv "$tree/$f.new" "$tree/$f"
		fi
	done
}

# kbuild OBJ CC TARGET...
kbuild()
{
	_o=$1 _c=$2
	shift 2
	make -C "$tree" O="$_o" CC="$_c" W=1 -j"$JOBS" "$@" </dev/null 2>&1
}

# warnings: of a log, without the places, which move
warnings()
{
	grep -E '(warning|error): ' | sed 's,^.*/tree/,,; s/:[0-9][0-9:]*//g' | sort -u
}

# check_with_sparse OBJ OBJECT
check_with_sparse()
{
	_cmd=$1/$(dirname "$2")/.$(basename "$2").cmd
	_line=$(sed -n 's/^savedcmd_[^ ]* := //p' "$_cmd" | sed 's/ *;.*//')
	_flags=$(echo "$_line" | sed 's/^[^ ]* //; s/-Wp,[^ ]*//g; s/ -c -o [^ ]* [^ ]*$//; s/ -Werror[^ ]*//g')
	(cd "$1" && eval "sparse -D__linux__ -Dlinux -D__STDC__ -Dunix -D__unix__ \
		-D__typeof_unqual__=__typeof__ -Wbitwise -Wcontext -Wno-return-void -Wno-unknown-attribute \
		-mlittle-endian -m64 --arch=x86_64 $_flags $tree/${2%.o}.c") 2>&1
}

# new_enough CLANG: is it there, and does the tree take it?
new_enough()
{
	_v=$("$1" -dumpversion 2>/dev/null) || return 1
	printf '%s\n' "$llvm" "$_v" | sort -CV
}

# newest_clang CC: itself, or the newest that is called after its version
newest_clang()
{
	for _c in "$1" $(seq -f clang-%g 30 -1 11); do
		if new_enough "$_c"; then
			echo "$_c"
			return
		fi
	done
}

llvm=$(SRCARCH=x86 "$pristine/scripts/min-tool-version.sh" llvm)
put 0
for cc in $CCS; do
	case $cc in
	clang*)
		_c=$(newest_clang "$cc")
		[ -n "$_c" ] || { say "bisect: $cc: expected $llvm or later, as the tree does; left out"; continue; }
		cc=$_c ;;
	esac
	command -v "$cc" >/dev/null || { say "bisect: $cc: not on this machine, left out"; continue; }
	obj=$here/obj-$cc
	mkdir -p "$obj"
	for config in $CONFIGS; do
		t=$(date +%s)
		{
			printf 'CONFIG_64BIT=y\nCONFIG_EXPERT=y\nCONFIG_SMP=y\nCONFIG_BLOCK=y\nCONFIG_PRINTK=y\nCONFIG_BUG=y\nCONFIG_ADVISE_SYSCALLS=y\n'
			for o in $options; do
				case $config:$o in
				none:* | "$o:$o") echo "# CONFIG_$o is not set" ;;
				# there is no tmpfs without shmem
				SHMEM:TMPFS) echo "# CONFIG_$o is not set" ;;
				*) echo "CONFIG_$o=y" ;;
				esac
			done
		} >"$here/fragment"
		put 0
		log=$(kbuild "$obj" "$cc" KCONFIG_ALLCONFIG="$here/fragment" allnoconfig) ||
			die "$cc, $config: allnoconfig: $(echo "$log" | tail -n 1)"
		# none of these is on if it is not asked for: but is it then?
		for o in $options; do
			case $(grep "^CONFIG_$o=y" "$here/fragment"):$(grep "^CONFIG_$o=y" "$obj/.config") in
			":" | "CONFIG_$o=y:CONFIG_$o=y") ;;
			# without SHMEM it is ramfs that is called tmpfs
			*) die "$cc, $config: CONFIG_$o is not what was asked for" ;;
			esac
		done
		for s in $(seq 0 "$steps"); do
			put "$s"
			build=
			for o in $objects; do
				[ -f "$tree/${o%.o}.c" ] || continue
				# shmem.c and the like are not built in every configuration
				build="$build $o"
			done
			# shellcheck disable=SC2086 # object names
			log=$(kbuild "$obj" "$cc" $build) ||
				die "$cc, $config, $(name "$s"): does not build: $(echo "$log" | grep -m1 'error' || echo "$log" | tail -n 1)"
			echo "$log" | warnings >"$here/w"
			for o in $build; do
				check_with_sparse "$obj" "$o" | warnings >>"$here/w"
			done
			sort -u "$here/w" >"$here/w-$s"
			if [ "$s" != 0 ] && [ -n "$(comm -13 "$here/w-0" "$here/w-$s")" ]; then
				comm -13 "$here/w-0" "$here/w-$s" | sed "s|^|bisect: $cc, $config, $(name "$s"): |" | sed 5q
				failed=$((failed + 1))
			fi
			if [ "$config" = all ] && [ "$cc" = "${CCS%% *}" ]; then
				for o in $build; do
					mkdir -p "$here/step-$s.o/$(dirname "$o")"
					cp "$obj/$o" "$here/step-$s.o/$o"
				done
			fi
		done
		say "bisect: $cc, $config: $((steps + 1)) steps, W=1 and sparse: $(wc -l <"$here/w-0") warnings of the tree, $(($(date +%s) - t)) s"
	done
done
put 0

# The simulator.  A test that passes is one that is not named as failed.
if [ -f "$top/tools/testing/readahead/Makefile" ] && echo "$files" | grep -q '^mm/\(readahead\|filemap\)\.c$'; then
	ra=$top/tools/testing/readahead
	make -s -C "$ra" OUT="$here/sim" program
	for s in $(seq 0 "$steps"); do
		: >"$here/some"
		[ "$s" = 0 ] || sed "${s}q" "$here/series" >"$here/some"
		"$top/tools/kernel/sources.sh" "$here/sim/$s/tree" "$here/some"
		make -s -C "$ra" KDIR="$here/sim/$s/tree" OUT="$here/sim/$s" engine
		"$here/sim/readahead" test -e "$here/sim/$s/engine.so" >"$here/sim/$s/log" 2>&1 && st=0 || st=$?
		sed -n 's/^[^ ]*: \(test_[a-z0-9_]*\): .*/\1/p' "$here/sim/$s/log" | sort -u >"$here/sim/$s/failed"
		[ "$st" = 0 ] || [ -s "$here/sim/$s/failed" ] ||
			die "$(name "$s"): the simulator: $(tail -n 1 "$here/sim/$s/log")"
		if [ "$s" != 0 ]; then
			_new=$(comm -13 "$here/sim/$((s - 1))/failed" "$here/sim/$s/failed" | tr '\n' ' ')
			[ -z "$_new" ] || { say "bisect: $(name "$s"): the simulator: fails now: $_new"; failed=$((failed + 1)); }
		fi
		say "bisect: simulator, $(name "$s"): $(tail -n 1 "$here/sim/$s/log"), failed: $(wc -l <"$here/sim/$s/failed")"
	done
	[ ! -s "$here/sim/$steps/failed" ] ||
		{ say "bisect: the whole quilt: the simulator: fails: $(tr '\n' ' ' <"$here/sim/$steps/failed")"; failed=$((failed + 1)); }
fi

# KUnit; a base may say that the suites are not for it
if [ -n "$KUNIT" ] && ! grep -qsx '# CONFIG_READAHEAD_KUNIT_TEST is not set' "$PATCHES/$BASE/kernel.config"; then
	mkdir -p "$here/kunit"
	for s in $(seq 0 "$steps"); do
		: >"$here/some"
		[ "$s" = 0 ] || sed "${s}q" "$here/series" >"$here/some"
		UML=1 "$top/tools/kernel/build.sh" um-step "$here/some" >"$here/kunit/log" 2>&1 ||
			die "$(name "$s"): UML: $(tail -n 1 "$here/kunit/log")"
		# that tests fail which a later patch mends is no failure here
		FLAVOURS=step WHERE=um "$top/tools/kernel/kunit.sh" >"$here/kunit/log" 2>&1 || :
		sed -n 's/^passed //p' "$work/kunit/um-step/results" | sort >"$here/kunit/passed-$s"
		sed -n 's/^failed //p' "$work/kunit/um-step/results" | sort >"$here/kunit/failed"
		[ -s "$here/kunit/passed-$s" ] ||
			die "$(name "$s"): KUnit: $(grep -m1 ': failed: ' "$here/kunit/log" || tail -n 1 "$here/kunit/log")"
		if [ "$s" != 0 ]; then
			_new=$(comm -23 "$here/kunit/passed-$((s - 1))" "$here/kunit/passed-$s" | tr '\n' ' ')
			[ -z "$_new" ] || { say "bisect: $(name "$s"): KUnit: passes no more: $_new"; failed=$((failed + 1)); }
		fi
		# a test may pass in a kernel that has warned
		_said=$(sed -n 's/.*: failed: //p' "$here/kunit/log" | grep -vxFf "$here/kunit/failed") || :
		[ -z "$_said" ] || { say "bisect: $(name "$s"): KUnit: $_said"; failed=$((failed + 1)); }
		say "bisect: KUnit, $(name "$s"): $(wc -l <"$here/kunit/passed-$s") passed, $(wc -l <"$here/kunit/failed") failed"
	done
	[ ! -s "$here/kunit/failed" ] ||
		{ say "bisect: the whole quilt: KUnit: fails: $(tr '\n' ' ' <"$here/kunit/failed")"; failed=$((failed + 1)); }
fi

# Size and stack of each topic: from before its first patch to after its last.
stack()
{
	objdump -d "$1" | perl "$tree/scripts/checkstack.pl" x86_64 64 2>/dev/null |
		awk '/^0x/ { sub(/\[[^]]*\]:?/, "", $0); print $2, $NF }' | sort -u
}
first_cc=${CCS%% *}
if [ -d "$here/step-0.o" ]; then
	for topic in $(topics); do
		_n=$(sed 's/[[:blank:]]*#.*//; /^[[:blank:]]*$/d; s/^[[:blank:]]*//' "$series" | grep -n "^$topic/" | cut -d: -f1)
		[ -n "$_n" ] || continue
		a=$(($(echo "$_n" | sed 1q) - 1))
		b=$(echo "$_n" | tail -n 1)
		{
			echo "Size and stack, $("$first_cc" --version | sed 1q), x86_64:"
			for o in $objects; do
				cmp -s "$here/step-$a.o/$o" "$here/step-$b.o/$o" && continue
				echo
				echo "$o"
				(cd "$here" && "$tree/scripts/bloat-o-meter" "step-$a.o/$o" "step-$b.o/$o") | sed 's/[[:blank:]]*$//; s/^/  /'
				stack "$here/step-$a.o/$o" >"$here/x"
				stack "$here/step-$b.o/$o" >"$here/y"
				if cmp -s "$here/x" "$here/y"; then
					echo "  no frame of 64 bytes or more has changed (checkstack)"
				else
					diff "$here/x" "$here/y" | sed -n 's/^< /  stack before: /p; s/^> /  stack after:  /p'
				fi
			done
		} >"$here/$topic.size"
		stored=$PATCHES/$BASE/$topic/size
		if [ "$STORE" = 1 ]; then
			cp "$here/$topic.size" "$stored"
			say "bisect: $topic: size and stack are stored in patches/$BASE/$topic/size"
		elif [ ! -f "$stored" ]; then
			say "bisect: $topic: patches/$BASE/$topic/size is missing: STORE=1 makes it"
			failed=$((failed + 1))
		elif [ "$(sed 1q "$stored")" != "$(sed 1q "$here/$topic.size")" ]; then
			say "bisect: $topic: size is of another compiler than that stored: not compared"
		elif ! cmp -s "$stored" "$here/$topic.size"; then
			say "bisect: $topic: size and stack are not as patches/$BASE/$topic/size has them: STORE=1 puts them there"
			failed=$((failed + 1))
		fi
	done
fi
say "bisect: $steps patches, $failed failed, $(($(date +%s) - start)) s"
[ "$failed" = 0 ]
