// SPDX-License-Identifier: Apache-2.0
/* Any bytes as /proc/PID/stat: refused, or with a name that stands in them. */
#include <assert.h>
#include <string.h>

#include "procstat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct procstat stat;

	if (procstat_parse(&stat, (const char *)data, size))
		return 0;
	assert(strlen(stat.comm) < sizeof(stat.comm));
	assert(memmem(data, size, stat.comm, strlen(stat.comm)));
	return 0;
}
