#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Every way in which a guest can fail has a name, is found within a bounded
# time, and is explained; and what a good guest reports is not believed blindly.
# A panic is the classic: with panic=-1 -no-reboot QEMU exits with 0 after it.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"

lab=$O/bin/lab
for k in base patched; do
	mkdir -p "$tmp/$k"
	echo "7.3.4-$k-hash$k" >"$tmp/$k/release"
	: >"$tmp/$k/vmlinux"
	: >"$tmp/$k/config"
	# shellcheck disable=SC2016 # for the script to expand
	printf '#!/bin/sh\ncat "$1"\n' >"$tmp/$k/gen_init_cpio"
	chmod +x "$tmp/$k/gen_init_cpio"
done
: >"$tmp/init"
: >"$tmp/fio"
cat >"$tmp/claims" <<END
base 7.3
fs ext4
file 1M
mdts 7
max_sectors_kb 512
[T1]
title	all of a file
reader	read 64k to end
posted	reads 102 -> 104
stock	data 100
promise	reads <= stock
END
# the sum of 1 MiB, as the guest would work it out
FAKE_SUM=$tmp/sum
export FAKE_SUM FAKE FAKE_ONLY FAKE_READS
FAKE=good
"$O/bin/pattern-sum" 0 1048576 >"$FAKE_SUM"

cat >"$tmp/run" <<END
#!/bin/sh
exec "$lab" run --base "$tmp/base" --patched "$tmp/patched" \
	--init "$tmp/init" --fio "$tmp/fio" --out "$tmp/results" \
	--qemu "$top/tests/fake-qemu" --accel tcg --jobs 8 \
	--limits 2,2,4 "\$@" "$tmp/claims"
END
chmod +x "$tmp/run"
run=$tmp/run

FAKE=good
check "good guests give a verdict" 0 '^T1 +102 +104 +101 +101 +stock  better than posted' "$run"
is_true "the result is stored" test -s "$tmp/results/last/result.json"
check "and the table can be printed from it" 0 '1 claims: 1 better than posted' \
	"$lab" table "$tmp/results/last/result.json"

# failing KIND REGEX: a guest of that kind voids the claim, and is explained
failing()
{
	FAKE=$1
	check "$1: named" 1 "$2" "$run"
	printf '%s\n' "$out" >"$tmp/out"
	is_true "$1: the command line and the log are named" grep -q 'the whole console: .*/console' "$tmp/out"
	is_true "$1: the claim is void, with the reason" grep -q '^T1 void: ' "$tmp/out"
	FAKE=good
}

failing silent 'no console output: nothing on the console for [0-9]+ s; QEMU ran for [0-9.]+ s of it'
failing qemu "QEMU failed: exit code 1: fake-qemu: Property 'nvme.mdts' not found"
failing early 'died before its plan: no "hello"'
failing hang 'hang: nothing on console or report for [0-9]+ s, last at: X read; QEMU ran for [0-9.]+ s of it$'
failing slow 'time limit: not done after 4 s'
failing panic 'panic: .*Kernel panic - not syncing: Attempted to kill init'
failing oops 'oops: .*BUG: kernel NULL pointer'
failing warning 'kernel warning: .*WARNING: CPU: 0'
failing kmsg 'kernel warning: nvme nvme0: something odd'
failing truncated 'truncated report: no "end" in the report, exit code 85'
failing count 'truncated report: report: line [0-9]+: "end 3" after'
failing nul 'oops: .*BUG: hidden behind a NUL'
failing behind 'truncated report: report: line [0-9]+: expected nothing behind "end"'
failing twice 'truncated report: report: line [0-9]+: not understood: "data T1 1'
failing untimed 'truncated report: report: line [0-9]+: not understood: "done T1"'
failing error 'guest error: -: mount: No such device'
failing code 'wrong exit code: exit code 0, expected 85'

# A guest that ends well, and whose numbers are worth nothing all the same
void()
{
	FAKE=$1 FAKE_ONLY=${3:-}
	check "void: $1" 1 "^T1 void: $2" "$run"
	FAKE=good FAKE_ONLY=
}

