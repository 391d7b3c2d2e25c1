// SPDX-License-Identifier: GPL-2.0
/*
 * read and write: through the page cache, or O_DIRECT. Asynchronous direct I/O
 * is queued (-EIOCBQUEUED) and completed by ptlrpcd; its data moves already at
 * submission, which the caller cannot tell.
 */
#include <linux/slab.h>
#include <linux/uio.h>

#include "llite/llite.h"
#include "ptlrpc/ptlrpc.h"

struct aio_args {
	struct kiocb *iocb;
	ssize_t result;
};

/* In ptlrpcd: the request of an asynchronous direct I/O is done. */
static SIM_PROBED int brw_interpret(const void *env, struct ptlrpc_request *req, void *args, int rc)
{
	struct aio_args *aa = args;
	int injected = sim_enter(SIM_brw_interpret);

	if (!rc)
		rc = injected;
	compat_complete(aa->iocb, rc ? rc : aa->result);
	return rc;
}

static ssize_t queue_completion(struct kiocb *iocb, ssize_t result)
{
	struct ptlrpc_request *req = ptlrpc_request_alloc();
	struct aio_args *aa;

	if (!req)
		return -ENOMEM;
	BUILD_BUG_ON(sizeof(*aa) > sizeof(req->rq_async_args));
	aa = (struct aio_args *)req->rq_async_args;
	aa->iocb = iocb;
	aa->result = result;
	req->rq_interpret_reply = brw_interpret;
	ptlrpcd_add_req(req);
	return -EIOCBQUEUED; /* iocb may be gone */
}

SIM_PROBED ssize_t ll_direct_IO(struct kiocb *iocb, struct iov_iter *iter)
{
	struct inode *inode = file_inode(iocb->ki_filp);
	struct ll_inode_info *lli = ll_i2info(inode);
	loff_t pos = iocb->ki_pos, size = i_size_read(inode);
	ssize_t rc = sim_enter(SIM_ll_direct_IO);

	if (rc)
		return rc;
	if (iov_iter_rw(iter) == READ) {
		if (pos >= size)
			return 0;
		rc = ll_store_to_iter(lli, pos, min_t(u64, iov_iter_count(iter), size - pos), iter);
	} else {
		rc = ll_store_from_iter(lli, pos, iter);
		if (rc > 0 && pos + rc > size)
			i_size_write(inode, pos + rc);
	}
	if (rc > 0 && !is_sync_kiocb(iocb))
		return queue_completion(iocb, rc);
	if (rc > 0)
		iocb->ki_pos += rc;
	return rc;
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

	if (!iov_iter_count(to))
		return 0;
	if (iocb->ki_flags & IOCB_DIRECT)
		return direct_read(iocb, to);
	/* Reading in a page waits for a server. */
	if ((iocb->ki_flags & IOCB_NOWAIT) && iocb->ki_pos < i_size_read(inode) &&
	    !compat_page_cached(inode->i_mapping, iocb->ki_pos >> PAGE_SHIFT))
		return -EAGAIN;
	return generic_file_read_iter(iocb, to);
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

	if (!rc && (iocb->ki_flags & IOCB_DIRECT))
		rc = direct_write(iocb, from);
	else if (!rc)
		rc = generic_file_write_iter(iocb, from);
	io_count(&call, OP_WRITE, rc);
	return rc;
}
