// SPDX-License-Identifier: Apache-2.0
/* The table of operations as data, and the words for its enumerators. */
#include "table.h"

const struct op_info op_table[OP_MAX] = {
#define OP(id, name, intent, flags) [OP_##id] = {name, INTENT_##intent, flags},
#include "ops.def"
};

const struct fn_info fn_table[FN_MAX] = {
#define FN(id, symbols, op, group, table, method, objects, flags) \
	[FN_##id] = {#id, symbols, OP_##op, OP_##group, #table, #method, objects, flags},
#include "ops.def"
};

const struct point_info point_table[POINT_MAX] = {
#define POINT(id, symbols, module, halves) [POINT_##id] = {#id, symbols, module, halves},
#include "points.def"
};

static const char *const intent_names[INTENT_MAX] = {
	[INTENT_NAMESPACE_READ] = "namespace_read",
	[INTENT_NAMESPACE_MUTATION] = "namespace_mutation",
	[INTENT_DATA_READ] = "data_read",
	[INTENT_DATA_WRITE] = "data_write",
	[INTENT_SYNC] = "sync",
	[INTENT_OTHER] = "other",
};

static const char *const errno_class_names[ERRNO_CLASS_MAX] = {
	[ERRNO_TIMEOUT] = "timeout",   [ERRNO_NOTCONN] = "notconn", [ERRNO_PERM] = "perm",
	[ERRNO_NOTFOUND] = "notfound", [ERRNO_IO] = "io",	    [ERRNO_AGAIN] = "again",
	[ERRNO_OTHER] = "other",
};

const char *intent_name(enum intent intent)
{
	return intent_names[intent];
}

const char *errno_class_name(enum errno_class class)
{
	return errno_class_names[class];
}
