#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What a claim asks for is in force in a real guest, and is read back there:
# huge= and the content of a file on tmpfs.  The fixture states, beside the
# settings, the folio size that each gives; so the two check each other.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"

lab=$O/bin/lab
claims=tests/fixtures/settings/tmpfs
result=$tmp/result.json

# run OPTION... [ID...]: one boot of each kernel
cat >"$tmp/run" <<END
#!/bin/sh
exec "$lab" run --base "$O/7.3/base" --patched "$O/7.3/patched" \
	--init "$O/bin/init" --fio "$O/fio.img" --out "$tmp/results" \
	--accel tcg --jobs 2 --runs 1 "\$@"
END
chmod +x "$tmp/run"
run=$tmp/run

n=$(grep -c '^\[' $claims)
check "all settings of tmpfs are in force" 0 "^$n claims: 0 better than posted, $n hold" \
	"$run" $claims
cp "$tmp/results/last/base-1-tmpfs-5M/report" "$tmp/report"
cp "$tmp/results/last/result.json" "$tmp/result.json"
report=$tmp/report

# was ID NAME VALUE: asked for, and read back
was()
{
	check "$1: $2 is $3" 0 "^set $1 $2 $3 $3\$" cat "$report"
}

for huge in never always within_size advise; do
	for content in written fallocated hole; do
		id=${huge%_size}.$(echo "$content" | cut -c1)
		was "$id" huge "$huge"
		was "$id" content "$content"
		was "$id" shmem_enabled never
		was "$id" disks 0
	done
done
# folio ID KIB: on average, on the base kernel
folio()
{
	check "$1: the mean folio is $2 KiB" 0 "^$2\$" \
		"$lab" get "$result" "$1" base folio_tenth_kib
}
folio never.w 4.0
folio always.w 2048.0
folio within.w 1706.7
folio advise.w 4.0
folio adv.h.yes 1706.7
folio always.h 0.0
check "the checksum of zeroes" 0 '^read always.f 5242880 0{16}$' cat "$report"
is_true "that of what was written is another" sh -c \
	"grep -q '^read always.w 5242880 ' '$report' && ! grep -q '^read always.w .* 0000000000000000' '$report'"

# Is it noticed when it is not so?  broken NAME REGEX SED ID: an init changed by
# SED voids the claim, and says why.
mkdir "$tmp/guest"
broken()
{
	cp qemu/guest/*.[ch] "$tmp/guest"
	sed "$3" qemu/guest/init.c >"$tmp/guest/init.c"
	if cmp -s "$tmp/guest/init.c" qemu/guest/init.c ||
	   ! make -s O="$tmp" GUEST="$tmp/guest" "$tmp/bin/init"; then
		ok 1 "$1: no longer the way to break it"
		return
	fi
	check "$1" 1 "^$4 void: base, boot 1: $2" "$run" --init "$tmp/bin/init" $claims "$4"
}

broken "huge= is not given to mount" 'huge is never, asked for always' \
	's/,huge=%s",/%.0s",/' always.w
broken "another huge= is given to mount" 'huge is always, asked for never' \
	's/,huge=%s",/,huge=always%.0s",/' never.w
broken "the file is not allocated" 'content is hole, asked for fallocated' \
	's/fallocate(fd, 0, 0, file_size)/0/' always.f
broken "the file is cut short" 'content is mixed, asked for fallocated' \
	's/fallocate(fd, 0, 0, file_size)/fallocate(fd, 0, 0, 4096)/' never.f
# /proc/mounts shows huge= all the same
for force in deny force; do
	broken "huge= is overruled by $force" "shmem_enabled is $force, asked for never" \
		"s|report_step(\"make the file\");|& put_file(\"/sys/kernel/mm/transparent_hugepage/shmem_enabled\", \"$force\");|" always.w
done
broken "something else is written" 'wrong data' \
	's/pattern_fill(buf, n, pos, seed)/pattern_fill(buf, n, pos, seed + 1)/' always.w
broken "a hole does not read as zeroes" 'wrong data at byte 4096' \
	's/^\ttake(buf, len, pos);/\tbuf[0] = pos != 0;\n&/' never.h
broken "the checksum is another" 'checksum 0000000000000001, expected' \
	's/got_sum = 0;/got_sum = 1;/' always.h
broken "another mount is read" 'fs is ' 's/strcmp(where, MNT)/strcmp(where, "\/proc")/' never.w

# machine NAME REGEX WORDS ID: QEMU with other words behind its options
machine()
{
	# shellcheck disable=SC2016 # for the script to expand
	printf '#!/bin/sh\nexec qemu-system-x86_64 "$@" %s\n' "$3" >"$tmp/qemu"
	chmod +x "$tmp/qemu"
	check "$1" 1 "^$4 void: base, boot 1: $2" "$run" --qemu "$tmp/qemu" $claims "$4"
}

truncate -s 1M "$tmp/disk"
machine "a disk in a guest that needs none" 'disks is 1, asked for 0' \
	"-drive file=$tmp/disk,if=none,id=more,format=raw,readonly=on -device nvme,drive=more,serial=more" always.w

done_testing
