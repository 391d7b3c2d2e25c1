// SPDX-License-Identifier: Apache-2.0
#include <linux/types.h>
#include <stdio.h>

#include "bpf/shared.h"
#include "ops/rpc.h"

#define OST_READ  3
#define OST_WRITE 4

static const char *const opcode_names[] = {
#define OPCODE(number, name) [number] = name,
#include "opcodes.def"
};

/* The same numbers in every Lustre. */
static const char *const state_names[IMPORT_STATES] = {
	[1] = "CLOSED", [2] = "NEW",	      [3] = "DISCONN",	   [4] = "CONNECTING",
	[5] = "REPLAY", [6] = "REPLAY_LOCKS", [7] = "REPLAY_WAIT", [8] = "RECOVER",
	[9] = "FULL",	[10] = "EVICTED",     [11] = "IDLE",
};

const char *opcode_name(unsigned int opcode, char buf[OPCODE_NAME_MAX])
{
	if (opcode < sizeof(opcode_names) / sizeof(opcode_names[0]) && opcode_names[opcode])
		return opcode_names[opcode];
	if (opcode == OPCODE_UNKNOWN)
		return "";
	if (opcode == OPCODE_OTHER)
		return "other";
	snprintf(buf, OPCODE_NAME_MAX, "%u", opcode);
	return buf;
}

bool opcode_is_bulk(unsigned int opcode)
{
	return opcode == OST_READ || opcode == OST_WRITE;
}

const char *import_state_name(unsigned int state)
{
	return state < IMPORT_STATES && state_names[state] ? state_names[state] : "UNKNOWN";
}
