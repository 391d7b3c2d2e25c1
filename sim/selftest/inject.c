// SPDX-License-Identifier: GPL-2.0
/* Injected errors, delays and hangs; mounts. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/fsuid.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "selftest/check.h"
#include "selftest/suites.h"

static int file, dir, count;
static char text[256];

/* Each does one call of its function that would succeed; 0 or -1 with errno. */
static int do_lookup(void)
{
	char name[32];

	snprintf(name, sizeof(name), "cold%d", count++);
	return access(name, F_OK) && errno != ENOENT ? -1 : 0;
}

static int do_open_cold(void)
{
	char name[32];
	int fd;

	snprintf(name, sizeof(name), "cold%d", count++);
	fd = open(name, O_CREAT | O_RDWR, 0644);

	return fd < 0 ? -1 : close(fd);
}

static int do_open(void)
{
	int fd = open("inj", O_RDONLY);

	return fd < 0 ? -1 : close(fd);
}

static int do_stat(void)
{
	struct stat st;

	return stat("inj", &st);
}

static int do_getxattr(void)
{
	return getxattr("inj", "user.i", text, sizeof(text)) < 0 ? -1 : 0;
}

static int do_getxattr_trusted(void)
{
	return getxattr("inj", "trusted.i", text, sizeof(text)) < 0 ? -1 : 0;
}

static int do_setxattr(void)
{
	return setxattr("inj", "user.i", "1", 1, 0);
}

static int do_setxattr_trusted(void)
{
	return setxattr("inj", "trusted.i", "1", 1, 0);
}

static int do_listxattr(void)
{
	return listxattr("inj", text, sizeof(text)) < 0 ? -1 : 0;
}

static int do_readlink(void)
{
	return readlink("inj.link", text, sizeof(text)) < 0 ? -1 : 0;
}

static int do_readdir(void)
{
	lseek(dir, 0, SEEK_SET);
	return syscall(SYS_getdents64, dir, text, sizeof(text)) < 0 ? -1 : 0;
}

static int do_statfs(void)
{
	struct statfs sfs;

	return statfs("inj", &sfs);
}

static int do_create(void)
{
	return mknod("inj.new", S_IFREG | 0644, 0) ? -1 : unlink("inj.new");
}

static int do_mknod(void)
{
	return mknod("inj.new", S_IFIFO | 0644, 0) ? -1 : unlink("inj.new");
}

static int do_mkdir(void)
{
	return mkdir("inj.new", 0755) ? -1 : rmdir("inj.new");
}

static int do_symlink(void)
{
	return symlink("x", "inj.new") ? -1 : unlink("inj.new");
}

static int do_link(void)
{
	return link("inj", "inj.new") ? -1 : unlink("inj.new");
}

static int do_unlink(void)
{
	return unlink("inj.target") ? -1 : link("inj", "inj.target");
}

static int do_rmdir(void)
{
	return rmdir("inj.dir");
}

static int do_rename(void)
{
	return rename("inj.target", "inj.target2");
}

static int do_chmod(void)
{
	return chmod("inj", 0644);
}

static int do_read(void)
{
	return pread(file, text, 1, 0) < 0 ? -1 : 0;
}

static int do_write(void)
{
	return pwrite(file, text, 1, 0) < 0 ? -1 : 0;
}

static int do_fallocate(void)
{
	return fallocate(file, 0, 0, 10);
}

static int do_fsync(void)
{
	return fsync(file);
}

static int do_mmap(void)
{
	void *p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0);

	return p == MAP_FAILED ? -1 : munmap(p, 4096);
}

static int do_seek(void)
{
	return lseek(file, 0, SEEK_SET) < 0 ? -1 : 0;
}

static int do_flock(void)
{
	return flock(file, LOCK_UN);
}

static int do_ioctl(void)
{
	int value;

	return ioctl(file, FS_IOC_GETVERSION, &value);
}

static int do_dir_ioctl(void)
{
	int value;

	return ioctl(dir, FS_IOC_GETVERSION, &value);
}

static int do_access(void)
{
	return access("inj", R_OK);
}

static const struct {
	const char *symbol;
	enum op_id op;
	int (*call)(void);
} table[] = {
	{"ll_lookup_nd", OP_LOOKUP, do_lookup},
	{"ll_atomic_open", OP_OPEN, do_open_cold},
	{"ll_file_open", OP_OPEN, do_open},
	{"ll_getattr", OP_GETATTR, do_stat},
	{"ll_xattr_get", OP_GETXATTR, do_getxattr_trusted},
	{"ll_xattr_get_common", OP_GETXATTR, do_getxattr},
	{"ll_xattr_set", OP_SETXATTR, do_setxattr_trusted},
	{"ll_xattr_set_common", OP_SETXATTR, do_setxattr},
	{"ll_listxattr", OP_LISTXATTR, do_listxattr},
	{"ll_get_link", OP_READLINK, do_readlink},
	{"ll_iterate", OP_READDIR, do_readdir},
	{"ll_statfs", OP_STATFS, do_statfs},
	{"ll_create_nd", OP_CREATE, do_create},
	{"ll_mknod", OP_MKNOD, do_mknod},
	{"ll_mkdir", OP_MKDIR, do_mkdir},
	{"ll_symlink", OP_SYMLINK, do_symlink},
	{"ll_link", OP_LINK, do_link},
	{"ll_unlink", OP_UNLINK, do_unlink},
	{"ll_rmdir", OP_RMDIR, do_rmdir},
	{"ll_rename", OP_RENAME, do_rename},
	{"ll_setattr", OP_SETATTR, do_chmod},
	{"ll_file_read_iter", OP_READ, do_read},
	{"ll_file_write_iter", OP_WRITE, do_write},
	{"ll_fallocate", OP_FALLOCATE, do_fallocate},
	{"ll_fsync", OP_FSYNC, do_fsync},
	{"ll_file_mmap", OP_MMAP, do_mmap},
	{"ll_file_seek", OP_SEEK, do_seek},
	{"ll_file_flock", OP_FLOCK, do_flock},
	{"ll_file_ioctl", OP_IOCTL, do_ioctl},
	{"ll_dir_ioctl", OP_IOCTL, do_dir_ioctl},
	{"ll_inode_permission", OP_PERMISSION, do_access},
	{"ll_revalidate_dentry", OP_REVALIDATE, do_access},
};

