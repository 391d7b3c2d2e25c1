// SPDX-License-Identifier: GPL-2.0
/* Symbolic links. */
#include "llite/llite.h"

static SIM_PROBED const char *ll_get_link(struct dentry *dentry, struct inode *inode,
					  struct delayed_call *done)
{
	int rc;

	if (!dentry) {
		sim_enter_atomic(FN_GET_LINK);
		return ERR_PTR(-ECHILD); /* asked again outside RCU */
	}
	rc = sim_enter(FN_GET_LINK);
	sim_count(ll_i2instance(inode), OP_READLINK, rc);
	return rc ? ERR_PTR(rc) : ll_i2info(inode)->target;
}

/* ll_getattr() counts. */
static SIM_PROBED int ll_getattr_link(MAP_ARG const struct path *path, struct kstat *stat, u32 mask,
				      unsigned int flags)
{
	sim_enter_atomic(SIM_ll_getattr_link);
	return ll_getattr(MAP path, stat, mask, flags);
}

const struct inode_operations ll_symlink_inode_operations = {
	.get_link = ll_get_link,
	.getattr = ll_getattr_link,
	.setattr = ll_setattr,
	.permission = ll_inode_permission,
	.listxattr = ll_listxattr,
};
