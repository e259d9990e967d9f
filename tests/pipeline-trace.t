#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The pipeline of traces that were written by hand, so that each time in it can
# be worked out by hand too.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"

lab=$O/bin/lab

# trace NAME: events from standard input, "NS TASK-PID FLAGS EVENT", as ftrace has
# them.  The file is 64 pages at sector 800 of 259:0.
trace()
{
	{
		echo "#pipeline title $1"
		echo "#pipeline dev 259:0"
		echo "#pipeline ino 83"
		echo "#pipeline extent 0 409600 262144"
		awk -v clock="${clock:-}" '!/^#/ && NF {
			event = $0; sub(/^[^ ]* [^ ]* [^ ]* /, "", event)
			at = clock ? sprintf("7.%06d", $1 / 1000) : $1
			printf "%16s       [000] %s %12s: %s\n", $2, $3, at, event
		}'
	} >"$tmp/$1.trace"
}

ra="dev=259:0 ino=53"	# 83
more="order=0 size=4 async_size=3 ra_pages=4 mmap_miss=0 prev_pos=0"
sleeps()
{
	echo "$1 cat-7 d..2. sched_switch: prev_comm=cat prev_pid=7 prev_prio=120 prev_state=$2 ==> next_comm=swapper/0 next_pid=0 next_prio=120"
}
wakes()
{
	echo "$1 $2 $3 sched_waking: comm=cat pid=7 prio=120 target_cpu=000"
}
runs()
{
	echo "$1 <idle>-0 d..2. sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=cat next_pid=7 next_prio=120"
}

# A device that takes 100 us a request.  Window 0, pages 0 to 3: decided at 0, sent
# at 2 us, there at 102; the reader sleeps from 3 to 103.  Window 1, pages 4 to 7:
# decided at 104 on page 1, which is there; held back, sent at 154 only, there at
# 254; the reader sleeps from 160 to 255.  The device idles from 0 to 2 and from
# 102 to 154: 54 us, in one of which the reader waits.  In between, the reader
# waits for a pipe, which is no wait for the device; and others read the disk.
held()
{
	cat <<-END
	0 cat-7 ..... page_cache_sync_ra: $ra index=0 req_count=1 $more
	500 cat-7 ..... page_cache_ra_order: $ra index=0 order=0 size=4 async_size=3 ra_pages=4
	1000 cat-7 ..... block_bio_queue: 259,0 RA 800 + 32 [cat]
	2000 cat-7 ..... block_rq_issue: 259,0 RA 16384 () 800 + 32 be,0,4 [cat]
	2100 cat-7 ..... block_rq_issue: 259,1 RA 16384 () 832 + 32 be,0,4 [cat]
	2200 cat-7 ..... block_rq_issue: 259,0 WS 4096 () 4096 + 8 be,0,4 [cat]
	END
	sleeps 3000 D
	echo "102000 <idle>-0 d.h1. block_rq_complete: 259,0 RA () 800 + 32 be,0,4 [0]"
	wakes 102500 "<idle>-0" d.h4.
	runs 103000
	cat <<-END
	103200 cat-7 ..... mm_filemap_get_pages: $ra ofs=0-4095
	104000 cat-7 ..... page_cache_async_ra: $ra index=1 req_count=1 $more
	104100 cat-7 ..... page_cache_ra_order: $ra index=4 order=0 size=4 async_size=4 ra_pages=4
	105000 cat-7 ..... block_bio_queue: 259,0 RA 832 + 32 [cat]
	105100 cat-7 ..... mm_filemap_get_pages: $ra ofs=4096-8191
	END
	sleeps 120000 S
	wakes 130000 tar-9 d..4.
	runs 131000
	echo "154000 cat-7 ..... block_rq_issue: 259,0 RA 16384 () 832 + 32 be,0,4 [cat]"
	sleeps 160000 D
	echo "254000 <idle>-0 d.h1. block_rq_complete: 259,0 RA () 832 + 32 be,0,4 [0]"
	wakes 254500 "<idle>-0" d.h4.
	runs 255000
	echo "255200 cat-7 ..... mm_filemap_get_pages: $ra ofs=16384-20479"
}
held | trace held
check "from the first decision to the last completion" 0 '^held: 254\.0 us' "$lab" pipeline "$tmp/held.trace"
lines=$(printf '%s\n' "$out" | wc -l)
held=$out
is_true "a title and six lines" test "$lines" = 7
says() { printf '%s\n' "$held" | grep -qxF "$1"; ok $? "$2"; }
says 'windows  2 (1 sync, 1 async, 0 forced), 16.0 KiB each, 2 requests, 0 of no window' "windows; what others read is left out"
says 'uptodate 1 of 1 async decisions (100.0 %) were taken on a folio already up to date' "the decision was taken on a folio that is there"
says 'sent     from decision to bio 1.0 us, first request 26.0 us (at most 50.0, window 1), last 26.0 us (50.0, window 1)' "the second window is held back for 50 us"
says 'landed   100.0 us after its first request was sent, used 1.0 us after that; depth 0.79, at most 1' "the device takes 100 us; 200 of 254 it is busy"
says 'waited   2 times, 195.0 us (76.8 %), most for window 0, pages 0 to 3: 100.0 us' "100 us, and 95; not those for the pipe"
says 'idle     the device, for 54.0 us (21.3 %) while there was more to read; the reader waited in 1.0 of these' "the device idles for 54 us"

