// SPDX-License-Identifier: GPL-2.0
/* Life of an inode. A linked inode is held by its directory entries. */
#include <linux/module.h>
#include <linux/slab.h>

#include "llite/llite.h"

static struct kmem_cache *ll_inode_cachep;

struct inode *ll_alloc_inode(struct super_block *sb)
{
	struct ll_inode_info *lli = kmem_cache_alloc(ll_inode_cachep, GFP_KERNEL);

	if (!lli)
		return NULL;
	ll_store_init(lli);
	lli->locked = false;
	lli->job_uid = lli->job_gid = 0;
	lli->names = RB_ROOT;
	xa_init(&lli->cookies);
	lli->next_cookie = 2; /* after "." and ".." */
	lli->target = NULL;
	lli->acl = NULL;
	lli->default_acl = NULL;
	mutex_init(&lli->xattrs_lock);
	INIT_LIST_HEAD(&lli->xattrs);
	return &lli->vfs_inode;
}

void ll_free_inode(struct inode *inode)
{
	kfree(ll_i2info(inode)->target);
	kmem_cache_free(ll_inode_cachep, ll_i2info(inode));
}

void ll_delete_inode(struct inode *inode)
{
	struct ll_inode_info *lli = ll_i2info(inode);

	truncate_inode_pages_final(&inode->i_data);
	clear_inode(inode);
	ll_store_truncate(lli, 0);
	xa_destroy(&lli->cookies);
	ll_xattrs_free(lli);
	posix_acl_release(lli->acl);
	posix_acl_release(lli->default_acl);
}

int ll_drop_inode(struct inode *inode)
{
	return !inode->i_nlink || inode_unhashed(inode);
}

static void set_operations(struct inode *inode, dev_t rdev)
{
	switch (inode->i_mode & S_IFMT) {
	case S_IFREG:
		inode->i_op = &ll_file_inode_operations;
		inode->i_fop = &ll_file_operations[ll_s2sbi(inode->i_sb)->locks];
		inode->i_mapping->a_ops = &ll_aops;
		break;
	case S_IFDIR:
		inode->i_op = &ll_dir_inode_operations;
		inode->i_fop = &ll_dir_operations;
		inode->i_size = PAGE_SIZE;
		set_nlink(inode, 2);
		break;
	case S_IFLNK:
		inode->i_op = &ll_symlink_inode_operations;
		break;
	default:
		inode->i_op = &ll_special_inode_operations;
		init_special_inode(inode, inode->i_mode, rdev);
	}
}

struct inode *ll_new_inode(struct super_block *sb, struct inode *dir, umode_t mode, dev_t rdev)
{
	struct inode *inode = new_inode(sb);
	int rc = 0;

	if (!inode)
		return ERR_PTR(-ENOMEM);
	inode->i_ino = atomic64_inc_return(&ll_s2sbi(sb)->next_ino);
	inode->i_generation = inode->i_ino;
	/* The server decides on ACLs: the kernel must always ask. */
	inode->i_acl = inode->i_default_acl = ACL_DONT_CACHE;
	if (dir)
		rc = ll_acl_inherit(dir, inode, &mode);
	inode_init_owner(NOP_MAP inode, dir, mode);
	compat_touch(inode, true);
	set_operations(inode, rdev);
	if (rc) {
		iput(inode);
		return ERR_PTR(rc);
	}
	inode_has_no_xattr(inode); /* a new one: writes need not ask for capabilities */
	insert_inode_hash(inode);
	return inode;
}

static void init_once(void *lli)
{
	inode_init_once(&((struct ll_inode_info *)lli)->vfs_inode);
}

int ll_inodes_init(void)
{
	ll_inode_cachep = kmem_cache_create("lustre_inode_cache", sizeof(struct ll_inode_info), 0,
					    SLAB_RECLAIM_ACCOUNT | SLAB_ACCOUNT, init_once);
	return ll_inode_cachep ? 0 : -ENOMEM;
}

void ll_inodes_exit(void)
{
	rcu_barrier(); /* inodes are freed by RCU */
	kmem_cache_destroy(ll_inode_cachep);
}
