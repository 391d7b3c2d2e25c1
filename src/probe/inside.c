// SPDX-License-Identifier: Apache-2.0
/* Reads the frame iterator. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "probe/inside.h"

int inside_forms(const struct object *object, bool in_use[FORM_MAX])
{
	struct frame_record records[64];
	ssize_t n;
	int fd = object_inside_open(object);

	if (fd < 0)
		return fd;
	memset(in_use, 0, FORM_MAX * sizeof(*in_use));
	while ((n = read(fd, records, sizeof(records))) > 0)
		for (size_t i = 0; i < n / sizeof(records[0]); i++)
			if (records[i].form < FORM_MAX)
				in_use[records[i].form] = true;
	if (n < 0)
		n = -errno;
	close(fd);
	return n;
}
