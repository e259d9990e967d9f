#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# fio-image.sh FILE - fio and the libraries it needs, as an ext4 image
#
# Made once for each fio: a guest mounts it read-only and changes root to it.
# A disk rather than part of the initramfs, so that a guest loads only what it
# uses of the 80 MiB that a distribution's fio may link to.
set -eu

image=${1:?usage: fio-image.sh FILE}
fio=$(command -v fio) || { echo "fio-image.sh: no fio in PATH" >&2; exit 1; }

stamp=$(ldd "$fio" | awk '$2 == "=>" { print $3 } $1 ~ "^/" { print $1 }' |
	cat - /dev/fd/3 3<<-END | xargs sha256sum | sha256sum
	$fio
	END
)
[ -f "$image" ] && [ "$(cat "$image.stamp" 2>/dev/null)" = "$stamp" ] && exit

root=$image.root
trap 'rm -rf "$root" "$image.tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
rm -rf "$root" "$image" "$image.stamp"
mkdir -p "$root/bin" "$root/dev" "$root/mnt" "$root/proc" "$root/tmp"
cp "$fio" "$root/bin/fio"
ldd "$fio" | awk '$2 == "=>" { print $3 } $1 ~ "^/" { print $1 }' |
	while read -r lib; do
		mkdir -p "$root/$(dirname "$lib")"
		cp -L "$lib" "$root/$lib"
	done
size=$(du -sm "$root" | cut -f1)
mkfs.ext4 -q -O ^has_journal -d "$root" "$image.tmp" $((size * 5 / 4 + 16))M
mv "$image.tmp" "$image"
echo "$stamp" >"$image.stamp"
echo "fio-image: $("$fio" --version), $size MiB"
