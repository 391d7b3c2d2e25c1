/* SPDX-License-Identifier: GPL-2.0 */
/* What the file system asks of the servers. Everything may sleep. */
#ifndef SIM_PTLRPC_CLIENT_H
#define SIM_PTLRPC_CLIENT_H

#include "ptlrpc/lustre_net.h"

#define SIM_OSTS      2
#define SIM_BRW_BYTES (1U << 20) /* the most that one bulk request moves */

/* The client devices of one super block. */
struct sim_client {
	struct obd_device *mdc;
	struct obd_device *osc[SIM_OSTS];
};

int sim_client_connect(struct sim_client *client, const char *fsname, const void *sb,
		       const char *uuid, struct sim_instance *instance);
void sim_client_disconnect(struct sim_client *client);

/* A synchronous request to the MDT; what: mds_reint_op or intent. 0 or -errno. */
int mdc_call(struct obd_device *mdc, enum rpc_opcode opcode, u32 what);

/* A request to the OST through ptlrpcd that the caller waits for. 0 or -errno. */
int osc_call(struct obd_device *osc, enum rpc_opcode opcode);

/*
 * A piece of I/O; the bulk request it becomes part of calls done(), in a
 * ptlrpcd thread, and forgets it.
 */
struct osc_extent {
	struct list_head oe_link;
	u32 oe_bytes;
	struct job_info oe_job; /* on whose behalf */
	void (*oe_done)(struct osc_extent *extent, int rc);
};

#define OBD_BRW_READ  1
#define OBD_BRW_WRITE 2

/* Makes one bulk request of the extents and hands it over. -errno: nothing was, no done() called.
 */
int osc_build_rpc(const struct lu_env *env, struct client_obd *cli, struct list_head *ext_list,
		  int cmd);

/* /sys/fs/lustre */
extern struct kobject *lustre_kobj;

#endif