void varies 'base, boot 2: reads differ from those of boot 1'
void setting 'base, boot 1: read_ahead_kb is 4096, asked for 128'
void wanted 'base, boot 1: read_ahead_kb was not read back as 128'
void unset 'base, boot 1: read_ahead_kb was not read back as 128'
void warm 'base, boot 1: 7 pages of the file were cached before the pass'
void cached 'base, boot 1: the device read 4096 bytes of the file, a cold pass'
void other 'base, boot 1: the guest runs 7.3.4-something-else, not' base
void more 'base kernel: data 101, known to be 100' base
echo 0123456789abcdef >"$FAKE_SUM"
void good 'base, boot 1: checksum 0123456789abcdef, expected'
"$O/bin/pattern-sum" 0 1048576 >"$FAKE_SUM"

# What goes wrong in a pass voids its row, and no other.
cp "$tmp/claims" "$tmp/one"
for id in T2 T3; do
	sed -n "/^\[T1/,\$s/^\[T1/[$id/p" "$tmp/one" >>"$tmp/claims"
	sed -n '/^title/,$p' "$tmp/one" >>"$tmp/claims"
done
FAKE_PASS=T2
export FAKE_PASS
# parted KIND REASON GUESTS: T2 alone is void, whatever the order, and so many guests ran
parted()
{
	for order in 0 1 2 3; do
		FAKE=$1 FAKE_ONLY=patched-2
		check "$1, order $order: two of three rows stand" 1 \
			'^3 claims: 2 better than posted, 0 hold, 0 do not hold, 1 void' "$run" --order $order
		printf '%s\n' "$out" >"$tmp/out"
		is_true "$1, order $order: the third is void, and says why" grep -Eq "^T2 void: patched, boot 2: $2" "$tmp/out"
		is_true "$1, order $order: the passes of a boot are the same in both kernels" sh -c \
			"sed -n 's/^pass //p' '$tmp/results/last/base-2-ext4-mdts7-1M/plan' >'$tmp/a' &&
			 sed -n 's/^pass //p' '$tmp/results/last/patched-2-ext4-mdts7-1M/plan' | diff '$tmp/a' -"
		_last=$(tail -n 1 "$tmp/a")
		_want=$3
		[ "$_last" != T2 ] || _want=4
		is_true "$1, order $order: $_want guests ran" test "$(grep -c '"outcome"' "$tmp/results/last/result.json")" = "$_want"
	done
	FAKE=good FAKE_ONLY=
}
parted void-in 'wrong data at byte 4096 of the file' 4
parted panic-in 'panic: .*Kernel panic - not syncing: in T2' 5
parted cut-in 'truncated report: no "end" in the report' 5
# not so if it is not known in which pass it failed
FAKE=truncated FAKE_ONLY=patched-2
check "a guest that fails between passes voids all" 1 '^3 claims: .* 3 void' "$run"
FAKE=good FAKE_ONLY='' FAKE_PASS=
check "SEED=0: as written" 0 '^T1 T2 T3 $' sh -c \
	"'$run' --order 0 >/dev/null; sed -n 's/^pass //p' '$tmp/results/last/base-1-ext4-mdts7-1M/plan' | tr '\n' ' '"
mv "$tmp/one" "$tmp/claims"

# The device may get more requests than were submitted, and not always as many
FAKE=fragments
check "fragments: judged by what was submitted" 0 '^T1 +102 +104 +101 +101 +stock  better than posted' "$run"
printf '%s\n' "$out" >"$tmp/out"
is_true "fragments: what the device got is in the table" grep -Eq '^T1 +base +101 103 to 105$' "$tmp/out"
is_true "fragments: and in the result" grep -q '"device_reads_most": *105' "$tmp/results/last/result.json"
is_true "fragments: the table can be printed again" sh -c \
	"'$lab' table '$tmp/results/last/result.json' | grep -Eq '^T1 +base +101 103 to 105\$'"
FAKE=good

# A kernel without trace points of readahead has no windows to count
FAKE=untraced
check "untraced: the rest is judged" 0 '^T1 +102 +104 +101 +101 +stock  better than posted' "$run"
printf '%s\n' "$out" >"$tmp/out"
is_true "untraced: the table says so" grep -q '^no trace points of readahead' "$tmp/out"
check "untraced: 0 windows are not stored" 2 'no windows of T1' \
	"$lab" get "$tmp/results/last/result.json" T1 base windows
