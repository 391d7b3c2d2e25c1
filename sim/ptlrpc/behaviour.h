/* SPDX-License-Identifier: GPL-2.0 */
/* How the simulated servers and the network treat requests. */
#ifndef SIM_PTLRPC_BEHAVIOUR_H
#define SIM_PTLRPC_BEHAVIOUR_H

#include <linux/types.h>

enum sim_fate { FATE_ANSWER, FATE_DROP, FATE_NET_ERROR };

struct sim_answer {
	enum sim_fate fate;
	u64 delay_us;
	int status; /* of the answer, 0 or -errno */
	bool evict; /* the server has forgotten the client */
};

/* The rule of a target, by name (OST0000). */
unsigned int sim_behaviour_rule(const char *target);

/* What becomes of the next request to that target; uses up what was set for N requests. */
struct sim_answer sim_behaviour_next(unsigned int rule);

unsigned long sim_timeout_jiffies(void); /* until a request without answer expires */
bool sim_from_pool(void);		 /* bulk writes take their request from the pool */
bool sim_lose_free(void);		 /* the next free bypasses ptlrpc_request_cache_free() */
u64 sim_commit_lag(void);		 /* transactions that are answered, but not yet committed */

#endif
