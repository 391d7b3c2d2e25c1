/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The simulated llite: a file system of type "lustre" whose methods carry
 * llite's names, prototypes, nesting and return conventions.
 *
 * A tree is kept as the "server" would: directory entries hold inodes
 * (dirent.c), file contents stand in pages of their own (store.c). Dentries
 * and page cache are real caches above that, and can be dropped.
 */
#ifndef SIM_LLITE_LLITE_H
#define SIM_LLITE_LLITE_H

#include <linux/fs.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/posix_acl.h>
#include <linux/rbtree.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>
#include <linux/xattr.h>

#include "base/base.h"
#include "compat.h"
#include "ptlrpc/client.h"

#define LL_SUPER_MAGIC 0x0BD00BD0
#define LL_NAME_MAX    255
#define FSNAME_MAX     8

enum lock_mode { LOCKS_NONE, LOCKS_LOCAL, LOCKS_SHARED }; /* noflock, localflock, flock */

/* One mounted super block. */
struct ll_sb_info {
	struct sim_instance *instance;
	char fsname[FSNAME_MAX + 1];
	char uuid[37];
	enum lock_mode locks;
	struct sim_client client;
	bool sdev_rewritten;
	dev_t sdev_orig; /* the kernel's own number, put back before it is freed */
	bool in_sysfs;
	struct kobject kobj;
	struct completion kobj_gone;
	atomic64_t next_ino;
	spinlock_t dirents_lock;
	struct list_head dirents; /* all directory entries: each holds its inode */
};

/* A name in a directory. The directory's i_rwsem protects its tree of names. */
struct ll_dirent {
	struct rb_node node;	  /* by name */
	struct list_head sb_link; /* ll_sb_info.dirents */
	unsigned long cookie;	  /* position in readdir */
	struct inode *inode;
	unsigned int length;
	char name[];
};

struct ll_inode_info {
	/* file */
	struct xarray store;  /* index -> page, the server's copy */
	bool locked;	      /* the client holds the extent lock */
	u32 job_uid, job_gid; /* who read or wrote last; under i_lock */
	/* directory */
	struct rb_root names;
	struct xarray cookies; /* cookie -> dirent */
	unsigned long next_cookie;
	/* symlink */
	char *target;
	/* all; the ACLs under i_lock */
	struct posix_acl *acl;
	struct posix_acl *default_acl;
	struct mutex xattrs_lock;
	struct list_head xattrs;
	struct inode vfs_inode;
};

static inline struct ll_inode_info *ll_i2info(struct inode *inode)
{
	return container_of(inode, struct ll_inode_info, vfs_inode);
}

static inline struct ll_sb_info *ll_s2sbi(struct super_block *sb)
{
	return sb->s_fs_info;
}

static inline struct sim_instance *ll_i2instance(struct inode *inode)
{
	return ll_s2sbi(inode->i_sb)->instance;
}

/* module.c, super.c, sysfs.c */
int ll_init_fs_context(struct fs_context *fc);
void ll_kill_super(struct super_block *sb);
int ll_sysfs_init(void);
void ll_sysfs_exit(void);
int ll_sysfs_add(struct ll_sb_info *sbi, struct super_block *sb);
void ll_sysfs_del(struct ll_sb_info *sbi);

/* inode.c */
int ll_inodes_init(void);
void ll_inodes_exit(void);
struct inode *ll_alloc_inode(struct super_block *sb);
void ll_free_inode(struct inode *inode);
void ll_delete_inode(struct inode *inode);
int ll_drop_inode(struct inode *inode);
/* A new inode, initialised for dir (NULL: the root) and hashed. ERR_PTR. */
struct inode *ll_new_inode(struct super_block *sb, struct inode *dir, umode_t mode, dev_t rdev);

/* dirent.c: callers hold the directory's i_rwsem */
struct ll_dirent *ll_dirent_find(struct inode *dir, const struct qstr *name);
int ll_dirent_add(struct inode *dir, const struct qstr *name, struct inode *inode);
void ll_dirent_del(struct inode *dir, struct ll_dirent *de);
bool ll_dirent_empty(struct inode *dir);
/* At the end of the super block: lets go of all inodes. */
void ll_dirents_drop(struct ll_sb_info *sbi);

