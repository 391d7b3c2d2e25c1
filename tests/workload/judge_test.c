// SPDX-License-Identifier: Apache-2.0
/*
 * The judges are judged: each check is fed text that is right, then the same
 * text with one thing wrong, and must see exactly that.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "llite.h"
#include "project.h"
#include "source.h"

#define LABELS "fs=\"l\",mount=\"/m\",access_intent=\"data_read\",op=\"read\""

static const char good[] =
	"# HELP lustre_client_access_operations_total Operations.\n"
	"# TYPE lustre_client_access_operations_total counter\n"
	"lustre_client_access_operations_total{" LABELS ",uid=\"0\",process=\"a\"} 3\n"
	"lustre_client_access_operations_total{" LABELS ",uid=\"0\",process=\"b\"} 2\n"
	"# HELP lustre_client_operation_errors_total Errors.\n"
	"# TYPE lustre_client_operation_errors_total counter\n"
	"lustre_client_operation_errors_total{" LABELS
	",uid=\"0\",process=\"a\",errno_class=\"io\"} 1\n"
	"# HELP lustre_client_data_bytes_total Bytes.\n"
	"# TYPE lustre_client_data_bytes_total counter\n"
	"lustre_client_data_bytes_total{" LABELS ",uid=\"0\",process=\"a\"} 70\n"
	"# HELP lustre_client_fs_operations_total Operations.\n"
	"# TYPE lustre_client_fs_operations_total counter\n"
	"lustre_client_fs_operations_total{" LABELS "} 5\n"
	"# HELP lustre_client_fs_data_bytes_total Bytes.\n"
	"# TYPE lustre_client_fs_data_bytes_total counter\n"
	"lustre_client_fs_data_bytes_total{" LABELS "} 70\n"
	"# HELP lustre_client_access_duration_seconds Latency.\n"
	"# TYPE lustre_client_access_duration_seconds histogram\n"
	"lustre_client_access_duration_seconds_bucket{" LABELS ",uid=\"0\",le=\"0.001\"} 4\n"
	"lustre_client_access_duration_seconds_bucket{" LABELS ",uid=\"0\",le=\"+Inf\"} 5\n"
	"lustre_client_access_duration_seconds_sum{" LABELS ",uid=\"0\"} 0.25\n"
	"lustre_client_access_duration_seconds_count{" LABELS ",uid=\"0\"} 5\n"
	"# HELP up Gauge.\n"
	"# TYPE up gauge\n"
	"up{a=\"q\\\"b\\\\s\\nn \xe5\x90\x8c\"} 1\n";

static char fault[256];

/* good, with the first occurrence of one text replaced by another. */
static char *altered(const char *from, const char *to)
{
	const char *at = strstr(good, from);
	char *text = malloc(sizeof(good) + strlen(to));

	assert_non_null(at);
	assert_non_null(text);
	sprintf(text, "%.*s%s%s", (int)(at - good), good, to, at + strlen(from));
	return text;
}

static int parse_text(struct prom *prom, char *text)
{
	return prom_parse(prom, text, strlen(text), fault, sizeof(fault));
}

static void parse_altered(struct prom *prom, const char *from, const char *to)
{
	int err = parse_text(prom, altered(from, to));

	if (err)
		fail_msg("%s", fault);
}

static void test_good(void **state)
{
	struct prom prom;
	const struct prom_match match = {"process", "a", false}, other = {"process", "a", true};
	size_t n;

	parse_altered(&prom, "", "");
	assert_int_equal(prom.n_families, 7);
	assert_int_equal(prom.n_samples, 11);
	assert_int_equal(check_form(&prom), 0);
	assert_int_equal(check_families(&prom), 0);
	assert_int_equal(check_monotonic(&prom, &prom, false), 0);
	assert_string_equal(prom_label(&prom.samples[10], "a"), "q\"b\\s\nn \xe5\x90\x8c");
	assert_int_equal(prom_sum(&prom, "lustre_client_access_operations_total", &match, 1, &n),
			 3);
	assert_int_equal(n, 1);
	assert_int_equal(prom_sum(&prom, "lustre_client_access_operations_total", &other, 1, &n),
			 2);
	prom_free(&prom);
}

