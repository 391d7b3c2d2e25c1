/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A copy of everything that is exposed, as it was at one moment. It holds its own
 * memory, so that a slow reader holds up nobody, and never changes, so that any
 * number of scrapes may read it at once.
 */
#ifndef SERIES_SNAPSHOT_H
#define SERIES_SNAPSHOT_H

#include "ops/rpc.h"
#include "series/extras.h"
#include "series/family.h"
#include "series/table.h"

struct snapshot;

/*
 * Name of a user, or "unknown"; asked once per uid and snapshot, must not block. The
 * text is copied before the next call.
 */
typedef const char *username_fn(void *ctx, uint32_t uid);

/*
 * Copies the table (its owner calls) and takes over the extras, also when it fails;
 * extras may be NULL. unix_ms is the time of the values. 0 or -ENOMEM.
 */
int snapshot_take(struct series_table *t, struct extras *extras, username_fn *username, void *ctx,
		  uint64_t unix_ms, struct snapshot **snapshot);

/* Any thread. The last put frees. */
struct snapshot *snapshot_ref(struct snapshot *s);
void snapshot_put(struct snapshot *s);

uint64_t snapshot_unix_ms(const struct snapshot *s);

#define SAMPLE_LABELS_MAX EXTRAS_LABELS_MAX

/* A walk through a snapshot. The members are private. */
struct sample_walk {
	const struct snapshot *snapshot;
	unsigned int family; /* number of the next family, extras after the table's */
	size_t row;	     /* in the current family */
	unsigned int sub;    /* part of the row */
	const void *extra;
	bool peeked; /* sample is the family's first one and not yet told */
	struct sample sample;
	struct label labels[SAMPLE_LABELS_MAX];
	char uid[12];
	char opcode[OPCODE_NAME_MAX];
};

void samples_begin(struct sample_walk *w, const struct snapshot *s);

/* The next family that has samples; NULL: the end. */
const struct family *samples_next_family(struct sample_walk *w);

/* The next sample of that family, valid until the next call; NULL: no more. */
const struct sample *samples_next(struct sample_walk *w);

#endif
