// SPDX-License-Identifier: GPL-2.0
/* Dentry methods. Cached names, negative ones too, are valid until dropped. */
#include <linux/namei.h>

#include "llite/llite.h"

static SIM_PROBED int ll_revalidate_dentry(REVALIDATE_ARGS)
{
	struct sim_instance *instance = ll_s2sbi(dentry->d_sb)->instance;
	int rc;

	sim_enter_atomic(FN_REVALIDATE);
	if (flags & LOOKUP_RCU) {
		/* As in llite: only a component in the middle is decided without leaving RCU. */
		if (sim_injecting() || !(flags & LOOKUP_PARENT))
			return -ECHILD;
		rc = 0;
	} else {
		rc = sim_injecting() ? sim_inject_apply(FN_REVALIDATE) : 0;
	}
	if (!rc)
		rc = 1;
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
