// SPDX-License-Identifier: GPL-2.0
/*
 * The oracle of requests: by target and opcode, by who handed them over, and
 * what befell them on the way.
 */
#include <linux/string.h>

#include "base/table.h"

static SIM_TABLE(rpcs);
static SIM_TABLE(owners);
static SIM_TABLE(events);

enum rpc_column { RPC_COMPLETED, RPC_BYTES, RPC_ERRORS, RPC_SENT = RPC_ERRORS + ERRNO_CLASS_MAX };
enum owner_column { OWNER_STARTED, OWNER_COMPLETED, OWNER_BYTES, OWNER_WAITS, OWNER_WAIT_ERRORS };

static_assert(RPC_SENT < TABLE_COLUMNS);

static struct sim_key owner_key(const struct sim_rpc *rpc)
{
	struct sim_key key = {
		.instance = rpc->instance,
		.code = rpc->opcode,
		.uid = rpc->owner->uid,
	};

	memcpy(key.comm, rpc->owner->comm, sizeof(key.comm));
	return key;
}

static struct sim_key target_key(const struct sim_rpc *rpc)
{
	struct sim_key key = {.instance = rpc->instance, .code = rpc->opcode};

	memcpy(key.target, rpc->target, sizeof(key.target));
	return key;
}

void sim_rpc_started(const struct sim_rpc *rpc)
{
	struct sim_key key = owner_key(rpc);

	sim_table_add(&owners, &key, OWNER_STARTED, 1);
}

void sim_rpc_sent(const struct sim_rpc *rpc)
{
	struct sim_key key = target_key(rpc);

	sim_table_add(&rpcs, &key, RPC_SENT, 1);
}

void sim_rpc_completed(const struct sim_rpc *rpc, int status, u64 bytes)
{
	struct sim_key target = target_key(rpc), owner = owner_key(rpc);
	u64 row[TABLE_COLUMNS] = {[RPC_COMPLETED] = 1, [RPC_BYTES] = bytes};
	const u64 owner_row[] = {[OWNER_COMPLETED] = 1, [OWNER_BYTES] = bytes};

	if (status < 0)
		row[RPC_ERRORS + sim_errno_class(status)] = 1;
	sim_table_add_row(&rpcs, &target, row, TABLE_COLUMNS);
	sim_table_add_row(&owners, &owner, owner_row, ARRAY_SIZE(owner_row));
}

void sim_rpc_waited(const struct sim_rpc *rpc, int rc)
{
	struct sim_key key = owner_key(rpc);

	sim_table_add(&owners, &key, OWNER_WAITS, 1);
	if (rc < 0)
		sim_table_add(&owners, &key, OWNER_WAIT_ERRORS, 1);
}

void sim_rpc_event(struct sim_instance *instance, const char *target, const char *event)
{
	struct sim_key key = {.instance = instance};

	strscpy_pad(key.target, target, sizeof(key.target));
	strscpy_pad(key.comm, event, sizeof(key.comm));
	sim_table_add(&events, &key, 0, 1);
}

static void show_rpc(struct seq_file *m, const struct sim_entry *e)
{
	int i;

	seq_printf(m, "%s %s %u %llu %llu", sim_instance_name(e->key.instance), e->key.target,
		   e->key.code, e->n[RPC_COMPLETED], e->n[RPC_BYTES]);
	for (i = 0; i < ERRNO_CLASS_MAX; i++)
		seq_printf(m, " %llu", e->n[RPC_ERRORS + i]);
	seq_printf(m, " %llu\n", e->n[RPC_SENT]);
}

static void show_owner(struct seq_file *m, const struct sim_entry *e)
{
	seq_printf(m, "%s %u %u ", sim_instance_name(e->key.instance), e->key.code, e->key.uid);
	sim_show_comm(m, e->key.comm);
	seq_printf(m, " %llu %llu %llu %llu %llu\n", e->n[OWNER_STARTED], e->n[OWNER_COMPLETED],
		   e->n[OWNER_BYTES], e->n[OWNER_WAITS], e->n[OWNER_WAIT_ERRORS]);
}

static void show_event(struct seq_file *m, const struct sim_entry *e)
{
	seq_printf(m, "%s %s %s %llu\n", sim_instance_name(e->key.instance), e->key.target,
		   e->key.comm, e->n[0]);
}

int sim_rpcs_show(struct seq_file *m, void *unused)
{
	sim_table_show(m, &rpcs, show_rpc);
	return 0;
}

int sim_rpc_owners_show(struct seq_file *m, void *unused)
{
	sim_table_show(m, &owners, show_owner);
	return 0;
}

int sim_rpc_events_show(struct seq_file *m, void *unused)
{
	sim_table_show(m, &events, show_event);
	return 0;
}

void sim_rpcs_reset(void)
{
	sim_table_reset(&rpcs);
	sim_table_reset(&owners);
	sim_table_reset(&events);
}
