// SPDX-License-Identifier: Apache-2.0
/* Cases of attributes: stat, chmod and the like, xattrs, ACLs, locks, ioctl, statfs. */
#include "opgen.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/xattr.h>
#include <unistd.h>

#define VALUE	   "value"
#define ACL_ACCESS "system.posix_acl_access"

static long call_stat(struct worker *w, int i)
{
	struct stat st;

	return result(stat("f", &st));
}

static long call_lstat(struct worker *w, int i)
{
	struct stat st;

	return result(lstat("f", &st));
}

static long call_fstat(struct worker *w, int i)
{
	struct stat st;

	return result(fstat(w->fd, &st));
}

static long call_statx(struct worker *w, int i)
{
	struct statx stx;

	return result(statx(w->dir, "f", 0, STATX_BASIC_STATS, &stx));
}

static long call_statx_fd(struct worker *w, int i)
{
	struct statx stx;

	return result(statx(w->fd, "", AT_EMPTY_PATH, STATX_SIZE, &stx));
}

static long call_chmod(struct worker *w, int i)
{
	return result(chmod("f", i % 2 ? 0644 : 0600));
}

static long call_fchmod(struct worker *w, int i)
{
	return result(fchmod(w->fd, i % 2 ? 0644 : 0600));
}

static long call_chown(struct worker *w, int i)
{
	return result(chown("f", (uid_t)-1, (gid_t)-1));
}

static long call_utimes(struct worker *w, int i)
{
	return result(utimensat(w->dir, "f", NULL, 0));
}

static long call_truncate(struct worker *w, int i)
{
	return result(truncate("f", i));
}

static long call_ftruncate(struct worker *w, int i)
{
	return result(ftruncate(w->fd, i));
}

/* Made by root or by the worker's user, the calls come from somebody else. */
static long call_fchmod_eperm(struct worker *w, int i)
{
	return result(fchmod(w->fd, 0600));
}

static long call_setxattr(struct worker *w, int i)
{
	return result(fsetxattr(w->fd, numbered("user.x", i % 8), VALUE, sizeof(VALUE), 0));
}

static int setup_user_xattr(struct worker *w)
{
	int err = setup_empty_file(w);

	if (!err && fsetxattr(w->fd, "user.x", VALUE, sizeof(VALUE), 0) < 0)
		err = -errno;
	return err;
}

static long call_getxattr(struct worker *w, int i)
{
	return result(fgetxattr(w->fd, "user.x", w->buf, w->size));
}

static long call_getxattr_path(struct worker *w, int i)
{
	return result(getxattr("f", "user.x", w->buf, w->size));
}

static long call_getxattr_enodata(struct worker *w, int i)
{
	return result(fgetxattr(w->fd, "user.none", w->buf, w->size));
}

static long call_getxattr_erange(struct worker *w, int i)
{
	return result(fgetxattr(w->fd, "user.x", w->buf, 1));
}

static long call_setxattr_eexist(struct worker *w, int i)
{
	return result(fsetxattr(w->fd, "user.x", VALUE, sizeof(VALUE), XATTR_CREATE));
}

static long call_removexattr(struct worker *w, int i)
{
	return result(fremovexattr(w->fd, numbered("user.x", i)));
}

static int setup_many_xattrs(struct worker *w)
{
	int err = setup_empty_file(w);

	for (int i = 0; !err && i < w->count; i++) {
		if (fsetxattr(w->fd, numbered("user.x", i), "v", 1, 0) < 0)
			err = -errno;
	}
	return err;
}

static long call_removexattr_enodata(struct worker *w, int i)
{
	return result(fremovexattr(w->fd, "user.none"));
}

static long call_set_trusted(struct worker *w, int i)
{
	return result(fsetxattr(w->fd, "trusted.x", VALUE, sizeof(VALUE), 0));
}

static int setup_trusted(struct worker *w)
{
	int err = setup_empty_file(w);

	return err ? err : (int)call_set_trusted(w, 0);
}

static long call_get_trusted(struct worker *w, int i)
{
	return result(fgetxattr(w->fd, "trusted.x", w->buf, w->size));
}

static long call_get_trusted_enodata(struct worker *w, int i)
{
	return result(fgetxattr(w->fd, "trusted.none", w->buf, w->size));
}

static long call_listxattr(struct worker *w, int i)
{
	return result(flistxattr(w->fd, w->buf, w->size));
}

static long call_listxattr_erange(struct worker *w, int i)
{
	return result(flistxattr(w->fd, w->buf, 1));
}

/* From Linux 6.2 on ACLs have methods of their own; before, they are extended attributes. */
static bool acls_are_xattrs(void)
{
	struct utsname u;
	int major = 0, minor = 0;

	uname(&u);
	sscanf(u.release, "%d.%d", &major, &minor);
	return major < 6 || (major == 6 && minor < 2);
}

