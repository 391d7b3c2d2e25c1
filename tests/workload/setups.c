// SPDX-License-Identifier: Apache-2.0
/* Preparations that several tables of cases use. */
#include "opgen.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int make_file(struct worker *w, const char *name, size_t bytes)
{
	int fd = openat(w->dir, name, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
	static const char filler[65536];
	int err = 0;

	if (fd < 0)
		return -errno;
	while (bytes && !err) {
		size_t part = bytes < sizeof(filler) ? bytes : sizeof(filler);
		ssize_t n = write(fd, filler, part);

		if (n <= 0)
			err = n ? -errno : -EIO;
		else
			bytes -= (size_t)n;
	}
	close(fd);
	return err;
}

int setup_name(struct worker *w)
{
	return make_file(w, "f", 0);
}

static int setup_file(struct worker *w, size_t bytes)
{
	int err = make_file(w, "f", bytes);

	if (err)
		return err;
	w->fd = openat(w->dir, "f", O_RDWR | O_CLOEXEC);
	return w->fd < 0 ? -errno : 0;
}

int setup_empty_file(struct worker *w)
{
	return setup_file(w, 0);
}

int setup_filled_file(struct worker *w)
{
	return setup_file(w, (size_t)w->count * w->size);
}

int setup_many_files(struct worker *w)
{
	int err = 0;

	for (int i = 0; i < w->count && !err; i++)
		err = make_file(w, numbered("n", i), 0);
	return err;
}
