#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A mistake in a claim ends in one line that names file, line and what was
# expected there; no half-read claim is run.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"

lab=$O/bin/lab
f=$tmp/claims

good="base 7.3
fs xfs
file 1M
mdts 7
max_sectors_kb 512
[X1]
title one
reader read 4k at 0; read 64k to end
promise reads <= stock"

# wrong NAME REGEX SED: the good file, changed by SED, is refused
wrong()
{
	printf '%s\n' "$good" | sed "$3" >"$f"
	check "$1" 2 "^lab: $f:[0-9]+: $2" "$lab" list "$f"
}

printf '%s\n' "$good" >"$f"
check "a good file" 0 '^X1 +xfs +1M, device limit +512, max_sectors_kb +512, ra +128: one' \
	"$lab" list "$f"
is_true "all of our own are read" "$lab" list tests/claims
check "there are the mail's eleven" 0 '^11$' sh -c \
	"'$lab' list tests/claims | grep -Ec '^A[0-9]+ '"

printf '%s\n' "$good" | sed 's/^reader.*/fio rw=read:-8k bs=4k ioengine=libaio/' >"$f"
is_true "fio goes backwards, by libaio" "$lab" list "$f"
wrong "an ioengine that may read ahead by itself" 'fio: ioengine: expected sync or libaio, not "mmap"' 's/^reader.*/fio rw=read bs=4k ioengine=mmap/'
wrong "an unknown key" 'unknown key "colour"' '2s/.*/colour red/'
wrong "a key without a value" 'title: expected a value' 's/^title.*/title/'
wrong "a file system that we do not have" 'fs: expected xfs, ext4, tmpfs or raw, not "btrfs"' 's/xfs/btrfs/'
wrong "a size that is none" 'file: expected a multiple of 4k, such as 64k or 1M, not "T1"' 's/file 1M/file T1/'
wrong "a size that is no multiple of a page" 'file: expected a multiple of 4k' 's/file 1M/file 1000/'
wrong "a size beyond the disk" 'file: expected 4k to 1G' 's/file 1M/file 2G/'
wrong "mdts out of range" 'mdts: expected a number from 1 to 10, not "11"' 's/mdts 7/mdts 11/'
wrong "a limit above the device's" 'claim X1: max_sectors_kb 1024 is above the device.s limit, 512' 's/_kb 512/_kb 1024/'
wrong "an engine that we do not have" 'engine: expected counts or model, not "guess"' '2s/.*/engine guess/'
wrong "a claim without a workload" 'claim X1: expected a reader or a fio line' '/^reader/d'
wrong "a claim without a promise" 'claim X1: expected a promise' '/^promise/d'
wrong "like behind a promise" 'like: expected, first in a claim' 's/^title.*/promise reads <= 1\nlike X1/'
wrong "a claim without a title" 'claim X1: expected a title' '/^title/d'
wrong "a claim without a base" 'claim X1: expected base, fs and file' '/^base/d'
wrong "a disk without mdts" 'claim X1: expected mdts and max_sectors_kb, as fs is xfs' '/^mdts/d'
# shellcheck disable=SC2016 # the last line, to sed
wrong "an id twice" '\[X1\] is a claim already: .*:6' '$a [X1]'
wrong "a section that is not closed" 'expected \[ID\], not "\[X1"' 's/^\[X1\]/[X1/'
wrong "an id with a blank" '\[X 1\]: expected at most 12 letters' 's/^\[X1\]/[X 1]/'
wrong "a step that is none" 'reader: expected "read SIZE ...", "N streams of SIZE", "touch", "batch N ...", "willneed SIZE ..." or "tar \| cat", not "write 4k"' 's/read 4k at 0/write 4k/'
wrong "a batch of nothing" 'reader: expected "batch N of SIZE by io_uring\|libaio", N at most 64' 's/read 4k at 0/batch 0 of 4k by libaio/'
wrong "a batch that is too large" 'reader: expected "batch N of SIZE' 's/read 4k at 0/batch 65 of 4k by libaio/'
wrong "a batch by what we do not have" 'reader: expected "batch N of SIZE' 's/read 4k at 0/batch 8 of 4k by posix/'
wrong "advice by what we do not have" 'reader: expected "willneed SIZE by madvise\|fadvise, read SIZE"' 's/read 4k at 0/willneed 1M by readahead, read 4k/'
wrong "tar into something else" 'reader: expected "tar \| cat"' 's/read 4k at 0/tar \| gzip/'
wrong "tar where it is not" 'reader: "tar \| cat" is for engine model and ext4' 's/read 4k at 0/tar \| cat/'
wrong "a raw device of engine counts" 'claim X1: fs raw: expected engine model, and a file of whole MiB' 's/fs xfs/fs raw/'
wrong "a read without a size" 'read: expected a multiple of 4k.*not "at 0"' 's/read 4k at 0/read at 0/'
wrong "a read beyond the end" 'reader: the range .* is not in a file of 1048576' 's/read 4k at 0/read 4k at 1M/'
wrong "words behind a step" 'reader: expected "at OFFSET".*not "twice"' 's/to end/to end twice/'
wrong "one stream" 'reader: expected 2 to 8 streams' 's/^reader.*/reader 1 streams of 4k/'
wrong "a fault that is none" 'reader: expected fault panic' 's/^reader.*/reader fault flood/'
wrong "fio without a block size" 'fio: expected rw=read or rw=randread, and bs=SIZE' 's/^reader.*/fio rw=read/'
wrong "fio that writes" 'fio: expected rw=read' 's/^reader.*/fio rw=write bs=4k/'
wrong "fio options that are ours" 'fio: filename= is set by the laboratory' 's/^reader.*/fio rw=read bs=4k filename=x/'
wrong "fio beyond the file" 'fio: io_size: expected at most the file' 's/^reader.*/fio rw=read bs=4k io_size=2M/'
wrong "a promise without a bound" 'promise: expected METRIC' 's/<= stock/<=/'
wrong "a promise about nothing" 'expected reads, data, bytes, folio, windows, sync, ns or insn, not "luck"' 's/promise reads/promise luck/'
wrong "a comparison that is none" 'promise: expected <, <=, >= or =, not "<<"' 's/<=/<</'
wrong "posted without an arrow" 'posted: expected METRIC BEFORE -> AFTER' 's/^promise.*/posted reads 1 2/'
wrong "posted words without an end" 'posted: expected a closing "' 's/^promise.*/posted "same/'
wrong "like of nothing" 'like: expected, first in a claim, the id of one above' 's/^title.*/like X9/'
wrong "lines that end in CR" 'expected a line end without CR' 's/$/\r/'

