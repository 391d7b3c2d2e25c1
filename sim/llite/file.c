// SPDX-License-Identifier: GPL-2.0
/* Methods of open files, except moving data (rw.c, mmap.c). */
#include <linux/fs.h>
#include <linux/falloc.h>
#include <linux/splice.h>
#include <linux/uaccess.h>

#include "llite/llite.h"

#if KERNEL_AT_LEAST(6, 3)
#include <linux/filelock.h>
#endif

/* The root of the mount has nothing to open or close on a server. */
static bool is_root(struct inode *inode)
{
	return inode == d_inode(inode->i_sb->s_root);
}

/* Inside ll_atomic_open() the open is that function's, and counted there. */
SIM_PROBED int ll_file_open(struct inode *inode, struct file *file)
{
	bool nested = file->private_data == ll_open_intent;
	int rc = sim_enter(FN_FILE_OPEN);

	file->private_data = NULL;
	if (!rc && !nested && !is_root(inode))
		rc = ll_mds(inode->i_sb, LDLM_ENQUEUE, IT_OPEN);
	if (!rc && S_ISREG(inode->i_mode))
		file->f_mode |= FMODE_NOWAIT;
	if (!nested)
		sim_count(ll_i2instance(inode), OP_OPEN, rc);
	return rc;
}

/* The file is gone whatever is injected; only the result differs. */
SIM_PROBED int ll_file_release(struct inode *inode, struct file *file)
{
	int rc = sim_enter(FN_FILE_RELEASE);

	if (!rc && !is_root(inode))
		rc = ll_mds(inode->i_sb, MDS_CLOSE, 0);
	sim_count(ll_i2instance(inode), OP_CLOSE, rc);
	return rc;
}

static SIM_PROBED int ll_flush(struct file *file, fl_owner_t id)
{
	return sim_enter(SIM_ll_flush);
}

static SIM_PROBED loff_t ll_file_seek(struct file *file, loff_t offset, int origin)
{
	loff_t rc = sim_enter(FN_FILE_SEEK);

	if (!rc)
		rc = generic_file_llseek(file, offset, origin);
	sim_count(ll_i2instance(file_inode(file)), OP_SEEK, rc);
	return rc;
}

SIM_PROBED int ll_fsync(struct file *file, loff_t start, loff_t end, int datasync)
{
	int rc = sim_enter(FN_FSYNC);

	if (!rc)
		rc = file_write_and_wait_range(file, start, end);
	if (!rc)
		rc = ll_mds(file_inode(file)->i_sb, MDS_SYNC, 0);
	sim_count(ll_i2instance(file_inode(file)), OP_FSYNC, rc);
	return rc;
}

static SIM_PROBED int ll_file_flock(struct file *file, int cmd, struct file_lock *lock)
{
	int rc = sim_enter(FN_FILE_FLOCK);

	if (!rc)
		rc = ll_mds(file_inode(file)->i_sb, LDLM_ENQUEUE, 0);
	if (!rc) {
		if (IS_GETLK(cmd))
			posix_test_lock(file, lock);
		else
			rc = locks_lock_file_wait(file, lock);
	}
	sim_count(ll_i2instance(file_inode(file)), OP_FLOCK, rc);
	return rc;
}

static SIM_PROBED int ll_file_noflock(struct file *file, int cmd, struct file_lock *lock)
{
	int rc = sim_enter(FN_FILE_NOFLOCK);

	if (!rc)
		rc = -ENOSYS;
	sim_count(ll_i2instance(file_inode(file)), OP_FLOCK, rc);
	return rc;
}

long ll_ioctl_common(struct file *file, unsigned int cmd, unsigned long arg)
{
	switch (cmd) {
	case FS_IOC_GETVERSION:
		return put_user((int)file_inode(file)->i_generation, (int __user *)arg);
	case FS_IOC_GETFLAGS:
		return put_user(0, (int __user *)arg);
	}
	return -ENOTTY;
}

static SIM_PROBED long ll_file_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	long rc = sim_enter(FN_FILE_IOCTL);

	if (!rc)
		rc = ll_ioctl_common(file, cmd, arg);
	sim_count(ll_i2instance(file_inode(file)), OP_IOCTL, rc);
	return rc;
}

static int punch(struct inode *inode, loff_t start, loff_t end)
{
	int rc = filemap_write_and_wait_range(inode->i_mapping, start, end - 1);

	if (rc)
		return rc;
	truncate_pagecache_range(inode, start, end - 1);
	ll_store_punch(ll_i2info(inode), start, end);
	return 0;
}

static long fallocate(struct file *file, int mode, loff_t offset, loff_t length)
{
	struct inode *inode = file_inode(file);
	int rc = 0;

	if (mode & ~(FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE))
		return -EOPNOTSUPP;
	inode_lock(inode);
	rc = ll_ost(inode, OST_FALLOCATE);
	if (rc)
		goto out;
	if (mode & FALLOC_FL_PUNCH_HOLE) {
		rc = punch(inode, offset, offset + length);
	} else if (!(mode & FALLOC_FL_KEEP_SIZE) && offset + length > i_size_read(inode)) {
		rc = inode_newsize_ok(inode, offset + length);
		if (!rc)
			i_size_write(inode, offset + length);
	}
	if (!rc)
		compat_touch(inode, false);
out:
	inode_unlock(inode);
	return rc;
}

static SIM_PROBED long ll_fallocate(struct file *file, int mode, loff_t offset, loff_t length)
{
	long rc = sim_enter(FN_FALLOCATE);

	if (!rc)
		rc = fallocate(file, mode, offset, length);
	sim_count(ll_i2instance(file_inode(file)), OP_FALLOCATE, rc);
	return rc;
}

/* Ends in ll_file_read_iter(), which counts. */
static SIM_PROBED ssize_t pcc_file_splice_read(struct file *in, loff_t *pos,
					       struct pipe_inode_info *pipe, size_t count,
					       unsigned int flags)
{
	sim_enter_atomic(SIM_pcc_file_splice_read);
	return compat_splice_read(in, pos, pipe, count, flags);
}

#define FILE_OPERATIONS                                                                    \
	.read_iter = ll_file_read_iter, .write_iter = ll_file_write_iter,                  \
	.unlocked_ioctl = ll_file_ioctl, .open = ll_file_open, .release = ll_file_release, \
	.mmap = ll_file_mmap, .llseek = ll_file_seek, .splice_read = pcc_file_splice_read, \
	.splice_write = iter_file_splice_write, .fsync = ll_fsync, .flush = ll_flush,      \
	.fallocate = ll_fallocate

const struct file_operations ll_file_operations[] = {
	[LOCKS_NONE] = {FILE_OPERATIONS, .flock = ll_file_noflock, .lock = ll_file_noflock},
	[LOCKS_LOCAL] = {FILE_OPERATIONS},
	[LOCKS_SHARED] = {FILE_OPERATIONS, .flock = ll_file_flock, .lock = ll_file_flock},
};
