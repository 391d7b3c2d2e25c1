// SPDX-License-Identifier: Apache-2.0
/* Cases of asynchronous I/O: io_uring and the kernel's own AIO (libaio). */
#include "opgen.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "uring.h"

static int open_data(struct worker *w, int flags)
{
	int err = make_file(w, "f", (size_t)w->count * PAGE);

	w->fd = openat(w->dir, "f", O_RDWR | O_CLOEXEC | flags);
	return err ? err : w->fd < 0 ? -errno : 0;
}

static int setup_ring(struct worker *w)
{
	w->ring = uring_open();
	return w->ring ? 0 : -errno;
}

static int setup_uring(struct worker *w)
{
	int err = open_data(w, 0);

	return err ? err : setup_ring(w);
}

static int setup_uring_uncached(struct worker *w)
{
	int err = setup_uring(w);

	if (!err && (fsync(w->fd) < 0 || posix_fadvise(w->fd, 0, 0, POSIX_FADV_DONTNEED)))
		err = -EIO;
	return err;
}

static int setup_uring_direct(struct worker *w)
{
	int err = open_data(w, O_DIRECT);

	return err ? err : setup_ring(w);
}

static long uring_io(struct worker *w, int i, __u8 opcode)
{
	struct io_uring_sqe sqe = {.opcode = opcode,
				   .fd = w->fd,
				   .addr = (__u64)(unsigned long)w->buf,
				   .len = PAGE,
				   .off = (__u64)i * PAGE};

	return uring_do(w->ring, &sqe);
}

static long call_uring_read(struct worker *w, int i)
{
	return uring_io(w, i, IORING_OP_READ);
}

static long call_uring_write(struct worker *w, int i)
{
	return uring_io(w, i, IORING_OP_WRITE);
}

static long call_uring_fsync(struct worker *w, int i)
{
	struct io_uring_sqe sqe = {.opcode = IORING_OP_FSYNC, .fd = w->fd};

	return uring_do(w->ring, &sqe);
}

static int setup_context(struct worker *w)
{
	return syscall(SYS_io_setup, 8, &w->aio) < 0 ? -errno : 0;
}

static int setup_aio(struct worker *w)
{
	int err = open_data(w, 0);

	return err ? err : setup_context(w);
}

static int setup_aio_direct(struct worker *w)
{
	int err = open_data(w, O_DIRECT);

	return err ? err : setup_context(w);
}

static long aio(struct worker *w, int i, __u16 opcode)
{
	struct iocb cb = {.aio_lio_opcode = opcode,
			  .aio_fildes = (__u32)w->fd,
			  .aio_buf = (__u64)(unsigned long)w->buf,
			  .aio_nbytes = PAGE,
			  .aio_offset = (__s64)i * PAGE},
		    *list[] = {&cb};
	struct io_event event;

	if (syscall(SYS_io_submit, w->aio, 1, list) != 1)
		return -errno;
	if (syscall(SYS_io_getevents, w->aio, 1, 1, &event, NULL) != 1)
		return -EIO;
	return (long)event.res;
}

static long call_aio_read(struct worker *w, int i)
{
	return aio(w, i, IOCB_CMD_PREAD);
}

static long call_aio_write(struct worker *w, int i)
{
	return aio(w, i, IOCB_CMD_PWRITE);
}

const struct opcase async_cases[] = {
	{"uring-read", OP_READ, 0, 0, 0, setup_uring, call_uring_read, 0, NULL},
	{"uring-read-uncached", OP_READ, 0, 0, 0, setup_uring_uncached, call_uring_read, 0, NULL},
	{"uring-write", OP_WRITE, 0, 0, 0, setup_uring, call_uring_write, 0, NULL},
	{"uring-read-direct", OP_READ, 0, 0, 0, setup_uring_direct, call_uring_read, 0, NULL},
	{"uring-write-direct", OP_WRITE, 0, 0, 0, setup_uring_direct, call_uring_write, 0, NULL},
	{"uring-fsync", OP_FSYNC, 0, 0, 0, setup_uring, call_uring_fsync, 0, NULL},
	{"aio-read", OP_READ, 0, 0, 0, setup_aio, call_aio_read, 0, NULL},
	{"aio-write", OP_WRITE, 0, 0, 0, setup_aio, call_aio_write, 0, NULL},
	{"aio-read-direct", OP_READ, 0, 0, 0, setup_aio_direct, call_aio_read, 0, NULL},
	{"aio-write-direct", OP_WRITE, 0, 0, 0, setup_aio_direct, call_aio_write, 0, NULL},
	{0},
};