static const struct {
	const char *from, *to;
	const char *fault; /* what the parser must say */
} bad_texts[] = {
	{"} 5\n", "} 5 1700000000\n", "line 13: bad value '5 1700000000' (or a time stamp)"},
	{"} 5\n", "} 0x5\n", "line 13: bad value '0x5' (or a time stamp)"},
	{"} 5\n", "}5\n", "line 13: no blank before the value"},
	{"} 5\n", "} \n", "line 13: bad value ''"},
	{"} 5\n", "} -5\n", "line 13: counter lustre_client_fs_operations_total is -5"},
	{"} 5\n", "} NaN\n", "line 13: counter lustre_client_fs_operations_total is nan"},
	{"\nup{", "\nxup{", "line 25: xup among the samples of up"},
	{"# TYPE up gauge\n", "# TYPE up gouge\n", "line 24: unknown type 'gouge'"},
	{"# TYPE up gauge\n", "# NOTE\n", "line 24: comment that is neither HELP nor TYPE"},
	{"# TYPE up gauge\n", "# HELP up again\n", "line 24: second HELP of up"},
	{"process=\"b\"", "process=\"a\"",
	 "line 4: series lustre_client_access_operations_total again, first in line 3"},
	{"process=\"b\"", "username=\"x\",process=\"a\"",
	 "line 4: series lustre_client_access_operations_total again, first in line 3"},
	{"process=\"b\"", "process=\"b", "line 4: label value without end"},
	{"process=\"b\"", "op=\"b\"", "line 4: label op twice"},
	{"process=\"b\"", "1process=\"b\"", "line 4: no label name followed by '='"},
	{"process=\"b\"", "process=\"\\t\"", "line 4: bad escape in label value"},
	{"process=\"b\"", "process=b", "line 4: label value without quote"},
	{"process=\"b\"", "process=\"\xe5\x90\"", "line 4: invalid UTF-8"},
	{"process=\"b\"", "process=\"\xed\xa0\x80\"", "line 4: invalid UTF-8"},
	{"process=\"b\"", "process=\"\xc0\x80\"", "line 4: invalid UTF-8"},
	{"# HELP up Gauge.\n", "# HELP lustre_client_data_bytes_total x\n",
	 "line 23: family lustre_client_data_bytes_total in two places"},
	{"\nup{", "\n\nup{", "line 25: no metric name"},
};

static void test_bad_texts(void **state)
{
	for (size_t i = 0; i < sizeof(bad_texts) / sizeof(bad_texts[0]); i++) {
		struct prom prom;

		assert_int_equal(parse_text(&prom, altered(bad_texts[i].from, bad_texts[i].to)),
				 -22);
		assert_string_equal(fault, bad_texts[i].fault);
		prom_free(&prom);
	}
}

static void test_no_end(void **state)
{
	struct prom prom;

	assert_int_equal(parse_text(&prom, strdup("# HELP a b")), -22);
	assert_string_equal(fault, "line 0: the text does not end with a line feed");
	prom_free(&prom);
	assert_int_equal(parse_text(&prom, strdup("")), 0);
	prom_free(&prom);
}

static const struct {
	const char *from, *to;
	int form, families; /* differences to be found */
} bad_values[] = {
	/* the histogram by itself */
	{"le=\"0.001\"} 4", "le=\"0.001\"} 6", 1, 0},
	{"_count{" LABELS ",uid=\"0\"} 5", "_count{" LABELS ",uid=\"0\"} 4", 1, 1},
	{"le=\"+Inf\"} 5", "le=\"0.002\"} 5", 1, 0},
	{"le=\"+Inf\"} 5", "le=\"0.0005\"} 5", 2, 0},
	{"_count{" LABELS ",uid=\"0\"} 5", "_count{" LABELS ",uid=\"1\"} 5", 3, 2},
	{"# HELP up Gauge.", "# HELP up ", 1, 0},
	/* the families among each other */
	{"process=\"b\"} 2", "process=\"b\"} 1", 0, 2},
	{"lustre_client_fs_operations_total{" LABELS "} 5",
	 "lustre_client_fs_operations_total{" LABELS "} 6", 0, 1},
	{"lustre_client_fs_data_bytes_total{" LABELS "} 70",
	 "lustre_client_fs_data_bytes_total{" LABELS "} 71", 0, 1},
	{"errno_class=\"io\"} 1", "errno_class=\"io\"} 4", 0, 1},
	{"process=\"a\",errno_class", "process=\"c\",errno_class", 0, 1},
};

