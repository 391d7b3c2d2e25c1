/* SPDX-License-Identifier: Apache-2.0 */
/* What a snapshot reads of a table. For table.c and snapshot.c only. */
#ifndef SERIES_TABLE_PRIVATE_H
#define SERIES_TABLE_PRIVATE_H

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "series/table.h"

/* Families that a label set has a series in. */
#define HAS_OPERATIONS	 0x01
#define HAS_BYTES	 0x02
#define HAS_LATENCY	 0x04
#define HAS_ERROR(class) (0x08u << (class)) /* of CELL_RPC: enum rpc_event instead */
#define HAS_INFLIGHT	 0x400

/* A histogram, only the buckets from the first to the last that ever counted. */
struct series_histogram {
	uint64_t sum_ns;
	uint8_t first;
	uint8_t n;
	uint64_t count[];
};

struct series_uid;

struct series_entry {
	UT_hash_handle hh;
	struct series_uid *owner; /* whose share it is of; NULL: nobody's */
	struct series_key key;
	uint16_t has;
	uint32_t last_active; /* seconds, monotonic */
	uint64_t created_ms;
	uint64_t operations;
	uint64_t bytes;
	uint64_t *errors; /* [ERRNO_CLASS_MAX], NULL until the first one */
	struct series_histogram *latency;
};

struct series_sizes {
	uint64_t sum;
	uint64_t count[SIZE_BUCKETS];
	bool used;
};

struct series_mount {
	char *fs;
	char *mount;
	uint32_t holders; /* series_mount_get() without put */
	uint32_t entries; /* label sets that name it */
	uint64_t last_active_ms;
	uint64_t created_ms;
	uint64_t operations[OP_MAX];
	uint64_t bytes[OP_MAX];
	struct series_sizes sizes[2]; /* read, write */
};

struct series_uid {
	UT_hash_handle hh;
	uint32_t uid;
	uint32_t entries;
	uint32_t series;
	uint32_t snapshot_name; /* username in the snapshot that is being taken */
};

struct series_table {
	struct series_options options;
	struct intern *strings;
	struct series_entry *entries;
	struct series_uid *uids;
	struct series_mount **mounts; /* by number; NULL: free */
	uint32_t n_mounts;
	uint64_t now_ms;      /* monotonic */
	uint64_t now_unix_ms; /* of this pass */
	uint64_t created_ms;  /* unix time of the pass before */
	struct series_stats stats;
};

_Static_assert(sizeof(struct series_key) == 24, "series_key is a hash key: no padding");
_Static_assert(HAS_ERROR(ERRNO_CLASS_MAX) <= HAS_INFLIGHT, "bits of series_entry.has");

#endif
