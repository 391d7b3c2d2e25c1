// SPDX-License-Identifier: Apache-2.0
/* Cases of names: lookup, open and close, creation, removal, rename, directories. */
#include "opgen.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Keeps the file open until the case is over: the close is not part of it. */
static long keep(struct worker *w, int i, long fd)
{
	fd = result(fd);
	w->fds[i] = fd < 0 ? -1 : (int)fd;
	return fd;
}

/* The name is none yet: the lookup itself succeeds. */
static long call_lookup(struct worker *w, int i)
{
	struct stat st;
	long rc = result(fstatat(w->dir, numbered("none", i), &st, 0));

	return rc == -ENOENT ? 0 : rc;
}

static long call_open(struct worker *w, int i)
{
	return keep(w, i, syscall(SYS_open, "f", O_RDONLY | O_CLOEXEC));
}

static long call_openat(struct worker *w, int i)
{
	return keep(w, i, openat(w->dir, "f", O_RDWR | O_CLOEXEC));
}

static long call_openat2(struct worker *w, int i)
{
	struct open_how how = {.flags = O_RDONLY | O_CLOEXEC, .resolve = RESOLVE_BENEATH};

	return keep(w, i, syscall(SYS_openat2, w->dir, "f", &how, sizeof(how)));
}

static long call_creat(struct worker *w, int i)
{
	long fd = keep(w, i, syscall(SYS_creat, numbered("c", i), 0644));

	if (fd >= 0)
		also_did(w, OP_CREATE, 0);
	return fd;
}

static long call_create(struct worker *w, int i)
{
	int flags = O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC;
	long fd = keep(w, i, openat(w->dir, numbered("c", i), flags, 0644));

	if (fd >= 0)
		also_did(w, OP_CREATE, 0);
	return fd;
}