static void test_bad_values(void **state)
{
	for (size_t i = 0; i < sizeof(bad_values) / sizeof(bad_values[0]); i++) {
		struct prom prom;

		print_message("%s\n", bad_values[i].to);
		parse_altered(&prom, bad_values[i].from, bad_values[i].to);
		assert_int_equal(check_form(&prom), bad_values[i].form);
		assert_int_equal(check_families(&prom), bad_values[i].families);
		prom_free(&prom);
	}
}

static void test_monotonic(void **state)
{
	struct prom before, after;

	parse_altered(&before, "", "");
	parse_altered(&after, "process=\"b\"} 2", "process=\"b\"} 1");
	assert_int_equal(check_monotonic(&before, &after, false), 1);
	assert_int_equal(check_monotonic(&after, &before, false), 0);
	prom_free(&after);
	parse_altered(&after, "process=\"b\"} 2", "process=\"new\"} 2");
	assert_int_equal(check_monotonic(&before, &after, false), 1);
	assert_int_equal(check_monotonic(&before, &after, true), 0);
	prom_free(&after);
	/* the user's name became known */
	parse_altered(&after, "process=\"b\"", "username=\"x\",process=\"b\"");
	assert_int_equal(check_monotonic(&before, &after, false), 0);
	prom_free(&after);
	parse_altered(&after, "le=\"0.001\"} 4", "le=\"0.001\"} 3");
	assert_int_equal(check_monotonic(&before, &after, false), 1);
	prom_free(&after);
	parse_altered(&after, "\xe5\x90\x8c\"} 1", "\"} 0"); /* a gauge may do what it likes */
	assert_int_equal(check_monotonic(&before, &after, false), 0);
	prom_free(&after);
	prom_free(&before);
}

static struct tallies sim, exporter;

static int same(const char *operations)
{
	char text[512];
	struct prom prom;
	int bad;

	snprintf(text, sizeof(text), "%s", operations);
	assert_int_equal(tallies_from_sim(&sim, text, false), 0);
	parse_altered(&prom, "", "");
	assert_int_equal(tallies_from_prom(&exporter, &prom, false), 0);
	prom_free(&prom);
	assert_int_equal(sim.n, 1);
	assert_string_equal(sim.fs[0].name, "l");
	bad = tally_compare("l", &exporter.fs[0].tally, &sim.fs[0].tally, op_mask_default());
	return bad;
}

static void test_same(void **state)
{
	assert_int_equal(same("l-00000000000000ab read 5 70 0 0 0 0 1 0 0\n"), 0);
	assert_int_equal(same("l-00000000000000ab read 4 40 0 0 0 0 1 0 0\n"
			      "l-00000000000000cd read 1 30 0 0 0 0 0 0 0\n"),
			 0);
	assert_int_equal(same("l-00000000000000ab read 6 70 0 0 0 0 1 0 0\n"), 1);
	assert_int_equal(same("l-00000000000000ab read 5 71 0 0 0 0 1 0 0\n"), 1);
	assert_int_equal(same("l-00000000000000ab read 5 70 0 0 0 0 0 1 0\n"), 2);
	assert_int_equal(same("l-00000000000000ab write 5 70 0 0 0 0 1 0 0\n"), 6);
	/* not observed unless asked for */
	assert_int_equal(same("l-00000000000000ab read 5 70 0 0 0 0 1 0 0\n"
			      "l-00000000000000ab permission 9 0 0 0 0 0 0 0 0\n"),
			 0);
}

static void test_sim_lines(void **state)
{
	static const char *const bad[] = {
		"l read 5 70 0 0 0 0 1 0 0",
		"l-ab read 5 70 0 0 0 0 1 0 0",
		"l-00000000000000ab reed 5 70 0 0 0 0 1 0 0",
		"l-00000000000000ab read 5 70 0 0 0 0 1 0",
		"l-00000000000000ab read 5 70 0 0 0 0 1 0 0 0",
		"l-00000000000000ab read 5 -70 0 0 0 0 1 0 0",
		"l-00000000000000ab read 5 70 0 0 0 0 1 0 0x",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char text[128];

		snprintf(text, sizeof(text), "%s", bad[i]);
		assert_int_not_equal(tallies_from_sim(&sim, text, false), 0);
	}
}

