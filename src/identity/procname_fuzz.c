// SPDX-License-Identifier: Apache-2.0
/* Folding any bytes: a beginning of them, not empty, and stable. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "procname.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *name = malloc(size ? size : 1);
	size_t len;

	memcpy(name, data, size);
	len = procname_fold(name, size);
	assert(len <= size && (len || !size) && !memcmp(name, data, len));
	assert(procname_fold(name, len) == len);
	free(name);
	return 0;
}
