/* SPDX-License-Identifier: Apache-2.0 */
/* Between the two files that read the web configuration. */
#ifndef WEB_WEBCONFIG_PRIVATE_H
#define WEB_WEBCONFIG_PRIVATE_H

#include <yaml.h>

#include "web/webconfig.h"

struct reader {
	struct webconfig *config;
	yaml_document_t *document;
	const char *name; /* of the file, for messages */
	const char *dir;
	char *err;
	size_t errlen;
};

/* One line "name:line: ...". Returns -EINVAL. */
int webconfig_fail(struct reader *r, size_t line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Whether the values make sense together, and what follows from them. */
int webconfig_check(struct reader *r);

#endif