static void test_delta(void **state)
{
	struct tally before = {0}, after = {0}, delta;

	before.op[OP_READ].ops = 5;
	after.op[OP_READ].ops = 7;
	after.op[OP_OPEN].errors[ERRNO_PERM] = 1;
	assert_int_equal(tally_delta(&delta, &after, &before), 0);
	assert_int_equal(delta.op[OP_READ].ops, 2);
	assert_int_equal(delta.op[OP_OPEN].errors[ERRNO_PERM], 1);
	assert_int_equal(tally_delta(&delta, &before, &after), 2);
}

static void test_record(void **state)
{
	struct tally t = {0};

	tally_record(&t, OP_READ, 10);
	tally_record(&t, OP_READ, -EAGAIN);
	tally_record(&t, OP_OPEN, 7); /* a descriptor, no bytes */
	tally_record(&t, OP_OPEN, -ENOTDIR);
	assert_int_equal(t.op[OP_READ].ops, 2);
	assert_int_equal(t.op[OP_READ].bytes, 10);
	assert_int_equal(t.op[OP_READ].errors[ERRNO_AGAIN], 1);
	assert_int_equal(t.op[OP_OPEN].ops, 2);
	assert_int_equal(t.op[OP_OPEN].bytes, 0);
	assert_int_equal(t.op[OP_OPEN].errors[ERRNO_NOTFOUND], 1);
}

static const char stats_before[] = "llite.lustre-ffff8881.stats=\n"
				   "snapshot_time             1700000000.000000000 secs.nsecs\n"
				   "open                      1 samples [usecs] 10 10 10 100\n";
static const char stats_after[] = "snapshot_time             1700000001.000000000 secs.nsecs\n"
				  "open                      4 samples [usecs] 10 20 60 900\n"
				  "read_bytes                2 samples [bytes] 30 40 70 2500\n"
				  "read                      2 samples [usecs] 1 2 3 5\n"
				  "mknod                     3 samples [usecs] 1 2 3 5\n"
				  "flock                     2 samples [reqs]\n";

static void test_llite(void **state)
{
	struct llite_stats before, after;
	struct tally t = {0};
	char text[512];

	assert_int_equal(llite_parse(&before, strcpy(text, stats_before)), 0);
	assert_int_equal(llite_parse(&after, strcpy(text, stats_after)), 0);
	t.op[OP_OPEN].ops = 4;
	t.op[OP_OPEN].errors[ERRNO_NOTFOUND] = 1;
	t.op[OP_READ].ops = 3;
	t.op[OP_READ].bytes = 80;
	t.op[OP_CREATE].ops = 2;
	t.op[OP_MKNOD].ops = 1;
	t.op[OP_FLOCK].ops = 1;
	assert_int_equal(llite_compare(&before, &after, &t), 0);
	t.op[OP_OPEN].ops++;
	assert_int_equal(llite_compare(&before, &after, &t), 1);
	t.op[OP_READ].bytes = 60;
	assert_int_equal(llite_compare(&before, &after, &t), 2);
	t.op[OP_READ].ops = 1;
	t.op[OP_FLOCK].ops = 3;
	assert_int_equal(llite_compare(&before, &after, &t), 4);
	assert_int_not_equal(llite_parse(&after, strcpy(text, "open four\n")), 0);
}

static void test_projection(void **state)
{
	static const char *const by_process[] = {"process"};
	struct projection p;
	struct prom prom;

	parse_altered(&prom, "", "");
	assert_int_equal(
		project(&p, &prom, "lustre_client_access_operations_total", by_process, 1, NULL, 0),
		0);
	assert_int_equal(p.n, 2);
	assert_string_equal(p.groups[0].value[0], "a");
	assert_int_equal(p.groups[0].sum, 3);
	assert_int_equal(p.groups[1].sum, 2);
	projection_free(&p);
	prom_free(&prom);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),	   cmocka_unit_test(test_bad_texts),
		cmocka_unit_test(test_no_end),	   cmocka_unit_test(test_bad_values),
		cmocka_unit_test(test_monotonic),  cmocka_unit_test(test_same),
		cmocka_unit_test(test_sim_lines),  cmocka_unit_test(test_delta),
		cmocka_unit_test(test_record),	   cmocka_unit_test(test_llite),
		cmocka_unit_test(test_projection),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
