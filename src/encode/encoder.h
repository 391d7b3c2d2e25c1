/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An exposition format: how families and samples are written. An encoder keeps no
 * state but in the buffer; encode/exposition.h drives it, one family or sample at a
 * time.
 */
#ifndef ENCODE_ENCODER_H
#define ENCODE_ENCODER_H

#include "encode/out.h"
#include "series/snapshot.h"

struct encoder {
	void (*begin)(struct out *o); /* NULL: nothing; so are the others but for sample */
	/*
	 * Before a family's samples. The walk stands before the first of them; it may
	 * be copied to look ahead.
	 */
	void (*family)(struct out *o, const struct family *f, const struct sample_walk *w);
	void (*sample)(struct out *o, const struct family *f, const struct sample *s);
	void (*end)(struct out *o); /* after the last family */
};

extern const struct encoder text_encoder;	 /* Prometheus text 0.0.4 and 1.0.0 */
extern const struct encoder openmetrics_encoder; /* 1.0.0 and 0.0.1 */
extern const struct encoder protobuf_encoder;	 /* delimited; native histograms */
extern const struct encoder json_encoder;	 /* one array of samples */

#endif
