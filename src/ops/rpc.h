/* SPDX-License-Identifier: Apache-2.0 */
/* Words for what stands in requests. */
#ifndef OPS_RPC_H
#define OPS_RPC_H

#include <stdbool.h>

#define OPCODE_NAME_MAX 32

/*
 * Label "opcode" of a CELL_OPCODE(): a constant, or for a number without a name buf
 * with the number in it; "" where it is not known.
 */
const char *opcode_name(unsigned int opcode, char buf[OPCODE_NAME_MAX]);

/* Whether such requests move data in bulk, which is counted. */
bool opcode_is_bulk(unsigned int opcode);

/* Label "state" of an import: enum lustre_imp_state, as Lustre itself words it. */
const char *import_state_name(unsigned int state);

#endif
