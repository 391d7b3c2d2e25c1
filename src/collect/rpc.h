/* SPDX-License-Identifier: Apache-2.0 */
/* Cells that are told by server target instead of by identity. */
#ifndef COLLECT_RPC_H
#define COLLECT_RPC_H

#include <linux/types.h>
#include <stdbool.h>

#include "bpf/shared.h"

bool rpc_cell_is_of_target(const struct cell_key *key);

/*
 * Label "target": the device's name without what follows the target, so
 * lustre-OST0000 of lustre-OST0000-osc; "" for slot 0.
 */
void rpc_target_label(const struct rpc_target *targets, const struct cell_key *key,
		      char label[TARGET_NAME_LEN]);

#endif
