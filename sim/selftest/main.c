// SPDX-License-Identifier: GPL-2.0
/* Runs all checks in folders of two mounts of its own: selftest (as root). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "selftest/check.h"
#include "selftest/suites.h"

#define MOUNT "/tmp/sim-selftest"

static void run_on(const char *source, const char *options, void (*suite)(void))
{
	if (mount(source, MOUNT, "lustre", 0, options) || chdir(MOUNT)) {
		perror(MOUNT);
		exit(2);
	}
	check_mount("self");
	suite();
	if (chdir("/") || umount(MOUNT)) {
		perror("umount " MOUNT);
		exit(2);
	}
}

static void with_locks(void)
{
	suite_names();
	suite_attributes();
	suite_data();
	suite_async();
	suite_mmap();
	suite_locks();
	suite_inject();
	suite_load();
	suite_rpcs();
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	mkdir(MOUNT, 0755);
	run_on("10.0.0.1@tcp:/self", "flock,user_xattr", with_locks);
	run_on("10.0.0.1@tcp:10.0.0.2@tcp:/self/sub", NULL, suite_no_locks);
	suite_mounts(MOUNT);
	return check_summary();
}