static long call_open_create_existing(struct worker *w, int i)
{
	return keep(w, i, openat(w->dir, numbered("n", i), O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
}

static long call_open_truncate(struct worker *w, int i)
{
	long fd = keep(w, i, openat(w->dir, numbered("n", i), O_TRUNC | O_WRONLY | O_CLOEXEC));

	if (fd >= 0)
		also_did(w, OP_SETATTR, 0);
	return fd;
}

static long call_open_uncached(struct worker *w, int i)
{
	return keep(w, i, openat(w->dir, numbered("n", i), O_RDONLY | O_CLOEXEC));
}

static long call_open_enoent(struct worker *w, int i)
{
	return keep(w, i, openat(w->dir, numbered("none", i), O_RDONLY | O_CLOEXEC));
}

static long call_open_eacces(struct worker *w, int i)
{
	return keep(w, i, openat(w->dir, numbered("n", i), O_RDWR | O_CLOEXEC));
}

/* "f" is no directory; the VFS sees that by itself. */
static long call_open_enotdir(struct worker *w, int i)
{
	return keep(w, i, openat(w->dir, "f/x", O_RDONLY | O_CLOEXEC));
}

static int setup_dir(struct worker *w)
{
	return mkdirat(w->dir, "d", 0755) < 0 ? -errno : 0;
}

static long call_open_dir(struct worker *w, int i)
{
	return keep(w, i, openat(w->dir, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

static int setup_open_files(struct worker *w)
{
	int err = setup_name(w);

	for (int i = 0; !err && i < w->count; i++) {
		w->fds[i] = openat(w->dir, "f", O_RDWR | O_CLOEXEC);
		err = w->fds[i] < 0 ? -errno : 0;
	}
	return err;
}

static long call_close(struct worker *w, int i)
{
	int fd = w->fds[i];

	w->fds[i] = -1;
	return result(close(fd));
}

static long call_mkdir(struct worker *w, int i)
{
	return result(mkdirat(w->dir, numbered("d", i), 0755));
}

static int make_dirs(struct worker *w, bool filled)
{
	for (int i = 0; i < w->count; i++) {
		const char *name = numbered("d", i);
		int dir, err = 0;

		if (mkdirat(w->dir, name, 0755) < 0)
			return -errno;
		if (!filled)
			continue;
		dir = openat(w->dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (dir < 0 || mkdirat(dir, "inside", 0755) < 0)
			err = -errno;
		if (dir >= 0)
			close(dir);
		if (err)
			return err;
	}
	return 0;
}

static int setup_dirs(struct worker *w)
{
	return make_dirs(w, false);
}

static int setup_filled_dirs(struct worker *w)
{
	return make_dirs(w, true);
}

static int setup_filled_dirs_and_dir(struct worker *w)
{
	int err = make_dirs(w, true);

	return err ? err : setup_dir(w);
}

static long call_rmdir(struct worker *w, int i)
{
	return result(unlinkat(w->dir, numbered("d", i), AT_REMOVEDIR));
}

static long call_unlink(struct worker *w, int i)
{
	return result(unlinkat(w->dir, numbered("n", i), 0));
}

static long call_unlink_enoent(struct worker *w, int i)
{
	return result(unlinkat(w->dir, numbered("none", i), 0));
}

static long call_rename(struct worker *w, int i)
{
	return result(renameat(w->dir, numbered("n", i), w->dir, numbered2("m", i)));
}

/* The client takes none of the flags. */
static long call_rename_einval(struct worker *w, int i)
{
	return result(syscall(SYS_renameat2, w->dir, numbered("n", i), w->dir, numbered2("m", i),
			      1 /* RENAME_NOREPLACE */));
}

static long call_rename_enotempty(struct worker *w, int i)
{
	return result(renameat(w->dir, "d", w->dir, numbered("d", i)));
}

static long call_link(struct worker *w, int i)
{
	return result(linkat(w->dir, "f", w->dir, numbered("l", i), 0));
}

static int setup_name_and_files(struct worker *w)
{
	int err = setup_name(w);

	return err ? err : setup_many_files(w);
}

static long call_link_eexist(struct worker *w, int i)
{
	return result(linkat(w->dir, "f", w->dir, numbered("n", i), 0));
}

static long call_symlink(struct worker *w, int i)
{
	return result(symlinkat("target", w->dir, numbered("s", i)));
}

static long call_symlink_eexist(struct worker *w, int i)
{
	return result(symlinkat("target", w->dir, numbered("n", i)));
}

static long call_mkdir_eexist(struct worker *w, int i)
{
	return result(mkdirat(w->dir, numbered("n", i), 0755));
}

static long call_mkdir_enotdir(struct worker *w, int i)
{
	return result(mkdirat(w->dir, "f/x", 0755));
}

static long call_mkdir_eacces(struct worker *w, int i)
{
	return result(mkdirat(w->dir, numbered("d", i), 0755));
}

static long call_mknod_fifo(struct worker *w, int i)
{
	return result(mknodat(w->dir, numbered("p", i), S_IFIFO | 0644, 0));
}

static long call_mknod_regular(struct worker *w, int i)
{
	return result(mknodat(w->dir, numbered("r", i), S_IFREG | 0644, 0));
}

static long call_mknod_eexist(struct worker *w, int i)
{
	return result(mknodat(w->dir, numbered("n", i), S_IFIFO | 0644, 0));
}

static int setup_symlink(struct worker *w)
{
	int err = setup_name(w);

	return err ? err : symlinkat("f", w->dir, "s") < 0 ? -errno : 0;
}

static long call_readlink(struct worker *w, int i)
{
	long n = result(readlinkat(w->dir, "s", w->buf, w->size));

	return n == 1 ? 0 : n < 0 ? n : -EBADMSG;
}

static long call_follow(struct worker *w, int i)
{
	struct stat st;
	long rc = result(fstatat(w->dir, "s", &st, 0));

	also_did(w, OP_GETATTR, rc);
	return rc;
}

static int setup_big_dir(struct worker *w)
{
	int err = setup_many_files(w);

	w->fd = openat(w->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return err ? err : w->fd < 0 ? -errno : 0;
}

/* The calls behind the end are operations, too. */
static long call_readdir(struct worker *w, int i)
{
	return result(syscall(SYS_getdents64, w->fd, w->buf, 1024));
}

#define CREATE_BIT OP_BIT(CREATE)

const struct opcase name_cases[] = {
	{"lookup", OP_LOOKUP, 0, 0, 0, NULL, call_lookup, 0, "ll_lookup_nd"},
	{"open", OP_OPEN, 0, 0, 0, setup_name, call_open, 0, NULL},
	{"openat", OP_OPEN, 0, 0, 0, setup_name, call_openat, 0, "ll_file_open"},
	{"openat2", OP_OPEN, 0, 0, 0, setup_name, call_openat2, 0, NULL},
	{"open-dir", OP_OPEN, 0, 0, 0, setup_dir, call_open_dir, 0, NULL},
	{"open-uncached", OP_OPEN, 0, 0, 0, setup_many_files, call_open_uncached, CASE_DROP_CACHES,
	 "ll_atomic_open"},
	{"open-truncate", OP_OPEN, 0, OP_BIT(SETATTR), 0, setup_many_files, call_open_truncate, 0,
	 NULL},
	{"creat", OP_OPEN, 0, CREATE_BIT, 0, NULL, call_creat, 0, NULL},
	{"create", OP_OPEN, 0, CREATE_BIT, 0, NULL, call_create, 0, "ll_atomic_open"},
	{"open-create-existing", OP_OPEN, 0, 0, 0, setup_many_files, call_open_create_existing, 0,
	 NULL},
	{"close", OP_CLOSE, 0, 0, 0, setup_open_files, call_close, CASE_HIDES_RC,
	 "ll_file_release"},
	{"mkdir", OP_MKDIR, 0, 0, 0, NULL, call_mkdir, 0, "ll_mkdir"},
	{"rmdir", OP_RMDIR, 0, 0, 0, setup_dirs, call_rmdir, 0, "ll_rmdir"},
	{"unlink", OP_UNLINK, 0, 0, 0, setup_many_files, call_unlink, 0, "ll_unlink"},
	{"rename", OP_RENAME, 0, 0, 0, setup_many_files, call_rename, 0, "ll_rename"},
	{"link", OP_LINK, 0, 0, 0, setup_name, call_link, 0, "ll_link"},
	{"symlink", OP_SYMLINK, 0, 0, 0, NULL, call_symlink, 0, "ll_symlink"},
	{"mknod-fifo", OP_MKNOD, 0, 0, 0, NULL, call_mknod_fifo, 0, "ll_mknod"},
	{"mknod-regular", OP_CREATE, 0, 0, 0, NULL, call_mknod_regular, 0, "ll_create_nd"},
	{"readlink", OP_READLINK, 0, 0, 0, setup_symlink, call_readlink, 0, "ll_get_link"},
	{"follow-symlink", OP_READLINK, 0, OP_BIT(GETATTR), 0, setup_symlink, call_follow, 0, NULL},
	{"readdir", OP_READDIR, 0, 0, 0, setup_big_dir, call_readdir, 0, "ll_iterate"},
	/* those that fail in the client */
	{"open-enoent", OP_OPEN, ENOENT, 0, 0, NULL, call_open_enoent, 0, NULL},
	{"rmdir-enotempty", OP_RMDIR, ENOTEMPTY, 0, 0, setup_filled_dirs, call_rmdir, 0, NULL},
	{"rename-einval", OP_RENAME, EINVAL, 0, 0, setup_many_files, call_rename_einval, 0, NULL},
	{"rename-enotempty", OP_RENAME, ENOTEMPTY, 0, 0, setup_filled_dirs_and_dir,
	 call_rename_enotempty, 0, NULL},
	/* and those where the kernel may know better before asking */
	{"open-eacces", NO_MAIN_OP, EACCES, 0, OP_BIT(OPEN), setup_many_files, call_open_eacces,
	 CASE_OTHER_UID | CASE_DROP_CACHES, NULL},
	{"open-enotdir", NO_MAIN_OP, ENOTDIR, 0, 0, setup_name, call_open_enotdir, 0, NULL},
	{"unlink-enoent", NO_MAIN_OP, ENOENT, 0, 0, NULL, call_unlink_enoent, 0, NULL},
	{"mkdir-eexist", NO_MAIN_OP, EEXIST, 0, OP_BIT(MKDIR), setup_many_files, call_mkdir_eexist,
	 CASE_DROP_CACHES, NULL},
	{"mkdir-enotdir", NO_MAIN_OP, ENOTDIR, 0, 0, setup_name, call_mkdir_enotdir, 0, NULL},
	{"mkdir-eacces", NO_MAIN_OP, EACCES, 0, 0, NULL, call_mkdir_eacces, CASE_OTHER_UID, NULL},
	{"link-eexist", NO_MAIN_OP, EEXIST, 0, OP_BIT(LINK), setup_name_and_files, call_link_eexist,
	 CASE_DROP_CACHES, NULL},
	{"symlink-eexist", NO_MAIN_OP, EEXIST, 0, OP_BIT(SYMLINK), setup_many_files,
	 call_symlink_eexist, CASE_DROP_CACHES, NULL},
	{"mknod-eexist", NO_MAIN_OP, EEXIST, 0, OP_BIT(MKNOD), setup_many_files, call_mknod_eexist,
	 CASE_DROP_CACHES, NULL},
	{0},
};
