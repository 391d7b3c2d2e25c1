// SPDX-License-Identifier: GPL-2.0
/* Hash tables under bucket locks: entries are made where nothing may sleep. */
#include <linux/jhash.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "base/table.h"

void sim_table_add_row(struct sim_table *table, const struct sim_key *key, const u64 *row,
		       int columns)
{
	unsigned int b = jhash(key, sizeof(*key), 0) % TABLE_BUCKETS;
	struct sim_entry *e;
	int i;

	spin_lock(&table->buckets[b].lock);
	hlist_for_each_entry(e, &table->buckets[b].head, node)
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
	hlist_add_head(&e->node, &table->buckets[b].head);
found:
	for (i = 0; i < columns; i++)
		e->n[i] += row[i];
out:
	spin_unlock(&table->buckets[b].lock);
}

void sim_table_add(struct sim_table *table, const struct sim_key *key, int column, u64 n)
{
	u64 row[TABLE_COLUMNS] = {};

	row[column] = n;
	sim_table_add_row(table, key, row, column + 1);
}

void sim_table_reset(struct sim_table *table)
{
	int b;

	for (b = 0; b < TABLE_BUCKETS; b++) {
		struct hlist_node *next;
		struct sim_entry *e;

		spin_lock(&table->buckets[b].lock);
		hlist_for_each_entry_safe(e, next, &table->buckets[b].head, node)
		{
			hlist_del(&e->node);
			kfree(e);
		}
		spin_unlock(&table->buckets[b].lock);
	}
	atomic64_set(&table->lost, 0);
}

void sim_table_show(struct seq_file *m, struct sim_table *table,
		    void (*show)(struct seq_file *m, const struct sim_entry *e))
{
	struct sim_entry *e;
	int b;

	for (b = 0; b < TABLE_BUCKETS; b++) {
		spin_lock(&table->buckets[b].lock);
		hlist_for_each_entry(e, &table->buckets[b].head, node) show(m, e);
		spin_unlock(&table->buckets[b].lock);
	}
	if (atomic64_read(&table->lost))
		seq_printf(m, "# lost %lld\n", (long long)atomic64_read(&table->lost));
}

void sim_show_comm(struct seq_file *m, const char *comm)
{
	for (; *comm; comm++) {
		unsigned char c = *comm;

		if (c > ' ' && c < 0x7f && c != '\\')
			seq_putc(m, c);
		else
			seq_printf(m, "\\x%02x", c);
	}
}
