/* SPDX-License-Identifier: GPL-2.0 */
/* One request of a set, for the thread that owns the set. */
#ifndef SIM_PTLRPC_REPLY_H
#define SIM_PTLRPC_REPLY_H

#include "ptlrpc/lustre_net.h"

/* Does what can be done now. True: the request is over, rq_status says how. */
bool ptlrpc_advance(struct ptlrpc_request *req);
/* After that: tells whoever asked. */
void ptlrpc_finish(const struct lu_env *env, struct ptlrpc_request *req);
bool ptlrpc_set_expire(struct ptlrpc_request_set *set);

#endif