echo 'promise windows <= stock' >>"$tmp/claims"
void untraced 'base, boot 1: windows cannot be counted: the kernel has no'
sed -i '$d' "$tmp/claims"
FAKE=good

# The same without a device: what tmpfs and its file were is read back, too
cp "$tmp/claims" "$tmp/disk-claims"
cat >"$tmp/claims" <<END
base 7.3
fs tmpfs
huge always
file 2M
[T1]
title	all of a file
reader	read 64k to end
promise folio = 2048
END
"$O/bin/pattern-sum" 0 2097152 >"$FAKE_SUM"
check "tmpfs: good guests give a verdict" 0 '^T1 +- +- +0 +0 +- +holds' "$run"
check "tmpfs: the setting is in the table" 0 '^T1 +tmpfs, 2M, huge=always, written: all' "$run"
is_true "tmpfs: no disk is there" sh -c "! grep -q drive= '$tmp/results/last/result.json'"
check "tmpfs: the folios" 0 '^2048.0' "$lab" get "$tmp/results/last/result.json" \
	T1 patched folio_tenth_kib
void huge 'base, boot 1: huge is never, asked for always'
void nohuge 'patched, boot 1: huge was not read back as always' patched
void content 'base, boot 1: content is mixed, asked for written'
void nocontent 'base, boot 1: content was not read back as written'
void deny 'base, boot 1: shmem_enabled is deny, asked for never'
void disk 'base, boot 1: disks is 1, asked for 0'
void nodisks 'base, boot 1: disks was not read back as 0'
void reads 'base, boot 1: a device was read \(it counts 3 reads, the'
echo 0000000000000000 >"$FAKE_SUM"
void good 'base, boot 1: checksum 0000000000000000, expected'
for content in fallocated hole; do
	sed -i "/^content/d; s/^huge.*/&\ncontent $content/" "$tmp/claims"
	check "tmpfs: zeroes are right for $content" 0 '^T1 .* holds' "$run"
done
echo 0000000000000001 >"$FAKE_SUM"
void good 'base, boot 1: checksum 0000000000000001, expected'
mv "$tmp/disk-claims" "$tmp/claims"
"$O/bin/pattern-sum" 0 1048576 >"$FAKE_SUM"

# The same in model time
cp "$tmp/claims" "$tmp/disk-claims"
sed -i 's/^base.*/&\nengine model\ndevice sata/; s/^promise.*/&\npromise ns <= stock/' "$tmp/claims"
mv "$run" "$tmp/run-counts"
sed 's/--limits/--engine model --runs 6 &/' "$tmp/run-counts" >"$run"
chmod +x "$run"
# guests take longer by what perturbs them, both kernels alike
check "model time: good guests give a verdict" 0 \
	'^T1 +102 +104 +101 +101 +stock  better than posted' "$run"
json=$tmp/results/last/result.json
# order FILE: which kernel, which boot
order()
{
	sed -n 's/^ *"kernel":"\(.*\)",$/\1/p; s/^ *"boot":\(.*\),$/\1/p; s/^ *"perturb":\(.*\),$/\1/p' "$1"
}
order "$json" >"$tmp/order"
check "model time: no difference is none" 0 \
	'^T1 +- +1\.000 +1\.000 +\+0\.00 +\+0\.00 \+0\.00 +0\.[0-9]+  within noise$' \
	"$lab" table "$json"
check "model time: the table says what it is" 0 \
	'^Model time, ms: instructions plus modelled device latency, not wall-clock$' \
	"$lab" table "$json"
is_true "model time: so does the result" grep -q \
	'"timing":"instructions plus modelled device latency, not wall-clock"' "$json"
is_true "model time: the guest's clock counts, and no disk is there" sh -c \
	"grep -q 'icount shift=0,sleep=off' '$json' && ! grep -q drive= '$json'"
# 6 pairs, boot 1 of both once more, the second boots of 6 A/A pairs
check "model time: 20 boots" 0 '^13 base 7 patched $' sh -c \
	"sed -n 's/.*\"claim\":.*//; /\"samples\"/,\$s/^ *\"kernel\":\"\(.*\)\",\$/\1/p' '$json' |
	 sort | uniq -c | tr -s ' \n' ' ' | sed 's/^ //'"
