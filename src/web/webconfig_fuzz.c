// SPDX-License-Identifier: Apache-2.0
/* Configuration files of any bytes: taken or refused with one line, never more. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "web/webconfig.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct webconfig *config = NULL;
	char err[256] = "";

	if (webconfig_parse(&config, (const char *)data, size, "f", "/etc", err, sizeof(err))) {
		assert(err[0] && strlen(err) < sizeof(err));
		return 0;
	}
	assert(strlen(config->priority) < sizeof(config->priority));
	webconfig_free(config);
	return 0;
}
