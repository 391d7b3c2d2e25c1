// SPDX-License-Identifier: GPL-2.0
/*
 * read and write: through the page cache, or O_DIRECT. Asynchronous direct I/O
 * is queued (-EIOCBQUEUED) and completed by ptlrpcd. The data of direct I/O
 * moves before the servers are asked, which the caller cannot tell.
 */
#include <linux/slab.h>
#include <linux/uio.h>

#include "llite/llite.h"

struct aio {
	struct ll_brw brw;
	struct kiocb *iocb;
	ssize_t result;
};

/* Mostly in ptlrpcd: the last request of an asynchronous direct I/O is over. */
static SIM_PROBED void cl_dio_aio_end(struct ll_brw *brw)
{
	struct aio *aio = container_of(brw, struct aio, brw);

	compat_complete(aio->iocb, brw->rc ? brw->rc : aio->result);
	kfree(aio);
}

/* Asks the servers for what has already moved; the result is known then, or later. */
static ssize_t transfer(struct kiocb *iocb, int cmd, ssize_t bytes)
{
	struct inode *inode = file_inode(iocb->ki_filp);
	struct aio *aio;
	int rc;

	if (is_sync_kiocb(iocb)) {
		rc = ll_brw_wait(inode, cmd, bytes);
		if (rc)
			return rc;
		iocb->ki_pos += bytes;
		return bytes;
	}
	aio = kzalloc(sizeof(*aio), GFP_KERNEL);
	if (!aio)
		return -ENOMEM;
	aio->iocb = iocb;
	aio->result = bytes;
	aio->brw.done = cl_dio_aio_end;
	ll_brw_start(&aio->brw, inode, cmd, bytes);
	return -EIOCBQUEUED; /* iocb may be gone */
}

SIM_PROBED ssize_t ll_direct_IO(struct kiocb *iocb, struct iov_iter *iter)
{
	struct inode *inode = file_inode(iocb->ki_filp);
	struct ll_inode_info *lli = ll_i2info(inode);
	loff_t pos = iocb->ki_pos, size = i_size_read(inode);
	bool write = iov_iter_rw(iter) == WRITE;
	ssize_t rc = sim_enter(SIM_ll_direct_IO);

	if (rc)
		return rc;
	if (write) {
		rc = ll_store_from_iter(lli, pos, iter);
		if (rc > 0 && pos + rc > size)
			i_size_write(inode, pos + rc);
	} else if (pos < size) {
		rc = ll_store_to_iter(lli, pos, min_t(u64, iov_iter_count(iter), size - pos), iter);
	}
	return rc > 0 ? transfer(iocb, write ? OBD_BRW_WRITE : OBD_BRW_READ, rc) : rc;
}

static ssize_t direct_read(struct kiocb *iocb, struct iov_iter *to)
{
	struct file *file = iocb->ki_filp;
	ssize_t rc;

	rc = filemap_write_and_wait_range(file->f_mapping, iocb->ki_pos,
					  iocb->ki_pos + iov_iter_count(to) - 1);
	if (rc)
		return rc;
	file_accessed(file);
	return ll_direct_IO(iocb, to);
}

static ssize_t direct_write(struct kiocb *iocb, struct iov_iter *from)
{
	struct file *file = iocb->ki_filp;
	struct address_space *mapping = file->f_mapping;
	struct inode *inode = file_inode(file);
	loff_t end;
	ssize_t rc;

	inode_lock(inode);
	rc = generic_write_checks(iocb, from);
	if (rc <= 0)
		goto out;
	end = iocb->ki_pos + iov_iter_count(from) - 1;
	rc = file_remove_privs(file);
	if (!rc)
		rc = file_update_time(file);
	if (!rc)
		rc = filemap_write_and_wait_range(mapping, iocb->ki_pos, end);
	if (!rc) /* what cannot be dropped is mapped, and may be stale: as with any O_DIRECT */
		invalidate_inode_pages2_range(mapping, iocb->ki_pos >> PAGE_SHIFT,
					      end >> PAGE_SHIFT);
	if (!rc)
		rc = ll_direct_IO(iocb, from);
out:
	inode_unlock(inode);
	return rc > 0 ? generic_write_sync(iocb, rc) : rc;
}

static ssize_t file_read(struct kiocb *iocb, struct iov_iter *to)
{
	struct inode *inode = file_inode(iocb->ki_filp);
	int rc;

	if (!iov_iter_count(to))
		return 0;
	ll_set_job(inode);
	if (iocb->ki_flags & IOCB_DIRECT)
		return direct_read(iocb, to);
	/* Reading in a page waits for a server. */
	if ((iocb->ki_flags & IOCB_NOWAIT) && iocb->ki_pos < i_size_read(inode) &&
	    !compat_page_cached(inode->i_mapping, iocb->ki_pos >> PAGE_SHIFT))
		return -EAGAIN;
	if (!(iocb->ki_flags & IOCB_NOWAIT)) {
		rc = ll_lock_extents(inode);
		if (rc)
			return rc;
	}
	return generic_file_read_iter(iocb, to);
}

static ssize_t file_write(struct kiocb *iocb, struct iov_iter *from)
{
	struct inode *inode = file_inode(iocb->ki_filp);
	int rc;

	ll_set_job(inode);
	if (iocb->ki_flags & IOCB_DIRECT)
		return direct_write(iocb, from); /* the servers lock */
	rc = ll_lock_extents(inode);
	return rc ? rc : generic_file_write_iter(iocb, from);
}

/* What was asked for, taken before the kiocb may vanish. */
struct io_call {
	struct sim_instance *instance;
	size_t requested;
	bool async;
	bool nowait;
};

static struct io_call io_begin(struct kiocb *iocb, struct iov_iter *iter)
{
	return (struct io_call){
		.instance = ll_i2instance(file_inode(iocb->ki_filp)),
		.requested = iov_iter_count(iter),
		.async = !is_sync_kiocb(iocb),
		.nowait = iocb->ki_flags & IOCB_NOWAIT,
	};
}

static void io_count(const struct io_call *call, enum op_id op, ssize_t rc)
{
	if (rc == -EAGAIN && call->async && call->nowait)
		return; /* not an operation: it is called again */
	if (rc == -EIOCBQUEUED)
		sim_count_io(call->instance, op, 0, call->requested, call->requested);
	else
		sim_count_io(call->instance, op, rc, rc > 0 ? rc : 0, call->requested);
}

SIM_PROBED ssize_t ll_file_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	struct io_call call = io_begin(iocb, to);
	ssize_t rc = sim_enter(FN_FILE_READ_ITER);

	if (!rc)
		rc = file_read(iocb, to);
	io_count(&call, OP_READ, rc);
	return rc;
}

SIM_PROBED ssize_t ll_file_write_iter(struct kiocb *iocb, struct iov_iter *from)
{
	struct io_call call = io_begin(iocb, from);
	ssize_t rc = sim_enter(FN_FILE_WRITE_ITER);

	if (!rc)
		rc = file_write(iocb, from);
	io_count(&call, OP_WRITE, rc);
	return rc;
}