# perturbed KERNEL BOOT: how that boot was
perturbed()
{
	sed 's/.* perturb=\([0-9]*\).*-m \([0-9]*\).*/\1 \2/; s/.*-m \([0-9]*\).* perturb=\([0-9]*\).*/\2 \1/' \
		"$tmp/results/last/$1-$2-ext4-sata-mdts7-1M-T1/command"
	grep '^pad ' "$tmp/results/last/$1-$2-ext4-sata-mdts7-1M-T1/plan"
}
pairs_alike()
{
	for i in 1 2 3 4 5 6 7; do
		[ "$(perturbed base $i)" = "$(perturbed patched $i)" ] || return 1
	done
	[ "$(perturbed base 1)" = "$(perturbed base 7)" ]
}
pairs_alike
ok $? "model time: the boots of a pair are perturbed alike"
all_others()
{
	for i in 1 2 3 4 5 6 8 9 10 11 12 13; do
		perturbed base $i | tr '\n' ' '
		echo
	done | sort | uniq -d | grep -q . && return 1
	return 0
}
all_others
ok $? "model time: the others are not, nor those of A/A pairs"
is_true "model time: the same seed" "$run"
order "$json" >"$tmp/order2"
is_true "model time: gives the same order and the same boots" cmp -s "$tmp/order" "$tmp/order2"
is_true "model time: another seed" "$run" --order 2
order "$json" >"$tmp/order2"
is_true "model time: gives others" sh -c "! cmp -s '$tmp/order' '$tmp/order2'"
FAKE=longer FAKE_ONLY=patched
check "model time: a loss breaks a promise" 1 \
	'^T1 does not hold: ns 2[0-9]*, promised <= 1[0-9]* \(stock\): loss' "$run"
cp "$json" "$tmp/loss.json"
FAKE=shorter
check "model time: a gain is a gain" 0 '^T1 .* -50\.0 .* -50\.0  *0\.[0-9]*  gain$' "$run"
FAKE=good FAKE_ONLY=
check "model time: a loss is printed" 0 '^T1 .* \+100\.0 .*  loss$' "$lab" table "$tmp/loss.json"
# The table goes by the raw samples, whatever is written beside them
sed '/"patched": *{/,/}/s/"ns":.*/"ns":1,/' "$tmp/loss.json" >"$tmp/typed.json"
check "model time: a mean that its samples do not give" 2 'claim T1: ns of patched: 1 is stored, its samples give 2' \
	"$lab" table "$tmp/typed.json"
sed -i 's/ns <= stock/ns < stock/' "$tmp/claims"
check "model time: no gain, where one is promised" 1 \
	'^T1 does not hold: ns 1[0-9]*, promised < 1[0-9]* \(stock\): within noise' "$run"
sed -i 's/ns < stock/ns <= stock/' "$tmp/claims"
check "model time: too few boots" 1 '^T1 void: too few boots: pairs: 3,' "$run" --runs 3
FAKE=nanosecond FAKE_ONLY=base-7
check "model time: of three that are the same one may stray" 0 \
	'^run: T1: boot 7 of base strayed by 7 ns from two others that are the same' "$run"
is_true "model time: that is kept" grep -q '"strayed": *true' "$json"
FAKE_ONLY=base-1
check "model time: also the first of them" 0 \
	'^run: T1: boot 1 of base strayed by 1 ns from two others that are the same' "$run"
FAKE=good FAKE_ONLY=
void nanosecond 'base, boot 7: ns varies: [0-9]*, in boot 1, which is the'
void varies 'base, boot 2: reads differ from those of boot 1'
void again 'base, boot 1: the timed run has 102 reads of 2056 sectors, the'
void split 'base, boot 1: the model made 202 reads of 101'
void once 'patched, boot 1: there is no timed run' patched
check "model time is not KVM's" 2 'ACCEL: expected tcg, not kvm' "$run" --accel kvm
check "a seed that is none" 2 'SEED: expected a number, not 1x' "$run" --order 1x
check "an engine that we do not have" 2 '--engine: expected counts, model or native, not guess' \
	"$run" --engine guess
check "a claim of model time is not counted" 2 'no claim of engine counts is about base 7.3' \
	"$tmp/run-counts"
