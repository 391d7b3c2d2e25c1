/* SPDX-License-Identifier: Apache-2.0 */
/* Variable-length integers of protobuf. */
#ifndef ENCODE_VARINT_H
#define ENCODE_VARINT_H

#include "encode/out.h"

static inline unsigned int varint_len(uint64_t v)
{
	unsigned int n = 1;

	for (; v >= 0x80; v >>= 7)
		n++;
	return n;
}

static inline void out_varint(struct out *o, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		out_char(o, (char)(v | 0x80));
	out_char(o, (char)v);
}

#endif
