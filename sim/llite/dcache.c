// SPDX-License-Identifier: GPL-2.0
/*
 * Dentry methods. Cached names, negative ones too, are valid until the MDT
 * evicts the client, who loses all locks with that.
 */
#include <linux/namei.h>

#include "llite/llite.h"

static unsigned long generation(struct super_block *sb)
{
	return READ_ONCE(ll_s2sbi(sb)->client.mdc->cli.cl_import->imp_generation);
}

void ll_dentry_looked_up(struct dentry *dentry)
{
	dentry->d_time = generation(dentry->d_sb);
}

static SIM_PROBED int ll_revalidate_dentry(REVALIDATE_ARGS)
{
	struct sim_instance *instance = ll_s2sbi(dentry->d_sb)->instance;
	bool valid = dentry->d_time == generation(dentry->d_sb);
	int rc;

	sim_enter_atomic(FN_REVALIDATE);
	if (flags & LOOKUP_RCU) {
		/* As in llite: only a component in the middle is decided without leaving RCU. */
		if (sim_injecting() || !valid || !(flags & LOOKUP_PARENT))
			return -ECHILD;
		rc = 0;
	} else {
		rc = sim_injecting() ? sim_inject_apply(FN_REVALIDATE) : 0;
	}
	if (!rc)
		rc = valid;
	sim_count(instance, OP_REVALIDATE, rc);
	return rc;
}

static int ll_ddelete(const struct dentry *dentry)
{
	return 0;
}

const struct dentry_operations ll_d_ops = {
	.d_revalidate = ll_revalidate_dentry,
	.d_delete = ll_ddelete,
};