mv "$tmp/run-counts" "$run"
mv "$tmp/disk-claims" "$tmp/claims"

# The same in native time: the kernels are of user mode Linux
cp "$tmp/claims" "$tmp/disk-claims"
cat >"$tmp/claims" <<END
base 7.3
engine model
file 1M
[T1]
title	all of a file
fs	tmpfs
huge	never
reader	read 64k to end
promise insn <= 5
promise insn <= stock
[T2]
title	the same of huge pages
fs	tmpfs
huge	always
file	2M
reader	read 64k to end
promise insn <= stock
[T3]
title	the same of a device
fs	xfs
device	sata
mdts	7
max_sectors_kb	512
reader	read 64k to end
promise ns <= stock
END
for k in base patched; do
	cp tests/fake-qemu "$tmp/$k/vmlinux"
	chmod +x "$tmp/$k/vmlinux"
done
mv "$run" "$tmp/run-counts"
sed 's/--limits/--engine native --runs 6 &/; s/--accel tcg//; s/"$@" \(.*\)/\1 "$@"/' "$tmp/run-counts" >"$run"
chmod +x "$run"
check "native time: good guests are measured" 0 '^1 claims: 1 measured, 0 void$' "$run"
printf '%s\n' "$out" >"$tmp/out"
is_true "native time: no difference is none" grep -Eq \
	'^T1 +- +[0-9]+ +[0-9]+ +\+0\.00 +\+0\.00 \+0\.00 +0\.[0-9]+  within noise$' "$tmp/out"
for words in 'Native time, ns for a page of 4 KiB' \
	'run: native time: .* user mode Linux .* report-only, not judged' \
	'run: 2 claims are left out: not of tmpfs with huge never'; do
	is_true "native time: it says: $words" grep -qx "$words" "$tmp/out"
done
is_true "native time: how often a pass was read is kept" grep -q '"timed_passes": *7' "$json"
is_true "native time: no QEMU, one guest at a time" sh -c \
	"grep -q ' 20 guests, 1 at a time' '$tmp/out' &&
	 ! grep -q -- '-machine' '$tmp/results/last/base-1-tmpfs-1M/command' &&
	 grep -q 'mem=[0-9]*M .* perturb=[0-9]' '$tmp/results/last/base-1-tmpfs-1M/command'"
FAKE=longer FAKE_ONLY=patched
check "native time: a loss is reported, and fails nothing" 0 '^T1 .* \+100\.0 .*  loss$' "$run"
FAKE=nanosecond FAKE_ONLY=base-7
check "native time: boots that are the same may differ" 0 '^1 claims: 1 measured, 0 void$' "$run"
FAKE=good FAKE_ONLY=
failing silent 'no console output: nothing on the console for [0-9]+ s; QEMU ran for [0-9.]+ s of it'
failing early 'died before its plan: no "hello"'
failing hang 'hang: nothing on console or report for [0-9]+ s, last at: X read'
failing panic 'panic: .*Kernel panic - not syncing: Attempted to kill init'
failing warning 'kernel warning: .*WARNING: CPU: 0'
failing truncated 'truncated report: no "end" in the report, exit code 85'
failing error 'guest error: -: mount: No such device'
failing code 'wrong exit code: exit code 0, expected 85'
void once 'base, boot 1: there is no timed run'
void other 'base, boot 1: the guest runs 7.3.4-something-else, not' base
check "native time: huge pages by name are refused" 2 \
	'claims:11: claim T2: in user mode Linux expected fs tmpfs and huge never' "$run" T2
check "native time: so is a device" 2 \
	'claims:18: claim T3: in user mode Linux expected fs tmpfs and huge never' "$run" T1 T3
check "native time: a pattern that leaves nothing" 2 \
	'no claim of these is of tmpfs with huge never' "$run" 'T[23]'
