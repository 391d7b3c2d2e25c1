// SPDX-License-Identifier: Apache-2.0
/* --help, made from the table of flags. */
#include "options.h"

#include <string.h>

#include "option_table.h"
#include "ops/table.h"

#define WIDTH  79
#define INDENT 8

/* Writes words, broken into lines; returns the column. */
static int put_words(FILE *out, int column, const char *text)
{
	while (*text) {
		int len = strcspn(text, " ");

		if (column > INDENT && column + 1 + len > WIDTH) {
			fputc('\n', out);
			column = 0;
		}
		if (column)
			column += fprintf(out, " ");
		else
			column = fprintf(out, "%*s", INDENT, "");
		column += fprintf(out, "%.*s", len, text);
		text += len;
		text += *text == ' ';
	}
	return column;
}

static void put_row(FILE *out, const struct option_row *row)
{
	char initial[64];
	int column;
	size_t op;

	if (row->kind == OPTION_BOOL)
		fprintf(out, "  --[no-]%s\n", row->name);
	else if (row->arg)
		fprintf(out, "  --%s %s\n", row->name, row->arg);
	else
		fprintf(out, "  --%s\n", row->name);

	column = put_words(out, 0, row->help);
	if (row->kind == OPTION_OPS) {
		column = put_words(out, column, "Names:");
		for (op = 0; op < OP_MAX; op++)
			column = put_words(out, column, op_table[op].name);
	}
	if (row->initial) {
		snprintf(initial, sizeof(initial), "(default: %s)", row->initial);
		put_words(out, column, initial);
	}
	fputc('\n', out);
}

void options_help(FILE *out)
{
	size_t group, i;

	fputs("usage: lustre-ebpf-exporter [flags]\n\n"
	      "Observes the Lustre client of this node with eBPF and serves what it sees as\n"
	      "Prometheus metrics. A flag may be written with one dash or two, its value behind\n"
	      "a blank or a =.\n",
	      out);
	for (group = 0; group < GROUP_MAX; group++) {
		fprintf(out, "\n%s:\n", option_group_names[group]);
		for (i = 0; i < option_count; i++)
			if (option_table[i].group == group)
				put_row(out, &option_table[i]);
	}
}
