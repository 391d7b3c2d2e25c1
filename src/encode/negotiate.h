/* SPDX-License-Identifier: Apache-2.0 */
/* Which format and which coding a client gets, by what it says it accepts. */
#ifndef ENCODE_NEGOTIATE_H
#define ENCODE_NEGOTIATE_H

#include "encode/encoder.h"

#define CONTENT_TYPE_MAX 128

enum coding {
	CODING_IDENTITY,
	CODING_GZIP,
	CODING_ZSTD, /* only for who names it */
	CODING_MAX,
};

struct negotiated {
	const struct encoder *encoder;
	char content_type[CONTENT_TYPE_MAX];
	enum coding coding;
};

/*
 * Accept and Accept-Encoding as they came, NULL: not sent. Any bytes are taken:
 * the format of the highest quality that we have, at equal quality the one that
 * was named first; where nothing fits, text 0.0.4. Never an error.
 */
void negotiate(const char *accept, const char *accept_encoding, struct negotiated *n);

#endif
