// SPDX-License-Identifier: GPL-2.0
/* ptlrpc.ko: the request layer, the oracle and /sys/fs/lustre. */
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kobject.h>
#include <linux/module.h>
#include <linux/sysfs.h>

#include "base/base.h"
#include "ptlrpc/client.h"

#define SIM_VERSION "2.17.0-sim"

struct kobject *lustre_kobj;
EXPORT_SYMBOL_GPL(lustre_kobj);

static ssize_t version_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sprintf(buf, "%s\n", SIM_VERSION);
}

static struct kobj_attribute version_attr = __ATTR_RO(version);

static int __init ptlrpc_init(void)
{
	int rc;

	lustre_kobj = kobject_create_and_add("lustre", fs_kobj);
	if (!lustre_kobj)
		return -ENOMEM;
	rc = sysfs_create_file(lustre_kobj, &version_attr.attr);
	if (rc)
		goto out_kobj;
	rc = ptlrpc_requests_init();
	if (rc)
		goto out_kobj;
	rc = sim_server_start();
	if (rc)
		goto out_requests;
	rc = ptlrpcd_start();
	if (rc)
		goto out_server;
	rc = sim_debugfs_init();
	if (!rc)
		return 0;
	ptlrpcd_stop();
out_server:
	sim_server_stop();
out_requests:
	ptlrpc_requests_exit();
out_kobj:
	kobject_put(lustre_kobj);
	return rc;
}

static void __exit ptlrpc_exit(void)
{
	sim_debugfs_exit();
	ptlrpcd_stop();
	sim_server_stop();
	ptlrpc_requests_exit();
	sim_inject_clear();
	sim_uids_reset();
	sim_rpcs_reset();
	sim_counts_exit();
	kobject_put(lustre_kobj);
}

module_init(ptlrpc_init);
module_exit(ptlrpc_exit);
MODULE_DESCRIPTION("Simulated Lustre request layer");
MODULE_VERSION(SIM_VERSION);
MODULE_LICENSE("GPL");
