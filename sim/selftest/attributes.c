// SPDX-License-Identifier: GPL-2.0
/* Attributes, extended attributes, ACLs. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdint.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "selftest/check.h"
#include "selftest/suites.h"

static void attributes(void)
{
	struct statfs sfs;
	struct stat st;

	check_begin();
	for (int i = 0; i < N; i++)
		must(stat("a", &st) == 0 && lstat("sym", &st) == 0);
	want(OP_GETATTR, 2 * N);
	check_end("stat");

	check_begin();
	for (int i = 0; i < N; i++)
		must(chmod("a", 0640) == 0 && truncate("a", i) == 0);
	want(OP_SETATTR, 2 * N);
	check_end("chmod, truncate");

	check_begin();
	setfsuid(1000);
	for (int i = 0; i < N; i++)
		must(chmod("a", 0777) == -1 && errno == EPERM);
	setfsuid(0);
	want_errors(OP_SETATTR, N, ERRNO_PERM, N);
	check_end("chmod denied");

	check_begin();
	for (int i = 0; i < N; i++)
		must(statfs("a", &sfs) == 0 && sfs.f_type == 0x0BD00BD0);
	want(OP_STATFS, N);
	check_end("statfs");

	check_begin();
	setfsuid(1000);
	for (int i = 0; i < N; i++)
		must(access("private/x", F_OK) == -1 || errno == EACCES);
	setfsuid(0);
	must(access("a", R_OK) == 0);
	check_end("access");
}

static void xattrs(void)
{
	char value[256];

	check_begin();
	for (int i = 0; i < N; i++)
		must(setxattr("a", "user.x", "0123456789", 10, 0) == 0);
	want(OP_SETXATTR, N);
	check_end("setxattr");

	check_begin();
	for (int i = 0; i < N; i++)
		must(setxattr("a", "user.x", "0", 1, XATTR_CREATE) == -1 && errno == EEXIST);
	want_errors(OP_SETXATTR, N, ERRNO_OTHER, N);
	check_end("setxattr exclusive");

	check_begin();
	for (int i = 0; i < N; i++) {
		must(getxattr("a", "user.x", value, sizeof(value)) == 10);
		must(getxattr("a", "user.y", value, sizeof(value)) == -1 && errno == ENODATA);
		must(getxattr("a", "user.x", value, 1) == -1 && errno == ERANGE);
	}
	want_errors(OP_GETXATTR, 3 * N, ERRNO_OTHER, 2 * N);
	check_end("getxattr");

	check_begin();
	uint64_t outer = sim_calls_of("ll_xattr_set"), inner = sim_calls_of("ll_xattr_set_common");
	for (int i = 0; i < N; i++)
		must(setxattr("a", "trusted.x", "012", 3, 0) == 0);
	must(sim_calls_of("ll_xattr_set") - outer == N);
	must(sim_calls_of("ll_xattr_set_common") - inner == N);
	want(OP_SETXATTR, N);
	check_end("setxattr trusted: two functions, one operation");

	check_begin();
	for (int i = 0; i < N; i++) {
		must(getxattr("a", "trusted.x", value, sizeof(value)) == 3);
		must(getxattr("a", "lustre.lov", value, sizeof(value)) == 56);
	}
	want(OP_GETXATTR, 2 * N);
	check_end("getxattr trusted and lustre");

	check_begin();
	for (int i = 0; i < N; i++)
		must(listxattr("a", value, sizeof(value)) ==
		     sizeof("user.x") + sizeof("trusted.x"));
	want(OP_LISTXATTR, N);
	check_end("listxattr");

	check_begin();
	must(removexattr("a", "user.x") == 0);
	must(removexattr("a", "user.x") == -1 && errno == ENODATA);
	want_errors(OP_SETXATTR, 2, ERRNO_OTHER, 1);
	check_end("removexattr");
}

/* user::rw- user:1000:r-- group::--- mask::r-- other::--- */
static const struct {
	uint32_t version;
	struct {
		uint16_t tag, perm;
		uint32_t id;
	} entries[5];
} acl = {2, {{1, 6, -1}, {2, 4, 1000}, {4, 0, -1}, {16, 4, -1}, {32, 0, -1}}};

static void acls(void)
{
	char value[256];
	uint64_t calls = sim_calls_of("ll_set_acl");
	bool by_method;
	int fd;

	check_begin();
	for (int i = 0; i < N; i++)
		must(setxattr("a", "system.posix_acl_access", &acl, sizeof(acl), 0) == 0);
	by_method = sim_calls_of("ll_set_acl") > calls; /* Linux 6.2 and later */
	want(by_method ? OP_SET_ACL : OP_SETXATTR, N);
	check_end("setfacl");

	check_begin();
	for (int i = 0; i < N; i++)
		must(getxattr("a", "system.posix_acl_access", value, sizeof(value)) == sizeof(acl));
	want(by_method ? OP_GET_ACL : OP_GETXATTR, N);
	check_end("getfacl");

	check_begin();
	setfsuid(1000);
	for (int i = 0; i < N; i++) {
		must((fd = open("a", O_RDONLY)) >= 0);
		close(fd);
		must(open("a", O_RDWR) == -1 && errno == EACCES);
	}
	setfsuid(0);
	want(OP_GET_ACL, 4 * N); /* of the folder and of the file */
	want(OP_OPEN, N);
	want(OP_CLOSE, N);
	check_end("permission by ACL");

	check_begin();
	for (int i = 0; i < N; i++)
		must(chmod("a", 0640) == 0);
	want(OP_SETATTR, N);
	want(OP_GET_ACL, N);
	want(OP_SET_ACL, N);
	check_end("chmod of a file with an ACL");

	must(mkdir("inherit", 0755) == 0);
	must(setxattr("inherit", "system.posix_acl_default", &acl, sizeof(acl), 0) == 0);
	must(close(open("inherit/f", O_CREAT | O_WRONLY, 0666)) == 0);
	check_begin();
	must(getxattr("inherit/f", "system.posix_acl_access", value, sizeof(value)) == sizeof(acl));
	want(by_method ? OP_GET_ACL : OP_GETXATTR, 1);
	check_end("inherited ACL");
}

static void ioctls(void)
{
	int file = open("a", O_RDONLY), dir = open(".", O_RDONLY), value;

	check_begin();
	for (int i = 0; i < N; i++) {
		must(ioctl(file, FS_IOC_GETVERSION, &value) == 0);
		must(ioctl(dir, FS_IOC_GETVERSION, &value) == 0);
		must(ioctl(file, 0x5401, &value) == -1 && errno == ENOTTY);
	}
	want_errors(OP_IOCTL, 3 * N, ERRNO_OTHER, N);
	check_end("ioctl");
	close(file);
	close(dir);
}

void suite_attributes(void)
{
	must(close(open("a", O_CREAT | O_RDWR, 0644)) == 0);
	must(symlink("a", "sym") == 0);
	must(mkdir("private", 0700) == 0);
	attributes();
	xattrs();
	acls();
	ioctls();
}
