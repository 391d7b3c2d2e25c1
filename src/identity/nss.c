// SPDX-License-Identifier: Apache-2.0
#include "nss.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/utf8.h"

/* Records of some sites hold certificates or long lists; beyond the limit no name is known. */
#define RECORD_MIN 2048
#define RECORD_MAX (4 << 20)

enum nss_answer nss_user_name(nss_getpwuid_fn getpwuid_fn, uint32_t uid, char name[USERNAME_MAX])
{
	struct passwd pwd, *found = NULL;
	char *buf = NULL, *larger;
	size_t size;
	int err = ERANGE;

	for (size = RECORD_MIN; size <= RECORD_MAX && err == ERANGE; size *= 2) {
		larger = realloc(buf, size);
		if (!larger) {
			err = ENOMEM;
			break;
		}
		buf = larger;
		err = getpwuid_fn(uid, &pwd, buf, size, &found);
	}
	if (!err && found &&
	    utf8_sanitize(name, USERNAME_MAX, found->pw_name, strlen(found->pw_name)) == 0)
		found = NULL;
	free(buf);
	if (!err && found)
		return NSS_FOUND;
	/* The last two are what name services in the wild return for an unknown uid. */
	if (!err || err == ENOENT || err == ESRCH)
		return NSS_NOT_FOUND;
	return NSS_RETRY;
}
