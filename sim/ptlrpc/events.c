// SPDX-License-Identifier: GPL-2.0
/* What the network reports. Runs in its thread, or in the sender's own context. */
#include "compat.h"
#include "ptlrpc/behaviour.h"
#include "ptlrpc/lustre_net.h"

SIM_PROBED void request_out_callback(struct lnet_event *ev)
{
	struct ptlrpc_request *req = ((struct ptlrpc_cb_id *)ev->md_user_ptr)->cbid_arg;

	if (!ev->status)
		return;
	spin_lock(&req->rq_lock);
	req->rq_net_err = 1;
	ptlrpc_client_wake_req(req);
	spin_unlock(&req->rq_lock);
}

/* Operations that change the server's state, if they succeed. */
static bool has_transaction(struct ptlrpc_request *req, u32 opcode)
{
	const u64 *intent = lustre_msg_buf(req->rq_reqmsg, 2);

	return opcode == MDS_REINT || (opcode == LDLM_ENQUEUE && (*intent & IT_OPEN));
}

static void fill_reply(struct ptlrpc_request *req, const struct lnet_event *ev)
{
	static const u32 lengths[] = {sizeof(struct ptlrpc_body), 200};
	struct obd_import *imp = req->rq_import;
	u32 opcode = lustre_msg_body(req->rq_reqmsg)->pb_opc;
	struct ptlrpc_body *body;
	u64 transno;

	req->rq_repmsg = (struct lustre_msg *)req->repbuf;
	lustre_msg_init(req->rq_repmsg, ARRAY_SIZE(lengths), lengths);
	body = lustre_msg_body(req->rq_repmsg);
	body->pb_type = ev->reply_status ? PTL_RPC_MSG_ERR : PTL_RPC_MSG_REPLY;
	body->pb_opc = opcode;
	body->pb_status = ev->reply_status;
	body->pb_op_flags = ev->reply_op_flags;
	if (!ev->reply_status && imp->imp_replayable && has_transaction(req, opcode)) {
		transno = atomic64_inc_return(&imp->imp_server_transno);
		body->pb_transno = transno;
		if (transno > sim_commit_lag())
			body->pb_last_committed = transno - sim_commit_lag();
	}
}

SIM_PROBED void reply_in_callback(struct lnet_event *ev)
{
	struct ptlrpc_request *req = ((struct ptlrpc_cb_id *)ev->md_user_ptr)->cbid_arg;

	spin_lock(&req->rq_lock);
	/* An answer to an earlier transmission, or to a request given up, comes too late. */
	if (ev->attempt == req->attempt && !req->rq_replied && req->rq_phase == RQ_PHASE_RPC) {
		fill_reply(req, ev);
		req->rq_replied = 1;
		req->rq_nob_received = ev->mlength;
		ptlrpc_client_wake_req(req);
	}
	spin_unlock(&req->rq_lock);
}

SIM_PROBED void ptlrpc_master_callback(struct lnet_event *ev)
{
	((struct ptlrpc_cb_id *)ev->md_user_ptr)->cbid_fn(ev);
}
