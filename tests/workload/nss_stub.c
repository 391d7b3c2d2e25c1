// SPDX-License-Identifier: Apache-2.0
/*
 * A name service of the bad kind, to be preloaded (LD_PRELOAD):
 *
 *	uid 2001	answers after 20 s
 *	uid 2002	fails three times, then answers
 *	uid 2003	has a record of 1 MB
 *	uid 2004	is called DOM\user, with a letter and a byte that is none in UTF-8
 *	others		do not exist
 */
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define HUGE (1024 * 1024)

int getpwuid_r(uid_t uid, struct passwd *pwd, char *buf, size_t size, struct passwd **result)
{
	static unsigned int failures;
	const char *name = uid == 2004 ? "DOM\\\xc3\xbc\xe9"
					 "ser"
				       : NULL;
	size_t gecos = 1;
	char plain[16];

	*result = NULL;
	switch (uid) {
	case 2001:
		sleep(20);
		break;
	case 2002:
		if (failures++ < 3)
			return EIO;
		break;
	case 2003:
		gecos = HUGE;
		break;
	case 2004:
		break;
	default:
		return 0;
	}
	if (!name) {
		snprintf(plain, sizeof(plain), "user%u", uid);
		name = plain;
	}
	if (size < strlen(name) + 1 + gecos)
		return ERANGE;
	memset(pwd, 0, sizeof(*pwd));
	pwd->pw_uid = uid;
	pwd->pw_gecos = buf + strlen(name) + 1;
	memset(pwd->pw_gecos, 'x', gecos);
	pwd->pw_gecos[gecos - 1] = '\0';
	pwd->pw_name = strcpy(buf, name);
	pwd->pw_passwd = pwd->pw_dir = pwd->pw_shell = pwd->pw_gecos + gecos - 1;
	*result = pwd;
	return 0;
}