disk=$good
good="base 7.3
fs tmpfs
huge always
file 1M
[X1]
title one
reader read 64k to end
promise folio >= stock"

# tmpfs NAME LINE REGEX SED: the same, where the mistake is on that line
tmpfs()
{
	printf '%s\n' "$good" | sed "$4" >"$f"
	check "tmpfs: $1" 2 "^lab: $f:$2: $3" "$lab" list "$f"
}

printf '%s\n' "$good" >"$f"
check "tmpfs: a good file" 0 '^X1 +tmpfs +1M, huge=always, written: one' "$lab" list "$f"
printf '%s\n' "$good" | sed 's/^title.*/&\ncontent hole\nhuge within_size/' >"$f"
check "tmpfs: a section has its own" 0 '^X1 +tmpfs +1M, huge=within_size, hole: one' "$lab" list "$f"
for huge in never always within_size advise; do
	printf '%s\n' "$good" | sed "s/always/$huge/" >"$f"
	check "tmpfs: huge $huge" 0 "^X1 .* huge=$huge, written" "$lab" list "$f"
done
tmpfs "a huge that is none" 3 'huge: expected never, always, within_size or advise, not "deny"' 's/always/deny/'
tmpfs "huge=none is for ourselves" 3 'huge: expected never, always.*not "none"' 's/always/none/'
tmpfs "a content that is none" 5 'content: expected written, fallocated or hole, not "full"' 's/^file.*/&\ncontent full/'
tmpfs "without huge" 4 'claim X1: expected huge, as fs is tmpfs' '/^huge/d'
for key in 'mdts 7' 'max_sectors_kb 512' 'read_ahead_kb 128'; do
	tmpfs "a device: $key" 7 "claim X1: ${key% *} does not fit fs tmpfs: expected huge and content only" \
		"s/^title.*/&\\n$key/"
	tmpfs "a device, for the whole file: $key" 5 "claim X1: ${key% *} does not fit fs tmpfs" \
		"s/^file.*/&\\n$key/"