check "native time is not TCG's" 2 'ACCEL: expected kvm or nothing, not tcg' "$run" --accel tcg
if [ -r /dev/kvm ] && [ -w /dev/kvm ]; then
	check "native time under KVM: good guests are judged" 0 \
		'^2 claims: 0 better than posted, 2 hold' "$run" --runs 7 --accel kvm T1 T3
	printf '%s\n' "$out" >"$tmp/out"
	is_true "native time under KVM: it says so" grep -q \
		"^run: native time: a processor's clock, under KVM" "$tmp/out"
	is_true "native time under KVM: and the guests run under it" sh -c \
		"grep -q -- '-accel kvm -cpu host .*perturb=' '$tmp/results/last/base-1-tmpfs-1M/command' &&
		 ! grep -q icount '$tmp/results/last/base-1-tmpfs-1M/command'"
	FAKE=longer FAKE_ONLY=patched
	check "native time under KVM: a loss breaks a promise" 1 \
		'^T1 does not hold: ns for a page [0-9]+, promised <= [0-9]+ \(stock\): loss' \
		"$run" --accel kvm T1
	FAKE=hang FAKE_ONLY=
	check "native time under KVM: not where an empty guest fails" 2 \
		'ACCEL=kvm: it runs no guest here' "$run" --accel kvm T1
	FAKE=good
else
	check "native time under KVM: not without it" 2 'ACCEL=kvm: /dev/kvm: ' "$run" --accel kvm T1
fi
mv "$tmp/run-counts" "$run"
mv "$tmp/disk-claims" "$tmp/claims"
for k in base patched; do
	: >"$tmp/$k/vmlinux"
done

FAKE=more FAKE_ONLY=patched
check "a broken promise fails the run" 1 '^T1 does not hold: reads 102, promised <= 101 \(stock\)' "$run"
FAKE=good FAKE_ONLY=

FAKE=panic FAKE_ONLY=patched-2
check "one bad boot of four is enough" 1 '^T1 void: patched, boot 2: panic' "$run"
FAKE=good FAKE_ONLY=

echo 7.3.4-patched-hashbase >"$tmp/patched/release"
check "two kernels made of the same are refused" 2 \
	'base and patched are both 7.3.4-patched-hashbase: nothing to compare' "$run"
echo 7.3.4-patched-hashpatched >"$tmp/patched/release"
check "an unknown accelerator" 2 'ACCEL: expected kvm or tcg, not xen' \
	"$run" --accel xen
check "too many boots" 2 'RUNS: expected 1 to 20, not 33' "$run" --runs 33
rm "$tmp/base/release"
check "no image" 2 'no kernel image there' "$run"
echo 7.3.4-base >"$tmp/base/release"

# child_sleeping PID: the guest that it started (pgrep is not everywhere)
child_sleeping()
{
	cat /proc/[0-9]*/stat 2>/dev/null |
		awk -v parent="$1" '$2 == "(sleep)" && $4 == parent { print $1 }'
}

# Nothing is left running, whatever ends the laboratory.
for sig in INT TERM KILL; do
	FAKE=silent
	env --default-signal=INT "$lab" run --base "$tmp/base" \
		--patched "$tmp/patched" --init "$tmp/init" --fio "$tmp/fio" \
		--out "$tmp/results-$sig" --qemu "$top/tests/fake-qemu" \
		--accel tcg --limits 30,30,30 "$tmp/claims" >/dev/null 2>&1 &
	pid=$!
	n=0
	while guest=$(child_sleeping $pid) && [ -z "$guest" ] && [ $n -lt 100 ]; do
		sleep 0.1
		n=$((n + 1))
	done
	kill -$sig $pid
	wait $pid 2>/dev/null
	sleep 0.3
	# a zombie that nobody has waited for yet is gone too
	is_true "no guest outlives SIG$sig" sh -c \
		"test -n '$guest' && ! grep -q '^State:[[:space:]]*[^ZX[:space:]]' /proc/$guest/status"
	is_true "no result is left by SIG$sig" test ! -e "$tmp/results-$sig/last"
done

FAKE=good

