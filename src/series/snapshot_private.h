/* SPDX-License-Identifier: Apache-2.0 */
/* Layout of a snapshot. For snapshot.c and walk.c only. */
#ifndef SERIES_SNAPSHOT_PRIVATE_H
#define SERIES_SNAPSHOT_PRIVATE_H

#include <stdatomic.h>

#include "series/snapshot.h"
#include "series/table_private.h"

struct string_pool {
	char *base;
	size_t used;
	size_t room;
};

struct snapshot_mount {
	uint32_t fs; /* offsets of strings, here and below */
	uint32_t mount;
	uint64_t created_ms;
	uint64_t operations[OP_MAX];
	uint64_t bytes[OP_MAX];
	struct series_sizes sizes[2];
};

struct snapshot_row {
	uint64_t created_ms;
	uint64_t operations;
	uint64_t bytes;
	uint32_t uid;
	uint32_t username;
	uint32_t process;
	uint32_t actor;
	uint32_t job;
	uint32_t errors;  /* first of ERRNO_CLASS_MAX values */
	uint32_t latency; /* sum, then n buckets */
	uint16_t mount;
	uint16_t has;
	uint16_t op;
	uint8_t first;
	uint8_t n;
};

struct snapshot {
	atomic_uint refs;
	uint64_t unix_ms;
	struct series_options options;
	struct extras *extras;
	struct string_pool strings;
	struct snapshot_mount *mounts; /* by number; a free one has only zeros */
	size_t n_mounts;
	struct snapshot_row *rows;
	size_t n_rows;
	uint64_t *values;
};

#endif
