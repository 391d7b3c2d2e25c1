// SPDX-License-Identifier: GPL-2.0
/*
 * Names: lookup, open by name, creation, removal, rename. Each method counts
 * itself; where one calls another, the comment says which of them counts.
 */
#include <linux/module.h>
#include <linux/namei.h>
#include <linux/slab.h>

#include "llite/llite.h"

char ll_open_intent[1];

static int reint(struct inode *dir, enum mds_reint_op op)
{
	return ll_mds(dir->i_sb, MDS_REINT, op);
}

/* The dentry is negative and either in the cache or new. */
static void instantiate(struct dentry *dentry, struct inode *inode)
{
	ll_dentry_looked_up(dentry);
	if (d_unhashed(dentry))
		d_add(dentry, inode);
	else
		d_instantiate(dentry, inode);
}

/* As d_splice_alias(): NULL, the dentry to be used instead, or an error. */
static struct dentry *splice(struct inode *inode, struct dentry *dentry)
{
	struct dentry *alias;

	ll_dentry_looked_up(dentry);
	alias = d_splice_alias(inode, dentry);
	if (!IS_ERR_OR_NULL(alias))
		ll_dentry_looked_up(alias);
	return alias;
}

static struct dentry *lookup(struct inode *dir, struct dentry *dentry)
{
	struct ll_dirent *de;
	struct inode *inode = NULL;
	int rc;

	if (dentry->d_name.len > LL_NAME_MAX)
		return ERR_PTR(-ENAMETOOLONG);
	rc = ll_mds(dir->i_sb, LDLM_ENQUEUE, IT_LOOKUP);
	if (rc)
		return ERR_PTR(rc);
	de = ll_dirent_find(dir, &dentry->d_name);
	if (de) {
		inode = de->inode;
		ihold(inode);
	}
	return splice(inode, dentry);
}

static SIM_PROBED struct dentry *ll_lookup_nd(struct inode *parent, struct dentry *dentry,
					      unsigned int flags)
{
	int rc = sim_enter(FN_LOOKUP_ND);
	struct dentry *result = rc ? ERR_PTR(rc) : lookup(parent, dentry);

	sim_count(ll_i2instance(parent), OP_LOOKUP, PTR_ERR_OR_ZERO(result));
	return result;
}

/* A new inode under the dentry's name. The caller counts links and instantiates. */
static struct inode *create(struct inode *dir, struct dentry *dentry, umode_t mode, dev_t rdev)
{
	struct inode *inode;
	int rc;

	if (dentry->d_name.len > LL_NAME_MAX)
		return ERR_PTR(-ENAMETOOLONG);
	inode = ll_new_inode(dir->i_sb, dir, mode, rdev);
	if (IS_ERR(inode))
		return inode;
	rc = ll_dirent_add(dir, &dentry->d_name, inode);
	if (rc) {
		clear_nlink(inode);
		iput(inode);
		return ERR_PTR(rc);
	}
	return inode;
}

enum open_outcome {
	OPEN_DONE,     /* the file was opened, or an error says why not */
	OPEN_NEGATIVE, /* no such name: the VFS makes it ENOENT */
	OPEN_BY_VFS,   /* the VFS goes on by itself: symbolic link, fifo, device */
};

/* What the server checks in an open of an existing file. */
static int check_open(struct inode *inode, unsigned int open_flags)
{
	int mask = 0;

	if (open_flags & __FMODE_EXEC)
		mask = MAY_EXEC;
	else if ((open_flags & O_ACCMODE) != O_WRONLY)
		mask = MAY_READ;
	if ((open_flags & O_ACCMODE) != O_RDONLY)
		mask |= MAY_WRITE;
	if ((open_flags & O_DIRECTORY) && !S_ISDIR(inode->i_mode))
		return -ENOTDIR;
	if (S_ISDIR(inode->i_mode) && ((open_flags & O_CREAT) || (mask & MAY_WRITE)))
		return -EISDIR;
	return generic_permission(NOP_MAP inode, mask);
}

static int open_existing(struct inode *inode, struct dentry *dentry, struct file *file,
			 unsigned int open_flags, enum open_outcome *outcome)
{
	bool opens = S_ISREG(inode->i_mode) || S_ISDIR(inode->i_mode);
	struct dentry *alias;
	int rc = opens ? check_open(inode, open_flags) : 0;

	if (rc)
		return rc;
	ihold(inode);
	alias = splice(inode, dentry);
	if (IS_ERR(alias))
		return PTR_ERR(alias);
	if (!opens) {
		*outcome = OPEN_BY_VFS;
		return finish_no_open(file, alias);
	}
	file->private_data = ll_open_intent;
	rc = finish_open(file, alias ? alias : dentry, NULL);
	dput(alias);
	return rc;
}

