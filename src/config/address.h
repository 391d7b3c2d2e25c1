/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where to listen, as text: `:9108` (every address), `host:9108`,
 * `[::1]:9108`, `unix:/path`. Names are not resolved here.
 */
#ifndef CONFIG_ADDRESS_H
#define CONFIG_ADDRESS_H

#include <stdint.h>

#define ADDRESS_HOST_MAX 253 /* longest host name */
#define ADDRESS_PATH_MAX 107 /* sun_path without its NUL */

enum address_kind {
	ADDRESS_INET, /* name is a host name or address without brackets, "" for any */
	ADDRESS_UNIX, /* name is an absolute path */
};

struct address {
	enum address_kind kind;
	uint16_t port; /* 0: the kernel chooses */
	char name[ADDRESS_HOST_MAX + 1];
};

/*
 * Returns 0, or -EINVAL with *why set to a constant text that goes on after
 * the value, such as "has no port".
 */
int address_parse(struct address *address, const char *text, const char **why);

#endif
