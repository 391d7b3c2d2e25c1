// SPDX-License-Identifier: GPL-2.0
/*
 * POSIX ACLs. Before Linux 6.2 setfacl and getfacl come as extended attributes
 * (xattr.c); ll_set_acl() is then reached by a chmod of a file that has one.
 */
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/posix_acl_xattr.h>

#include "llite/llite.h"

static struct posix_acl **slot(struct inode *inode, int type)
{
	struct ll_inode_info *lli = ll_i2info(inode);

	return type == ACL_TYPE_ACCESS ? &lli->acl : &lli->default_acl;
}

struct posix_acl *ll_acl_get(struct inode *inode, int type)
{
	struct posix_acl *acl;

	spin_lock(&inode->i_lock);
	acl = posix_acl_dup(*slot(inode, type));
	spin_unlock(&inode->i_lock);
	return acl;
}

void ll_acl_replace(struct inode *inode, int type, struct posix_acl *acl)
{
	struct posix_acl **p = slot(inode, type), *old;

	spin_lock(&inode->i_lock);
	old = *p;
	*p = acl;
	spin_unlock(&inode->i_lock);
	posix_acl_release(old);
}

/* What a new inode gets from its directory; mode loses what ACL or umask forbid. */
int ll_acl_inherit(struct inode *dir, struct inode *inode, umode_t *mode)
{
	struct posix_acl *acl;
	int rc;

	if (S_ISLNK(*mode))
		return 0;
	acl = ll_acl_get(dir, ACL_TYPE_DEFAULT);
	if (!acl) {
		*mode &= ~current_umask();
		return 0;
	}
	if (S_ISDIR(*mode))
		ll_acl_replace(inode, ACL_TYPE_DEFAULT, posix_acl_dup(acl));
	rc = __posix_acl_create(&acl, GFP_KERNEL, mode);
	if (rc < 0)
		return rc; /* acl is gone */
	if (rc > 0)
		ll_acl_replace(inode, ACL_TYPE_ACCESS, acl);
	else
		posix_acl_release(acl);
	return 0;
}

SIM_PROBED struct posix_acl *ll_get_inode_acl(struct inode *inode, int type, bool rcu)
{
	int rc;

	if (rcu) {
		sim_enter_atomic(FN_GET_INODE_ACL);
		return ERR_PTR(-ECHILD); /* asked again outside RCU */
	}
	rc = sim_enter(FN_GET_INODE_ACL);
	sim_count(ll_i2instance(inode), OP_GET_ACL, rc);
	return rc ? ERR_PTR(rc) : ll_acl_get(inode, type);
}

/* ll_get_inode_acl() counts, unless it is not reached. */
SIM_PROBED struct posix_acl *ll_get_acl(GET_ACL_ARGS)
{
	int rc;

	if (GET_ACL_RCU) {
		sim_enter_atomic(FN_GET_ACL);
		return ERR_PTR(-ECHILD);
	}
	rc = sim_enter(FN_GET_ACL);
	if (rc) {
		sim_count(ll_i2instance(GET_ACL_INODE), OP_GET_ACL, rc);
		return ERR_PTR(rc);
	}
	return ll_get_inode_acl(GET_ACL_INODE, type, false);
}

static int set_acl(MAP_ARG struct inode *inode, struct posix_acl *acl, int type)
{
	umode_t mode = inode->i_mode;
	int rc = ll_mds(inode->i_sb, MDS_REINT, REINT_SETXATTR);

	if (rc)
		return rc;
	if (type == ACL_TYPE_ACCESS && acl) {
		rc = posix_acl_update_mode(MAP inode, &mode, &acl);
		if (rc)
			return rc;
		inode->i_mode = mode;
	}
	if (type == ACL_TYPE_DEFAULT && acl && !S_ISDIR(inode->i_mode))
		return -EACCES;
	ll_acl_replace(inode, type, posix_acl_dup(acl));
	compat_touch_ctime(inode);
	return 0;
}

SIM_PROBED int ll_set_acl(SET_ACL_ARGS)
{
	int rc = sim_enter(FN_SET_ACL);

	if (!rc)
		rc = set_acl(MAP SET_ACL_INODE, acl, type);
	sim_count(ll_i2instance(SET_ACL_INODE), OP_SET_ACL, rc);
	return rc;
}