static void errors(void)
{
	char name[64];

	for (unsigned i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		sim_write("inject", "%s errno=110", table[i].symbol);
		check_begin();
		for (int n = 0; n < N; n++)
			must(table[i].call() == -1 && errno == ETIMEDOUT);
		want_errors(table[i].op, N, ERRNO_TIMEOUT, N);
		snprintf(name, sizeof(name), "injected error: %s", table[i].symbol);
		check_end(name);
		sim_write("inject", "clear");
		must(table[i].call() == 0);
	}
}

static void more_errors(void)
{
	sim_write("inject", "ll_file_release errno=5");
	check_begin();
	for (int i = 0; i < N; i++)
		must(do_open() == 0);
	want(OP_OPEN, N);
	want_errors(OP_CLOSE, N, ERRNO_IO, N);
	check_end("injected error: ll_file_release");

	sim_write("inject", "clear");
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void limits(void)
{
	double begin;

	sim_write("inject", "ll_getattr delay_us=20000 count=5");
	check_begin();
	begin = now();
	for (int i = 0; i < N; i++)
		must(do_stat() == 0);
	must(now() - begin >= 0.1);
	want(OP_GETATTR, N);
	check_end("injected delay");

	sim_write("inject", "ll_getattr errno=2 uid=1000");
	check_begin();
	must(do_stat() == 0);
	setfsuid(1000);
	must(do_stat() == -1 && errno == ENOENT);
	setfsuid(0);
	want_errors(OP_GETATTR, 2, ERRNO_NOTFOUND, 1);
	check_end("injected for one user");
	must(sim_has_line("uids", "getattr 1000 selftest 1 0"));
	sim_write("inject", "clear");
}

static void *stat_once(void *result)
{
	*(int *)result = do_stat();
	return NULL;
}

static void hangs(void)
{
	pthread_t threads[8];
	int results[8], status;
	pid_t pid;

	sim_write("inject", "ll_getattr hang=1");
	check_begin();
	for (int i = 0; i < 8; i++)
		must(pthread_create(&threads[i], NULL, stat_once, &results[i]) == 0);
	usleep(200000);
	check_end("hanging operations are not counted yet");
	check_begin();
	sim_write("inject", "ll_getattr hang=0");
	for (int i = 0; i < 8; i++) {
		pthread_join(threads[i], NULL);
		must(results[i] == 0);
	}
	want(OP_GETATTR, 8);
	check_end("released operations succeed");

	sim_write("inject", "ll_getattr hang=1");
	check_begin();
	pid = fork();
	if (!pid)
		_exit(do_stat());
	usleep(200000);
	kill(pid, SIGKILL);
	must(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
	want_errors(OP_GETATTR, 1, ERRNO_OTHER, 1);
	check_end("a hanging process can be killed");
	sim_write("inject", "clear");
}

void suite_inject(void)
{
	must((file = open("inj", O_CREAT | O_RDWR, 0644)) >= 0);
	must((dir = open(".", O_RDONLY)) >= 0);
	must(do_setxattr() == 0 && do_setxattr_trusted() == 0);
	must(symlink("inj", "inj.link") == 0);
	must(link("inj", "inj.target") == 0);
	must(mkdir("inj.dir", 0755) == 0);
	errors();
	more_errors();
	limits();
	hangs();
	close(file);
	close(dir);
}

/* The number that Lustre makes of "lustre-MDT0000_UUID"; two mounts share it. */
#define LUSTRE_DEV makedev(1273, 181606)

void suite_mounts(const char *mount_point)
{
	struct stat first, second;

	check_begin();
	must(mount("a@tcp:/lustre", mount_point, "lustre", 0, NULL) == 0);
	must(stat(mount_point, &first) == 0 && first.st_dev == LUSTRE_DEV);
	must(mount("a@tcp:b@tcp:/lustre/sub", mount_point, "lustre", 0, NULL) == 0);
	must(stat(mount_point, &second) == 0 && second.st_dev == LUSTRE_DEV);
	must(umount(mount_point) == 0 && umount(mount_point) == 0);
	check_end("two mounts have one device number");

	check_begin();
	must(mount("10.0.0.1@tcp:/self", mount_point, "lustre", 0, "nonsense") == -1);
	must(errno == EINVAL);
	must(mount("/dev/null", mount_point, "lustre", 0, NULL) == -1 && errno == EINVAL);
	must(mount("a@tcp:/waytoolongname", mount_point, "lustre", 0, NULL) == -1);
	check_end("refused mounts");
}
