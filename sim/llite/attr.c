// SPDX-License-Identifier: GPL-2.0
/* Attributes, permission, statfs; the operations of files that are no directories. */
#include <linux/statfs.h>

#include "llite/llite.h"

SIM_PROBED int ll_getattr(MAP_ARG const struct path *path, struct kstat *stat, u32 mask,
			  unsigned int flags)
{
	struct inode *inode = d_inode(path->dentry);
	int rc = sim_enter(FN_GETATTR);

	if (!rc) {
		FILL_ATTR(inode, stat, mask);
		stat->blksize = 4U << 20;
		/* Written parts are not told from holes: nothing looks sparse. */
		if (S_ISREG(inode->i_mode))
			stat->blocks = DIV_ROUND_UP_ULL(stat->size, 512);
	}
	sim_count(ll_i2instance(inode), OP_GETATTR, rc);
	return rc;
}

static int setattr(MAP_ARG struct dentry *dentry, struct iattr *attr)
{
	struct inode *inode = d_inode(dentry);
	struct posix_acl *acl;
	int rc = setattr_prepare(MAP dentry, attr);

	if (!rc)
		rc = ll_mds(inode->i_sb, MDS_REINT, REINT_SETATTR);
	if (rc)
		return rc;
	if ((attr->ia_valid & ATTR_SIZE) && attr->ia_size != i_size_read(inode)) {
		rc = ll_ost(inode, OST_PUNCH);
		if (rc)
			return rc;
		truncate_setsize(inode, attr->ia_size);
		ll_store_truncate(ll_i2info(inode), attr->ia_size);
	}
	setattr_copy(MAP inode, attr);
	mark_inode_dirty(inode);
	if (!(attr->ia_valid & ATTR_MODE))
		return 0;
	acl = ll_acl_get(inode, ACL_TYPE_ACCESS);
	if (!acl)
		return 0;
	posix_acl_release(acl);
	return ACL_CHMOD(dentry, inode->i_mode); /* through ll_get_acl() and ll_set_acl() */
}

SIM_PROBED int ll_setattr(MAP_ARG struct dentry *dentry, struct iattr *attr)
{
	int rc = sim_enter(FN_SETATTR);

	if (!rc)
		rc = setattr(MAP dentry, attr);
	sim_count(ll_s2sbi(dentry->d_sb)->instance, OP_SETATTR, rc);
	return rc;
}

SIM_PROBED int ll_inode_permission(MAP_ARG struct inode *inode, int mask)
{
	int rc;

	if (mask & MAY_NOT_BLOCK) {
		sim_enter_atomic(FN_INODE_PERMISSION);
		return -ECHILD; /* asked again outside RCU */
	}
	rc = sim_enter(FN_INODE_PERMISSION);
	if (!rc)
		rc = generic_permission(MAP inode, mask);
	sim_count(ll_i2instance(inode), OP_PERMISSION, rc);
	return rc;
}

SIM_PROBED int ll_statfs(struct dentry *dentry, struct kstatfs *sfs)
{
	int rc = sim_enter(FN_STATFS);

	if (!rc)
		rc = ll_mds(dentry->d_sb, MDS_STATFS, 0);
	if (!rc) {
		sfs->f_type = LL_SUPER_MAGIC;
		sfs->f_bsize = PAGE_SIZE;
		sfs->f_blocks = 1ULL << 28;
		sfs->f_bfree = sfs->f_bavail = sfs->f_blocks / 2;
		sfs->f_files = 1ULL << 20;
		sfs->f_ffree = sfs->f_files / 2;
		sfs->f_namelen = LL_NAME_MAX;
	}
	sim_count(ll_s2sbi(dentry->d_sb)->instance, OP_STATFS, rc);
	return rc;
}

#define COMMON_OPERATIONS \
	.setattr = ll_setattr, .permission = ll_inode_permission, .listxattr = ll_listxattr

#if ACL_BY_DENTRY
#define ACL_OPERATIONS \
	.get_acl = ll_get_acl, .get_inode_acl = ll_get_inode_acl, .set_acl = ll_set_acl
#else
#define ACL_OPERATIONS .get_acl = ll_get_acl, .set_acl = ll_set_acl
#endif

const struct inode_operations ll_file_inode_operations = {
	.getattr = ll_getattr,
	COMMON_OPERATIONS,
	ACL_OPERATIONS,
};

const struct inode_operations ll_special_inode_operations = {
	.getattr = ll_getattr,
	COMMON_OPERATIONS,
	ACL_OPERATIONS,
};
