// SPDX-License-Identifier: Apache-2.0
/* Numbers and durations from any text. */
#include <stdlib.h>
#include <string.h>

#include "parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *s = malloc(size + 1);
	uint64_t u;
	int64_t i;
	bool b;

	memcpy(s, data, size);
	s[size] = '\0';
	parse_int(s, &i);
	parse_duration(s, &i);
	parse_bool(s, &b);
	parse_digits((const char *)data, size, UINT32_MAX, &u);
	free(s);
	return 0;
}
