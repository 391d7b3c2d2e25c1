// SPDX-License-Identifier: GPL-2.0
/* Where Lustre feeds its own statistics: one call per reply, one per bulk transfer. */
#include "compat.h"
#include "ptlrpc/lustre_net.h"

SIM_PROBED void ptlrpc_lprocfs_rpc_sent(struct ptlrpc_request *req, long amount)
{
	sim_enter_atomic(SIM_ptlrpc_lprocfs_rpc_sent);
}

SIM_PROBED void ptlrpc_lprocfs_brw(struct ptlrpc_request *req, int bytes)
{
	sim_enter_atomic(SIM_ptlrpc_lprocfs_brw);
}
