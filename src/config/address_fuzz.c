// SPDX-License-Identifier: Apache-2.0
/* A listen address of any bytes: a reason, or a name that fits. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "address.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct address address;
	const char *why = NULL;

	memcpy(text, data, size);
	text[size] = '\0';
	if (address_parse(&address, text, &why))
		assert(why);
	else if (address.kind == ADDRESS_UNIX)
		assert(address.name[0] == '/' && strlen(address.name) <= ADDRESS_PATH_MAX);
	else
		assert(strlen(address.name) <= ADDRESS_HOST_MAX && !strpbrk(address.name, "[]/ "));
	free(text);
	return 0;
}
