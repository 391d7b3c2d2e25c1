// SPDX-License-Identifier: GPL-2.0
/* The client devices of a mounted file system: one MDC, an OSC for each OST. */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "ptlrpc/behaviour.h"
#include "ptlrpc/client.h"

#define CONNECT_TIMEOUT (30 * HZ)

static struct obd_type mdc_type = {.typ_kobj.name = "mdc"};
static struct obd_type osc_type = {.typ_kobj.name = "osc"};
static atomic_t last_minor = ATOMIC_INIT(0);

static void device_free(struct obd_device *obd)
{
	if (!obd)
		return;
	if (obd->cli.cl_import) {
		ptlrpc_disconnect_import(obd->cli.cl_import);
		sim_import_free(obd->cli.cl_import);
	}
	kfree(obd);
}

/* target: MDT0000, OST0000 and so on. NULL: no memory, or no connection. */
static struct obd_device *device_new(const char *fsname, const void *sb, const char *target,
				     const char *uuid, struct sim_instance *instance)
{
	bool mdt = target[0] == 'M';
	struct obd_device *obd = kzalloc(sizeof(*obd), GFP_KERNEL);

	if (!obd)
		return NULL;
	obd->obd_type = mdt ? &mdc_type : &osc_type;
	obd->obd_minor = atomic_inc_return(&last_minor);
	strscpy(obd->obd_uuid.uuid, uuid, sizeof(obd->obd_uuid.uuid));
	snprintf(obd->obd_name, sizeof(obd->obd_name), "%s-%s-%s-%016lx", fsname, target,
		 mdt ? "mdc" : "osc", (unsigned long)sb);
	obd->obd_svc_stats = obd; /* statistics are kept */
	obd->instance = instance;
	strscpy(obd->target, target, sizeof(obd->target));
	obd->rule = sim_behaviour_rule(target);
	obd->cli.cl_import = sim_import_new(obd);
	if (!obd->cli.cl_import)
		goto out;
	ptlrpc_connect_import(obd->cli.cl_import);
	if (wait_event_timeout(obd->cli.cl_import->imp_recovery_waitq,
			       obd->cli.cl_import->imp_state == LUSTRE_IMP_FULL, CONNECT_TIMEOUT))
		return obd;
out:
	device_free(obd);
	return NULL;
}

int sim_client_connect(struct sim_client *client, const char *fsname, const void *sb,
		       const char *uuid, struct sim_instance *instance)
{
	char target[8];
	int i;

	client->mdc = device_new(fsname, sb, "MDT0000", uuid, instance);
	if (!client->mdc)
		goto out;
	for (i = 0; i < SIM_OSTS; i++) {
		snprintf(target, sizeof(target), "OST%04x", (u16)i);
		client->osc[i] = device_new(fsname, sb, target, uuid, instance);
		if (!client->osc[i])
			goto out;
	}
	return 0;
out:
	sim_client_disconnect(client);
	return -ENOTCONN;
}
EXPORT_SYMBOL_GPL(sim_client_connect);

void sim_client_disconnect(struct sim_client *client)
{
	int i;

	for (i = 0; i < SIM_OSTS; i++)
		device_free(client->osc[i]);
	device_free(client->mdc);
	memset(client, 0, sizeof(*client));
}
EXPORT_SYMBOL_GPL(sim_client_disconnect);
