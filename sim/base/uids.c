// SPDX-License-Identifier: GPL-2.0
/*
 * The oracle's detail: who did what (fsuid, name of the process) and, for
 * reads and writes, the sizes that were asked for. Two hash tables of counters
 * under bucket locks; entries are made in atomic context, because revalidation
 * runs in RCU walks. What finds no memory is counted as lost and shown.
 */
#include <linux/cred.h>
#include <linux/ctype.h>
#include <linux/hash.h>
#include <linux/jhash.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "base/base.h"

#define BUCKETS 1024

/* Hashed and compared as bytes: no padding. */
struct who {
	const struct sim_instance *instance;
	u64 size;
	u32 op;
	u32 uid;
	char comm[TASK_COMM_LEN];
};

struct entry {
	struct hlist_node node;
	struct who key;
	u64 operations;
	u64 bytes;
};

struct bucket {
	spinlock_t lock;
	struct hlist_head head;
};

struct table {
	struct bucket buckets[BUCKETS];
	atomic64_t lost;
};

#define UNLOCKED_BUCKETS                                                          \
	{                                                                         \
		[0 ... BUCKETS - 1] = {.lock = __SPIN_LOCK_UNLOCKED(sim_bucket) } \
	}

static struct table uids = {.buckets = UNLOCKED_BUCKETS};
static struct table sizes = {.buckets = UNLOCKED_BUCKETS};

static void table_add(struct table *table, const struct who *key, u64 bytes)
{
	struct bucket *b = &table->buckets[jhash(key, sizeof(*key), 0) % BUCKETS];
	struct entry *e;

	spin_lock(&b->lock);
	hlist_for_each_entry(e, &b->head, node)
	{
		if (!memcmp(&e->key, key, sizeof(*key)))
			goto found;
	}
	e = kzalloc(sizeof(*e), GFP_ATOMIC | __GFP_NOWARN);
	if (!e) {
		atomic64_inc(&table->lost);
		goto out;
	}
	e->key = *key;
	hlist_add_head(&e->node, &b->head);
found:
	e->operations++;
	e->bytes += bytes;
out:
	spin_unlock(&b->lock);
}

static void table_reset(struct table *table)
{
	int i;

	for (i = 0; i < BUCKETS; i++) {
		struct bucket *b = &table->buckets[i];
		struct hlist_node *next;
		struct entry *e;

		spin_lock(&b->lock);
		hlist_for_each_entry_safe(e, next, &b->head, node)
		{
			hlist_del(&e->node);
			kfree(e);
		}
		spin_unlock(&b->lock);
	}
	atomic64_set(&table->lost, 0);
}

static void table_show(struct seq_file *m, struct table *table,
		       void (*show)(struct seq_file *m, const struct entry *e))
{
	int i;

	for (i = 0; i < BUCKETS; i++) {
		struct bucket *b = &table->buckets[i];
		struct entry *e;

		spin_lock(&b->lock);
		hlist_for_each_entry(e, &b->head, node) show(m, e);
		spin_unlock(&b->lock);
	}
	if (atomic64_read(&table->lost))
		seq_printf(m, "# lost %lld\n", (long long)atomic64_read(&table->lost));
}

void sim_uids_count(struct sim_instance *instance, enum op_id op, u64 bytes)
{
	struct who key = {
		.instance = instance,
		.op = op,
		.uid = from_kuid(&init_user_ns, current_fsuid()),
	};

	/* Another thread may set the name just now: a copy of either is right. */
	rcu_read_lock();
	strscpy_pad(key.comm, READ_ONCE(current->group_leader)->comm, sizeof(key.comm));
	rcu_read_unlock();
	table_add(&uids, &key, bytes);
}

void sim_sizes_count(struct sim_instance *instance, enum op_id op, u64 size)
{
	struct who key = {.instance = instance, .op = op, .size = size};

	table_add(&sizes, &key, 0);
}

/* Blanks and backslashes too, so that the line keeps its columns. */
static void show_comm(struct seq_file *m, const char *comm)
{
	for (; *comm; comm++) {
		unsigned char c = *comm;

		if (c > ' ' && c < 0x7f && c != '\\')
			seq_putc(m, c);
		else
			seq_printf(m, "\\x%02x", c);
	}
}

static void show_uid(struct seq_file *m, const struct entry *e)
{
	seq_printf(m, "%s %s %u ", sim_instance_name(e->key.instance), sim_op_name(e->key.op),
		   e->key.uid);
	show_comm(m, e->key.comm);
	seq_printf(m, " %llu %llu\n", e->operations, e->bytes);
}

static void show_size(struct seq_file *m, const struct entry *e)
{
	seq_printf(m, "%s %s %llu %llu\n", sim_instance_name(e->key.instance),
		   sim_op_name(e->key.op), e->key.size, e->operations);
}

int sim_uids_show(struct seq_file *m, void *unused)
{
	table_show(m, &uids, show_uid);
	return 0;
}

int sim_sizes_show(struct seq_file *m, void *unused)
{
	table_show(m, &sizes, show_size);
	return 0;
}

void sim_uids_reset(void)
{
	table_reset(&uids);
	table_reset(&sizes);
}
