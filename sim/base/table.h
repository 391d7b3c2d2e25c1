/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hash table of counters for the oracle's details. Usable in atomic context;
 * what finds no memory is counted as lost and shown.
 */
#ifndef SIM_BASE_TABLE_H
#define SIM_BASE_TABLE_H

#include <linux/list.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>

#include "base/base.h"

#define TABLE_BUCKETS 1024
#define TABLE_COLUMNS 10

/* Hashed and compared as bytes: initialise all of it. */
struct sim_key {
	const struct sim_instance *instance;
	u64 size;
	u32 code; /* operation or opcode */
	u32 uid;
	char comm[TASK_COMM_LEN];
	char target[8];
};

struct sim_entry {
	struct hlist_node node;
	struct sim_key key;
	u64 n[TABLE_COLUMNS];
};

struct sim_table {
	struct {
		spinlock_t lock;
		struct hlist_head head;
	} buckets[TABLE_BUCKETS];
	atomic64_t lost;
};

#define SIM_TABLE(table)           \
	struct sim_table table = { \
		.buckets = {[0 ... TABLE_BUCKETS - 1] = {.lock = __SPIN_LOCK_UNLOCKED(table)}}}

void sim_table_add(struct sim_table *table, const struct sim_key *key, int column, u64 n);
/* Adds to the first columns at once. */
void sim_table_add_row(struct sim_table *table, const struct sim_key *key, const u64 *row,
		       int columns);
void sim_table_reset(struct sim_table *table);
void sim_table_show(struct seq_file *m, struct sim_table *table,
		    void (*show)(struct seq_file *m, const struct sim_entry *e));

/* A name without blanks and unprintable bytes, so that a line keeps its columns. */
void sim_show_comm(struct seq_file *m, const char *comm);

#endif
