// SPDX-License-Identifier: GPL-2.0
/* Directories as files. Open and release are those of files, which count. */
#include "llite/llite.h"

static SIM_PROBED int ll_dir_open(struct inode *inode, struct file *file)
{
	sim_enter_atomic(SIM_ll_dir_open);
	return ll_file_open(inode, file);
}

static SIM_PROBED int ll_dir_release(struct inode *inode, struct file *file)
{
	sim_enter_atomic(SIM_ll_dir_release);
	return ll_file_release(inode, file);
}

static SIM_PROBED int ll_dir_flush(struct file *file, fl_owner_t id)
{
	return sim_enter(SIM_ll_dir_flush);
}

static int iterate(struct file *file, struct dir_context *ctx)
{
	struct ll_inode_info *lli = ll_i2info(file_inode(file));
	struct ll_dirent *de;
	unsigned long cookie;
	int rc;

	/* What is left is fetched page by page; the end is known. */
	if (ctx->pos < lli->next_cookie) {
		rc = ll_mds(file_inode(file)->i_sb, MDS_READPAGE, 0);
		if (rc)
			return rc;
	}
	if (!dir_emit_dots(file, ctx))
		return 0;
	xa_for_each_start(&lli->cookies, cookie, de, ctx->pos)
	{
		if (!dir_emit(ctx, de->name, de->length, de->inode->i_ino,
			      fs_umode_to_dtype(de->inode->i_mode)))
			break;
		ctx->pos = cookie + 1;
	}
	return 0;
}

static SIM_PROBED int ll_iterate(struct file *file, struct dir_context *ctx)
{
	int rc = sim_enter(FN_ITERATE);

	if (!rc)
		rc = iterate(file, ctx);
	sim_count(ll_i2instance(file_inode(file)), OP_READDIR, rc);
	return rc;
}

static SIM_PROBED long ll_dir_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	long rc = sim_enter(FN_DIR_IOCTL);

	if (!rc)
		rc = ll_ioctl_common(file, cmd, arg);
	sim_count(ll_i2instance(file_inode(file)), OP_IOCTL, rc);
	return rc;
}

const struct file_operations ll_dir_operations = {
	.llseek = generic_file_llseek,
	.open = ll_dir_open,
	.release = ll_dir_release,
	.read = generic_read_dir,
	.iterate_shared = ll_iterate,
	.unlocked_ioctl = ll_dir_ioctl,
	.fsync = ll_fsync,
	.flush = ll_dir_flush,
};
