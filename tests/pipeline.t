#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The pipeline of real guests, in model time: times that can be worked out by hand
# are what the instrument gives; and a plug that holds windows back is noticed.
#
# The slack is what the kernel executes, a nanosecond an instruction, from one
# trace point to the next: from block_rq_issue to the timer of the model device,
# which copies the data first, and from that to block_rq_complete, 3 us and 130 ns a
# page; from there until the reader runs, 6 us; from falling asleep back to the
# issue, 6 us.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"

lab=$O/bin/lab

# kernel NAME: the base with tests/pipeline/kernels/series.NAME
kernel()
{
	is_true "the kernel $1 is built" tools/kernel/build.sh "$1" \
		"tests/pipeline/kernels/series.$1"
}

# pipeline KERNEL CLAIMS ID...: its summaries, in $tmp/KERNEL.ID
pipeline()
{
	_k=$1 _c=$2
	shift 2
	is_true "$_k: $*" "$lab" run --pipeline "$_c" --base "$O/7.3/$_k" --init "$O/bin/init" \
		--fio "$O/fio.img" --out "$tmp/results" --jobs 2 tests/claims "$@"
	for _i in "$@"; do
		cp "$tmp/results/last/$_i-base.trace" "$tmp/$_k.$_i.trace"
		"$lab" pipeline "$tmp/$_k.$_i.trace" >"$tmp/$_k.$_i"
	done
}

# number FILE REGEX: the first group of it
number()
{
	sed -En "s/.*$2.*/\\1/p" "$tmp/$1" | sed 1q
}

# within NAME LOW VALUE HIGH, in us
within()
{
	echo "$2 $3 $4" | awk '{ exit !(NF == 3 && $1 <= $2 && $2 <= $3) }'
	ok $? "$1"
	[ "$failures" = "${_seen:-0}" ] || echo "# expected $2 to $4, not $3"
	_seen=$failures
}

pipeline base tests/fixtures/pipeline K.rand K.seq K.band
sent='sent .* last ([0-9.]+) us'
landed='landed +([0-9.]+) us'
times='waited +([0-9]+) times'
waited='waited +[0-9]+ times, ([0-9.]+) us'
idle='idle .* for ([0-9.]+) us'
span=': ([0-9.]+) us from'

# 16 reads, each alone on a device of 80 us: 16 waits of that, and the device idles
# while the reader copies a page and decides.
within "16 reads of a page: each is on the device for 80 us" 80 "$(number base.K.rand "$landed")" 83.1
is_true "the reader waits 16 times" test "$(number base.K.rand "$times")" = 16
within "80 us each" 1184 "$(number base.K.rand "$waited")" 1424
within "the device idles for the rest" 1280 \
	"$(number base.K.rand "$span" | awk -v i="$(number base.K.rand "$idle")" '{ print $1 - i }')" 1330

# A device that takes one request at a time, for 8 ms: 8 of them are 64 ms.
within "8 requests, one at a time: 64 ms" 64000 \
	"$(number base.K.seq "$span" | awk -v i="$(number base.K.seq "$idle")" '{ print $1 - i }')" 64240
within "the reader waits for nearly all of it" 63500 "$(number base.K.seq "$waited")" 64000
within "the device does not" 0 "$(number base.K.seq "$idle")" 300

# 100 MiB with a bandwidth of 500 MiB/s
within "a bandwidth: 100 MiB take 200 ms, but for the first portion" 180000 "$(number base.K.band "$span")" 205000

# The tracing itself
cost=$(number base.K.seq 'us \((-?[0-9.]+) %\) of it for tracing')
within "what tracing costs is measured" -1 "$cost" 1

# Is a window held back by the plug of a batch?  Without one it is sent in 8 us.
kernel model
pipeline model tests/pipeline/claims B.read B.a8 B.u8
within "no batch: sent at once" 0 "$(number model.B.read "$sent")" 12
within "base: AIO, 8 at a time: held back" 20 "$(number model.B.a8 "$sent")" 100
within "base: io_uring, 8 at a time: held back" 20 "$(number model.B.u8 "$sent")" 100
pipeline patched tests/pipeline/claims L8 U8
within "patched: AIO, 8 at a time: sent at once" 0 "$(number patched.L8 "$sent")" 12
within "patched: io_uring, 8 at a time: sent at once" 0 "$(number patched.U8 "$sent")" 12

# The mutants: a plug around each read; and the patch with the condition of 2009
kernel nested-plug
pipeline nested-plug tests/pipeline/claims B.big
pipeline model tests/pipeline/claims B.big
within "large reads: sent at once" 0 "$(number model.B.big "$sent")" 15
within "with a plug around each read that is noticed" 20 "$(number nested-plug.B.big "$sent")" 1000
kernel kick
pipeline kick tests/pipeline/claims B.u8
within "only if the folio is up to date: io_uring's windows are held back still" 14 \
	"$(number kick.B.u8 "$sent")" 100

# Out of order: requests that land after one that was sent later.  In a batch they
# are merged, and one at a time.
cat >"$tmp/order.awk" <<-'EOF'
	{ for (i = 1; i <= NF && $i != "+"; i++) ; sector = $(i - 1) }
	/block_rq_issue/ { sent[sector] = ++n }
	/block_rq_complete/ && sector in sent {
		odd += sent[sector] < last
		if (sent[sector] > last)
			last = sent[sector]
	}
	END { exit odd < 10 }
EOF
is_true "the model device answers out of order" awk -f "$tmp/order.awk" "$tmp/model.B.read.trace"
is_true "that of the other claims does not" sh -c \
	"! awk -f '$tmp/order.awk' '$tmp/patched.L8.trace'"

done_testing