/* store.c: never fails to read; unwritten parts are zeroes */
void ll_store_init(struct ll_inode_info *lli);
void ll_store_read_page(struct ll_inode_info *lli, pgoff_t index, void *to);
int ll_store_write_page(struct ll_inode_info *lli, pgoff_t index, const void *from, size_t length);
ssize_t ll_store_to_iter(struct ll_inode_info *lli, loff_t pos, size_t count, struct iov_iter *to);
ssize_t ll_store_from_iter(struct ll_inode_info *lli, loff_t pos, struct iov_iter *from);
void ll_store_truncate(struct ll_inode_info *lli, loff_t size);
void ll_store_punch(struct ll_inode_info *lli, loff_t start, loff_t end);

/* xattr.c */
extern const struct xattr_handler *const ll_xattr_handlers[];
ssize_t ll_listxattr(struct dentry *dentry, char *buffer, size_t size);
void ll_xattrs_free(struct ll_inode_info *lli);

/* acl.c */
struct posix_acl *ll_get_acl(GET_ACL_ARGS);
struct posix_acl *ll_get_inode_acl(struct inode *inode, int type, bool rcu);
int ll_set_acl(SET_ACL_ARGS);
/* The ACL with a reference of its own, or NULL. */
struct posix_acl *ll_acl_get(struct inode *inode, int type);
/* Takes over the reference. */
void ll_acl_replace(struct inode *inode, int type, struct posix_acl *acl);
int ll_acl_inherit(struct inode *dir, struct inode *inode, umode_t *mode);

/* attr.c */
int ll_getattr(MAP_ARG const struct path *path, struct kstat *stat, u32 mask, unsigned int flags);
int ll_setattr(MAP_ARG struct dentry *dentry, struct iattr *attr);
int ll_inode_permission(MAP_ARG struct inode *inode, int mask);
int ll_statfs(struct dentry *dentry, struct kstatfs *sfs);

/* namei.c, symlink.c, dcache.c */
extern const struct inode_operations ll_dir_inode_operations;
extern const struct inode_operations ll_file_inode_operations;
extern const struct inode_operations ll_special_inode_operations;
extern const struct inode_operations ll_symlink_inode_operations;
extern const struct dentry_operations ll_d_ops;
/* The MDT has just said what the dentry stands for. */
void ll_dentry_looked_up(struct dentry *dentry);

/* file.c, dir.c */
extern const struct file_operations ll_file_operations[];
extern const struct file_operations ll_dir_operations;
int ll_file_open(struct inode *inode, struct file *file);
int ll_file_release(struct inode *inode, struct file *file);
int ll_fsync(struct file *file, loff_t start, loff_t end, int datasync);
long ll_ioctl_common(struct file *file, unsigned int cmd, unsigned long arg);
/* private_data of a file that ll_atomic_open() is opening: the open is its own. */
extern char ll_open_intent[];

/* brw.c: 0 or -errno */
int ll_mds(struct super_block *sb, enum rpc_opcode opcode, u32 what);
int ll_ost(struct inode *inode, enum rpc_opcode opcode);
/* Takes the extent lock unless it is held. */
int ll_lock_extents(struct inode *inode);
/* Remembers the calling task as the one the inode's data belongs to. */
void ll_set_job(struct inode *inode);
void ll_get_job(struct inode *inode, struct job_info *job);

/* Bulk requests for so many bytes; done() runs when all are over, in whatever thread. */
struct ll_brw {
	atomic_t pending;
	int rc;
	void (*done)(struct ll_brw *brw);
};
int ll_build_rpc(struct inode *inode, struct list_head *extents, int cmd);
void ll_brw_start(struct ll_brw *brw, struct inode *inode, int cmd, size_t bytes);
int ll_brw_wait(struct inode *inode, int cmd, size_t bytes);

/* rw.c, aops.c, mmap.c */
extern const struct address_space_operations ll_aops;
ssize_t ll_file_read_iter(struct kiocb *iocb, struct iov_iter *to);
ssize_t ll_file_write_iter(struct kiocb *iocb, struct iov_iter *from);
ssize_t ll_direct_IO(struct kiocb *iocb, struct iov_iter *iter);
int ll_file_mmap(struct file *file, struct vm_area_struct *vma);

#endif
