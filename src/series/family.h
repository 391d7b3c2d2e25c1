/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one model of samples that every encoder reads: families, and the samples of
 * each with their labels and their value.
 */
#ifndef SERIES_FAMILY_H
#define SERIES_FAMILY_H

#include <stdint.h>

#include "series/bounds.h"

enum metric_type {
	METRIC_COUNTER,
	METRIC_GAUGE,
	METRIC_HISTOGRAM,
	METRIC_INFO, /* value 1, the labels are what it says */
};

/* Constant data: whoever makes samples keeps it for as long as the process runs. */
struct family {
	/* As in the text format: counters end in _total, infos in _info. */
	const char *name;
	enum metric_type type;
	const char *unit; /* of Prometheus, part of the name; "": none */
	const char *help;
	const char *otel_name; /* by OpenTelemetry's conventions; NULL: the name with dots */
};

struct label {
	const char *name;
	const char *value; /* valid UTF-8 */
};

enum value_kind {
	VALUE_INTEGER,
	VALUE_REAL,
	VALUE_HISTOGRAM,
};

struct histogram {
	const struct histogram_layout *layout;
	uint64_t count;
	uint64_t sum;	    /* in 10^-layout->decimals of the unit */
	unsigned int first; /* bucket that bucket[0] is of; those not given are 0 */
	unsigned int n;
	const uint64_t *bucket;
};

struct sample {
	const struct label *labels;
	unsigned int n_labels;
	uint64_t created_ms; /* Unix time of a counter's or histogram's 0; 0: not known */
	enum value_kind kind;
	union {
		uint64_t integer;
		double real;
		struct histogram histogram;
	};
};

#endif
