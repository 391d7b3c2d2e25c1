// SPDX-License-Identifier: Apache-2.0
/* Reads the frame iterator. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "probe/inside.h"

static bool super_block_exists(const struct mount_slot *slots, unsigned int mount)
{
	/* The surplus slot stands for several: they may exist. */
	return !mount ||
	       (mount < MOUNT_SLOTS && __atomic_load_n(&slots[mount].sb, __ATOMIC_RELAXED));
}

int inside_forms(const struct object *object, const struct mount_slot *slots, bool in_use[FORM_MAX])
{
	struct frame_record records[64];
	ssize_t n;
	int fd = object_inside_open(object);

	if (fd < 0)
		return fd;
	memset(in_use, 0, FORM_MAX * sizeof(*in_use));
	while ((n = read(fd, records, sizeof(records))) > 0)
		for (size_t i = 0; i < n / sizeof(records[0]); i++)
			if (records[i].form < FORM_MAX &&
			    super_block_exists(slots, records[i].mount))
				in_use[records[i].form] = true;
	if (n < 0)
		n = -errno;
	close(fd);
	return n;
}
