/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between the kernels that the simulated client is built for,
 * Linux 5.10 to 7.x. Nothing outside this file knows about kernel releases.
 * Include it after the kernel's own headers.
 */
#ifndef SIM_COMPAT_H
#define SIM_COMPAT_H

#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/version.h>
#include <linux/writeback.h>

#define KERNEL_AT_LEAST(major, minor) (LINUX_VERSION_CODE >= KERNEL_VERSION(major, minor, 0))

/*
 * Kept by the compiler under its own name and with its own arguments, also
 * where it is called from the same file: probes attach to it.
 */
#define SIM_PROBED noinline __attribute__((noipa))

/* The leading parameter of methods that create, change or check. */
#if KERNEL_AT_LEAST(6, 3)
#define MAP_ARG struct mnt_idmap *map,
#define MAP	map,
#define NOP_MAP &nop_mnt_idmap,
#elif KERNEL_AT_LEAST(5, 12)
#define MAP_ARG struct user_namespace *map,
#define MAP	map,
#define NOP_MAP &init_user_ns,
#else
#define MAP_ARG
#define MAP
#define NOP_MAP
#endif

#if KERNEL_AT_LEAST(6, 15)
#define MKDIR_RESULT	 struct dentry *
#define MKDIR_RETURN(rc) ERR_PTR(rc)
#else
#define MKDIR_RESULT	 int
#define MKDIR_RETURN(rc) (rc)
#endif

#if KERNEL_AT_LEAST(6, 14)
#define REVALIDATE_ARGS \
	struct inode *dir, const struct qstr *name, struct dentry *dentry, unsigned int flags
#else
#define REVALIDATE_ARGS struct dentry *dentry, unsigned int flags
#endif

/* ACL methods: by inode, then with an RCU flag, then by dentry beside an inode method. */
#if KERNEL_AT_LEAST(6, 2)
#define ACL_BY_DENTRY	    1
#define GET_ACL_ARGS	    MAP_ARG struct dentry *dentry, int type
#define GET_ACL_INODE	    d_inode(dentry)
#define GET_ACL_RCU	    false
#define SET_ACL_ARGS	    MAP_ARG struct dentry *dentry, struct posix_acl *acl, int type
#define SET_ACL_INODE	    d_inode(dentry)
#define ACL_CHMOD(de, mode) posix_acl_chmod(MAP de, mode)
#else
#define ACL_BY_DENTRY	    0
#define GET_ACL_INODE	    inode
#define SET_ACL_ARGS	    MAP_ARG struct inode *inode, struct posix_acl *acl, int type
#define SET_ACL_INODE	    inode
#define ACL_CHMOD(de, mode) posix_acl_chmod(MAP d_inode(de), mode)
#if KERNEL_AT_LEAST(5, 15)
#define GET_ACL_ARGS struct inode *inode, int type, bool rcu
#define GET_ACL_RCU  rcu
#else
#define GET_ACL_ARGS struct inode *inode, int type
#define GET_ACL_RCU  false
#endif
#endif

#if KERNEL_AT_LEAST(6, 6)
#define FILL_ATTR(inode, stat, mask) generic_fillattr(MAP mask, inode, stat)
#else
#define FILL_ATTR(inode, stat, mask) generic_fillattr(MAP inode, stat)
#endif

/* mtime and ctime to now; atime as well for a new inode. */
static inline void compat_touch(struct inode *inode, bool atime)
{
#if KERNEL_AT_LEAST(6, 7)
	struct timespec64 now = inode_set_ctime_current(inode);

	inode_set_mtime_to_ts(inode, now);
	if (atime)
		inode_set_atime_to_ts(inode, now);
#elif KERNEL_AT_LEAST(6, 6)
	inode->i_mtime = inode_set_ctime_current(inode);
	if (atime)
		inode->i_atime = inode->i_mtime;
#else
	inode->i_mtime = inode->i_ctime = current_time(inode);
	if (atime)
		inode->i_atime = inode->i_mtime;
#endif
}

static inline void compat_touch_ctime(struct inode *inode)
{
#if KERNEL_AT_LEAST(6, 6)
	inode_set_ctime_current(inode);
#else
	inode->i_ctime = current_time(inode);
#endif
}

static inline void compat_complete(struct kiocb *iocb, long result)
{
#if KERNEL_AT_LEAST(5, 16)
	iocb->ki_complete(iocb, result);
#else
	iocb->ki_complete(iocb, result, 0);
#endif
}

static inline void compat_set_d_op(struct super_block *sb, const struct dentry_operations *ops)
{
#if KERNEL_AT_LEAST(6, 17)
	set_default_d_op(sb, ops);
#else
	sb->s_d_op = ops;
#endif
}

#if KERNEL_AT_LEAST(6, 5)
#define compat_splice_read copy_splice_read
#else
#define compat_splice_read generic_file_splice_read
#endif

/* Folios came with 5.16; before, our code works on pages under their names. */
#if !KERNEL_AT_LEAST(5, 16)
#define folio			 page
#define folio_pos(f)		 page_offset(f)
#define folio_put(f)		 put_page(f)
#define folio_unlock(f)		 unlock_page(f)
#define folio_mark_uptodate(f)	 SetPageUptodate(f)
#define folio_test_uptodate(f)	 PageUptodate(f)
#define folio_mark_dirty(f)	 set_page_dirty(f)
#define folio_start_writeback(f) set_page_writeback(f)
#define folio_end_writeback(f)	 end_page_writeback(f)
#define folio_address(f)	 page_address(f)
#endif

