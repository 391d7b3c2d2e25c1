// SPDX-License-Identifier: Apache-2.0
/* Cases that move or position file data by ordinary system calls. */
#include "opgen.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define NOT_AN_ADDRESS ((void *)8)

static off_t at(const struct worker *w, int i)
{
	return (off_t)w->size * i;
}

/* The buffer in two parts, so that vectored calls have something to join. */
static void two_parts(const struct worker *w, struct iovec *iov)
{
	size_t half = w->size / 2;

	iov[0] = (struct iovec){w->buf, half};
	iov[1] = (struct iovec){w->buf + half, w->size - half};
}

static long call_read(struct worker *w, int i)
{
	return result(read(w->fd, w->buf, w->size));
}

static long call_pread64(struct worker *w, int i)
{
	return result(pread(w->fd, w->buf, w->size, at(w, i)));
}

static long call_readv(struct worker *w, int i)
{
	struct iovec iov[2];

	two_parts(w, iov);
	return result(readv(w->fd, iov, 2));
}

static long call_preadv(struct worker *w, int i)
{
	struct iovec iov[2];

	two_parts(w, iov);
	return result(preadv(w->fd, iov, 2, at(w, i)));
}

static long call_preadv2(struct worker *w, int i)
{
	struct iovec iov[2];

	two_parts(w, iov);
	return result(preadv2(w->fd, iov, 2, at(w, i), 0));
}

static long call_write(struct worker *w, int i)
{
	return result(write(w->fd, w->buf, w->size));
}

static long call_pwrite64(struct worker *w, int i)
{
	return result(pwrite(w->fd, w->buf, w->size, at(w, i)));
}

static long call_writev(struct worker *w, int i)
{
	struct iovec iov[2];

	two_parts(w, iov);
	return result(writev(w->fd, iov, 2));
}

static long call_pwritev(struct worker *w, int i)
{
	struct iovec iov[2];

	two_parts(w, iov);
	return result(pwritev(w->fd, iov, 2, at(w, i)));
}

static long call_pwritev2(struct worker *w, int i)
{
	struct iovec iov[2];

	two_parts(w, iov);
	return result(pwritev2(w->fd, iov, 2, at(w, i), 0));
}

static int setup_append(struct worker *w)
{
	int err = setup_name(w);

	w->fd = openat(w->dir, "f", O_WRONLY | O_APPEND | O_CLOEXEC);
	return err ? err : w->fd < 0 ? -errno : 0;
}

/* Each write is followed by the kernel's own fsync of the range. */
static int setup_sync(struct worker *w)
{
	int err = setup_name(w);

	w->fd = openat(w->dir, "f", O_WRONLY | O_SYNC | O_CLOEXEC);
	return err ? err : w->fd < 0 ? -errno : 0;
}

static long call_write_sync(struct worker *w, int i)
{
	long rc = result(write(w->fd, w->buf, w->size));

	if (rc > 0)
		also_did(w, OP_FSYNC, 0);
	return rc;
}

static long call_read_eof(struct worker *w, int i)
{
	return result(pread(w->fd, w->buf, w->size, at(w, w->count + i)));
}

static long call_read_fault(struct worker *w, int i)
{
	return result(pread(w->fd, NOT_AN_ADDRESS, w->size, at(w, i)));
}

static long call_write_fault(struct worker *w, int i)
{
	return result(pwrite(w->fd, NOT_AN_ADDRESS, w->size, at(w, i)));
}

/* M2: what happens elsewhere before the next operation is none of this one. */
static long call_foreign(struct worker *w, int i)
{
	static const struct timespec pause = {0, 20000000};
	long rc = call_pread64(w, i);
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	nanosleep(&pause, NULL);
	if (zero < 0 || read(zero, w->buf, 100) != 100)
		return -EBADE;
	close(zero);
	if (open("/proc/no such file", O_RDONLY | O_CLOEXEC) >= 0)
		return -EBADE;
	return rc;
}

/* A file without support for it is refused before the client sees the call. */
static long call_read_nowait(struct worker *w, int i)
{
	struct iovec iov = {w->buf, w->size};
	long rc = result(preadv2(w->fd, &iov, 1, at(w, i), RWF_NOWAIT));

	if (rc != -EOPNOTSUPP)
		also_did(w, OP_READ, rc);
	return rc;
}

