// SPDX-License-Identifier: Apache-2.0
/* Cases of mapped files, and of programs started from the file system. */
#include "opgen.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int setup_pages(struct worker *w)
{
	int err = make_file(w, "f", (size_t)w->count * PAGE);

	w->fd = openat(w->dir, "f", O_RDWR | O_CLOEXEC);
	return err ? err : w->fd < 0 ? -errno : 0;
}

static int map_pages(struct worker *w, int protection)
{
	void *map = mmap(NULL, (size_t)w->count * PAGE, protection, MAP_SHARED, w->fd, 0);

	if (map == MAP_FAILED)
		return -errno;
	w->map = map;
	return 0;
}

static int setup_map_read(struct worker *w)
{
	int err = setup_pages(w);

	return err ? err : map_pages(w, PROT_READ);
}

static int setup_map_write(struct worker *w)
{
	int err = setup_pages(w);

	return err ? err : map_pages(w, PROT_READ | PROT_WRITE);
}

/* All pages are there already, but not writable yet. */
static int setup_map_touched(struct worker *w)
{
	int err = setup_map_write(w);

	for (int i = 0; !err && i < w->count; i++)
		(void)*(volatile char *)(w->map + (size_t)i * PAGE);
	return err;
}

static long call_mmap(struct worker *w, int i)
{
	void *map = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, w->fd, 0);
	long rc = map == MAP_FAILED ? -errno : 0;

	if (!rc)
		munmap(map, PAGE);
	return rc;
}

static long call_load(struct worker *w, int i)
{
	(void)*(volatile char *)(w->map + (size_t)i * PAGE);
	return 0;
}

static long call_store(struct worker *w, int i)
{
	*(volatile char *)(w->map + (size_t)i * PAGE) = 'y';
	return 0;
}

static long call_load_and_store(struct worker *w, int i)
{
	also_did(w, OP_FAULT, 0);
	return call_store(w, i);
}

static __thread sigjmp_buf back;

static void on_bus_error(int sig)
{
	siglongjmp(back, 1);
}

/* The file ends before the mapping. */
static int setup_map_behind(struct worker *w)
{
	struct sigaction action = {.sa_handler = on_bus_error};
	int err = setup_map_read(w);

	if (!err && (ftruncate(w->fd, 0) < 0 || sigaction(SIGBUS, &action, NULL) < 0))
		err = -errno;
	return err;
}

static long call_bus_error(struct worker *w, int i)
{
	if (sigsetjmp(back, 1))
		return -EIO;
	return call_load(w, i);
}

static long call_msync(struct worker *w, int i)
{
	return result(msync(w->map, PAGE, MS_SYNC));
}

/* A copy of this program, which leaves at once when started as "nothing". */
static int setup_program(struct worker *w)
{
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int to = openat(w->dir, "program", O_CREAT | O_WRONLY | O_CLOEXEC, 0755);
	struct stat st;
	int err = 0;

	if (from < 0 || to < 0 || fstat(from, &st) < 0)
		err = -errno;
	while (!err && st.st_size) {
		ssize_t n = sendfile(to, from, NULL, (size_t)st.st_size);

		if (n <= 0)
			err = n ? -errno : -EIO;
		else
			st.st_size -= n;
	}
	if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	return err;
}

static long call_exec(struct worker *w, int i)
{
	char *const argv[] = {"nothing", NULL}, *const envp[] = {NULL};
	pid_t pid = vfork();
	int status;

	if (!pid) {
		execve("program", argv, envp);
		_exit(127);
	}
	if (pid < 0)
		return -errno;
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status))
		return -ENOEXEC;
	return 0;
}

#define EXEC_ALSO (OP_BIT(READ) | OP_BIT(MMAP) | OP_BIT(FAULT) | OP_BIT(CLOSE) | OP_BIT(GETATTR))

const struct opcase map_cases[] = {
	{"mmap", OP_MMAP, 0, 0, 0, setup_pages, call_mmap, 0, "ll_file_mmap"},
	{"mmap-read", OP_FAULT, 0, 0, 0, setup_map_read, call_load, 0, NULL},
	{"mmap-write", OP_PAGE_MKWRITE, 0, OP_BIT(FAULT), 0, setup_map_write, call_load_and_store,
	 0, NULL},
	{"mmap-write-touched", OP_PAGE_MKWRITE, 0, 0, 0, setup_map_touched, call_store, 0, NULL},
	{"mmap-sigbus", OP_FAULT, EIO, 0, 0, setup_map_behind, call_bus_error, 0, NULL},
	{"msync", OP_FSYNC, 0, 0, 0, setup_map_write, call_msync, 0, NULL},
	{"exec", OP_OPEN, 0, 0, EXEC_ALSO, setup_program, call_exec, 0, NULL},
	{0},
};