/* The next page of a readahead, locked; put when it is filled. */
#if KERNEL_AT_LEAST(5, 16)
#define compat_readahead_folio(rac) readahead_folio(rac)
#define compat_readahead_put(f)	    ((void)(f)) /* its reference was dropped on the way */
#else
#define compat_readahead_folio(rac) readahead_page(rac)
#define compat_readahead_put(f)	    put_page(f)
#endif

/* The uptodate page at index if the cache has it. */
static inline bool compat_page_cached(struct address_space *mapping, pgoff_t index)
{
	bool cached;
#if KERNEL_AT_LEAST(6, 3)
	struct folio *folio = filemap_get_folio(mapping, index);

	if (IS_ERR(folio))
		return false;
#elif KERNEL_AT_LEAST(5, 16)
	struct folio *folio = filemap_get_folio(mapping, index);

	if (!folio)
		return false;
#else
	struct page *folio = find_get_page(mapping, index);

	if (!folio)
		return false;
#endif
	cached = folio_test_uptodate(folio);
	folio_put(folio);
	return cached;
}

/* address_space_operations: reading a page. */
#if KERNEL_AT_LEAST(5, 19)
#define COMPAT_READ_METHOD read_folio
#else
#define COMPAT_READ_METHOD readpage
#endif

#if KERNEL_AT_LEAST(5, 18)
#define COMPAT_DIRTY_METHOD   dirty_folio
#define COMPAT_DIRTY_FUNCTION filemap_dirty_folio
#else
#define COMPAT_DIRTY_METHOD   set_page_dirty
#define COMPAT_DIRTY_FUNCTION __set_page_dirty_nobuffers
#endif

/* address_space_operations: buffered writes. */
#if KERNEL_AT_LEAST(6, 17)
#define WRITE_OBJECT const struct kiocb *iocb
#else
#define WRITE_OBJECT struct file *file
#endif
#if KERNEL_AT_LEAST(6, 12)
#define WRITE_FOLIO		struct folio
#define WRITE_FOLIO_TO_FOLIO(f) (f)
#else
#define WRITE_FOLIO struct page
#if KERNEL_AT_LEAST(5, 16)
#define WRITE_FOLIO_TO_FOLIO(f) page_folio(f)
#else
#define WRITE_FOLIO_TO_FOLIO(f) (f)
#endif
#endif
#if KERNEL_AT_LEAST(5, 19)
#define WRITE_BEGIN_ARGS                                                           \
	WRITE_OBJECT, struct address_space *mapping, loff_t pos, unsigned int len, \
		WRITE_FOLIO **foliop, void **fsdata
#else
#define WRITE_BEGIN_ARGS                                                           \
	WRITE_OBJECT, struct address_space *mapping, loff_t pos, unsigned int len, \
		unsigned int flags, WRITE_FOLIO **foliop, void **fsdata
#endif
#define WRITE_END_ARGS                                                             \
	WRITE_OBJECT, struct address_space *mapping, loff_t pos, unsigned int len, \
		unsigned int copied, WRITE_FOLIO *write_folio, void *fsdata

/* The locked cache page that a write of pos goes to; NULL: no memory. */
#if KERNEL_AT_LEAST(6, 12)
static inline struct folio *compat_grab(struct address_space *mapping, loff_t pos)
{
	struct folio *folio = __filemap_get_folio(mapping, pos >> PAGE_SHIFT, FGP_WRITEBEGIN,
						  mapping_gfp_mask(mapping));

	return IS_ERR(folio) ? NULL : folio;
}
#define COMPAT_GRAB(mapping, pos) compat_grab(mapping, pos)
#elif KERNEL_AT_LEAST(5, 19)
#define COMPAT_GRAB(mapping, pos) grab_cache_page_write_begin(mapping, (pos) >> PAGE_SHIFT)
#else
#define COMPAT_GRAB(mapping, pos) grab_cache_page_write_begin(mapping, (pos) >> PAGE_SHIFT, flags)
#endif

/* Calls write(folio, data) on every dirty locked folio of the range; it unlocks the folio. */
typedef int (*compat_write_t)(struct folio *folio, struct writeback_control *wbc, void *data);

#if KERNEL_AT_LEAST(6, 9)
static inline int compat_write_dirty(struct address_space *mapping, struct writeback_control *wbc,
				     compat_write_t write, void *data)
{
	struct folio *folio = NULL;
	int error = 0;

	while ((folio = writeback_iter(mapping, wbc, folio, &error)))
		error = write(folio, wbc, data);
	return error;
}
#elif KERNEL_AT_LEAST(6, 3)
static inline int compat_write_dirty(struct address_space *mapping, struct writeback_control *wbc,
				     compat_write_t write, void *data)
{
	return write_cache_pages(mapping, wbc, write, data);
}
#else
struct compat_write {
	compat_write_t write;
	void *data;
};

static inline int compat_write_page(struct page *page, struct writeback_control *wbc, void *data)
{
	struct compat_write *w = data;

#if KERNEL_AT_LEAST(5, 16)
	return w->write(page_folio(page), wbc, w->data);
#else
	return w->write(page, wbc, w->data);
#endif
}

static inline int compat_write_dirty(struct address_space *mapping, struct writeback_control *wbc,
				     compat_write_t write, void *data)
{
	struct compat_write w = {write, data};

	return write_cache_pages(mapping, wbc, compat_write_page, &w);
}
#endif

#endif