# Nor does a step that is not a guest's outlive it, or make half a result.
# The second look at the load is taken when all guests are done.
# shellcheck disable=SC2016 # for the script to expand
second='[ -e "$SEEN" ] || { : >"$SEEN"; exec /bin/cat "$@"; }'
export SEEN="$tmp/seen"
for sig in INT TERM; do
	slow mkfs.ext4 '-q *'
	interrupted "while a disk is made" $sig "$run"
	is_true "while a disk is made: it says no more than that ($sig)" sh -c \
		"grep -q '^lab: interrupted' '$tmp/said' && ! grep failed '$tmp/said'"
	is_true "while a disk is made: no result ($sig)" test ! -e "$tmp/results/last"
	slow cat /proc/loadavg
	interrupted "while the host is looked at" $sig "$run"
	is_true "while the host is looked at: no guest is started ($sig)" sh -c \
		"! ls '$tmp/results/'\$(ls -t '$tmp/results' | head -n 1)/* 2>/dev/null"
	is_true "while the host is looked at: no result ($sig)" test ! -e "$tmp/results/last"
	rm -f "$SEEN"
	slow cat /proc/loadavg "$second"
	interrupted "when the guests are done" $sig "$run"
	is_true "when the guests are done: they are ($sig)" sh -c \
		"grep -q '^end ' '$tmp/results/'\$(ls -t '$tmp/results' | head -n 1)/patched-2-*/report"
	is_true "when the guests are done: no result ($sig)" sh -c \
		"test ! -e '$tmp/results/last' &&
		 ! ls '$tmp/results/'\$(ls -t '$tmp/results' | head -n 1)/result.json*"
done
check "the next run goes on" 0 '1 claims: 1 better than posted' "$run"

# no_result NAME DIR: neither a whole one nor a part
no_result()
{
	is_true "$1: no result, and no part of one" sh -c \
		"test ! -e '$2/last' && ! find '$2' -name 'result.json*' | grep ."
}

# one_line NAME: from the laboratory, whatever it has said before
one_line()
{
	is_true "$1: in one line" test "$(printf '%s\n' "$out" | grep -c '^lab: ')" = 1
}

# A full disk: when nothing has been written, when the guests write, and when
# they are done.  What is full then is full for the result.
if small 300k; then
	mkdir "$tmp/full"
	ln -s "$(command -v cat)" "$tmp/full/real"
	cat >"$tmp/full/cat" <<-END
	#!/bin/sh
	if [ "\$*" = /proc/loadavg ] && [ -e "$tmp/seen" ]; then
		"$tmp/full/real" /dev/zero >"$tmp/small/fill" 2>/dev/null
	fi
	[ "\$*" != /proc/loadavg ] || : >"$tmp/seen"
	exec "$tmp/full/real" "\$@"
	END
	cat >"$tmp/full/qemu" <<-END
	#!/bin/sh
	[ "\$1" = --version ] || cat /dev/zero >"$tmp/small/fill" 2>/dev/null
	exec "$top/tests/fake-qemu" "\$@"
	END
	chmod +x "$tmp/full/cat" "$tmp/full/qemu"

	filled
	check "the disk is full" 2 '^lab: .*No space left on device$' "$run" --out "$tmp/small/r"
	one_line "the disk is full"
	no_result "the disk is full" "$tmp/small/r"
	rm -rf "$tmp/small/fill" "$tmp/small/r"
	check "the guests fill the disk" 2 '^lab: .*/small/.*: ' \
		"$run" --out "$tmp/small/r" --qemu "$tmp/full/qemu"
	one_line "the guests fill the disk"
	no_result "the guests fill the disk" "$tmp/small/r"
	rm -rf "$tmp/small/fill" "$tmp/small/r"
	rm -f "$tmp/seen"
	check "the disk is full for the result" 2 \
		'^lab: .*/small/r/.*/result.json: No space left on device$' \
		env PATH="$tmp/full:$PATH" "$run" --out "$tmp/small/r"
	one_line "the disk is full for the result"
	no_result "the disk is full for the result" "$tmp/small/r"
	rm "$tmp/small/fill"
	check "the next run has room for it" 0 '1 claims: 1 better' "$run" --out "$tmp/small/r"
	umount "$tmp/small"
else
	skip "the disk is full" "cannot mount a small file system"
fi

# Nor is an older result left to be taken for that of a run that did not begin.
if small 300k nr_inodes=3; then
	mkdir "$tmp/small/r"
	ln -s "$tmp/results/last" "$tmp/small/r/last"
	check "no room for a directory" 2 '^lab: .*No space left on device$' \
		"$run" --out "$tmp/small/r"
	is_true "no room for a directory: no older result" test ! -L "$tmp/small/r/last"
	umount "$tmp/small"
