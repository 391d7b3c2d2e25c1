/* SPDX-License-Identifier: Apache-2.0 */
/* The table of operations as data, for user space. */
#ifndef OPS_TABLE_H
#define OPS_TABLE_H

#include "ops.h"

struct op_info {
	const char *name;   /* label "op" */
	enum intent intent; /* label "access_intent", see intent_name() */
	unsigned int flags; /* OPF_* */
};

struct fn_info {
	const char *id;	     /* name of the row, part of its BPF programs' names */
	const char *symbols; /* alternatives, separated by one blank, best first */
	enum op_id op;
	enum op_id group;
	const char *table;  /* "inode_operations", ... */
	const char *method; /* member of it */
	unsigned int objects;
	unsigned int flags; /* FNF_* */
};

struct point_info {
	const char *id;
	const char *symbols;
	const char *module;
	unsigned int halves; /* POINT_* */
};

extern const struct point_info point_table[POINT_MAX];
extern const struct op_info op_table[OP_MAX];
extern const struct fn_info fn_table[FN_MAX];

/* Label values; never NULL for a valid enumerator. */
const char *intent_name(enum intent intent);
const char *errno_class_name(enum errno_class class);

#endif
