// SPDX-License-Identifier: GPL-2.0
/*
 * The oracle's totals: per super block and operation, the number of
 * operations, bytes, and errors by class; and raw calls per function. Atomic
 * counters, so exact whatever runs at the same time.
 */
#include <linux/errno.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "base/base.h"

struct op_counts {
	atomic64_t operations;
	atomic64_t bytes;
	atomic64_t errors[ERRNO_CLASS_MAX];
};

struct sim_instance {
	struct list_head link;
	char name[64];
	struct op_counts ops[OP_MAX];
};

static LIST_HEAD(instances);
static DEFINE_MUTEX(instances_lock);

atomic64_t sim_calls[SIM_FN_MAX];
EXPORT_SYMBOL_GPL(sim_calls);

static const char *const op_names[OP_MAX] = {
#define OP(id, name, intent, flags) [OP_##id] = name,
#include "ops/ops.def"
};

static const char *const fn_symbols[SIM_FN_MAX] = {
#define FN(id, symbols, op, group, table, method, objects, flags) [FN_##id] = symbols,
#include "ops/ops.def"
#define SIM_FN(symbol) [SIM_##symbol] = #symbol,
#include "base/functions.def"
};

const char *sim_op_name(enum op_id op)
{
	return op_names[op];
}

const char *sim_instance_name(const struct sim_instance *instance)
{
	return instance->name;
}

const char *sim_fn_name(unsigned int fn, int *length)
{
	*length = strcspn(fn_symbols[fn], " ");
	return fn_symbols[fn];
}

struct sim_instance *sim_instance_get(const char *fsname, const void *sb)
{
	struct sim_instance *instance;
	char name[sizeof(instance->name)];

	snprintf(name, sizeof(name), "%s-%016lx", fsname, (unsigned long)sb);
	mutex_lock(&instances_lock);
	list_for_each_entry (instance, &instances, link) {
		if (!strcmp(instance->name, name))
			goto out;
	}
	instance = kzalloc(sizeof(*instance), GFP_KERNEL);
	if (!instance)
		goto out;
	strcpy(instance->name, name);
	list_add_tail(&instance->link, &instances);
out:
	mutex_unlock(&instances_lock);
	return instance;
}
EXPORT_SYMBOL_GPL(sim_instance_get);

enum errno_class sim_errno_class(long rc)
{
	switch (-rc) {
	case ETIMEDOUT:
		return ERRNO_TIMEOUT;
	case ENOTCONN:
		return ERRNO_NOTCONN;
	case EPERM:
	case EACCES:
		return ERRNO_PERM;
	case ENOENT:
	case ENOTDIR:
		return ERRNO_NOTFOUND;
	case EIO:
	case EREMOTEIO:
		return ERRNO_IO;
	case EAGAIN:
		return ERRNO_AGAIN;
	}
	return ERRNO_OTHER;
}

static void count(struct sim_instance *instance, enum op_id op, long rc, u64 bytes)
{
	struct op_counts *c = &instance->ops[op];

	atomic64_inc(&c->operations);
	if (bytes)
		atomic64_add(bytes, &c->bytes);
	if (rc < 0)
		atomic64_inc(&c->errors[sim_errno_class(rc)]);
	sim_uids_count(instance, op, bytes);
}

void sim_count(struct sim_instance *instance, enum op_id op, long rc)
{
	if (rc != -ECHILD)
		count(instance, op, rc, 0);
}
EXPORT_SYMBOL_GPL(sim_count);

void sim_count_io(struct sim_instance *instance, enum op_id op, long rc, u64 bytes, u64 requested)
{
	count(instance, op, rc, bytes);
	sim_sizes_count(instance, op, requested);
}
EXPORT_SYMBOL_GPL(sim_count_io);

int sim_counts_show(struct seq_file *m, void *unused)
{
	struct sim_instance *instance;
	int op, i;

	mutex_lock(&instances_lock);
	list_for_each_entry (instance, &instances, link) {
		for (op = 0; op < OP_MAX; op++) {
			struct op_counts *c = &instance->ops[op];

			if (!atomic64_read(&c->operations))
				continue;
			seq_printf(m, "%s %s %lld %lld", instance->name, op_names[op],
				   (long long)atomic64_read(&c->operations),
				   (long long)atomic64_read(&c->bytes));
			for (i = 0; i < ERRNO_CLASS_MAX; i++)
				seq_printf(m, " %lld", (long long)atomic64_read(&c->errors[i]));
			seq_putc(m, '\n');
		}
	}
	mutex_unlock(&instances_lock);
	return 0;
}

int sim_functions_show(struct seq_file *m, void *unused)
{
	unsigned int fn;

	for (fn = 0; fn < SIM_FN_MAX; fn++) {
		int length;
		const char *name = sim_fn_name(fn, &length);

		seq_printf(m, "%.*s %lld\n", length, name,
			   (long long)atomic64_read(&sim_calls[fn]));
	}
	return 0;
}

void sim_counts_reset(void)
{
	struct sim_instance *instance;
	int i, op;

	mutex_lock(&instances_lock);
	list_for_each_entry (instance, &instances, link) {
		for (op = 0; op < OP_MAX; op++) {
			struct op_counts *c = &instance->ops[op];

			atomic64_set(&c->operations, 0);
			atomic64_set(&c->bytes, 0);
			for (i = 0; i < ERRNO_CLASS_MAX; i++)
				atomic64_set(&c->errors[i], 0);
		}
	}
	mutex_unlock(&instances_lock);
	for (i = 0; i < SIM_FN_MAX; i++)
		atomic64_set(&sim_calls[i], 0);
}

void sim_counts_exit(void)
{
	struct sim_instance *instance, *next;

	list_for_each_entry_safe (instance, next, &instances, link)
		kfree(instance);
	INIT_LIST_HEAD(&instances);
}