# The same with a clock of microseconds
held | clock=micro trace micro
check "seconds with a fraction" 0 '^micro: 254\.0 us' "$lab" pipeline "$tmp/micro.trace"
check "give the same waits" 0 '^waited   2 times, 195\.0 us' "$lab" pipeline "$tmp/micro.trace"

# On a device with a bandwidth, one request after the other: 64 KiB/ms, so 250 us
# for 16 KiB.  Two windows are sent at once, at 10 and 20 us, and land at 260 and
# 510.  The reader waits from 30 to 260 and, having run for 40 us, until 510.
{
	cat <<-END
	0 cat-7 ..... page_cache_sync_ra: $ra index=0 req_count=1 $more
	0 cat-7 ..... page_cache_ra_order: $ra index=0 order=0 size=4 async_size=3 ra_pages=4
	10000 cat-7 ..... block_rq_issue: 259,0 RA 16384 () 800 + 32 be,0,4 [cat]
	11000 cat-7 ..... page_cache_async_ra: $ra index=1 req_count=1 $more
	11000 cat-7 ..... page_cache_ra_order: $ra index=4 order=0 size=4 async_size=4 ra_pages=4
	20000 cat-7 ..... block_rq_issue: 259,0 RA 16384 () 832 + 32 be,0,4 [cat]
	END
	sleeps 30000 D
	echo "260000 <idle>-0 d.h1. block_rq_complete: 259,0 RA () 800 + 32 be,0,4 [0]"
	wakes 260000 "<idle>-0" d.h4.
	runs 260000
	sleeps 300000 D
	echo "510000 <idle>-0 d.h1. block_rq_complete: 259,0 RA () 832 + 32 be,0,4 [0]"
	wakes 510000 "<idle>-0" d.h4.
	runs 510000
} | trace band
check "a bandwidth: waits of 230 and 210 us" 0 '^waited   2 times, 440\.0 us \(86\.3 %\)' "$lab" pipeline "$tmp/band.trace"
check "idle for the first 10 us alone" 0 '^idle     the device, for 10\.0 us' "$lab" pipeline "$tmp/band.trace"
check "two at a time, 740 us of requests in 510" 0 'depth 1\.45, at most 2$' "$lab" pipeline "$tmp/band.trace"
check "a decision on a folio that is not there" 0 '^uptodate 0 of 1 ' "$lab" pipeline "$tmp/band.trace"

