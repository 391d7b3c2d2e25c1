// SPDX-License-Identifier: GPL-2.0
/* Data requests: handed over to ptlrpcd, whoever asks for them. */
#include <linux/completion.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "compat.h"
#include "ptlrpc/client.h"

static const struct req_format RQF_OST_BRW_READ = {"OST_BRW_READ"};
static const struct req_format RQF_OST_BRW_WRITE = {"OST_BRW_WRITE"};
static const struct req_format RQF_OST = {"OST"};

struct osc_brw_async_args {
	struct list_head aa_exts; /* struct osc_extent */
};

/* In ptlrpcd: the bulk request is over. */
static SIM_PROBED int brw_interpret(const struct lu_env *env, struct ptlrpc_request *req,
				    void *args, int rc)
{
	struct osc_brw_async_args *aa = args;
	int injected = sim_enter(SIM_brw_interpret);
	struct osc_extent *extent, *next;

	req->rq_bulk->bd_nob_transferred = rc ? 0 : req->rq_bulk->bd_nob;
	ptlrpc_lprocfs_brw(req, req->rq_bulk->bd_nob_transferred);
	if (!rc)
		rc = injected;
	list_for_each_entry_safe (extent, next, &aa->aa_exts, oe_link) {
		list_del_init(&extent->oe_link);
		extent->oe_done(extent, rc);
	}
	return rc;
}

static SIM_PROBED struct ptlrpc_request *osc_brw_prep_request(int cmd, struct client_obd *cli)
{
	struct ptlrpc_request *req;

	if (cmd & OBD_BRW_WRITE)
		req = ptlrpc_request_alloc_pool(cli->cl_import, &osc_rq_pool, &RQF_OST_BRW_WRITE);
	else
		req = ptlrpc_request_alloc(cli->cl_import, &RQF_OST_BRW_READ);
	if (!req)
		return NULL;
	req->rq_bulk = kzalloc(sizeof(*req->rq_bulk), GFP_NOFS);
	if (!req->rq_bulk) {
		ptlrpc_request_free(req);
		return NULL;
	}
	ptlrpc_request_pack(req, 0, cmd & OBD_BRW_WRITE ? OST_WRITE : OST_READ);
	return req;
}

SIM_PROBED int osc_build_rpc(const struct lu_env *env, struct client_obd *cli,
			     struct list_head *ext_list, int cmd)
{
	int rc = sim_enter(SIM_osc_build_rpc);
	struct osc_brw_async_args *aa;
	struct osc_extent *extent;
	struct ptlrpc_request *req;

	if (rc)
		return rc;
	req = osc_brw_prep_request(cmd, cli);
	if (!req)
		return -ENOMEM;
	BUILD_BUG_ON(sizeof(*aa) > sizeof(req->rq_async_args));
	list_for_each_entry (extent, ext_list, oe_link) {
		req->rq_bulk->bd_nob += extent->oe_bytes;
		req->rq_bulk->bd_iov_count += DIV_ROUND_UP(extent->oe_bytes, PAGE_SIZE);
	}
	extent = list_last_entry(ext_list, struct osc_extent, oe_link);
	lustre_msg_set_jobinfo(req->rq_reqmsg, &extent->oe_job);
	aa = (struct osc_brw_async_args *)&req->rq_async_args;
	INIT_LIST_HEAD(&aa->aa_exts);
	list_splice_init(ext_list, &aa->aa_exts);
	req->rq_interpret_reply = brw_interpret;
	ptlrpcd_add_req(req);
	return 0;
}
EXPORT_SYMBOL_GPL(osc_build_rpc);

struct osc_wait {
	struct completion done;
	int rc;
};

static int wake_waiter(struct ptlrpc_request *req, int rc)
{
	struct osc_wait *wait = req->rq_async_args.pointer_arg[0];

	wait->rc = rc;
	complete(&wait->done);
	return rc;
}

static SIM_PROBED int osc_enqueue_interpret(const struct lu_env *env, struct ptlrpc_request *req,
					    void *args, int rc)
{
	sim_enter(SIM_osc_enqueue_interpret);
	return wake_waiter(req, rc);
}

static SIM_PROBED int osc_setattr_interpret(const struct lu_env *env, struct ptlrpc_request *req,
					    void *args, int rc)
{
	return wake_waiter(req, rc);
}

int osc_call(struct obd_device *osc, enum rpc_opcode opcode)
{
	struct osc_wait wait = {.done = COMPLETION_INITIALIZER_ONSTACK(wait.done)};
	struct ptlrpc_request *req;

	req = ptlrpc_request_alloc_pack(osc->cli.cl_import, &RQF_OST, 0, opcode);
	if (!req)
		return -ENOMEM;
	req->rq_async_args.pointer_arg[0] = &wait;
	if (opcode == LDLM_ENQUEUE) {
		req->rq_interpret_reply = osc_enqueue_interpret;
		ptlrpc_set_add_req(PTLRPCD_SET, req);
	} else {
		req->rq_interpret_reply = osc_setattr_interpret;
		ptlrpcd_add_req(req);
	}
	wait_for_completion(&wait.done);
	return wait.rc;
}
EXPORT_SYMBOL_GPL(osc_call);
