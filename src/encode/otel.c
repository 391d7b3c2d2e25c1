// SPDX-License-Identifier: Apache-2.0
/* Names by the conventions of OpenTelemetry, see otel.h. */
#include "encode/otel.h"

static const struct {
	const char *label, *attribute;
} attributes[] = {
	{"uid", "user.id"},
	{"username", "user.name"},
	{"process", "process.name"},
	{"actor_type", "lustre.actor.type"},
	{"access_intent", "lustre.access.intent"},
	{"op", "lustre.access.op"},
	{"fs", "lustre.fs.name"},
	{"mount", "lustre.mount.point"},
	{"target", "lustre.target"},
	{"opcode", "lustre.rpc.opcode"},
	{"event", "lustre.rpc.event"},
	{"state", "lustre.import.state"},
	{"slurm_job_id", "slurm.job.id"},
	{"errno_class", "error.type"},
};

static const struct {
	const char *unit, *otel;
} units[] = {
	{"seconds", "s"},
	{"bytes", "By"},
	{"ratio", "1"},
};

void out_otel_name(struct out *o, const struct family *f)
{
	static const char *const suffixes[] = {"_total", "_info"};
	size_t len = strlen(f->name);

	if (f->otel_name) {
		out_text(o, f->otel_name);
		return;
	}
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		size_t n = strlen(suffixes[i]);

		if (len > n && !strcmp(f->name + len - n, suffixes[i]))
			len -= n;
	}
	for (size_t i = 0; i < len; i++)
		out_char(o, f->name[i] == '_' ? '.' : f->name[i]);
}

const char *otel_unit(const struct family *f)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(f->unit, units[i].unit))
			return units[i].otel;
	return "1";
}

const char *otel_attribute(const char *label)
{
	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
		if (!strcmp(label, attributes[i].label))
			return attributes[i].attribute;
	return label;
}