else
	skip "no room for a directory" "cannot mount a small file system"
fi

mkdir "$tmp/mute"
printf '#!/bin/sh\nexit 1\n' >"$tmp/mute/mkfs.ext4"
chmod +x "$tmp/mute/mkfs.ext4"
check "a tool that fails without a word" 2 \
	'^lab: mkfs.ext4 failed, and said nothing \(.*/mkfs.log\): is the disk full\?$' \
	env PATH="$tmp/mute:$PATH" "$run"

# A result is stored beside the patches of its topic, whole or not at all.
mkdir "$tmp/rival"
cp -p "$tmp/patched"/* "$tmp/rival"
echo 7.3.4-rival-hashrival >"$tmp/rival/release"
sed -i 's/^base 7.3/&\ntopic small/; s/^stock.*/&\nrival data 100/' "$tmp/claims"
is_true "a result to report" "$run" --rival "$tmp/rival"
result=$tmp/results/last/result.json
mkdir "$tmp/topic"
check "not beside another topic" 2 'no claim of engine counts is about base 7.3, topic topic' \
	"$lab" report "$result" "$tmp/claims" "$tmp/topic"
cat "$tmp/claims" >"$tmp/more"
sed -n '/^\[T1/,$p' "$tmp/claims" | sed 's/T1/T2/' >>"$tmp/more"
mkdir -p "$tmp/a/small"
check "not without each of its claims" 2 'no claim T2 in it: run all of the topic first, TOPIC=small' \
	"$lab" report "$result" "$tmp/more" "$tmp/a/small"
is_true "a result without the rival" "$run"
check "not without the rival" 2 'has no rival: run with RIVALS=1 first' \
	"$lab" report "$tmp/results/last/result.json" "$tmp/claims" "$tmp/a/small"
is_true "a result with it" "$run" --rival "$tmp/rival"
result=$tmp/results/last/result.json
sed 's/"reads": *101/"reads":100/' "$result" >"$tmp/typed.json"
sed '/"samples"/,$s/"reads": *100/"reads":101/' "$tmp/typed.json" >"$tmp/typed2.json"
check "not if its samples give another figure" 2 'claim T1: reads of base: 100 is stored, its samples give 101' \
	"$lab" report "$tmp/typed2.json" "$tmp/claims" "$tmp/a/small"
is_true "none of that was stored" test ! -e "$tmp/a/small/result.json"
if small 1m; then
	page=$(getconf PAGESIZE)
	pages=0
	bad=
	while [ $pages -lt 64 ]; do
		echo old >"$tmp/small/result.json"
		mount -o "remount,size=$(((pages + 1) * page))" "$tmp/small"
		said=$("$lab" report "$result" "$tmp/claims" "$tmp/small" 2>&1) && break
		# "|| bad" for each of the things that have to be
		[ "$(cat "$tmp/small/result.json")" = old ] || bad="$bad; $pages pages: the file is new"
		[ "$(ls "$tmp/small")" = result.json ] || bad="$bad; $pages pages: left: $(ls "$tmp/small")"
		case $said in
		"lab: $tmp/small/result.json: No space left on device") ;;
		*) bad="$bad; $pages pages: $said" ;;
		esac
		[ -z "$bad" ] || break
		pages=$((pages + 1))
	done
	is_true "a full disk: what was there stays${bad:+ ($bad)}" test -z "$bad"
	is_true "with room for it, it is there" cmp "$tmp/small/result.json" "$result"
	umount "$tmp/small"
else
	skip "a full disk: what was there stays" "cannot mount a small file system"
fi

# What does not get to the reader is not a success.
for c in "list $tmp/claims" "table $result" "get $result T1 base reads"; do
	# shellcheck disable=SC2086 # the words of a command
	check "no room for the output of ${c%% *}" 2 \
		'^lab: standard output: not all of it could be written$' \
		sh -c "exec '$lab' $c 2>&1 >/dev/full"
done
check "no room for the verdicts of run" 2 '^lab: standard output' \
	sh -c "exec '$run' 2>&1 >/dev/full"
check "no room for the log of a build" 2 '^lab: /dev/full: No space left on device$' \
	sh -c "echo '  CC      x.o' | '$lab' progress --log /dev/full"

done_testing
