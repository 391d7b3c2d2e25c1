/* SPDX-License-Identifier: Apache-2.0 */
/* One question to the name service, with every way in which it may fail. It can take minutes. */
#ifndef IDENTITY_NSS_H
#define IDENTITY_NSS_H

#include <pwd.h>
#include <stddef.h>
#include <stdint.h>

/* Room for a user name as a label value; longer ones are cut. */
#define USERNAME_MAX 257

enum nss_answer {
	NSS_FOUND,
	NSS_NOT_FOUND, /* there is no such user */
	NSS_RETRY,     /* no answer: ask again later */
};

/* getpwuid_r(), or a stand-in for it. */
typedef int (*nss_getpwuid_fn)(uid_t uid, struct passwd *pwd, char *buf, size_t buflen,
			       struct passwd **result);

/* The name of uid, as valid UTF-8, only with NSS_FOUND. */
enum nss_answer nss_user_name(nss_getpwuid_fn getpwuid_fn, uint32_t uid, char name[USERNAME_MAX]);

#endif