static int setup_uncached(struct worker *w)
{
	int err = setup_filled_file(w);

	if (!err && (fsync(w->fd) < 0 || posix_fadvise(w->fd, 0, 0, POSIX_FADV_DONTNEED)))
		err = -EIO;
	return err;
}

static int setup_direct(struct worker *w)
{
	int err = make_file(w, "f", (size_t)w->count * PAGE);

	w->fd = openat(w->dir, "f", O_RDWR | O_DIRECT | O_CLOEXEC);
	return err ? err : w->fd < 0 ? -errno : 0;
}

static long call_read_direct(struct worker *w, int i)
{
	return result(pread(w->fd, w->buf, PAGE, (off_t)i * PAGE));
}

static long call_write_direct(struct worker *w, int i)
{
	return result(pwrite(w->fd, w->buf, PAGE, (off_t)i * PAGE));
}

static int setup_to_null(struct worker *w)
{
	int err = setup_filled_file(w);

	w->fd2 = open("/dev/null", O_WRONLY | O_CLOEXEC);
	return err ? err : w->fd2 < 0 ? -errno : 0;
}

static long call_sendfile(struct worker *w, int i)
{
	off_t offset = at(w, i);

	return result(sendfile(w->fd2, w->fd, &offset, w->size));
}

/* The pipe's ends are fds[0] and fds[1]; they are closed with the rest. */
static int setup_pipe(struct worker *w)
{
	int ends[2], err = setup_filled_file(w);

	if (err)
		return err;
	if (w->count < 2)
		return -EINVAL;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	w->fds[0] = ends[0];
	w->fds[1] = ends[1];
	return 0;
}

static long call_splice_from(struct worker *w, int i)
{
	loff_t offset = at(w, i);
	long rc = result(splice(w->fd, &offset, w->fds[1], NULL, w->size, 0));

	/* room for the next one */
	if (rc > 0 && read(w->fds[0], w->buf, (size_t)rc) != rc)
		return -EIO;
	return rc;
}

static long call_splice_to(struct worker *w, int i)
{
	loff_t offset = at(w, i);

	if (write(w->fds[1], w->buf, w->size) != (ssize_t)w->size)
		return -EIO;
	return result(splice(w->fds[0], NULL, w->fd, &offset, w->size, 0));
}

static int setup_copy(struct worker *w)
{
	int err = setup_filled_file(w);

	if (!err)
		err = make_file(w, "g", 0);
	w->fd2 = openat(w->dir, "g", O_WRONLY | O_CLOEXEC);
	return err ? err : w->fd2 < 0 ? -errno : 0;
}

static long call_copy_file_range(struct worker *w, int i)
{
	loff_t from = at(w, i), to = at(w, i);
	long rc = result(copy_file_range(w->fd, &from, w->fd2, &to, w->size, 0));

	also_did(w, OP_WRITE, rc);
	return rc;
}

static long call_fsync(struct worker *w, int i)
{
	return result(fsync(w->fd));
}

static long call_fdatasync(struct worker *w, int i)
{
	return result(fdatasync(w->fd));
}

static long call_fsync_dir(struct worker *w, int i)
{
	return result(fsync(w->dir));
}

static long call_sync_file_range(struct worker *w, int i)
{
	return result(sync_file_range(w->fd, at(w, i), (off_t)w->size, SYNC_FILE_RANGE_WRITE));
}

static long call_fallocate(struct worker *w, int i)
{
	return result(fallocate(w->fd, 0, (off_t)i * PAGE, PAGE));
}

static long call_fallocate_refused(struct worker *w, int i)
{
	return result(fallocate(w->fd, FALLOC_FL_COLLAPSE_RANGE, 0, PAGE));
}

static long call_seek(struct worker *w, int i)
{
	return result(lseek(w->fd, at(w, i), SEEK_SET));
}

static long call_seek_end(struct worker *w, int i)
{
	return result(lseek(w->fd, 0, SEEK_END));
}

static long call_seek_invalid(struct worker *w, int i)
{
	return result(lseek(w->fd, -1 - i, SEEK_SET));
}

static long call_seek_data_behind(struct worker *w, int i)
{
	return result(lseek(w->fd, at(w, w->count + 1 + i), SEEK_DATA));
}

#define READ_SYMBOL  "ll_file_read_iter"
#define WRITE_SYMBOL "ll_file_write_iter"

