// SPDX-License-Identifier: GPL-2.0
/*
 * batch.c - io_uring and AIO by their system calls: a guest has no libraries
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "batch.h"

static size_t length(const struct batch *b, uint64_t pos)
{
	return b->end - pos < b->bs ? b->end - pos : b->bs;
}

struct ring {
	int fd;
	char *map;
	struct io_uring_sqe *sqe;
	struct io_uring_params p;
};

static unsigned int *in_ring(const struct ring *r, unsigned int offset)
{
	return (unsigned int *)(r->map + offset);
}

static const char *ring_open(struct ring *r, unsigned int entries)
{
	size_t size;

	memset(&r->p, 0, sizeof(r->p));
	r->fd = syscall(SYS_io_uring_setup, entries, &r->p);
	if (r->fd < 0)
		return "io_uring_setup";
	if (!(r->p.features & IORING_FEAT_SINGLE_MMAP)) {
		errno = ENOTSUP;
		return "io_uring: one mapping for both rings";
	}
	size = r->p.cq_off.cqes + r->p.cq_entries * sizeof(struct io_uring_cqe);
	if (size < r->p.sq_off.array + r->p.sq_entries * sizeof(unsigned int))
		size = r->p.sq_off.array + r->p.sq_entries * sizeof(unsigned int);
	r->map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
		      r->fd, IORING_OFF_SQ_RING);
	r->sqe = mmap(NULL, r->p.sq_entries * sizeof(*r->sqe), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_POPULATE, r->fd, IORING_OFF_SQES);
	return r->map == MAP_FAILED || (void *)r->sqe == MAP_FAILED ? "io_uring: mmap" : NULL;
}

const char *batch_uring(const struct batch *b)
{
	unsigned int i, n, tail, head;
	struct io_uring_cqe *cqe;
	uint64_t pos = b->start;
	const char *why;
	struct ring r;

	why = ring_open(&r, b->nr);
	while (!why && pos < b->end) {
		uint64_t first = pos;

		tail = *in_ring(&r, r.p.sq_off.tail);
		for (n = 0; n < b->nr && pos < b->end; n++, pos += b->bs) {
			unsigned int slot = (tail + n) & *in_ring(&r, r.p.sq_off.ring_mask);

			r.sqe[slot] = (struct io_uring_sqe){
				.opcode = IORING_OP_READ, .fd = b->fd, .off = pos,
				.addr = (uintptr_t)(b->buf + n * b->bs),
				.len = length(b, pos), .user_data = n,
			};
			in_ring(&r, r.p.sq_off.array)[slot] = slot;
		}
		__atomic_store_n(in_ring(&r, r.p.sq_off.tail), tail + n, __ATOMIC_RELEASE);
		if (syscall(SYS_io_uring_enter, r.fd, n, n, IORING_ENTER_GETEVENTS,
			    NULL, 0) != (long)n) {
			why = "io_uring_enter";
			break;
		}
		head = *in_ring(&r, r.p.cq_off.head);
		if (__atomic_load_n(in_ring(&r, r.p.cq_off.tail), __ATOMIC_ACQUIRE) - head != n) {
			errno = EIO;
			why = "io_uring: completions";
			break;
		}
		cqe = (struct io_uring_cqe *)(r.map + r.p.cq_off.cqes);
		for (i = 0; i < n && !why; i++) {
			unsigned int slot = (head + i) & *in_ring(&r, r.p.cq_off.ring_mask);
			const struct io_uring_cqe *c = &cqe[slot];

			if (c->res == (int)length(b, first + c->user_data * b->bs))
				continue;
			errno = c->res < 0 ? -c->res : EIO;
			why = "io_uring: a read";
		}
		__atomic_store_n(in_ring(&r, r.p.cq_off.head), head + n, __ATOMIC_RELEASE);
		for (i = 0; i < n && !why; i++)
			b->take(b->buf + i * b->bs, length(b, first + i * b->bs),
				first + i * b->bs);
	}
	if (r.fd >= 0)
		close(r.fd);
	return why;
}

const char *batch_aio(const struct batch *b)
{
	struct iocb iocb[BATCH_MAX], *list[BATCH_MAX];
	struct io_event event[BATCH_MAX];
	aio_context_t ctx = 0;
	uint64_t pos = b->start;
	const char *why = NULL;
	unsigned int i, n;

	if (syscall(SYS_io_setup, b->nr, &ctx))
		return "io_setup";
	while (!why && pos < b->end) {
		uint64_t first = pos;

		for (n = 0; n < b->nr && pos < b->end; n++, pos += b->bs) {
			iocb[n] = (struct iocb){
				.aio_lio_opcode = IOCB_CMD_PREAD, .aio_fildes = b->fd,
				.aio_buf = (uintptr_t)(b->buf + n * b->bs),
				.aio_nbytes = length(b, pos), .aio_offset = pos,
				.aio_data = n,
			};
			list[n] = &iocb[n];
		}
		if (syscall(SYS_io_submit, ctx, n, list) != (long)n)
			why = "io_submit";
		else if (syscall(SYS_io_getevents, ctx, n, n, event, NULL) != (long)n)
			why = "io_getevents";
		for (i = 0; i < n && !why; i++) {
			if (event[i].res == (long)length(b, first + event[i].data * b->bs))
				continue;
			errno = event[i].res < 0 ? -event[i].res : EIO;
			why = "aio: a read";
		}
		for (i = 0; i < n && !why; i++)
			b->take(b->buf + i * b->bs, length(b, first + i * b->bs),
				first + i * b->bs);
	}
	/* io_destroy() waits for a grace period, which would be in the time of the pass */
	return why;
}