/* struct posix_acl_xattr_header, then tag, permissions and id of u::rw u:1:r g::r m::r o::r */
static const struct {
	uint32_t version;
	struct {
		uint16_t tag, perm;
		uint32_t id;
	} entries[5];
} acl = {
	2,
	{{0x01, 6, ~0U}, {0x02, 4, 1}, {0x04, 4, ~0U}, {0x10, 4, ~0U}, {0x20, 4, ~0U}},
};

static long set_acl(struct worker *w)
{
	return result(fsetxattr(w->fd, ACL_ACCESS, &acl, sizeof(acl), 0));
}

static long call_set_acl(struct worker *w, int i)
{
	long rc = set_acl(w);

	also_did(w, acls_are_xattrs() ? OP_SETXATTR : OP_SET_ACL, rc);
	return rc;
}

static int setup_acl(struct worker *w)
{
	int err = setup_empty_file(w);

	return err ? err : (int)set_acl(w);
}

static long call_get_acl(struct worker *w, int i)
{
	long rc = result(fgetxattr(w->fd, ACL_ACCESS, w->buf, PAGE));

	also_did(w, acls_are_xattrs() ? OP_GETXATTR : OP_GET_ACL, rc);
	return rc;
}

/* The kernel rewrites the ACL of a file whose mode changes. */
static long call_chmod_acl(struct worker *w, int i)
{
	long rc = result(fchmod(w->fd, i % 2 ? 0640 : 0660));

	also_did(w, OP_SET_ACL, rc);
	return rc;
}

/* Asks for a permission that depends on the ACL; by descriptor: no names are walked. */
static long call_access_acl(struct worker *w, int i)
{
	return result(syscall(439 /* faccessat2 */, w->fd, "", R_OK, AT_EMPTY_PATH | AT_EACCESS));
}

static long call_access(struct worker *w, int i)
{
	return result(access("f", R_OK));
}

static long call_statfs(struct worker *w, int i)
{
	struct statfs st;

	return result(statfs("f", &st));
}

static long call_fstatfs(struct worker *w, int i)
{
	struct statfs st;

	return result(fstatfs(w->fd, &st));
}

/* Lock and unlock are both requests to the client. */
static long call_flock(struct worker *w, int i)
{
	long rc = result(flock(w->fd, LOCK_EX));

	also_did(w, OP_FLOCK, result(flock(w->fd, LOCK_UN)));
	return rc;
}

static long lock_range(struct worker *w, int command)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
	long rc = result(fcntl(w->fd, command, &lock));

	lock.l_type = F_UNLCK;
	also_did(w, OP_FLOCK, result(fcntl(w->fd, command, &lock)));
	return rc;
}

static long call_posix_lock(struct worker *w, int i)
{
	return lock_range(w, F_SETLK);
}

static long call_ofd_lock(struct worker *w, int i)
{
	return lock_range(w, F_OFD_SETLK);
}

static int setup_locked(struct worker *w)
{
	int err = setup_empty_file(w);

	if (!err && flock(w->fd, LOCK_EX) < 0 && errno != ENOSYS)
		err = -errno;
	w->fd2 = openat(w->dir, "f", O_RDWR | O_CLOEXEC);
	return err ? err : w->fd2 < 0 ? -errno : 0;
}

static long call_flock_eagain(struct worker *w, int i)
{
	return result(flock(w->fd2, LOCK_EX | LOCK_NB));
}

static long call_ioctl(struct worker *w, int i)
{
	long version;

	return result(ioctl(w->fd, FS_IOC_GETVERSION, &version));
}

static long call_ioctl_enotty(struct worker *w, int i)
{
	return result(ioctl(w->fd, _IO('T', 200)));
}

static long call_ioctl_dir(struct worker *w, int i)
{
	return result(ioctl(w->dir, _IO('T', 200)));
}

#define ACL_SET (OP_BIT(SETXATTR) | OP_BIT(SET_ACL))
#define ACL_GET (OP_BIT(GETXATTR) | OP_BIT(GET_ACL))

