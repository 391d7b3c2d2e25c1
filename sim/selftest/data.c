// SPDX-License-Identifier: GPL-2.0
/* Synchronous reads and writes by every system call there is for them. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

#include "selftest/check.h"
#include "selftest/suites.h"

#define BLOCK 4096

static char buffer[N * BLOCK] __attribute__((aligned(BLOCK)));

static void buffered(int fd)
{
	struct iovec iov[2] = {{buffer, 100}, {buffer + 100, 200}};

	check_begin();
	for (int i = 0; i < N; i++) {
		must(write(fd, buffer, BLOCK) == BLOCK);
		must(pwrite(fd, buffer, 10, i) == 10);
		must(writev(fd, iov, 2) == 300);
		must(pwritev(fd, iov, 2, 0) == 300);
		must(pwritev2(fd, iov, 2, 0, RWF_DSYNC) == 300);
	}
	want_bytes(OP_WRITE, 5 * N, N * (BLOCK + 10 + 300 * 3));
	want(OP_FSYNC, N);
	check_end("write pwrite writev pwritev pwritev2");

	must(lseek(fd, 0, SEEK_SET) == 0);
	check_begin();
	for (int i = 0; i < N; i++) {
		must(read(fd, buffer, 1000) == 1000);
		must(pread(fd, buffer, 10, i) == 10);
		must(readv(fd, iov, 2) == 300);
		must(preadv(fd, iov, 2, 0) == 300);
		must(preadv2(fd, iov, 2, 0, 0) == 300);
		must(pread(fd, buffer, 10, 1 << 30) == 0);
	}
	want_bytes(OP_READ, 6 * N, N * (1000 + 10 + 300 * 3));
	check_end("read pread readv preadv preadv2 end of file");

	must(sim_has_line("sizes", "read 1000 20"));

	fsync(fd);
	drop_caches();
	check_begin();
	must(preadv2(fd, iov, 1, 0, RWF_NOWAIT) == -1 && errno == EAGAIN);
	must(preadv2(fd, iov, 1, 0, 0) == 100);
	must(preadv2(fd, iov, 1, 0, RWF_NOWAIT) == 100);
	want_bytes(OP_READ, 3, 200);
	want_errors(OP_READ, 0, ERRNO_AGAIN, 1);
	check_end("read without waiting");

	check_begin();
	for (int i = 0; i < N; i++)
		must(fsync(fd) == 0 && fdatasync(fd) == 0);
	want(OP_FSYNC, 2 * N);
	check_end("fsync fdatasync");

	check_begin();
	for (int i = 0; i < N; i++) {
		must(lseek(fd, 0, SEEK_END) > 0);
		must(lseek(fd, -1, SEEK_SET) == -1 && errno == EINVAL);
	}
	want_errors(OP_SEEK, 2 * N, ERRNO_OTHER, N);
	check_end("lseek");
}

static void direct(void)
{
	int fd = open("direct", O_CREAT | O_RDWR | O_DIRECT, 0644);

	must(fd >= 0);
	memset(buffer, 'd', BLOCK);
	check_begin();
	for (int i = 0; i < N; i++)
		must(pwrite(fd, buffer, BLOCK, i * BLOCK) == BLOCK);
	want_bytes(OP_WRITE, N, N * BLOCK);
	check_end("write O_DIRECT");

	memset(buffer, 0, BLOCK);
	check_begin();
	for (int i = 0; i < N; i++)
		must(pread(fd, buffer, BLOCK, i * BLOCK) == BLOCK && buffer[BLOCK - 1] == 'd');
	want_bytes(OP_READ, N, N * BLOCK);
	check_end("read O_DIRECT");
	close(fd);
}

/* Data written one way and read back the other, with and without the cache. */
static void coherence(void)
{
	int cached = open("coherent", O_CREAT | O_RDWR, 0644);
	int direct = open("coherent", O_RDWR | O_DIRECT);

	check_begin();
	memset(buffer, 'a', sizeof(buffer));
	must(pwrite(cached, buffer, 3 * BLOCK, 100) == 3 * BLOCK);
	memset(buffer, 'b', BLOCK);
	must(pwrite(direct, buffer, BLOCK, BLOCK) == BLOCK);
	must(pread(cached, buffer, 4 * BLOCK, 0) == 3 * BLOCK + 100);
	must(buffer[99] == 0 && buffer[100] == 'a' && buffer[BLOCK - 1] == 'a');
	must(buffer[BLOCK] == 'b' && buffer[2 * BLOCK - 1] == 'b' && buffer[2 * BLOCK] == 'a');
	drop_caches();
	must(pread(direct, buffer, 4 * BLOCK, 0) == 3 * BLOCK + 100);
	must(buffer[99] == 0 && buffer[100] == 'a' && buffer[BLOCK] == 'b');
	must(buffer[3 * BLOCK + 99] == 'a');
	must(ftruncate(cached, BLOCK + 1) == 0 && ftruncate(cached, 3 * BLOCK) == 0);
	must(pread(cached, buffer, 3 * BLOCK, 0) == 3 * BLOCK);
	must(buffer[BLOCK] == 'b' && buffer[BLOCK + 1] == 0 && buffer[3 * BLOCK - 1] == 0);
	want_bytes(OP_WRITE, 2, 4 * BLOCK);
	want_bytes(OP_READ, 3, 2 * (3 * BLOCK + 100) + 3 * BLOCK);
	want(OP_SETATTR, 2);
	check_end("cache, direct I/O and truncation agree");
	close(cached);
	close(direct);
}

