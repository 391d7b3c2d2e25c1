/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happened, by operation: the form in which the workload's own record, the
 * simulated client's oracle and the exporter's metrics are compared.
 */
#ifndef WORKLOAD_TALLY_H
#define WORKLOAD_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "ops/ops.h"

struct op_tally {
	uint64_t ops;
	uint64_t bytes;
	uint64_t errors[ERRNO_CLASS_MAX];
};

struct tally {
	struct op_tally op[OP_MAX];
};

typedef uint64_t op_mask; /* one bit per enum op_id */
#define OP_BIT(id) (UINT64_C(1) << OP_##id)
_Static_assert(OP_MAX <= 64, "op_mask holds every operation");

/* All operations that are observed without being asked for (not OPF_HOT). */
op_mask op_mask_default(void);

/* Name of an operation to its enumerator, -ENOENT if there is none. */
int op_by_name(const char *name);

enum errno_class errno_class_of(int err); /* err > 0 */

/* One call that returned rc: bytes where the operation moves some, or -errno. */
void tally_record(struct tally *t, enum op_id op, long rc);

void tally_add(struct tally *t, const struct tally *more);

/* after - before; a counter that went back is reported on stdout. Returns the number of those. */
int tally_delta(struct tally *delta, const struct tally *after, const struct tally *before);

/*
 * Compares the operations in mask and writes one line for each difference,
 * "WHAT: read operations 99, expected 100". Returns the number of differences.
 */
int tally_compare(const char *what, const struct tally *got, const struct tally *expected,
		  op_mask mask);

/* One line "  read 100 operations 6400 bytes, 3 io" per operation that happened. */
void tally_print(const struct tally *t);

#endif
