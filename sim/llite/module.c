// SPDX-License-Identifier: GPL-2.0
/* lustre.ko: registers the file system type. */
#include <linux/init.h>
#include <linux/module.h>

#include "llite/llite.h"

static struct file_system_type lustre_fs_type = {
	.owner = THIS_MODULE,
	.name = "lustre",
	.init_fs_context = ll_init_fs_context,
	.kill_sb = ll_kill_super,
};

static int __init lustre_init(void)
{
	int rc = ll_inodes_init();

	if (rc)
		return rc;
	rc = ll_sysfs_init();
	if (rc)
		goto out_inodes;
	rc = register_filesystem(&lustre_fs_type);
	if (!rc)
		return 0;
	ll_sysfs_exit();
out_inodes:
	ll_inodes_exit();
	return rc;
}

static void __exit lustre_exit(void)
{
	unregister_filesystem(&lustre_fs_type);
	ll_sysfs_exit();
	ll_inodes_exit();
}

module_init(lustre_init);
module_exit(lustre_exit);
MODULE_ALIAS_FS("lustre");
MODULE_DESCRIPTION("Simulated Lustre client file system");
MODULE_VERSION("2.17.0-sim");
MODULE_LICENSE("GPL");