static int atomic_open(struct inode *dir, struct dentry *dentry, struct file *file,
		       unsigned int open_flags, umode_t mode, enum open_outcome *outcome)
{
	struct ll_dirent *de;
	struct inode *inode;
	int rc;

	if (dentry->d_name.len > LL_NAME_MAX)
		return -ENAMETOOLONG;
	/* A negative dentry in the cache is believed. */
	if (!d_in_lookup(dentry) && !(open_flags & O_CREAT))
		return -ENOENT;
	rc = ll_mds(dir->i_sb, LDLM_ENQUEUE, IT_OPEN | (open_flags & O_CREAT ? IT_CREAT : 0));
	if (rc)
		return rc;
	de = ll_dirent_find(dir, &dentry->d_name);
	if (de) {
		if ((open_flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
			return -EEXIST;
		return open_existing(de->inode, dentry, file, open_flags, outcome);
	}
	if (!(open_flags & O_CREAT)) {
		ll_dentry_looked_up(dentry);
		d_add(dentry, NULL);
		*outcome = OPEN_NEGATIVE;
		return finish_no_open(file, NULL);
	}
	inode = create(dir, dentry, (mode & S_IALLUGO) | S_IFREG, 0);
	if (IS_ERR(inode))
		return PTR_ERR(inode);
	instantiate(dentry, inode);
	file->f_mode |= FMODE_CREATED;
	sim_count(ll_i2instance(dir), OP_CREATE, 0);
	file->private_data = ll_open_intent;
	return finish_open(file, dentry, NULL);
}

/* Counts the open; the ll_file_open() inside it sees the intent and does not. */
static SIM_PROBED int ll_atomic_open(struct inode *dir, struct dentry *dentry, struct file *file,
				     unsigned int open_flags, umode_t mode)
{
	enum open_outcome outcome = OPEN_DONE;
	int rc = sim_enter(FN_ATOMIC_OPEN);

	if (!rc)
		rc = atomic_open(dir, dentry, file, open_flags, mode, &outcome);
	switch (outcome) {
	case OPEN_DONE:
		sim_count(ll_i2instance(dir), OP_OPEN, rc);
		break;
	case OPEN_NEGATIVE:
		sim_count(ll_i2instance(dir), OP_OPEN, -ENOENT);
		break;
	case OPEN_BY_VFS:
		break;
	}
	return rc;
}

/* A regular file comes only from ll_create_nd(), which counts. */
static SIM_PROBED int ll_mknod(MAP_ARG struct inode *dir, struct dentry *dchild, umode_t mode,
			       dev_t rdev)
{
	int rc = sim_enter(FN_MKNOD);
	struct inode *inode;

	if (!rc)
		rc = reint(dir, REINT_CREATE);
	if (!rc) {
		inode = create(dir, dchild, mode, rdev);
		rc = PTR_ERR_OR_ZERO(inode);
		if (!rc)
			instantiate(dchild, inode);
	}
	if (!S_ISREG(mode))
		sim_count(ll_i2instance(dir), OP_MKNOD, rc);
	return rc;
}

static SIM_PROBED int ll_create_nd(MAP_ARG struct inode *dir, struct dentry *dentry, umode_t mode,
				   bool want_excl)
{
	int rc = sim_enter(FN_CREATE_ND);

	if (!rc)
		rc = ll_mknod(MAP dir, dentry, (mode & S_IALLUGO) | S_IFREG, 0);
	sim_count(ll_i2instance(dir), OP_CREATE, rc);
	return rc;
}

static SIM_PROBED MKDIR_RESULT ll_mkdir(MAP_ARG struct inode *dir, struct dentry *dchild,
					umode_t mode)
{
	int rc = sim_enter(FN_MKDIR);
	struct inode *inode;

	if (!rc)
		rc = reint(dir, REINT_CREATE);
	if (!rc) {
		inode = create(dir, dchild, (mode & (S_IRWXUGO | S_ISVTX)) | S_IFDIR, 0);
		rc = PTR_ERR_OR_ZERO(inode);
		if (!rc) {
			inc_nlink(dir);
			instantiate(dchild, inode);
		}
	}
	sim_count(ll_i2instance(dir), OP_MKDIR, rc);
	return MKDIR_RETURN(rc);
}

static SIM_PROBED int ll_symlink(MAP_ARG struct inode *dir, struct dentry *dchild,
				 const char *oldpath)
{
	int rc = sim_enter(FN_SYMLINK);
	struct inode *inode;
	char *target = NULL;

	if (!rc) {
		target = kstrdup(oldpath, GFP_KERNEL);
		rc = target ? 0 : -ENOMEM;
	}
	if (!rc)
		rc = reint(dir, REINT_CREATE);
	if (!rc) {
		inode = create(dir, dchild, S_IFLNK | S_IRWXUGO, 0);
		rc = PTR_ERR_OR_ZERO(inode);
	}
	if (!rc) {
		ll_i2info(inode)->target = target;
		inode->i_size = strlen(target);
		instantiate(dchild, inode);
	} else {
		kfree(target);
	}
	sim_count(ll_i2instance(dir), OP_SYMLINK, rc);
	return rc;
}

static int link(struct inode *inode, struct inode *dir, struct dentry *dentry)
{
	int rc;

	if (dentry->d_name.len > LL_NAME_MAX)
		return -ENAMETOOLONG;
	rc = ll_dirent_add(dir, &dentry->d_name, inode);
	if (rc)
		return rc;
	inc_nlink(inode);
	compat_touch_ctime(inode);
	ihold(inode);
	instantiate(dentry, inode);
	return 0;
}

static SIM_PROBED int ll_link(struct dentry *old_dentry, struct inode *dir,
			      struct dentry *new_dentry)
{
	int rc = sim_enter(FN_LINK);

	if (!rc)
		rc = reint(dir, REINT_LINK);
	if (!rc)
		rc = link(d_inode(old_dentry), dir, new_dentry);
	sim_count(ll_i2instance(dir), OP_LINK, rc);
	return rc;
}

static int unlink(struct inode *dir, struct dentry *dentry)
{
	struct ll_dirent *de = ll_dirent_find(dir, &dentry->d_name);
	struct inode *inode = d_inode(dentry);

	if (!de)
		return -ENOENT;
	if (S_ISDIR(inode->i_mode)) {
		if (!ll_dirent_empty(inode))
			return -ENOTEMPTY;
		drop_nlink(inode); /* its own "." */
		drop_nlink(dir);
	}
	drop_nlink(inode);
	compat_touch_ctime(inode);
	ll_dirent_del(dir, de);
	return 0;
}

static SIM_PROBED int ll_unlink(struct inode *dir, struct dentry *dchild)
{
	int rc = sim_enter(FN_UNLINK);

	if (!rc)
		rc = reint(dir, REINT_UNLINK);
	if (!rc)
		rc = unlink(dir, dchild);
	sim_count(ll_i2instance(dir), OP_UNLINK, rc);
	return rc;
}

static SIM_PROBED int ll_rmdir(struct inode *dir, struct dentry *dchild)
{
	int rc = sim_enter(FN_RMDIR);

	if (!rc)
		rc = reint(dir, REINT_UNLINK);
	if (!rc)
		rc = unlink(dir, dchild);
	sim_count(ll_i2instance(dir), OP_RMDIR, rc);
	return rc;
}

static int rename(struct inode *src, struct dentry *src_dchild, struct inode *tgt,
		  struct dentry *tgt_dchild)
{
	struct inode *inode = d_inode(src_dchild), *old = d_inode(tgt_dchild);
	struct ll_dirent *from = ll_dirent_find(src, &src_dchild->d_name), *to;
	int rc;

	if (!from)
		return -ENOENT;
	if (tgt_dchild->d_name.len > LL_NAME_MAX)
		return -ENAMETOOLONG;
	if (old && S_ISDIR(old->i_mode) && !ll_dirent_empty(old))
		return -ENOTEMPTY;
	to = ll_dirent_find(tgt, &tgt_dchild->d_name);
	if (to) {
		ihold(inode);
		to->inode = inode;
		drop_nlink(old);
		if (S_ISDIR(old->i_mode)) {
			drop_nlink(old);
			drop_nlink(tgt);
		}
		compat_touch_ctime(old);
		iput(old);
		compat_touch(tgt, false);
	} else {
		rc = ll_dirent_add(tgt, &tgt_dchild->d_name, inode);
		if (rc)
			return rc;
	}
	if (S_ISDIR(inode->i_mode)) {
		inc_nlink(tgt);
		drop_nlink(src);
	}
	compat_touch_ctime(inode);
	ll_dirent_del(src, from);
	return 0;
}

static SIM_PROBED int ll_rename(MAP_ARG struct inode *src, struct dentry *src_dchild,
				struct inode *tgt, struct dentry *tgt_dchild, unsigned int flags)
{
	int rc = sim_enter(FN_RENAME);

	/* llite knows none of the flags, not even RENAME_NOREPLACE. */
	if (!rc && flags)
		rc = -EINVAL;
	if (!rc)
		rc = reint(src, REINT_RENAME);
	if (!rc)
		rc = rename(src, src_dchild, tgt, tgt_dchild);
	sim_count(ll_i2instance(src), OP_RENAME, rc);
	return rc;
}

const struct inode_operations ll_dir_inode_operations = {
	.lookup = ll_lookup_nd,
	.atomic_open = ll_atomic_open,
	.create = ll_create_nd,
	.mknod = ll_mknod,
	.mkdir = ll_mkdir,
	.symlink = ll_symlink,
	.link = ll_link,
	.unlink = ll_unlink,
	.rmdir = ll_rmdir,
	.rename = ll_rename,
	.getattr = ll_getattr,
	.setattr = ll_setattr,
	.permission = ll_inode_permission,
	.listxattr = ll_listxattr,
	.get_acl = ll_get_acl,
#if ACL_BY_DENTRY
	.get_inode_acl = ll_get_inode_acl,
#endif
	.set_acl = ll_set_acl,
};
