// SPDX-License-Identifier: GPL-2.0
/*
 * Extended attributes, in memory. trusted.* and lustre.* enter at
 * ll_xattr_get()/_set() and go on to the _common functions, except the names
 * that llite answers by itself; whichever function does the work counts.
 */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/posix_acl_xattr.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "llite/llite.h"

struct ll_xattr {
	struct list_head link;
	char *name; /* with its prefix */
	size_t size;
	char value[];
};

static struct ll_xattr *find(struct ll_inode_info *lli, const char *name)
{
	struct ll_xattr *x;

	list_for_each_entry (x, &lli->xattrs, link) {
		if (!strcmp(x->name, name))
			return x;
	}
	return NULL;
}

static void free_xattr(struct ll_xattr *x)
{
	list_del(&x->link);
	kfree(x->name);
	kvfree(x);
}

void ll_xattrs_free(struct ll_inode_info *lli)
{
	while (!list_empty(&lli->xattrs))
		free_xattr(list_first_entry(&lli->xattrs, struct ll_xattr, link));
}

/* The rule of getxattr(2): size 0 asks for the size. */
static int give(void *buffer, size_t size, const void *value, size_t length)
{
	if (size && size < length)
		return -ERANGE;
	if (size)
		memcpy(buffer, value, length);
	return length;
}

static int get_stored(struct inode *inode, const char *name, void *buffer, size_t size)
{
	struct ll_inode_info *lli = ll_i2info(inode);
	struct ll_xattr *x;
	int rc = -ENODATA;

	mutex_lock(&lli->xattrs_lock);
	x = find(lli, name);
	if (x)
		rc = give(buffer, size, x->value, x->size);
	mutex_unlock(&lli->xattrs_lock);
	return rc;
}

static struct ll_xattr *new_xattr(const char *name, const void *value, size_t size)
{
	struct ll_xattr *x = kvmalloc(struct_size(x, value, size), GFP_KERNEL);

	if (!x)
		return NULL;
	x->name = kstrdup(name, GFP_KERNEL);
	if (!x->name) {
		kvfree(x);
		return NULL;
	}
	x->size = size;
	memcpy(x->value, value, size);
	return x;
}

static int set_stored(struct inode *inode, const char *name, const void *value, size_t size,
		      int flags)
{
	struct ll_inode_info *lli = ll_i2info(inode);
	struct ll_xattr *new = NULL, *old;
	int rc = 0;

	if (value) {
		new = new_xattr(name, value, size);
		if (!new)
			return -ENOMEM;
	}
	mutex_lock(&lli->xattrs_lock);
	old = find(lli, name);
	if (old && (flags & XATTR_CREATE))
		rc = -EEXIST;
	else if (!old && (!value || (flags & XATTR_REPLACE)))
		rc = -ENODATA;
	if (!rc) {
		if (old)
			free_xattr(old);
		if (new)
			list_add_tail(&new->link, &lli->xattrs);
		new = NULL;
	}
	mutex_unlock(&lli->xattrs_lock);
	if (new) {
		kfree(new->name);
		kvfree(new);
	}
	if (!rc)
		compat_touch_ctime(inode);
	return rc;
}

#if !ACL_BY_DENTRY
static int get_acl_xattr(struct inode *inode, int type, void *buffer, size_t size)
{
	struct posix_acl *acl = ll_acl_get(inode, type);
	int rc;

	if (!acl)
		return -ENODATA;
	rc = posix_acl_to_xattr(&init_user_ns, acl, buffer, size);
	posix_acl_release(acl);
	return rc;
}

static int set_acl_xattr(MAP_ARG struct inode *inode, int type, const void *value, size_t size)
{
	struct posix_acl *acl = NULL, *kept;
	umode_t mode = inode->i_mode;
	int rc = 0;

	if (type == ACL_TYPE_DEFAULT && !S_ISDIR(inode->i_mode))
		return value ? -EACCES : 0;
	if (!inode_owner_or_capable(MAP inode))
		return -EPERM;
	if (value) {
		acl = posix_acl_from_xattr(&init_user_ns, value, size);
		if (IS_ERR(acl))
			return PTR_ERR(acl);
	}
	kept = acl;
	if (acl) {
		rc = posix_acl_valid(&init_user_ns, acl);
		if (!rc && type == ACL_TYPE_ACCESS)
			rc = posix_acl_update_mode(MAP inode, &mode, &kept);
	}
	if (!rc) {
		inode->i_mode = mode;
		ll_acl_replace(inode, type, posix_acl_dup(kept));
		compat_touch_ctime(inode);
	}
	posix_acl_release(acl);
	return rc;
}
#endif

/* Handlers with a whole name instead of a prefix are those of the two ACLs; flags: which. */
static int get_common(const struct xattr_handler *handler, struct inode *inode, const char *name,
		      void *buffer, size_t size)
{
#if !ACL_BY_DENTRY
	if (handler->name)
		return get_acl_xattr(inode, handler->flags, buffer, size);
#endif
	return get_stored(inode, xattr_full_name(handler, name), buffer, size);
}

static int set_common(const struct xattr_handler *handler, MAP_ARG struct inode *inode,
		      const char *name, const void *value, size_t size, int flags)
{
#if !ACL_BY_DENTRY
	if (handler->name)
		return set_acl_xattr(MAP inode, handler->flags, value, size);
#endif
	return set_stored(inode, xattr_full_name(handler, name), value, size, flags);
}

