// SPDX-License-Identifier: Apache-2.0
/* Any bytes become valid UTF-8, and a quoted word of nothing but harmless characters. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "quote.h"
#include "utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *in = malloc(size + 1), *out = malloc(UTF8_SANITIZED_MAX(size));
	char word[64];
	size_t len, pos = 0;

	memcpy(in, data, size);
	in[size] = '\0';
	len = utf8_sanitize(out, UTF8_SANITIZED_MAX(size), in, size);
	assert(len == strlen(out));
	while (pos < len) {
		int n = utf8_char_len(out + pos, len - pos);

		assert(n > 0);
		pos += n;
	}
	len = quote(word, sizeof(word), in);
	assert(len == strlen(word) && len >= 2 && len < sizeof(word));
	assert(word[0] == '"' && word[len - 1] == '"' && !strpbrk(word, "\n\r\t\x1b\x7f"));
	free(out);
	free(in);
	return 0;
}
