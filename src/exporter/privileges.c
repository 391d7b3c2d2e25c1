// SPDX-License-Identifier: Apache-2.0
/* Dropping privileges. */
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "exporter/privileges.h"

/* The bounding set too: no file that is executed could give one back. */
static void drop_bounding_set(void)
{
	for (int cap = 0; prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0; cap++)
		prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
}

static int become_user(const struct passwd *user)
{
	if (setgroups(0, NULL) || setresgid(user->pw_gid, user->pw_gid, user->pw_gid) ||
	    setresuid(user->pw_uid, user->pw_uid, user->pw_uid))
		return -errno;
	return 0;
}

int privileges_drop(char *err, size_t errlen)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
	const struct passwd *user = geteuid() ? NULL : getpwnam(EXPORTER_USER);
	int e;

	drop_bounding_set();
	if (user) {
		e = become_user(user);
		if (e) {
			snprintf(err, errlen, "cannot become the user %s: %s", EXPORTER_USER,
				 strerror(-e));
			return e;
		}
	}
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_capset, &header, none)) {
		e = -errno;
		snprintf(err, errlen, "cannot drop capabilities: %s", strerror(-e));
		return e;
	}
	return 0;
}
