// SPDX-License-Identifier: Apache-2.0
/* Counting calls by operation, and comparing such counts exactly. */
#include "tally.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ops/table.h"

op_mask op_mask_default(void)
{
	op_mask mask = 0;

	for (int op = 0; op < OP_MAX; op++) {
		if (!(op_table[op].flags & OPF_HOT))
			mask |= UINT64_C(1) << op;
	}
	return mask;
}

int op_by_name(const char *name)
{
	for (int op = 0; op < OP_MAX; op++) {
		if (!strcmp(op_table[op].name, name))
			return op;
	}
	return -ENOENT;
}

enum errno_class errno_class_of(int err)
{
	static const struct {
		int err;
		enum errno_class class;
	} classes[] = {
		{ETIMEDOUT, ERRNO_TIMEOUT},
		{ENOTCONN, ERRNO_NOTCONN},
		{EPERM, ERRNO_PERM},
		{EACCES, ERRNO_PERM},
		{ENOENT, ERRNO_NOTFOUND},
		{ENOTDIR, ERRNO_NOTFOUND},
		{EIO, ERRNO_IO},
		{EREMOTEIO, ERRNO_IO},
		{EAGAIN, ERRNO_AGAIN},
	};

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		if (classes[i].err == err)
			return classes[i].class;
	}
	return ERRNO_OTHER;
}

void tally_record(struct tally *t, enum op_id op, long rc)
{
	t->op[op].ops++;
	if (rc < 0)
		t->op[op].errors[errno_class_of((int)-rc)]++;
	else if (op_table[op].flags & OPF_BYTES)
		t->op[op].bytes += (uint64_t)rc;
}

void tally_add(struct tally *t, const struct tally *more)
{
	for (int op = 0; op < OP_MAX; op++) {
		t->op[op].ops += more->op[op].ops;
		t->op[op].bytes += more->op[op].bytes;
		for (int c = 0; c < ERRNO_CLASS_MAX; c++)
			t->op[op].errors[c] += more->op[op].errors[c];
	}
}

static int sub(uint64_t *out, uint64_t after, uint64_t before, const char *op, const char *what)
{
	*out = after - before;
	if (after >= before)
		return 0;
	printf("%s %s went back from %" PRIu64 " to %" PRIu64 "\n", op, what, before, after);
	*out = 0;
	return 1;
}

int tally_delta(struct tally *delta, const struct tally *after, const struct tally *before)
{
	int bad = 0;

	for (int op = 0; op < OP_MAX; op++) {
		const struct op_tally *a = &after->op[op], *b = &before->op[op];
		const char *name = op_table[op].name;

		bad += sub(&delta->op[op].ops, a->ops, b->ops, name, "operations");
		bad += sub(&delta->op[op].bytes, a->bytes, b->bytes, name, "bytes");
		for (int c = 0; c < ERRNO_CLASS_MAX; c++)
			bad += sub(&delta->op[op].errors[c], a->errors[c], b->errors[c], name,
				   errno_class_name(c));
	}
	return bad;
}

static int differs(const char *what, const char *op, const char *quantity, uint64_t got,
		   uint64_t expected)
{
	if (got == expected)
		return 0;
	printf("%s: %s %s %" PRIu64 ", expected %" PRIu64 "\n", what, op, quantity, got, expected);
	return 1;
}

int tally_compare(const char *what, const struct tally *got, const struct tally *expected,
		  op_mask mask)
{
	int n = 0;

	for (int op = 0; op < OP_MAX; op++) {
		const struct op_tally *g = &got->op[op], *e = &expected->op[op];
		const char *name = op_table[op].name;

		if (!(mask & (UINT64_C(1) << op)))
			continue;
		n += differs(what, name, "operations", g->ops, e->ops);
		n += differs(what, name, "bytes", g->bytes, e->bytes);
		for (int c = 0; c < ERRNO_CLASS_MAX; c++) {
			char errors[32];

			snprintf(errors, sizeof(errors), "errors %s", errno_class_name(c));
			n += differs(what, name, errors, g->errors[c], e->errors[c]);
		}
	}
	return n;
}

void tally_print(const struct tally *t)
{
	for (int op = 0; op < OP_MAX; op++) {
		const struct op_tally *o = &t->op[op];

		if (!o->ops)
			continue;
		printf("  %s %" PRIu64 " operations %" PRIu64 " bytes", op_table[op].name, o->ops,
		       o->bytes);
		for (int c = 0; c < ERRNO_CLASS_MAX; c++) {
			if (o->errors[c])
				printf(", %" PRIu64 " %s", o->errors[c], errno_class_name(c));
		}
		printf("\n");
	}
}