const struct opcase data_cases[] = {
	{"read", OP_READ, 0, 0, 0, setup_filled_file, call_read, 0, READ_SYMBOL},
	{"pread64", OP_READ, 0, 0, 0, setup_filled_file, call_pread64, 0, READ_SYMBOL},
	{"readv", OP_READ, 0, 0, 0, setup_filled_file, call_readv, 0, NULL},
	{"preadv", OP_READ, 0, 0, 0, setup_filled_file, call_preadv, 0, NULL},
	{"preadv2", OP_READ, 0, 0, 0, setup_filled_file, call_preadv2, 0, NULL},
	{"read-eof", OP_READ, 0, 0, 0, setup_filled_file, call_read_eof, 0, NULL},
	{"read-uncached", OP_READ, 0, 0, 0, setup_uncached, call_pread64, 0, NULL},
	{"read-direct", OP_READ, 0, 0, 0, setup_direct, call_read_direct, 0, NULL},
	{"write", OP_WRITE, 0, 0, 0, setup_empty_file, call_write, 0, WRITE_SYMBOL},
	{"pwrite64", OP_WRITE, 0, 0, 0, setup_empty_file, call_pwrite64, 0, WRITE_SYMBOL},
	{"writev", OP_WRITE, 0, 0, 0, setup_empty_file, call_writev, 0, NULL},
	{"pwritev", OP_WRITE, 0, 0, 0, setup_empty_file, call_pwritev, 0, NULL},
	{"pwritev2", OP_WRITE, 0, 0, 0, setup_empty_file, call_pwritev2, 0, NULL},
	{"write-append", OP_WRITE, 0, 0, 0, setup_append, call_write, 0, NULL},
	{"write-sync", OP_WRITE, 0, OP_BIT(FSYNC), 0, setup_sync, call_write_sync, 0, NULL},
	{"write-direct", OP_WRITE, 0, 0, 0, setup_direct, call_write_direct, 0, NULL},
	{"sendfile", OP_READ, 0, 0, 0, setup_to_null, call_sendfile, 0, NULL},
	{"splice-from", OP_READ, 0, 0, 0, setup_pipe, call_splice_from, 0, NULL},
	{"splice-to", OP_WRITE, 0, 0, 0, setup_pipe, call_splice_to, 0, NULL},
	{"copy_file_range", OP_READ, 0, OP_BIT(WRITE), 0, setup_copy, call_copy_file_range, 0,
	 NULL},
	{"fsync", OP_FSYNC, 0, 0, 0, setup_filled_file, call_fsync, 0, "ll_fsync"},
	{"fdatasync", OP_FSYNC, 0, 0, 0, setup_filled_file, call_fdatasync, 0, "ll_fsync"},
	{"fsync-dir", OP_FSYNC, 0, 0, 0, NULL, call_fsync_dir, 0, NULL},
	{"sync_file_range", NO_MAIN_OP, 0, 0, 0, setup_filled_file, call_sync_file_range, 0, NULL},
	{"fallocate", OP_FALLOCATE, 0, 0, 0, setup_empty_file, call_fallocate, 0, "ll_fallocate"},
	{"lseek", OP_SEEK, 0, 0, 0, setup_filled_file, call_seek, 0, "ll_file_seek"},
	{"lseek-end", OP_SEEK, 0, 0, 0, setup_filled_file, call_seek_end, 0, NULL},
	{"foreign-calls", OP_READ, 0, 0, 0, setup_filled_file, call_foreign, CASE_SLOW, NULL},
	/* and those that fail in the client */
	{"read-efault", OP_READ, EFAULT, 0, 0, setup_filled_file, call_read_fault, 0, NULL},
	{"write-efault", OP_WRITE, EFAULT, 0, 0, setup_empty_file, call_write_fault, 0, NULL},
	{"read-nowait", NO_MAIN_OP, ANY_RESULT, OP_BIT(READ), 0, setup_uncached, call_read_nowait,
	 0, NULL},
	{"fallocate-eopnotsupp", OP_FALLOCATE, EOPNOTSUPP, 0, 0, setup_filled_file,
	 call_fallocate_refused, 0, NULL},
	{"lseek-einval", OP_SEEK, EINVAL, 0, 0, setup_empty_file, call_seek_invalid, 0, NULL},
	{"lseek-enxio", OP_SEEK, ENXIO, 0, 0, setup_filled_file, call_seek_data_behind, 0, NULL},
	{0},
};
