#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# fio-image.sh FILE - fio and the libraries it needs, as an ext4 image
#
# Made once for each fio: a guest mounts it read-only and changes root to it.
# A disk rather than part of the initramfs, so that a guest loads only what it
# uses of the 80 MiB that a distribution's fio may link to.
set -eu

here=${0%/*}
image=${1:?usage: fio-image.sh FILE}
fio=$(command -v fio) || { echo "fio-image.sh: no fio in PATH" >&2; exit 1; }

stamp=$("$here/libs.sh" "$fio" |
	cat - /dev/fd/3 3<<-END | xargs sha256sum | sha256sum
	$fio
	END
)
# the stamp has what it was made of, and then what was made
if [ -f "$image" ] && [ "$(sed 1q "$image.stamp" 2>/dev/null)" = "$stamp" ]; then
	[ "$(sed -n 2p "$image.stamp")" != "$(sha256sum <"$image")" ] || exit 0
	echo "fio-image: $image is not what was made: it is made again"
fi

root=$image.root
new=$image.tmp
trap 'rm -rf "$root" "$new" "$image.stamp.tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP
# mkfs would ask what to do with an image that a killed run has left
rm -rf "$root" "$image" "$image.stamp" "$new"
mkdir -p "$root/bin" "$root/dev" "$root/mnt" "$root/proc" "$root/tmp"
cp "$fio" "$root/bin/fio"
"$here/libs.sh" "$fio" |
	while read -r lib; do
		mkdir -p "$root/$(dirname "$lib")"
		cp -L "$lib" "$root/$lib"
	done
size=$(du -sm "$root" | cut -f1)
if ! said=$(mkfs.ext4 -q -O ^has_journal -d "$root" "$new" $((size * 5 / 4 + 16))M 2>&1); then
	echo "fio-image.sh: $image: $(echo "$said" | grep . | tail -n 1)" >&2
	exit 1
fi
if ! { echo "$stamp" && sha256sum <"$new"; } 2>/dev/null >"$image.stamp.tmp"; then
	echo "fio-image.sh: $image.stamp: cannot be written: is the disk full?" >&2
	exit 1
fi
mv "$new" "$image"
mv "$image.stamp.tmp" "$image.stamp"
echo "fio-image: $("$fio" --version), $size MiB"
