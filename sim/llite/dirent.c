// SPDX-License-Identifier: GPL-2.0
/* Directory contents: names in a tree, and by cookie for readdir. */
#include <linux/slab.h>

#include "llite/llite.h"

static int compare(const struct qstr *name, const struct ll_dirent *de)
{
	int diff = memcmp(name->name, de->name, min(name->len, de->length));

	return diff ? diff : (int)name->len - (int)de->length;
}

struct ll_dirent *ll_dirent_find(struct inode *dir, const struct qstr *name)
{
	struct rb_node *node = ll_i2info(dir)->names.rb_node;

	while (node) {
		struct ll_dirent *de = rb_entry(node, struct ll_dirent, node);
		int diff = compare(name, de);

		if (!diff)
			return de;
		node = diff < 0 ? node->rb_left : node->rb_right;
	}
	return NULL;
}

int ll_dirent_add(struct inode *dir, const struct qstr *name, struct inode *inode)
{
	struct ll_sb_info *sbi = ll_s2sbi(dir->i_sb);
	struct ll_inode_info *lli = ll_i2info(dir);
	struct rb_node **link = &lli->names.rb_node, *parent = NULL;
	struct ll_dirent *new = kmalloc(struct_size(new, name, name->len), GFP_KERNEL);
	int rc;

	if (!new)
		return -ENOMEM;
	new->inode = inode;
	new->cookie = lli->next_cookie;
	new->length = name->len;
	memcpy(new->name, name->name, name->len);
	rc = xa_err(xa_store(&lli->cookies, new->cookie, new, GFP_KERNEL));
	if (rc) {
		kfree(new);
		return rc;
	}
	lli->next_cookie++;
	while (*link) {
		parent = *link;
		if (compare(name, rb_entry(parent, struct ll_dirent, node)) < 0)
			link = &parent->rb_left;
		else
			link = &parent->rb_right;
	}
	rb_link_node(&new->node, parent, link);
	rb_insert_color(&new->node, &lli->names);
	ihold(inode);
	spin_lock(&sbi->dirents_lock);
	list_add_tail(&new->sb_link, &sbi->dirents);
	spin_unlock(&sbi->dirents_lock);
	compat_touch(dir, false);
	return 0;
}

void ll_dirent_del(struct inode *dir, struct ll_dirent *de)
{
	struct ll_sb_info *sbi = ll_s2sbi(dir->i_sb);
	struct ll_inode_info *lli = ll_i2info(dir);

	rb_erase(&de->node, &lli->names);
	xa_erase(&lli->cookies, de->cookie);
	spin_lock(&sbi->dirents_lock);
	list_del(&de->sb_link);
	spin_unlock(&sbi->dirents_lock);
	compat_touch(dir, false);
	iput(de->inode);
	kfree(de);
}

bool ll_dirent_empty(struct inode *dir)
{
	return RB_EMPTY_ROOT(&ll_i2info(dir)->names);
}

void ll_dirents_drop(struct ll_sb_info *sbi)
{
	struct ll_dirent *de;

	/* Nobody can add any more. The directories' own trees are left dangling: one pass, no
	 * order. */
	while ((de = list_first_entry_or_null(&sbi->dirents, struct ll_dirent, sb_link))) {
		list_del(&de->sb_link);
		iput(de->inode);
		kfree(de);
	}
}
