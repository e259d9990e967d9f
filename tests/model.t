#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Model time is the same to the nanosecond whatever the host does, in real
# guests; and if it is not, that is noticed.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"

lab=$O/bin/lab
claims=tests/fixtures/model
n=$(cat $claims/* | grep -c '^\[')

# run OPTION... CLAIMS [ID...]
cat >"$tmp/run" <<END
#!/bin/sh
exec "$lab" run --engine model --base "$O/7.3/base" --patched "$O/7.3/patched" \
	--init "$O/bin/init" --fio "$O/fio.img" --out "$tmp/results" --jobs 2 "\$@"
END
chmod +x "$tmp/run"
run=$tmp/run

# Every core kept busy, and the disk
busy=
hog()
{
	i=0
	while [ $i -lt "$(nproc)" ]; do
		sh -c 'while :; do :; done' &
		busy="$busy $!"
		i=$((i + 1))
	done
	sh -c 'while :; do dd if=/dev/zero of="$1" bs=1M count=64 conv=fsync; done' \
		hog "$tmp/hog" 2>/dev/null &
	busy="$busy $!"
}
rest()
{
	for pid in $busy; do
		kill "$pid"
		wait "$pid"
	done 2>/dev/null
	busy=
}
trap 'rest; cd /; rm -rf "$tmp"' EXIT

# record NAME: what each guest reported of each pass, from the run that was last.  Of
# boot 1, its repeat and a third one, two are the same: see settle_repeats() in
# tools/lab/run.c.  One that strayed is not looked at in either run, nor is a third.
record()
{
	printf '%s\n' "$out" | sed -n 's/^run: \(.*\): boot \(.*\) of \(.*\) strayed.*/\3-\2-.*-\1\//p' >>"$tmp/strayed"
	(cd "$tmp/results/last" && grep -E '^(time|timed|stat|data|meta|folio|read) ' ./*/report) >"$tmp/$1"
	# and all that a guest ever said
	(cd "$tmp/results/last" && sha256sum ./*/report ./*/console) >"$tmp/$1.all"
}

: >"$tmp/strayed"
check "a quiet host" 0 "^$n claims: 0 better than posted, $n hold" "$run" --runs 1 $claims
record quiet
hog
check "a busy one" 0 '^4 claims: 0 better than posted, 4 hold' \
	"$run" --runs 1 $claims M.xfs M.map M.disk M.tmpfs
rest
record busy
for f in quiet quiet.all busy busy.all; do
	grep -e '-xfs-nvme-80us-mdts7-' -e '-xfs-disk-' -e '-tmpfs-' "$tmp/$f" |
		grep -v -e '/base-4-' -e '/patched-4-' -f "$tmp/strayed" >"$tmp/same.$f"
done
is_true "one boot may stray, not two" test "$(grep -c . "$tmp/strayed")" -le 1
is_true "there are times of all" sh -c \
	"test \$(grep -v -e '/base-4-' -e '/patched-4-' '$tmp/quiet' | grep -c ':time ') = $((5 * n)) && ! grep ':time .* 0\$' '$tmp/quiet'"
is_true "they are the same to the nanosecond, and so is what was read" \
	diff "$tmp/same.quiet" "$tmp/same.busy"
is_true "the guests are the same to the last letter of their consoles" \
	diff "$tmp/same.quiet.all" "$tmp/same.busy.all"

# ns ID: of the base kernel
ns()
{
	sed -n "s/^.*base-1-.*:time $1 //p" "$tmp/quiet"
}
# One at a time; the rest is for moving 16 MiB
is_true "a spinning disk takes 8 ms for each read" sh -c \
	"reads=\$(sed -n 's/^.*base-1-.*:data M.disk \\([0-9]*\\) .*/\\1/p' '$tmp/quiet') &&
	 test $(ns M.disk) -ge \$((reads * 8000000)) &&
	 test $(ns M.disk) -le \$((reads * 8500000 + 50000000))"

# Another boot: the counts are what they were, the times are others.
is_true "a perturbed boot has the same counts" sh -c \
	"grep -e 'base-1-.*:data M.xfs ' '$tmp/quiet' | cut -d: -f2 >'$tmp/a' && test -s '$tmp/a' &&
	 grep -e 'base-3-.*:data M.xfs ' '$tmp/quiet' | cut -d: -f2 | diff - '$tmp/a'"
is_true "and other times" sh -c \
	"grep -q 'base-3-.*:time M.xfs ' '$tmp/quiet' &&
	 ! grep -q 'base-3-.*:time M.xfs $(ns M.xfs)\$' '$tmp/quiet'"
is_true "the boot that is the same has the same time" grep -q \
	"base-2-.*:time M.xfs $(ns M.xfs)\$" "$tmp/quiet"

# Is it noticed when a guest goes by the clock of the host?
cat >"$tmp/qemu" <<-'END'
	#!/bin/sh
	for arg; do
		shift
		case $arg in
		-icount | shift=0,*) ;;
		*) set -- "$@" "$arg" ;;
		esac
	done
	exec qemu-system-x86_64 "$@"
END
chmod +x "$tmp/qemu"
check "without icount the row is void" 1 '^M.xfs void: base, boot 2: ns varies: ' \
	"$run" --runs 1 --qemu "$tmp/qemu" $claims M.xfs

done_testing
