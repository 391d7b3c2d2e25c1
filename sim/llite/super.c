// SPDX-License-Identifier: GPL-2.0
/*
 * Mounting. Every mount(2) makes a super block and an empty tree of its own.
 * As in llite, s_dev is overwritten with a hash of the MDT's uuid: two mounts
 * of one file system share it.
 */
#include <linux/backing-dev.h>
#include <linux/fs_context.h>
#include <linux/fs_parser.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/statfs.h>
#include <linux/uuid.h>

#include "llite/llite.h"

enum { OPT_FLOCK, OPT_LOCALFLOCK, OPT_NOFLOCK, OPT_USER_XATTR };

static const struct fs_parameter_spec ll_parameters[] = {fsparam_flag("flock", OPT_FLOCK),
							 fsparam_flag("localflock", OPT_LOCALFLOCK),
							 fsparam_flag("noflock", OPT_NOFLOCK),
							 fsparam_flag("user_xattr", OPT_USER_XATTR),
							 {}};

static SIM_PROBED void ll_put_super(struct super_block *sb)
{
	sim_enter(SIM_ll_put_super);
	ll_sysfs_del(ll_s2sbi(sb));
	sim_client_disconnect(&ll_s2sbi(sb)->client);
}

static int ll_show_options(struct seq_file *m, struct dentry *root)
{
	static const char *const names[] = {
		[LOCKS_NONE] = "noflock",
		[LOCKS_LOCAL] = "localflock",
		[LOCKS_SHARED] = "flock",
	};

	seq_printf(m, ",%s,user_xattr", names[ll_s2sbi(root->d_sb)->locks]);
	return 0;
}

static const struct super_operations lustre_super_operations = {
	.alloc_inode = ll_alloc_inode,
	.free_inode = ll_free_inode,
	.evict_inode = ll_delete_inode,
	.drop_inode = ll_drop_inode,
	.put_super = ll_put_super,
	.statfs = ll_statfs,
	.show_options = ll_show_options,
};

/* The hash that Lustre makes of "<fsname>-MDT0000_UUID". */
static dev_t uuid_to_dev(const char *fsname)
{
	u32 k0 = 0x12a3fe2d, k1 = 0x37abe8f9, k;
	char uuid[FSNAME_MAX + sizeof("-MDT0000_UUID")];
	const char *c;

	snprintf(uuid, sizeof(uuid), "%s-MDT0000_UUID", fsname);
	for (c = uuid; *c; c++) {
		k = k1 + (k0 ^ (u32)(unsigned char)*c * 7152373);
		if (k & 0x80000000)
			k -= 0x7fffffff;
		k1 = k0;
		k0 = k;
	}
	return k0 << 1;
}

/* "nid[,nid][:nid...]:/fsname[/subdir]": the subdirectory has no meaning here. */
static int parse_source(struct fs_context *fc, struct ll_sb_info *sbi)
{
	const char *name = fc->source ? strstr(fc->source, ":/") : NULL;
	size_t length;

	if (!name)
		return invalf(fc, "lustre: source must be <nid>:/<fsname>");
	name++;
	name += strspn(name, "/");
	length = strcspn(name, "/");
	if (!length || length > FSNAME_MAX)
		return invalf(fc, "lustre: bad file system name in source");
	memcpy(sbi->fsname, name, length);
	return 0;
}

static int ll_fill_super(struct super_block *sb, struct fs_context *fc)
{
	struct ll_sb_info *sbi = ll_s2sbi(sb);
	struct inode *root;
	int rc;

	sb->s_magic = LL_SUPER_MAGIC;
	sb->s_op = &lustre_super_operations;
	compat_set_d_op(sb, &ll_d_ops);
	sb->s_xattr = (void *)ll_xattr_handlers; /* const in different places over the releases */
	sb->s_maxbytes = MAX_LFS_FILESIZE;
	sb->s_blocksize = PAGE_SIZE;
	sb->s_blocksize_bits = PAGE_SHIFT;
	sb->s_time_gran = 1;
	sb->s_flags |= SB_POSIXACL | SB_NOSEC;

	sbi->instance = sim_instance_get(sbi->fsname, sb);
	if (!sbi->instance)
		return -ENOMEM;
	rc = super_setup_bdi(sb);
	if (rc)
		return rc;
	sb->s_bdi->ra_pages = SIM_BRW_BYTES / PAGE_SIZE;

	rc = sim_client_connect(&sbi->client, sbi->fsname, sb, sbi->uuid, sbi->instance);
	if (rc)
		return rc;
	rc = ll_sysfs_add(sbi, sb);
	if (rc)
		return rc;
	root = ll_new_inode(sb, NULL, S_IFDIR | 0755, 0);
	if (IS_ERR(root))
		return PTR_ERR(root);
	sb->s_root = d_make_root(root);
	if (!sb->s_root)
		return -ENOMEM;

	sbi->sdev_orig = sb->s_dev;
	sbi->sdev_rewritten = true;
	sb->s_dev = uuid_to_dev(sbi->fsname);
	return 0;
}

void ll_kill_super(struct super_block *sb)
{
	struct ll_sb_info *sbi = ll_s2sbi(sb);

	if (sbi) {
		if (sbi->sdev_rewritten)
			sb->s_dev = sbi->sdev_orig;
		ll_dirents_drop(sbi);
	}
	kill_anon_super(sb);
	if (sbi) {
		/* Still there if there was no root, so no ll_put_super(). */
		ll_sysfs_del(sbi);
		sim_client_disconnect(&sbi->client);
	}
	kfree(sbi);
}

static int ll_parse_param(struct fs_context *fc, struct fs_parameter *param)
{
	struct ll_sb_info *sbi = fc->s_fs_info;
	struct fs_parse_result result;
	int opt = fs_parse(fc, ll_parameters, param, &result);

	switch (opt) {
	case OPT_FLOCK:
		sbi->locks = LOCKS_SHARED;
		break;
	case OPT_LOCALFLOCK:
		sbi->locks = LOCKS_LOCAL;
		break;
	case OPT_NOFLOCK:
		sbi->locks = LOCKS_NONE;
		break;
	}
	return opt < 0 ? opt : 0;
}

static int ll_get_tree(struct fs_context *fc)
{
	int rc = parse_source(fc, fc->s_fs_info);

	return rc ? rc : get_tree_nodev(fc, ll_fill_super);
}

static void ll_free_context(struct fs_context *fc)
{
	kfree(fc->s_fs_info); /* NULL once a super block owns it */
}

static int ll_reconfigure(struct fs_context *fc)
{
	return 0; /* the lock mode is chosen at mount and stays */
}

static const struct fs_context_operations ll_context_operations = {
	.free = ll_free_context,
	.parse_param = ll_parse_param,
	.get_tree = ll_get_tree,
	.reconfigure = ll_reconfigure,
};

int ll_init_fs_context(struct fs_context *fc)
{
	struct ll_sb_info *sbi = kzalloc(sizeof(*sbi), GFP_KERNEL);
	uuid_t uuid;

	if (!sbi)
		return -ENOMEM;
	uuid_gen(&uuid);
	snprintf(sbi->uuid, sizeof(sbi->uuid), "%pUb", &uuid);
	INIT_LIST_HEAD(&sbi->dirents);
	spin_lock_init(&sbi->dirents_lock);
	fc->s_fs_info = sbi;
	fc->ops = &ll_context_operations;
	return 0;
}