# Out of order, and merged: windows 0 and 1 are one request, window 2 lands first.
{
	cat <<-END
	0 cat-7 ..... page_cache_ra_unbounded: $ra index=0 nr_to_read=4 lookahead_size=0
	1000 cat-7 ..... page_cache_ra_unbounded: $ra index=4 nr_to_read=4 lookahead_size=0
	2000 cat-7 ..... page_cache_ra_unbounded: $ra index=8 nr_to_read=100 lookahead_size=0
	5000 cat-7 ..... block_rq_issue: 259,0 RA 32768 () 800 + 64 be,0,4 [cat]
	6000 cat-7 ..... block_rq_issue: 259,0 RA 229376 () 864 + 448 be,0,4 [cat]
	END
	sleeps 7000 D
	echo "50000 <idle>-0 d.h1. block_rq_complete: 259,0 RA () 864 + 448 be,0,4 [0]"
	echo "90000 <idle>-0 d.h1. block_rq_complete: 259,0 RA () 800 + 64 be,0,4 [0]"
	wakes 90000 "<idle>-0" d.h4.
	runs 90000
} | trace merged
check "forced windows, one cut at the end of the file" 0 '^windows  3 \(0 sync, 0 async, 3 forced\), 85\.3 KiB each, 2 requests' \
	"$lab" pipeline "$tmp/merged.trace"
check "a request of two windows is of both" 0 'first request 4\.3 us \(at most 5\.0, window 0\)' "$lab" pipeline "$tmp/merged.trace"
check "the wait is for what landed last" 0 'most for window 0, pages 0 to 3: 83\.0 us$' "$lab" pipeline "$tmp/merged.trace"

# What others read
is_true "Chrome's JSON" python3 -c "
import json, sys
e = json.load(open('$tmp/held.json'))['traceEvents']
wait = [x for x in e if x['ph'] == 'X' and x['tid'] == 1]
assert [(x['ts'], x['dur']) for x in wait] == [(3.0, 100.0), (160.0, 95.0)], wait
raw = [x for x in e if x['ph'] == 'i']
assert len(raw) == $(held | wc -l), len(raw)
held = [x for x in e if x['name'] == 'not sent']
assert [x['dur'] for x in held] == [2.0, 50.0], held"
is_true "a picture: a lane for the reader, for each window, for the device" sh -c \
	"grep -q '>reader<' '$tmp/held.svg' && grep -q '>0 sync 0+4<' '$tmp/held.svg' &&
	 grep -q '>1 async 4+4 uptodate<' '$tmp/held.svg' && grep -q '>device, depth to 1<' '$tmp/held.svg'"
if command -v rsvg-convert >/dev/null; then
	is_true "and as PNG" sh -c "head -c 8 '$tmp/held.png' | grep -aq PNG"
else
	skip "and as PNG" "no rsvg-convert"
fi

# Bad input
sed '/#pipeline dev/d' "$tmp/held.trace" >"$tmp/a.trace"
check "without the device" 2 '^lab: .*a.trace: line 4: expected "#pipeline dev", "ino" and "extent" before the first event$' \
	"$lab" pipeline "$tmp/a.trace"
sed 's/#pipeline extent.*/#pipeline extent 0 409600/' "$tmp/held.trace" >"$tmp/b.trace"
check "an extent cut short" 2 'b.trace: line 4: expected title, dev, ino, extent or ns, .* not "#pipeline extent 0 409600"$' \
	"$lab" pipeline "$tmp/b.trace"
{ cat "$tmp/held.trace"; echo 'no event at all'; } >"$tmp/c.trace"
check "what is no event" 2 'c.trace: line 29: not an event of ftrace: "no event at all"$' "$lab" pipeline "$tmp/c.trace"
{ cat "$tmp/held.trace"; echo 'CPU:0 [LOST 17 EVENTS]'; } >"$tmp/d.trace"
check "lost events" 2 'd.trace: line 29: events were lost' "$lab" pipeline "$tmp/d.trace"
grep -v page_cache "$tmp/held.trace" >"$tmp/e.trace"
check "no window" 2 'e.trace: no window of inode 83 in it' "$lab" pipeline "$tmp/e.trace"
check "no such file" 2 'x.trace: No such file' "$lab" pipeline "$tmp/x.trace"
check "another name" 2 'held.txt: expected a name that ends in .trace$' "$lab" pipeline "$tmp/held.txt"

done_testing
