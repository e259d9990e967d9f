/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stubs.h - what does nothing here
 *
 * Each group says why nothing is right.
 */
#ifndef READAHEAD_STUBS_H
#define READAHEAD_STUBS_H

/* One thread: there is nobody to exclude, to wait for or to give way to. */
#define rcu_read_lock()				do { } while (0)
#define rcu_read_unlock()			do { } while (0)
#define lockdep_assert_held(lock)		do { } while (0)
#define filemap_invalidate_lock_shared(m)	do { (void)(m); } while (0)
#define filemap_invalidate_unlock_shared(m)	do { (void)(m); } while (0)
#define filemap_invalidate_trylock_shared(m)	((void)(m), true)
#define cond_resched()				do { } while (0)
#define fatal_signal_pending(task)		false

/* How memory is got; running out of it is sim_params.fail_every's business. */
#define memalloc_nofs_save()			0
#define memalloc_nofs_restore(flags)		do { (void)(flags); } while (0)
#define memalloc_noio_save()			0
#define memalloc_noio_restore(flags)		do { (void)(flags); } while (0)

/* Accounting of pressure and of use, which readahead does not look at. */
#define psi_memstall_enter(flags)		do { *(flags) = 0; } while (0)
#define psi_memstall_leave(flags)		do { (void)(flags); } while (0)
#define folio_mark_accessed(folio)		do { (void)(folio); } while (0)
#define file_accessed(file)			do { (void)(file); } while (0)
#define blk_cgroup_congested()			false
#define folio_test_workingset(folio)		false

/*
 * A plug holds back requests until it is finished.  Windows are contiguous, and
 * custom.h's device takes each as one bio, so there is nothing to merge.
 */
struct blk_plug { int unused; };

#define blk_start_plug(plug)			do { (void)(plug); } while (0)
#define blk_finish_plug(plug)			do { (void)(plug); } while (0)
#define blk_flush_plug(plug, async)		do { } while (0)

/* No writers, no data. */
#define mapping_writably_mapped(mapping)	false
#define folio_test_writeback(folio)		false
#define flush_dcache_folio(folio)		do { } while (0)
#define folio_clear_error(folio)		do { (void)(folio); } while (0)
/* one thread: no barrier is needed */
#define smp_rmb()				do { } while (0)
#define filemap_end_dropbehind_read(folio)	do { } while (0)
#define __folio_set_dropbehind(folio)		do { (void)(folio); } while (0)
#define folio_test_dropbehind(folio)		false

/* The fault is retried by custom.h; nothing is mapped by VM_EXEC here. */
#define maybe_unlock_mmap_for_io(vmf, fpin)	((void)(vmf), (fpin))
#define exec_folio_order()			0
#define vma_start_pgoff(vma)			((void)(vma), 0UL)
#define vma_end_pgoff(vma)			((void)(vma), ULONG_MAX)

/* readahead(2) itself is never called: see engine.willneed. */
struct fd { struct file *file; };

#define CLASS(class, var)			struct fd var = fd_none
#define fd_none(fd)				((struct fd){ (void *)(long)(fd) })
#define fd_empty(f)				(!(f).file)
#define fd_file(f)				((f).file)
#define fdget(fd)				fd_none(fd)
#define fdput(f)				do { (void)(f); } while (0)
#define vfs_fadvise(file, pos, len, advice)	(-EINVAL)
#define IS_ANON_FILE(inode)			((void)(inode), false)
#define __SYSCALL_ARGS3(t1, a1, t2, a2, t3, a3)	t1 a1, t2 a2, t3 a3
#define SYSCALL_DEFINE3(name, ...)					\
	long sys_##name(__SYSCALL_ARGS3(__VA_ARGS__));			\
	long sys_##name(__SYSCALL_ARGS3(__VA_ARGS__))

#define EXPORT_SYMBOL(symbol)
#define EXPORT_SYMBOL_GPL(symbol)

#endif
