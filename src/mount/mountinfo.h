/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Lustre client mounts in /proc/PID/mountinfo. Nothing but that text is
 * used: a path below a dead Lustre mount must not be touched.
 *
 * Mounts of server targets, which may have the same file system type, are left
 * out: their source names no file system (no ":/").
 */
#ifndef MOUNT_MOUNTINFO_H
#define MOUNT_MOUNTINFO_H

#include <stddef.h>
#include <stdint.h>

/* One line; the strings hold any bytes, escapes are decoded. */
struct mountinfo_entry {
	uint32_t id; /* mnt_id, unique on the node while the mount exists */
	uint32_t parent;
	uint32_t major, minor; /* of s_dev; the same for all mounts of one file system */
	char *root;	       /* path inside the file system: "/", or what a bind mount shows */
	char *mount_point;
	char *source; /* NIDs:/fsname[/subdirectory] */
	char *fsname; /* out of source */
};

struct mountinfo {
	struct mountinfo_entry *entries; /* in the order of the lines */
	size_t count;
	size_t skipped; /* lines that are not of the form of mountinfo */
};

/* Parses len bytes. Returns 0 or -ENOMEM. */
int mountinfo_parse(struct mountinfo *info, const char *text, size_t len);

/*
 * <procfs>/self/mountinfo as a file descriptor, or -errno. poll(2) reports
 * POLLERR | POLLPRI when mounts have changed since the last poll.
 */
int mountinfo_open(const char *procfs);

/* Reads and parses it from its beginning. Returns 0 or -errno; *info is set only with 0. */
int mountinfo_read_fd(int fd, struct mountinfo *info);

/* The same in one step. */
int mountinfo_read(const char *procfs, struct mountinfo *info);

void mountinfo_free(struct mountinfo *info);

#endif
