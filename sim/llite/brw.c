// SPDX-License-Identifier: GPL-2.0
/* What the file system asks of the servers. A file has one stripe. */
#include <linux/completion.h>
#include <linux/cred.h>
#include <linux/slab.h>
#include <linux/uidgid.h>

#include "llite/llite.h"

int ll_mds(struct super_block *sb, enum rpc_opcode opcode, u32 what)
{
	return mdc_call(ll_s2sbi(sb)->client.mdc, opcode, what);
}

static struct obd_device *ll_i2osc(struct inode *inode)
{
	return ll_s2sbi(inode->i_sb)->client.osc[inode->i_ino % SIM_OSTS];
}

int ll_ost(struct inode *inode, enum rpc_opcode opcode)
{
	return osc_call(ll_i2osc(inode), opcode);
}

int ll_lock_extents(struct inode *inode)
{
	struct ll_inode_info *lli = ll_i2info(inode);
	int rc;

	if (READ_ONCE(lli->locked))
		return 0;
	rc = ll_ost(inode, LDLM_ENQUEUE);
	if (!rc)
		WRITE_ONCE(lli->locked, true);
	return rc;
}

void ll_set_job(struct inode *inode)
{
	struct ll_inode_info *lli = ll_i2info(inode);

	spin_lock(&inode->i_lock);
	lli->job_uid = from_kuid(&init_user_ns, current_uid());
	lli->job_gid = from_kgid(&init_user_ns, current_gid());
	spin_unlock(&inode->i_lock);
}

void ll_get_job(struct inode *inode, struct job_info *job)
{
	struct ll_inode_info *lli = ll_i2info(inode);

	memset(job, 0, sizeof(*job));
	spin_lock(&inode->i_lock);
	job->ji_uid = lli->job_uid;
	job->ji_gid = lli->job_gid;
	spin_unlock(&inode->i_lock);
}

int ll_build_rpc(struct inode *inode, struct list_head *extents, int cmd)
{
	return osc_build_rpc(NULL, &ll_i2osc(inode)->cli, extents, cmd);
}

struct brw_extent {
	struct osc_extent extent;
	struct ll_brw *brw;
};

static void brw_part_done(struct ll_brw *brw, int rc)
{
	if (rc)
		WRITE_ONCE(brw->rc, rc);
	if (atomic_dec_and_test(&brw->pending))
		brw->done(brw);
}

static void extent_done(struct osc_extent *extent, int rc)
{
	struct brw_extent *part = container_of(extent, struct brw_extent, extent);
	struct ll_brw *brw = part->brw;

	kfree(part);
	brw_part_done(brw, rc);
}

static int start_part(struct ll_brw *brw, struct inode *inode, int cmd, size_t bytes)
{
	struct brw_extent *part = kzalloc(sizeof(*part), GFP_NOFS);
	LIST_HEAD(list);
	int rc;

	if (!part)
		return -ENOMEM;
	part->brw = brw;
	part->extent.oe_bytes = bytes;
	part->extent.oe_done = extent_done;
	ll_get_job(inode, &part->extent.oe_job);
	list_add(&part->extent.oe_link, &list);
	rc = ll_build_rpc(inode, &list, cmd);
	if (rc)
		kfree(part);
	return rc;
}

void ll_brw_start(struct ll_brw *brw, struct inode *inode, int cmd, size_t bytes)
{
	size_t part;
	int rc = 0;

	atomic_set(&brw->pending, 1); /* ours, until all parts are under way */
	brw->rc = 0;
	for (; bytes && !rc; bytes -= part) {
		part = min_t(size_t, bytes, SIM_BRW_BYTES);
		atomic_inc(&brw->pending);
		rc = start_part(brw, inode, cmd, part);
		if (rc)
			brw_part_done(brw, rc);
	}
	brw_part_done(brw, 0);
}

struct brw_wait {
	struct ll_brw brw;
	struct completion done;
};

static void wake_waiter(struct ll_brw *brw)
{
	complete(&container_of(brw, struct brw_wait, brw)->done);
}

int ll_brw_wait(struct inode *inode, int cmd, size_t bytes)
{
	struct brw_wait wait = {
		.brw.done = wake_waiter,
		.done = COMPLETION_INITIALIZER_ONSTACK(wait.done),
	};

	ll_brw_start(&wait.brw, inode, cmd, bytes);
	wait_for_completion(&wait.done);
	return wait.brw.rc;
}
