/* SPDX-License-Identifier: GPL-2.0 */
/*
 * uring.h - one read at a time by io_uring, without a library in the guest
 */
#ifndef URING_H
#define URING_H

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>

struct uring {
	int fd;
	unsigned int entries;
	unsigned int *sq_tail, *sq_mask, *sq_array;
	unsigned int *cq_head, *cq_tail, *cq_mask;
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;
};

static inline int uring_open(struct uring *r, unsigned int entries, unsigned int flags)
{
	struct io_uring_params p;
	size_t size;
	char *ring;

	memset(&p, 0, sizeof(p));
	p.flags = flags;
	r->fd = syscall(SYS_io_uring_setup, entries, &p);
	if (r->fd < 0)
		return -1;
	/* both rings are in one mapping, as since 5.4 */
	size = p.sq_off.array + p.sq_entries * sizeof(unsigned int);
	if (size < p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe))
		size = p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe);
	ring = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, IORING_OFF_SQ_RING);
	r->sqes = mmap(NULL, p.sq_entries * sizeof(struct io_uring_sqe),
		       PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, IORING_OFF_SQES);
	if (ring == MAP_FAILED || r->sqes == MAP_FAILED)
		return -1;
	r->sq_tail = (unsigned int *)(ring + p.sq_off.tail);
	r->sq_mask = (unsigned int *)(ring + p.sq_off.ring_mask);
	r->sq_array = (unsigned int *)(ring + p.sq_off.array);
	r->cq_head = (unsigned int *)(ring + p.cq_off.head);
	r->cq_tail = (unsigned int *)(ring + p.cq_off.tail);
	r->cq_mask = (unsigned int *)(ring + p.cq_off.ring_mask);
	r->cqes = (struct io_uring_cqe *)(ring + p.cq_off.cqes);
	r->entries = p.sq_entries;
	return 0;
}

/* Returns what pread() would, and sets errno as that does. */
static inline ssize_t uring_read(struct uring *r, int fd, void *buf, size_t len, off_t pos)
{
	unsigned int tail = *r->sq_tail, i = tail & *r->sq_mask, head;
	struct io_uring_sqe *sqe = &r->sqes[i];
	int res;

	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = IORING_OP_READ;
	sqe->fd = fd;
	sqe->addr = (uintptr_t)buf;
	sqe->len = len;
	sqe->off = pos;
	r->sq_array[i] = i;
	__atomic_store_n(r->sq_tail, tail + 1, __ATOMIC_RELEASE);
	for (;;) {
		int n = syscall(SYS_io_uring_enter, r->fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0);

		if (n < 0 && errno != EINTR)
			return -1;
		head = *r->cq_head;
		if (head != __atomic_load_n(r->cq_tail, __ATOMIC_ACQUIRE))
			break;
	}
	res = r->cqes[head & *r->cq_mask].res;
	__atomic_store_n(r->cq_head, head + 1, __ATOMIC_RELEASE);
	if (res < 0) {
		errno = -res;
		return -1;
	}
	return res;
}

#endif