const struct opcase attr_cases[] = {
	{"stat", OP_GETATTR, 0, 0, 0, setup_name, call_stat, 0, NULL},
	{"lstat", OP_GETATTR, 0, 0, 0, setup_name, call_lstat, 0, NULL},
	{"fstat", OP_GETATTR, 0, 0, 0, setup_empty_file, call_fstat, 0, "ll_getattr"},
	{"statx", OP_GETATTR, 0, 0, 0, setup_name, call_statx, 0, NULL},
	{"statx-fd", OP_GETATTR, 0, 0, 0, setup_empty_file, call_statx_fd, 0, NULL},
	{"chmod", OP_SETATTR, 0, 0, 0, setup_name, call_chmod, 0, NULL},
	{"fchmod", OP_SETATTR, 0, 0, 0, setup_empty_file, call_fchmod, 0, "ll_setattr"},
	{"chown", OP_SETATTR, 0, 0, 0, setup_name, call_chown, 0, NULL},
	{"utimes", OP_SETATTR, 0, 0, 0, setup_name, call_utimes, 0, NULL},
	{"truncate", OP_SETATTR, 0, 0, 0, setup_name, call_truncate, 0, NULL},
	{"ftruncate", OP_SETATTR, 0, 0, 0, setup_empty_file, call_ftruncate, 0, NULL},
	{"setxattr", OP_SETXATTR, 0, 0, 0, setup_empty_file, call_setxattr, 0,
	 "ll_xattr_set_common"},
	{"getxattr", OP_GETXATTR, 0, 0, 0, setup_user_xattr, call_getxattr, 0,
	 "ll_xattr_get_common"},
	{"getxattr-path", OP_GETXATTR, 0, 0, 0, setup_user_xattr, call_getxattr_path, 0, NULL},
	{"removexattr", OP_SETXATTR, 0, 0, 0, setup_many_xattrs, call_removexattr, 0, NULL},
	{"setxattr-trusted", OP_SETXATTR, 0, 0, 0, setup_empty_file, call_set_trusted, 0,
	 "ll_xattr_set"},
	{"getxattr-trusted", OP_GETXATTR, 0, 0, 0, setup_trusted, call_get_trusted, 0,
	 "ll_xattr_get"},
	{"listxattr", OP_LISTXATTR, 0, 0, 0, setup_user_xattr, call_listxattr, 0, "ll_listxattr"},
	{"setfacl", NO_MAIN_OP, 0, ACL_SET, 0, setup_empty_file, call_set_acl, 0, NULL},
	{"getfacl", NO_MAIN_OP, 0, ACL_GET, 0, setup_acl, call_get_acl, 0, NULL},
	{"chmod-acl", OP_SETATTR, 0, OP_BIT(SET_ACL), 0, setup_acl, call_chmod_acl, CASE_SIM, NULL},
	{"access-acl", OP_GET_ACL, 0, 0, 0, setup_acl, call_access_acl, CASE_OTHER_UID | CASE_SIM,
	 NULL},
	{"access", NO_MAIN_OP, 0, 0, 0, setup_name, call_access, 0, NULL},
	{"statfs", OP_STATFS, 0, 0, 0, setup_name, call_statfs, 0, "ll_statfs"},
	{"fstatfs", OP_STATFS, 0, 0, 0, setup_empty_file, call_fstatfs, 0, NULL},
	{"flock", OP_FLOCK, ANY_RESULT, 0, 0, setup_empty_file, call_flock, 0, NULL},
	{"posix-lock", OP_FLOCK, ANY_RESULT, 0, 0, setup_empty_file, call_posix_lock, 0, NULL},
	{"ofd-lock", OP_FLOCK, ANY_RESULT, 0, 0, setup_empty_file, call_ofd_lock, 0, NULL},
	{"ioctl", OP_IOCTL, ANY_RESULT, 0, 0, setup_empty_file, call_ioctl, 0, "ll_file_ioctl"},
	/* those that fail in the client */
	{"chmod-eperm", OP_SETATTR, EPERM, 0, 0, setup_empty_file, call_fchmod_eperm,
	 CASE_OTHER_UID, NULL},
	{"getxattr-enodata", OP_GETXATTR, ENODATA, 0, 0, setup_empty_file, call_getxattr_enodata, 0,
	 NULL},
	{"getxattr-erange", OP_GETXATTR, ERANGE, 0, 0, setup_user_xattr, call_getxattr_erange, 0,
	 NULL},
	{"getxattr-trusted-enodata", OP_GETXATTR, ENODATA, 0, 0, setup_empty_file,
	 call_get_trusted_enodata, 0, NULL},
	{"setxattr-eexist", OP_SETXATTR, EEXIST, 0, 0, setup_user_xattr, call_setxattr_eexist, 0,
	 NULL},
	{"removexattr-enodata", OP_SETXATTR, ENODATA, 0, 0, setup_empty_file,
	 call_removexattr_enodata, 0, NULL},
	{"listxattr-erange", OP_LISTXATTR, ERANGE, 0, 0, setup_user_xattr, call_listxattr_erange, 0,
	 NULL},
	{"flock-eagain", OP_FLOCK, ANY_RESULT, 0, 0, setup_locked, call_flock_eagain, 0, NULL},
	{"ioctl-enotty", OP_IOCTL, ENOTTY, 0, 0, setup_empty_file, call_ioctl_enotty, 0, NULL},
	{"ioctl-dir-enotty", OP_IOCTL, ENOTTY, 0, 0, NULL, call_ioctl_dir, 0, NULL},
	{0},
};