static void spliced(int fd)
{
	int out = open("copy", O_CREAT | O_RDWR, 0644), null = open("/dev/null", O_WRONLY), p[2];
	loff_t from, to;

	must(pipe(p) == 0);
	check_begin();
	for (int i = 0; i < N; i++) {
		off_t at = 0;

		must(sendfile(null, fd, &at, BLOCK) == BLOCK);
	}
	want_bytes(OP_READ, N, N * BLOCK);
	check_end("sendfile");

	check_begin();
	for (int i = 0; i < N; i++) {
		from = to = 0;
		must(splice(fd, &from, p[1], NULL, BLOCK, 0) == BLOCK);
		must(splice(p[0], NULL, out, &to, BLOCK, 0) == BLOCK);
	}
	want_bytes(OP_READ, N, N * BLOCK);
	want_bytes(OP_WRITE, N, N * BLOCK);
	check_end("splice");

	check_begin();
	for (int i = 0; i < N; i++) {
		from = to = 0;
		must(copy_file_range(fd, &from, out, &to, BLOCK, 0) == BLOCK);
	}
	want_bytes(OP_READ, N, N * BLOCK);
	want_bytes(OP_WRITE, N, N * BLOCK);
	check_end("copy_file_range");
	close(out);
	close(null);
	close(p[0]);
	close(p[1]);
}

static void allocated(int fd)
{
	check_begin();
	for (int i = 0; i < N; i++) {
		must(fallocate(fd, 0, 0, BLOCK * i + 1) == 0);
		must(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 10, BLOCK) == 0);
		must(fallocate(fd, FALLOC_FL_COLLAPSE_RANGE, 0, BLOCK) == -1);
		must(errno == EOPNOTSUPP);
	}
	want_errors(OP_FALLOCATE, 3 * N, ERRNO_OTHER, N);
	check_end("fallocate");

	check_begin();
	memset(buffer, 'x', 3 * BLOCK);
	must(pwrite(fd, buffer, 3 * BLOCK, 0) == 3 * BLOCK);
	must(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 10, 2 * BLOCK) == 0);
	drop_caches();
	must(pread(fd, buffer, 3 * BLOCK, 0) == 3 * BLOCK);
	must(buffer[9] == 'x' && buffer[10] == 0 && buffer[BLOCK] == 0);
	must(buffer[2 * BLOCK + 9] == 0 && buffer[2 * BLOCK + 10] == 'x');
	want_bytes(OP_READ, 1, 3 * BLOCK);
	want_bytes(OP_WRITE, 1, 3 * BLOCK);
	want(OP_FALLOCATE, 1);
	check_end("a punched hole reads as zeroes");
}

void suite_data(void)
{
	int fd = open("data", O_CREAT | O_RDWR, 0644), sync_fd;

	buffered(fd);
	direct();
	coherence();
	spliced(fd);
	allocated(fd);
	close(fd);

	sync_fd = open("sync", O_CREAT | O_RDWR | O_SYNC, 0644);
	check_begin();
	for (int i = 0; i < N; i++)
		must(write(sync_fd, buffer, 10) == 10);
	want_bytes(OP_WRITE, N, N * 10);
	want(OP_FSYNC, N);
	check_end("write O_SYNC");
	close(sync_fd);
}
