// SPDX-License-Identifier: GPL-2.0
/* Requests under way when a connection is lost and found again. */
#include "compat.h"
#include "ptlrpc/lustre_net.h"
#include "ptlrpc/oracle.h"

/* The server does not know the client: reconnect, then the request goes again. */
SIM_PROBED void ptlrpc_request_handle_notconn(struct ptlrpc_request *req)
{
	struct obd_import *imp = req->rq_import;

	sim_enter_atomic(SIM_ptlrpc_request_handle_notconn);
	ptlrpc_count_event(imp, "notconn");
	spin_lock(&req->rq_lock);
	req->rq_replied = 0;
	req->rq_resend = 1;
	spin_unlock(&req->rq_lock);
	if (ptlrpc_set_import_discon(imp, lustre_msg_body(req->rq_reqmsg)->pb_conn_cnt, true))
		ptlrpc_connect_import(imp);
}

SIM_PROBED void ptlrpc_resend_req(struct ptlrpc_request *req)
{
	sim_enter_atomic(SIM_ptlrpc_resend_req);
	spin_lock(&req->rq_lock);
	req->rq_resend = 1;
	req->rq_net_err = 0;
	req->rq_timedout = 0;
	ptlrpc_client_wake_req(req);
	spin_unlock(&req->rq_lock);
}

/* After a reconnect: what was sent before and has no answer is sent again. */
SIM_PROBED int ptlrpc_resend(struct obd_import *imp)
{
	struct ptlrpc_request *req;

	sim_enter_atomic(SIM_ptlrpc_resend);
	spin_lock(&imp->imp_lock);
	list_for_each_entry (req, &imp->imp_sending_list, rq_list) {
		if (!req->rq_replied && req->rq_send_state == LUSTRE_IMP_FULL)
			ptlrpc_resend_req(req);
	}
	spin_unlock(&imp->imp_lock);
	return 0;
}

static void abort_list(struct list_head *list)
{
	struct ptlrpc_request *req;

	list_for_each_entry (req, list, rq_list) {
		spin_lock(&req->rq_lock);
		req->rq_err = 1;
		req->rq_status = -EIO;
		ptlrpc_client_wake_req(req);
		spin_unlock(&req->rq_lock);
	}
}

SIM_PROBED void ptlrpc_abort_inflight(struct obd_import *imp)
{
	spin_lock(&imp->imp_lock);
	abort_list(&imp->imp_sending_list);
	abort_list(&imp->imp_delayed_list);
	spin_unlock(&imp->imp_lock);
}

void ptlrpc_wake_delayed(struct obd_import *imp)
{
	struct ptlrpc_request *req;

	spin_lock(&imp->imp_lock);
	list_for_each_entry (req, &imp->imp_delayed_list, rq_list) {
		spin_lock(&req->rq_lock);
		ptlrpc_client_wake_req(req);
		spin_unlock(&req->rq_lock);
	}
	spin_unlock(&imp->imp_lock);
}
