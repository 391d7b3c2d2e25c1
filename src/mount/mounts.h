/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which super block is which mount. The kernel side fills a slot for each super
 * block that an operation was seen on (bpf/shared.h); here it gets its labels, and
 * it is decided whether its operations count.
 *
 * A slot is known by any mount of its super block that stands in our mountinfo,
 * so a bind mount is not a mount of its own. The labels are those of the mount of
 * the whole tree (root "/"), else of the first line; the path in --mount, if one
 * names a mount of the super block. A mount that only other mount namespaces have
 * gets its file system's name from sysfs and the mount label "".
 *
 * One thread at a time may use it.
 */
#ifndef MOUNT_MOUNTS_H
#define MOUNT_MOUNTS_H

#include <linux/types.h>
#include <stdint.h>

#include "bpf/shared.h"

struct mountinfo;
struct string_list;

enum mount_decision {
	MOUNT_UNDECIDED, /* free, or not named yet: what is counted is kept */
	MOUNT_REJECTED,	 /* not selected by --mount */
	MOUNT_SELECTED,
};

struct mount_label {
	const char *fs, *mount; /* valid UTF-8, until mounts_update() or mounts_release() */
	uint32_t version;	/* another number whenever fs or mount has changed */
};

struct mounts;

/*
 * slots: MOUNT_SLOTS mapped slots; selected: the --mount paths, empty means all.
 * procfs NULL: mountinfo is only what mounts_set_mountinfo() says. All arguments
 * are borrowed. NULL: no memory. Without a readable mountinfo nothing is mounted.
 */
struct mounts *mounts_new(struct mount_slot *slots, const struct string_list *selected,
			  const char *procfs, const char *sysfs);
void mounts_free(struct mounts *m);

/* Readable (POLLPRI | POLLERR) when the table of mounts has changed; negative: none. */
int mounts_fd(const struct mounts *m);

/*
 * Called before each pass. Reads mountinfo only when it has changed, decides new
 * slots, sets slot->state and, where the mounts of a super block have to be
 * looked at again, slot->refresh.
 */
void mounts_update(struct mounts *m);

/* Takes over info, to be used from the next update on. */
void mounts_set_mountinfo(struct mounts *m, struct mountinfo *info);

/*
 * Slot 0 takes the surplus of super blocks: labels "other", "other". A slot that
 * went before it could be named is decided all the same, with empty labels: no
 * slot is undecided for ever.
 */
enum mount_decision mounts_decision(const struct mounts *m, unsigned int slot);
void mounts_label(const struct mounts *m, unsigned int slot, struct mount_label *label);

/* The slot is MOUNT_GONE and has been read for the last time: it may be claimed again. */
void mounts_release(struct mounts *m, unsigned int slot);

/* Lustre client mounts in the table, bind mounts included. */
unsigned int mounts_count(const struct mounts *m);

/* --mount paths that are no Lustre mount now: how many, and the n-th (from 0; NULL: no more). */
unsigned int mounts_missing(const struct mounts *m);
const char *mounts_missing_path(const struct mounts *m, unsigned int n);

#endif
