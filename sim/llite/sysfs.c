// SPDX-License-Identifier: GPL-2.0
/* /sys/fs/lustre/llite/<fsname>-<address of the super block>/. */
#include <linux/kobject.h>
#include <linux/sysfs.h>

#include "llite/llite.h"
#include "ptlrpc/client.h"

static struct kobject *llite_kobj;

static ssize_t fstype_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sprintf(buf, "lustre\n");
}

static ssize_t uuid_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sprintf(buf, "%s\n", container_of(kobj, struct ll_sb_info, kobj)->uuid);
}

static struct kobj_attribute fstype_attr = __ATTR_RO(fstype);
static struct kobj_attribute uuid_attr = __ATTR_RO(uuid);

static struct attribute *instance_attrs[] = {
	&fstype_attr.attr,
	&uuid_attr.attr,
	NULL,
};
ATTRIBUTE_GROUPS(instance);

static void instance_release(struct kobject *kobj)
{
	complete(&container_of(kobj, struct ll_sb_info, kobj)->kobj_gone);
}

static struct kobj_type instance_type = {
	.sysfs_ops = &kobj_sysfs_ops,
	.default_groups = instance_groups,
	.release = instance_release,
};

int ll_sysfs_add(struct ll_sb_info *sbi, struct super_block *sb)
{
	int rc;

	init_completion(&sbi->kobj_gone);
	rc = kobject_init_and_add(&sbi->kobj, &instance_type, llite_kobj, "%s-%016lx", sbi->fsname,
				  (unsigned long)sb);
	sbi->in_sysfs = true; /* initialised, so it must be put whatever rc is */
	return rc;
}

void ll_sysfs_del(struct ll_sb_info *sbi)
{
	if (!sbi->in_sysfs)
		return;
	sbi->in_sysfs = false;
	kobject_del(&sbi->kobj);
	kobject_put(&sbi->kobj);
	wait_for_completion(&sbi->kobj_gone);
}

int ll_sysfs_init(void)
{
	llite_kobj = kobject_create_and_add("llite", lustre_kobj);
	return llite_kobj ? 0 : -ENOMEM;
}

void ll_sysfs_exit(void)
{
	kobject_put(llite_kobj);
}
