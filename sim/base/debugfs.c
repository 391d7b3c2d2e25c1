// SPDX-License-Identifier: GPL-2.0
/* /sys/kernel/debug/lustre_sim/: the oracle and the injections as files. */
#include <linux/debugfs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "base/base.h"

#define INJECT_MAX 4096

static struct dentry *dir;

DEFINE_SHOW_ATTRIBUTE(sim_counts);
DEFINE_SHOW_ATTRIBUTE(sim_functions);
DEFINE_SHOW_ATTRIBUTE(sim_uids);
DEFINE_SHOW_ATTRIBUTE(sim_sizes);

static ssize_t reset_write(struct file *file, const char __user *from, size_t count, loff_t *pos)
{
	sim_counts_reset();
	sim_uids_reset();
	return count;
}

static const struct file_operations reset_fops = {
	.owner = THIS_MODULE,
	.write = reset_write,
};

static int inject_open(struct inode *inode, struct file *file)
{
	return single_open(file, sim_inject_show, NULL);
}

static ssize_t inject_write(struct file *file, const char __user *from, size_t count, loff_t *pos)
{
	char *text;
	int rc;

	if (count > INJECT_MAX)
		return -EINVAL;
	text = memdup_user_nul(from, count);
	if (IS_ERR(text))
		return PTR_ERR(text);
	rc = sim_inject_write(text);
	kfree(text);
	return rc ? rc : count;
}

static const struct file_operations inject_fops = {
	.owner = THIS_MODULE,
	.open = inject_open,
	.read = seq_read,
	.write = inject_write,
	.llseek = seq_lseek,
	.release = single_release,
};

int sim_debugfs_init(void)
{
	dir = debugfs_create_dir("lustre_sim", NULL);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	debugfs_create_file("operations", 0444, dir, NULL, &sim_counts_fops);
	debugfs_create_file("functions", 0444, dir, NULL, &sim_functions_fops);
	debugfs_create_file("uids", 0444, dir, NULL, &sim_uids_fops);
	debugfs_create_file("sizes", 0444, dir, NULL, &sim_sizes_fops);
	debugfs_create_file("inject", 0644, dir, NULL, &inject_fops);
	debugfs_create_file("reset", 0200, dir, NULL, &reset_fops);
	return 0;
}

void sim_debugfs_exit(void)
{
	debugfs_remove_recursive(dir);
}
