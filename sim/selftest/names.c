// SPDX-License-Identifier: GPL-2.0
/* Names: lookup, open, creation, removal, rename, readdir. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "selftest/check.h"
#include "selftest/suites.h"

static char *name(const char *prefix, int i)
{
	static char text[64];

	snprintf(text, sizeof(text), "%s%d", prefix, i);
	return text;
}

static void opens(void)
{
	int fds[N];

	check_begin();
	for (int i = 0; i < N; i++)
		must((fds[i] = open(name("f", i), O_CREAT | O_EXCL | O_RDWR, 0644)) >= 0);
	want(OP_OPEN, N);
	want(OP_CREATE, N);
	check_end("open creates");

	check_begin();
	for (int i = 0; i < N; i++)
		close(fds[i]);
	want(OP_CLOSE, N);
	check_end("close");

	check_begin();
	for (int i = 0; i < N; i++)
		must(open(name("f", i), O_CREAT | O_EXCL | O_RDWR, 0644) == -1 && errno == EEXIST);
	check_end("open exclusive of a cached name: refused by the VFS");

	check_begin();
	for (int i = 0; i < N; i++)
		close(open(name("f", i), O_RDONLY));
	want(OP_OPEN, N);
	want(OP_CLOSE, N);
	want(OP_LOOKUP, 0);
	check_end("open cached");

	drop_caches();
	check_begin();
	uint64_t calls = sim_calls_of("ll_atomic_open");
	for (int i = 0; i < N; i++)
		close(open(name("f", i), O_RDWR));
	must(sim_calls_of("ll_atomic_open") - calls == N);
	want(OP_OPEN, N);
	want(OP_CLOSE, N);
	want(OP_LOOKUP, 0);
	check_end("open uncached");

	drop_caches();
	check_begin();
	for (int i = 0; i < N; i++)
		must(open(name("f", i), O_CREAT | O_EXCL | O_RDWR, 0644) == -1 && errno == EEXIST);
	want_errors(OP_OPEN, N, ERRNO_OTHER, N);
	check_end("open exclusive of an uncached name");

	check_begin();
	for (int i = 0; i < N; i++)
		must(open(name("none", i), O_RDONLY) == -1 && errno == ENOENT);
	want_errors(OP_OPEN, N, ERRNO_NOTFOUND, N);
	check_end("open of nothing");

	for (int i = 0; i < N; i++)
		chmod(name("f", i), 0600);
	drop_caches();
	check_begin();
	setfsuid(1000);
	for (int i = 0; i < N; i++)
		must(open(name("f", i), O_RDONLY) == -1 && errno == EACCES);
	setfsuid(0);
	want_errors(OP_OPEN, N, ERRNO_PERM, N);
	check_end("open denied");

	must(symlink("f0", "link") == 0);
	must(mkfifo("fifo", 0644) == 0);
	drop_caches();
	check_begin();
	close(open("link", O_RDONLY));
	close(open("fifo", O_RDONLY | O_NONBLOCK));
	want(OP_OPEN, 1);
	want(OP_CLOSE, 1);
	want(OP_READLINK, 1);
	check_end("open through a link, and of a fifo");

	check_begin();
	close(open(".", O_RDONLY));
	want(OP_OPEN, 1);
	want(OP_CLOSE, 1);
	check_end("open of the root");
}

static void creations(void)
{
	check_begin();
	for (int i = 0; i < N; i++)
		must(mknod(name("reg", i), S_IFREG | 0644, 0) == 0);
	want(OP_CREATE, N);
	check_end("mknod of a regular file is a create");

	check_begin();
	for (int i = 0; i < N; i++)
		must(mkfifo(name("fifo", i), 0644) == 0);
	want(OP_MKNOD, N);
	check_end("mknod");

	check_begin();
	for (int i = 0; i < N; i++)
		must(mkdir(name("d", i), 0755) == 0);
	want(OP_MKDIR, N);
	check_end("mkdir");

	check_begin();
	for (int i = 0; i < N; i++)
		must(symlink("f0", name("s", i)) == 0);
	want(OP_SYMLINK, N);
	check_end("symlink");

	check_begin();
	for (int i = 0; i < N; i++) {
		char target[16];

		must(readlink(name("s", i), target, sizeof(target)) == 2);
	}
	want(OP_READLINK, N);
	check_end("readlink");

	check_begin();
	for (int i = 0; i < N; i++)
		must(link("f0", name("l", i)) == 0);
	want(OP_LINK, N);
	check_end("link");

	check_begin();
	for (int i = 0; i < N; i++)
		must(access(name("nothing", i), F_OK) == -1);
	want(OP_LOOKUP, N);
	check_end("lookup of nothing is no error");
}

static void renames(void)
{
	char from[64];

	check_begin();
	for (int i = 0; i < N; i++) {
		strcpy(from, name("l", i));
		must(rename(from, name("m", i)) == 0);
	}
	want(OP_RENAME, N);
	check_end("rename");

	check_begin();
	for (int i = 0; i < N; i++) {
		strcpy(from, name("m", i));
		must(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, name("n", i), 1) == -1);
		must(errno == EINVAL);
	}
	want_errors(OP_RENAME, N, ERRNO_OTHER, N);
	check_end("rename with flags");

	check_begin();
	must(mkdir("d0/inner", 0755) == 0);
	must(rename("d0/inner", "d1/moved") == 0);
	must(rename("d1/moved", "d2") == 0);
	must(rename("d3", "d1") == 0);
	must(rmdir("d0") == 0);
	want(OP_MKDIR, 1);
	want(OP_RENAME, 3);
	want(OP_RMDIR, 1);
	check_end("rename of directories");
}

static void removals(void)
{
	must(close(open("d4/file", O_CREAT | O_WRONLY, 0644)) == 0);
	check_begin();
	for (int i = 0; i < N; i++)
		must(rmdir("d4") == -1 && errno == ENOTEMPTY);
	want_errors(OP_RMDIR, N, ERRNO_OTHER, N);
	check_end("rmdir of a full directory");

	unlink("d4/file");
	check_begin();
	for (int i = 4; i < N; i++)
		must(rmdir(name("d", i)) == 0);
	want(OP_RMDIR, N - 4);
	check_end("rmdir");

	check_begin();
	for (int i = 0; i < N; i++)
		must(unlink(name("m", i)) == 0);
	want(OP_UNLINK, N);
	check_end("unlink");
}

static void listing(void)
{
	static const int entries = 5000;
	int found = 0, calls = 0, n;
	char buffer[4096];
	int fd;

	must(mkdir("many", 0755) == 0);
	for (int i = 0; i < entries; i++)
		must(mknod(name("many/entry-", i), S_IFREG | 0644, 0) == 0);
	fd = open("many", O_RDONLY | O_DIRECTORY);
	check_begin();
	while ((n = syscall(SYS_getdents64, fd, buffer, sizeof(buffer))) > 0) {
		calls++;
		for (int at = 0; at < n; found++)
			at += ((struct dirent64 *)(buffer + at))->d_reclen;
	}
	must(n == 0 && found == entries + 2);
	want(OP_READDIR, calls + 1);
	check_end("readdir");
	close(fd);
	for (int i = 0; i < entries; i++)
		must(unlink(name("many/entry-", i)) == 0);
	must(rmdir("many") == 0);
}

void suite_names(void)
{
	opens();
	creations();
	renames();
	removals();
	listing();
}
