// SPDX-License-Identifier: GPL-2.0
/* Transmission: every one passes through ptl_send_rpc(). */
#include <linux/jiffies.h>

#include "compat.h"
#include "ptlrpc/behaviour.h"
#include "ptlrpc/lustre_net.h"
#include "ptlrpc/oracle.h"

static SIM_PROBED int ptl_send_buf(struct ptlrpc_request *req, unsigned int attempt)
{
	sim_server_take(ptlrpc_request_addref(req), attempt);
	return 0;
}

SIM_PROBED int ptl_send_rpc(struct ptlrpc_request *req, int noreply)
{
	int rc = sim_enter(SIM_ptl_send_rpc); /* an error: the network refuses */
	struct ptlrpc_body *body = lustre_msg_body(req->rq_reqmsg);
	unsigned int attempt;

	spin_lock(&req->rq_lock);
	attempt = ++req->attempt;
	req->rq_replied = 0;
	req->rq_net_err = 0;
	req->rq_timedout = 0;
	req->rq_resend = 0;
	spin_unlock(&req->rq_lock);

	body->pb_conn_cnt = req->rq_import->imp_conn_cnt;
	if (attempt > 1) {
		body->pb_flags |= MSG_RESENT;
		ptlrpc_count_event(req->rq_import, "resend");
	}
	req->rq_sent_ns = ktime_get_real();
	req->rq_sent = ktime_get_real_seconds();
	req->expires = jiffies + sim_timeout_jiffies();
	req->rq_timeout = sim_timeout_jiffies() / HZ;
	req->rq_deadline = req->rq_sent + req->rq_timeout;
	ptlrpc_count_sent(req);
	return rc ? rc : ptl_send_buf(req, attempt);
}
