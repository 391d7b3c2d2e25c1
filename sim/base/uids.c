// SPDX-License-Identifier: GPL-2.0
/*
 * The oracle's detail of operations: who did what (fsuid, name of the process)
 * and, for reads and writes, the sizes that were asked for.
 */
#include <linux/cred.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/string.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "base/table.h"

static SIM_TABLE(uids);
static SIM_TABLE(sizes);

void sim_owner_current(struct sim_owner *owner)
{
	owner->uid = from_kuid(&init_user_ns, current_fsuid());
	/* Another thread may set the name just now: a copy of either is right. */
	rcu_read_lock();
	strscpy_pad(owner->comm, READ_ONCE(current->group_leader)->comm, sizeof(owner->comm));
	rcu_read_unlock();
}

void sim_uids_count(struct sim_instance *instance, enum op_id op, u64 bytes)
{
	struct sim_key key = {.instance = instance, .code = op};
	const u64 row[] = {1, bytes};
	struct sim_owner owner;

	sim_owner_current(&owner);
	key.uid = owner.uid;
	memcpy(key.comm, owner.comm, sizeof(key.comm));
	sim_table_add_row(&uids, &key, row, ARRAY_SIZE(row));
}

void sim_sizes_count(struct sim_instance *instance, enum op_id op, u64 size)
{
	struct sim_key key = {.instance = instance, .code = op, .size = size};

	sim_table_add(&sizes, &key, 0, 1);
}

static void show_uid(struct seq_file *m, const struct sim_entry *e)
{
	seq_printf(m, "%s %s %u ", sim_instance_name(e->key.instance), sim_op_name(e->key.code),
		   e->key.uid);
	sim_show_comm(m, e->key.comm);
	seq_printf(m, " %llu %llu\n", e->n[0], e->n[1]);
}

static void show_size(struct seq_file *m, const struct sim_entry *e)
{
	seq_printf(m, "%s %s %llu %llu\n", sim_instance_name(e->key.instance),
		   sim_op_name(e->key.code), e->key.size, e->n[0]);
}

int sim_uids_show(struct seq_file *m, void *unused)
{
	sim_table_show(m, &uids, show_uid);
	return 0;
}

int sim_sizes_show(struct seq_file *m, void *unused)
{
	sim_table_show(m, &sizes, show_size);
	return 0;
}

void sim_uids_reset(void)
{
	sim_table_reset(&uids);
	sim_table_reset(&sizes);
}
