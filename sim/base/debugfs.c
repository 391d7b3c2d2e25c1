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

DEFINE_SHOW_ATTRIBUTE(sim_rpcs);
DEFINE_SHOW_ATTRIBUTE(sim_rpc_owners);
DEFINE_SHOW_ATTRIBUTE(sim_rpc_events);

static ssize_t reset_write(struct file *file, const char __user *from, size_t count, loff_t *pos)
{
	sim_counts_reset();
	sim_uids_reset();
	sim_rpcs_reset();
	return count;
}

static const struct file_operations reset_fops = {
	.owner = THIS_MODULE,
	.write = reset_write,
};

static ssize_t write_text(const char __user *from, size_t count, int (*take)(char *text))
{
	char *text;
	int rc;

	if (count > INJECT_MAX)
		return -EINVAL;
	text = memdup_user_nul(from, count);
	if (IS_ERR(text))
		return PTR_ERR(text);
	rc = take(text);
	kfree(text);
	return rc ? rc : count;
}

/* A file that is read by show() and written by take(). */
#define DEFINE_TEXT_FILE(name, show, take)                                                    \
	static int name##_open(struct inode *inode, struct file *file)                        \
	{                                                                                     \
		return single_open(file, show, NULL);                                         \
	}                                                                                     \
	static ssize_t name##_write(struct file *file, const char __user *from, size_t count, \
				    loff_t *pos)                                              \
	{                                                                                     \
		return write_text(from, count, take);                                         \
	}                                                                                     \
	static const struct file_operations name##_fops = {                                   \
		.owner = THIS_MODULE,                                                         \
		.open = name##_open,                                                          \
		.read = seq_read,                                                             \
		.write = name##_write,                                                        \
		.llseek = seq_lseek,                                                          \
		.release = single_release,                                                    \
	}

DEFINE_TEXT_FILE(inject, sim_inject_show, sim_inject_write);
DEFINE_TEXT_FILE(servers, sim_behaviour_show, sim_behaviour_write);

int sim_debugfs_init(void)
{
	dir = debugfs_create_dir("lustre_sim", NULL);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	debugfs_create_file("operations", 0444, dir, NULL, &sim_counts_fops);
	debugfs_create_file("functions", 0444, dir, NULL, &sim_functions_fops);
	debugfs_create_file("uids", 0444, dir, NULL, &sim_uids_fops);
	debugfs_create_file("sizes", 0444, dir, NULL, &sim_sizes_fops);
	debugfs_create_file("rpcs", 0444, dir, NULL, &sim_rpcs_fops);
	debugfs_create_file("rpc_owners", 0444, dir, NULL, &sim_rpc_owners_fops);
	debugfs_create_file("rpc_events", 0444, dir, NULL, &sim_rpc_events_fops);
	debugfs_create_file("servers", 0644, dir, NULL, &servers_fops);
	debugfs_create_file("inject", 0644, dir, NULL, &inject_fops);
	debugfs_create_file("reset", 0200, dir, NULL, &reset_fops);
	return 0;
}

void sim_debugfs_exit(void)
{
	debugfs_remove_recursive(dir);
}
