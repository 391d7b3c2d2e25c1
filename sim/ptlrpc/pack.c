// SPDX-License-Identifier: GPL-2.0
/* Laying out and reading messages. */
#include <linux/cred.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/uidgid.h>

#include "compat.h"
#include "ptlrpc/lustre_net.h"

static u32 header_size(u32 count)
{
	return round_up(sizeof(struct lustre_msg) + count * sizeof(u32), 8);
}

void *lustre_msg_buf(struct lustre_msg *msg, unsigned int n)
{
	char *p = (char *)msg + header_size(msg->lm_bufcount);
	unsigned int i;

	if (n >= msg->lm_bufcount)
		return NULL;
	for (i = 0; i < n; i++)
		p += round_up(msg->lm_buflens[i], 8);
	return p;
}

struct ptlrpc_body *lustre_msg_body(struct lustre_msg *msg)
{
	return lustre_msg_buf(msg, 0);
}

void lustre_msg_init(struct lustre_msg *msg, unsigned int count, const u32 *lengths)
{
	memset(msg, 0, RPC_BUFFER);
	msg->lm_bufcount = count;
	msg->lm_magic = LUSTRE_MSG_MAGIC_V2;
	memcpy(msg->lm_buflens, lengths, count * sizeof(*lengths));
}

SIM_PROBED __u32 lustre_msg_get_opc(struct lustre_msg *msg)
{
	return lustre_msg_body(msg)->pb_opc;
}

/* NULL: the calling task, unless somebody stands in the message already. */
SIM_PROBED void lustre_msg_set_jobinfo(struct lustre_msg *msg, const struct job_info *ji)
{
	struct ptlrpc_body *body = lustre_msg_body(msg);

	if (!ji && (body->pb_flags & MSG_PACK_UID_GID))
		return;
	body->pb_flags |= MSG_PACK_UID_GID;
	if (ji) {
		body->pb_uid = ji->ji_uid;
		body->pb_gid = ji->ji_gid;
		memcpy(body->pb_jobid, ji->ji_jobid, sizeof(body->pb_jobid));
	} else {
		body->pb_uid = from_kuid(&init_user_ns, current_uid());
		body->pb_gid = from_kgid(&init_user_ns, current_gid());
	}
}