done
good=$disk
# shellcheck disable=SC2016 # the last line, to sed
tmpfs "huge of a disk" 10 'claim X1: huge does not fit fs xfs: expected fs tmpfs, or neither' \
	'$s/.*/&\nhuge always/'
tmpfs "content of a disk" 1 'claim X1: content does not fit fs xfs' '1s/^/content hole\n/'
printf '%s\n' "$good" "[X2]" "like X1" "fs tmpfs" "huge always" >"$f"
check "tmpfs: like a claim with a disk" 2 "^lab: $f:4: claim X2: mdts does not fit fs tmpfs" "$lab" list "$f"

wrong "ns of an engine that counts" 'claim X1: ns does not fit engine counts: expected engine model' \
	's/reads <=/ns <=/'
wrong "a device of an engine that counts" 'claim X1: device does not fit engine counts: expected engine model' \
	's/^title.*/&\ndevice sata/'

# Model time
good=$(printf '%s\n' "$good" | sed 's/^base.*/&\nengine model\ndevice sata/; s/reads <=/ns <=/')
printf '%s\n' "$good" >"$f"
check "model time: a good file" 0 '^X1 +xfs +1M, sata, device limit +512, max_sectors_kb +512, ra +128: one' \
	"$lab" list "$f"
wrong "a device that is none" 'device: expected nvme-80us, sata, net-1ms, disk-8ms or nvme-ooo, not "floppy"' 's/sata/floppy/'
wrong "model time without a device" 'claim X1: expected device, as engine is model' '/^device/d'
wrong "model time with fio" 'claim X1: engine model: expected a reader, not fio' 's/^reader.*/fio rw=read bs=4k/'
wrong "a file that the guest's memory does not hold" 'claim X1: engine model: expected a file of at most 128M' 's/file 1M/file 256M/'
wrong "model time on tmpfs" 'claim X1: device does not fit fs tmpfs' \
	's/xfs/tmpfs/; /^mdts/d; s/^max.*/huge always/'
wrong "instructions of what waits for a device" 'claim X1: insn does not fit fs xfs, which waits for a device: expected fs tmpfs' \
	's/ns <=/insn <=/'
wrong "a promise that statistics do not judge" 'promise: expected "ns < stock" or "ns <= stock", not =' \
	's/ns <= .*/ns = stock/'
wrong "a comparison that is none" 'promise: expected <, <=, >= or =, not "=>"' 's/ns <= .*/ns => 3/'
good=$(printf '%s\n' "$good" | sed 's/xfs/tmpfs/; /^mdts/d; /^device/d; s/^max.*/huge always/; s/ns <=.*/insn <= 700/')
printf '%s\n' "$good" >"$f"
check "model time on tmpfs needs no device" 0 '^X1 +tmpfs +1M, huge=always, written' "$lab" list "$f"
good=$disk

printf '%s\n\0%s\n' "$good" "promise reads <= 1" >"$f"
check "a file with a NUL byte" 2 'expected text' "$lab" list "$f"
: >"$f"
check "an empty file" 2 "$f: expected at least one claim" "$lab" list "$f"
check "a file that is not there" 2 'No such file' "$lab" list "$tmp/none"
printf '%s\n' "$good" >"$f"
check "a name that fits no claim" 2 'no claim is called Y1' "$lab" list "$f" Y1
check "a pattern" 0 '^X1 ' "$lab" list "$f" 'X*'

printf '%s\n' "$good" "[X2]" "like X1" "fs ext4" >"$f"
check "like takes over what is not said" 0 '^X2 +ext4 +1M, .*: one' "$lab" list "$f"

done_testing
