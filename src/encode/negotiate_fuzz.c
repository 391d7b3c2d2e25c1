// SPDX-License-Identifier: Apache-2.0
/* Header values of any bytes: always one of the formats that there are. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

#include "encode/negotiate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	const char *second;
	struct negotiated n;

	memcpy(text, data, size);
	text[size] = '\0';
	/* What follows the first NUL is the other header. */
	second = strlen(text) < size ? text + strlen(text) + 1 : NULL;
	negotiate(text, second, &n);
	assert(n.encoder == &text_encoder || n.encoder == &openmetrics_encoder ||
	       n.encoder == &protobuf_encoder);
	assert(n.coding < CODING_MAX && (second || n.coding == CODING_IDENTITY));
	assert(strlen(n.content_type) > 30 && strlen(n.content_type) < CONTENT_TYPE_MAX - 1);
	for (const char *p = n.content_type; *p; p++)
		assert(*p >= ' ' && *p <= '~');
	free(text);
	return 0;
}
