#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# fio's disk is made once for each fio, and is whole or not there.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"

make=$top/qemu/fio-image.sh
image=$tmp/d/fio.img
PATH=$tmp/bin:$PATH
mkdir "$tmp/bin" "$tmp/d"

# fio TOOL: something dynamically linked that takes its place
fio()
{
	cp "/bin/$1" "$tmp/bin/fio"
}

# whole NAME: the image has a sound file system, with this fio in it
whole()
{
	is_true "$1: sound" e2fsck -fn "$image"
	rm -f "$tmp/dump"
	debugfs -R "dump /bin/fio $tmp/dump" "$image" 2>/dev/null
	is_true "$1: with this fio" cmp "$tmp/dump" "$tmp/bin/fio"
	is_true "$1: with its libraries" sh -c \
		"debugfs -R 'ls -p /' '$image' 2>/dev/null | grep -q '/lib'"
}

clean()
{
	rm -rf "$tmp/d"
	mkdir "$tmp/d"
}

# nothing NAME: nothing that a later run takes for an image, nothing temporary
nothing()
{
	is_true "$1: nothing is left half done" sh -c \
		"! ls -d '$(dirname "$image")'/* 2>/dev/null | grep -v '/fill\$'"
}

fio true
check "it is made" 0 '^fio-image: ' "$make" "$image"
whole "it is made"
is_true "once" "$make" "$image"
is_true "and nothing is said then" test -z "$out"
fio false
check "another fio gets another" 0 '^fio-image: ' "$make" "$image"
whole "another fio"
rm "$image.stamp"
check "one whose fio is not known is made anew" 0 '^fio-image: ' "$make" "$image"
printf x | dd of="$image" bs=1 seek=70000 conv=notrunc 2>/dev/null
check "one that has another byte is made again" 0 'fio.img is not what was made: it is made again$' \
	"$make" "$image"
whole "one that has another byte"
is_true "but once" "$make" "$image"
is_true "and nothing is said of it then" test -z "$out"
mkdir "$tmp/none"
for c in sh cat; do
	ln -s "$(command -v $c)" "$tmp/none/$c"
done
check "no fio" 1 'fio-image.sh: no fio in PATH' env PATH="$tmp/none" "$make" "$image"

# stopped NAME SIGNAL TOOL PATTERN [COMMAND]
stopped()
{
	clean
	slow "$3" "$4" "${5:-}"
	interrupted "$1" "$2" "$make" "$image"
	[ "$2" = KILL ] || nothing "$1 ($2)"
	check "$1 ($2): the next run makes it" 0 '^fio-image: ' "$make" "$image"
	whole "$1 ($2)"
	is_true "$1 ($2): and nothing temporary is left" test "$(ls "$tmp/d")" = "fio.img
fio.img.stamp"
}

for sig in INT TERM KILL; do
	stopped "Ctrl-C while libraries are copied" $sig cp '-L *'
	# shellcheck disable=SC2016 # for the script to expand
	stopped "Ctrl-C in mkfs" $sig mkfs.ext4 '*' 'echo half >"$6"'
done
clean
slow mv '*fio.img'
interrupted "Ctrl-C before it gets its name" INT "$make" "$image"
nothing "Ctrl-C before it gets its name"
clean
slow mv '*.stamp'
interrupted "Ctrl-C before it is stamped" INT "$make" "$image"
check "Ctrl-C before it is stamped: the next run makes it" 0 '^fio-image: ' "$make" "$image"
whole "Ctrl-C before it is stamped"

# On a terminal mkfs asks before it takes what a killed run has left.
clean
"$make" "$image" >/dev/null
mv "$image" "$image.tmp"
truncate -s 1G "$image.tmp"
check "after a run that was killed with a large one" 0 'fio-image: ' "$make" "$image"
is_true "it is not a large one" test "$(stat -c %s "$image")" -lt 1000000000
mv "$image" "$image.tmp"
if command -v script >/dev/null; then
	check "on a terminal, after a run that was killed" 0 'fio-image: ' \
		script -qec "'$make' '$image'" /dev/null
	whole "on a terminal"
else
	skip "on a terminal, after a run that was killed" "no script(1)"
fi

# full NAME SIZE REGEX
full()
{
	if ! small "$2"; then
		skip "$1" "cannot mount a small file system"
		return
	fi
	image=$tmp/small/fio.img
	check "$1" 1 "$3" "$make" "$image"
	is_true "$1: in one line" test "$(printf '%s\n' "$out" | wc -l)" = 1
	nothing "$1"
	rm -f "$tmp/small/fill"
	mount -o remount,size=100m "$tmp/small"
	rm -f "$tmp/bin/mkfs.ext4"
	check "$1: the next run makes it" 0 '^fio-image: ' "$make" "$image"
	whole "$1"
	umount "$tmp/small"
	image=$tmp/d/fio.img
}

full "the disk is full when libraries are copied" 600k 'small/fio.img.root/.*No space'
need=$(du -sk "$image" | cut -f1)
full "the disk is full in mkfs" $((need + need / 2))k 'fio-image.sh: .*/small/fio.img: .*No space'
# it fits, and there is room for nothing else
printf '#!/bin/sh\n%s "$@"\ncat /dev/zero >"%s/small/fill" 2>/dev/null\n:\n' \
	"$(command -v mkfs.ext4)" "$tmp" >"$tmp/bin/mkfs.ext4"
chmod +x "$tmp/bin/mkfs.ext4"
full "the disk is full when it is stamped" 100m 'fio.img.stamp: cannot be written: is the disk full'

done_testing
