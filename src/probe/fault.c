// SPDX-License-Identifier: Apache-2.0
/* Faults on demand. */
#include <stdlib.h>
#include <string.h>

#include "probe/fault.h"

bool fault_injected(const char *fault, const char *row)
{
	const char *word = getenv(FAULT_VARIABLE);
	size_t n = strlen(fault);

	while (word && *word) {
		size_t len = strcspn(word, " ");

		if (len == n + 1 + strlen(row) && !strncmp(word, fault, n) && word[n] == '=' &&
		    !strncmp(word + n + 1, row, len - n - 1))
			return true;
		word += len + strspn(word + len, " ");
	}
	return false;
}