static SIM_PROBED int ll_xattr_get_common(const struct xattr_handler *handler,
					  struct dentry *dentry, struct inode *inode,
					  const char *name, void *buffer, size_t size)
{
	int rc = sim_enter(FN_XATTR_GET_COMMON);

	if (!rc)
		rc = get_common(handler, inode, name, buffer, size);
	sim_count(ll_i2instance(inode), OP_GETXATTR, rc);
	return rc;
}

static SIM_PROBED int ll_xattr_set_common(const struct xattr_handler *handler,
					  MAP_ARG struct dentry *dentry, struct inode *inode,
					  const char *name, const void *value, size_t size,
					  int flags)
{
	int rc = sim_enter(FN_XATTR_SET_COMMON);

	if (!rc)
		rc = ll_mds(inode->i_sb, MDS_REINT, REINT_SETXATTR);
	if (!rc)
		rc = set_common(handler, MAP inode, name, value, size, flags);
	sim_count(ll_i2instance(inode), OP_SETXATTR, rc);
	return rc;
}

static bool answered_by_llite(const char *name)
{
	return !strcmp(name, "lov") || !strcmp(name, "lma") || !strcmp(name, "link");
}

/* The layout of a file with one stripe, as struct lov_user_md_v1 begins. */
static int get_layout(void *buffer, size_t size)
{
	static const u32 layout[14] = {[0] = 0x0BD10BD0, [1] = 1, [6] = 1 << 20, [7] = 1};

	return give(buffer, size, layout, sizeof(layout));
}

static SIM_PROBED int ll_xattr_get(const struct xattr_handler *handler, struct dentry *dentry,
				   struct inode *inode, const char *name, void *buffer, size_t size)
{
	int rc = sim_enter(FN_XATTR_GET);

	if (!rc && !answered_by_llite(name))
		return ll_xattr_get_common(handler, dentry, inode, name, buffer, size);
	if (!rc)
		rc = strcmp(name, "lov") ? -ENODATA : get_layout(buffer, size);
	sim_count(ll_i2instance(inode), OP_GETXATTR, rc);
	return rc;
}

static SIM_PROBED int ll_xattr_set(const struct xattr_handler *handler,
				   MAP_ARG struct dentry *dentry, struct inode *inode,
				   const char *name, const void *value, size_t size, int flags)
{
	int rc = sim_enter(FN_XATTR_SET);

	if (!rc && !answered_by_llite(name))
		return ll_xattr_set_common(handler, MAP dentry, inode, name, value, size, flags);
	/* Silently ignored, so that tar and rsync can restore what they saved. */
	sim_count(ll_i2instance(inode), OP_SETXATTR, rc);
	return rc;
}

static ssize_t list_name(char *buffer, size_t size, ssize_t used, const char *name)
{
	size_t length = strlen(name) + 1;

	if (used < 0)
		return used;
	if (size) {
		if (used + length > size)
			return -ERANGE;
		memcpy(buffer + used, name, length);
	}
	return used + length;
}

static ssize_t listxattr(struct inode *inode, char *buffer, size_t size)
{
	bool trusted = capable(CAP_SYS_ADMIN);
	struct ll_inode_info *lli = ll_i2info(inode);
	struct ll_xattr *x;
	ssize_t used = 0;

	if (READ_ONCE(lli->acl))
		used = list_name(buffer, size, used, XATTR_NAME_POSIX_ACL_ACCESS);
	if (READ_ONCE(lli->default_acl))
		used = list_name(buffer, size, used, XATTR_NAME_POSIX_ACL_DEFAULT);
	mutex_lock(&lli->xattrs_lock);
	list_for_each_entry (x, &lli->xattrs, link) {
		if (trusted || strncmp(x->name, XATTR_TRUSTED_PREFIX, XATTR_TRUSTED_PREFIX_LEN))
			used = list_name(buffer, size, used, x->name);
	}
	mutex_unlock(&lli->xattrs_lock);
	return used;
}

SIM_PROBED ssize_t ll_listxattr(struct dentry *dentry, char *buffer, size_t size)
{
	struct inode *inode = d_inode(dentry);
	ssize_t rc = sim_enter(FN_LISTXATTR);

	if (!rc)
		rc = listxattr(inode, buffer, size);
	sim_count(ll_i2instance(inode), OP_LISTXATTR, rc);
	return rc;
}

#define HANDLER(id, namespace, function)                   \
	static const struct xattr_handler id##_handler = { \
		.prefix = namespace, .get = ll_xattr_get##function, .set = ll_xattr_set##function}

HANDLER(user, XATTR_USER_PREFIX, _common);
HANDLER(security, XATTR_SECURITY_PREFIX, _common);
HANDLER(trusted, XATTR_TRUSTED_PREFIX, );
HANDLER(lustre, "lustre.", );

#if !ACL_BY_DENTRY
#define ACL_HANDLER(id, whole_name, type)                                             \
	static const struct xattr_handler id##_handler = {.name = whole_name,         \
							  .flags = type,              \
							  .get = ll_xattr_get_common, \
							  .set = ll_xattr_set_common}

ACL_HANDLER(acl_access, XATTR_NAME_POSIX_ACL_ACCESS, ACL_TYPE_ACCESS);
ACL_HANDLER(acl_default, XATTR_NAME_POSIX_ACL_DEFAULT, ACL_TYPE_DEFAULT);
#endif

const struct xattr_handler *const ll_xattr_handlers[] = {
	&user_handler,
	&security_handler,
	&trusted_handler,
	&lustre_handler,
#if !ACL_BY_DENTRY
	&acl_access_handler,
	&acl_default_handler,
#endif
	NULL,
};
