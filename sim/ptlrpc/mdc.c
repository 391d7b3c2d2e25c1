// SPDX-License-Identifier: GPL-2.0
/* Metadata requests: synchronous, in the context of the user's thread. */
#include <linux/module.h>

#include "compat.h"
#include "ptlrpc/client.h"

static const struct req_format RQF_MDC = {"MDS"};

/* Where reint and intent requests end in Lustre as well; both wait. */
static SIM_PROBED int mdc_reint(struct ptlrpc_request *req, int level)
{
	return ptlrpc_queue_wait(req);
}

static SIM_PROBED int ldlm_cli_enqueue(struct ptlrpc_request *req)
{
	return ptlrpc_queue_wait(req);
}

int mdc_call(struct obd_device *mdc, enum rpc_opcode opcode, u32 what)
{
	struct ptlrpc_request *req;
	int rc;

	req = ptlrpc_request_alloc_pack(mdc->cli.cl_import, &RQF_MDC, 0, opcode);
	if (!req)
		return -ENOMEM;
	if (opcode == MDS_REINT) {
		*(u32 *)lustre_msg_buf(req->rq_reqmsg, 1) = what;
		rc = mdc_reint(req, LUSTRE_IMP_FULL);
	} else if (opcode == LDLM_ENQUEUE) {
		*(u64 *)lustre_msg_buf(req->rq_reqmsg, 2) = what;
		rc = ldlm_cli_enqueue(req);
	} else {
		rc = ptlrpc_queue_wait(req);
	}
	ptlrpc_req_put(req);
	return rc;
}
EXPORT_SYMBOL_GPL(mdc_call);
