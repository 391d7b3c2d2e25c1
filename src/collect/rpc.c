// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <string.h>

#include "collect/rpc.h"

bool rpc_cell_is_of_target(const struct cell_key *key)
{
	return CELL_PLANE(key->op) == CELL_RPC_TARGET(0) || key->op == CELL_IMPORT;
}

void rpc_target_label(const struct rpc_target *targets, const struct cell_key *key,
		      char label[TARGET_NAME_LEN])
{
	static const char *const types[] = {"-osc", "-mdc"};
	uint64_t slot;
	size_t len;

	memcpy(&slot, key->comm, sizeof(slot));
	memcpy(label, targets[slot < RPC_TARGETS ? slot : 0].key.name, TARGET_NAME_LEN);
	label[TARGET_NAME_LEN - 1] = '\0';
	len = strlen(label);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (len > strlen(types[i]) && !strcmp(label + len - strlen(types[i]), types[i]))
			label[len - strlen(types[i])] = '\0';
}
