/* SPDX-License-Identifier: Apache-2.0 */
/* Names by the conventions of OpenTelemetry, for OTLP and for JSON. */
#ifndef ENCODE_OTEL_H
#define ENCODE_OTEL_H

#include "encode/out.h"
#include "series/family.h"

/* lustre.client.access.operations for lustre_client_access_operations_total. */
void out_otel_name(struct out *o, const struct family *f);

/* s, By or 1. */
const char *otel_unit(const struct family *f);

/* user.id for uid; a label without a name of its own keeps it. */
const char *otel_attribute(const char *label);

#endif
