// SPDX-License-Identifier: Apache-2.0
/* The text format, character by character. --print: the exposition for promtool. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>
#include <cmocka.h>

#include "encode/sample_world.h"

#define PLACE "fs=\"lus\",mount=\"/mnt/my fs\",access_intent=\"data_read\",op=\"read\""
#define USER  PLACE ",uid=\"1000\",username=\"user1000\""
#define WHO                                                                                    \
	USER ",process=\"a\\\"b\\\\c\\nd\xef\xbf\xbd\",actor_type=\"batch_job\",slurm_job_id=" \
	     "\"42\""
#define HIST USER ",actor_type=\"batch_job\",slurm_job_id=\"42\""
#define D    "lustre_client_access_duration_seconds"
#define S    "lustre_client_io_size_bytes"

static const char expected[] =
	"# HELP lustre_client_access_operations_total Operations of the Lustre client that have "
	"ended.\n"
	"# TYPE lustre_client_access_operations_total counter\n"
	"lustre_client_access_operations_total{" WHO "} 3\n"
	"# HELP lustre_client_data_bytes_total Bytes moved by reads and writes.\n"
	"# TYPE lustre_client_data_bytes_total counter\n"
	"lustre_client_data_bytes_total{" WHO "} 8192\n"
	"# HELP lustre_client_operation_errors_total Operations that have failed, by class of "
	"error.\n"
	"# TYPE lustre_client_operation_errors_total counter\n"
	"lustre_client_operation_errors_total{" WHO ",errno_class=\"io\"} 1\n"
	"# HELP " D " Time operations spent inside the Lustre client.\n"
	"# TYPE " D " histogram\n" D "_bucket{" HIST ",le=\"1e-05\"} 1\n" D "_bucket{" HIST
	",le=\"5e-05\"} 2\n" D "_bucket{" HIST ",le=\"0.00025\"} 2\n" D "_bucket{" HIST
	",le=\"0.001\"} 2\n" D "_bucket{" HIST ",le=\"0.0025\"} 2\n" D "_bucket{" HIST
	",le=\"0.01\"} 2\n" D "_bucket{" HIST ",le=\"0.025\"} 2\n" D "_bucket{" HIST
	",le=\"0.1\"} 2\n" D "_bucket{" HIST ",le=\"0.25\"} 2\n" D "_bucket{" HIST
	",le=\"1\"} 2\n" D "_bucket{" HIST ",le=\"2.5\"} 2\n" D "_bucket{" HIST ",le=\"10\"} 2\n" D
	"_bucket{" HIST ",le=\"+Inf\"} 3\n" D "_sum{" HIST "} 200.000020001\n" D "_count{" HIST
	"} 3\n"
	"# HELP lustre_client_fs_operations_total All operations per mount, exact whatever happens "
	"to the detailed labels.\n"
	"# TYPE lustre_client_fs_operations_total counter\n"
	"lustre_client_fs_operations_total{" PLACE "} 3\n"
	"# HELP lustre_client_fs_data_bytes_total All bytes moved per mount, exact whatever "
	"happens to the detailed labels.\n"
	"# TYPE lustre_client_fs_data_bytes_total counter\n"
	"lustre_client_fs_data_bytes_total{" PLACE "} 8192\n"
	"# HELP " S " Sizes asked for by reads and writes.\n"
	"# TYPE " S " histogram\n" S "_bucket{" PLACE ",le=\"64\"} 0\n" S "_bucket{" PLACE
	",le=\"256\"} 0\n" S "_bucket{" PLACE ",le=\"1024\"} 0\n" S "_bucket{" PLACE
	",le=\"4096\"} 3\n" S "_bucket{" PLACE ",le=\"16384\"} 3\n" S "_bucket{" PLACE
	",le=\"65536\"} 3\n" S "_bucket{" PLACE ",le=\"262144\"} 3\n" S "_bucket{" PLACE
	",le=\"1048576\"} 3\n" S "_bucket{" PLACE ",le=\"4194304\"} 3\n" S "_bucket{" PLACE
	",le=\"16777216\"} 3\n" S "_bucket{" PLACE ",le=\"67108864\"} 3\n" S "_bucket{" PLACE
	",le=\"268435456\"} 3\n" S "_bucket{" PLACE ",le=\"1073741824\"} 3\n" S "_bucket{" PLACE
	",le=\"+Inf\"} 3\n" S "_sum{" PLACE "} 12288\n" S "_count{" PLACE "} 3\n"
	"# HELP lustre_ebpf_exporter_build_info What \"this\" is: \\\\ and\\nmore.\n"
	"# TYPE lustre_ebpf_exporter_build_info gauge\n"
	"lustre_ebpf_exporter_build_info{version=\"0.1.0\",revision=\"\xc3\xa9\"} 1\n"
	"# HELP process_cpu_seconds_total CPU time.\n"
	"# TYPE process_cpu_seconds_total counter\n"
	"process_cpu_seconds_total 0.25\n"
	"# HELP lustre_client_oldest_operation_age_seconds Age.\n"
	"# TYPE lustre_client_oldest_operation_age_seconds gauge\n"
	"lustre_client_oldest_operation_age_seconds{op=\"read\"} 1e-07\n"
	"lustre_client_oldest_operation_age_seconds{op=\"write\"} 3\n";

/* In pieces of any size the bytes are the same. */
static void test_exposition(void **state)
{
	static const size_t pieces[] = {1, 7, 4096, 1 << 20};

	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		struct snapshot *s = sample_world();
		size_t len;
		char *text = world_encode(s, &text_encoder, pieces[i], &len);

		assert_string_equal(text, expected);
		assert_int_equal(len, sizeof(expected) - 1);
		free(text);
		snapshot_put(s);
	}
}

static void check_scaled(uint64_t v, unsigned int decimals, bool point, const char *text)
{
	struct out o = {0};

	out_scaled(&o, v, decimals, point);
	out_char(&o, '\0');
	assert_string_equal(o.base, text);
	out_free(&o);
}

static void test_scaled(void **state)
{
	check_scaled(0, 9, false, "0");
	check_scaled(0, 0, true, "0.0");
	check_scaled(1, 9, false, "1e-09");
	check_scaled(12, 9, false, "1.2e-08");
	check_scaled(10000, 9, true, "1e-05");
	check_scaled(99999, 9, false, "9.9999e-05");
	check_scaled(100000, 9, false, "0.0001");
	check_scaled(250000, 9, false, "0.00025");
	check_scaled(1000000000, 9, false, "1");
	check_scaled(1000000000, 9, true, "1.0");
	check_scaled(2500000000, 9, true, "2.5");
	check_scaled(10000000000, 9, false, "10");
	check_scaled(UINT64_MAX, 9, false, "18446744073.709551615");
	check_scaled(UINT64_MAX, 0, false, "18446744073709551615");
	check_scaled(1000, 0, true, "1000.0");
}

static void check_double(double v, const char *text)
{
	struct out o = {0};

	out_double(&o, v);
	out_char(&o, '\0');
	assert_string_equal(o.base, text);
	out_free(&o);
}

static void test_double(void **state)
{
	check_double(0, "0");
	check_double(1e15, "1000000000000000");
	check_double(-3, "-3");
	check_double(0.1, "0.1");
	check_double(0.1 + 0.2, "0.30000000000000004");
	check_double(1e300, "1e+300");
	check_double(NAN, "NaN");
	check_double(INFINITY, "+Inf");
	check_double(-INFINITY, "-Inf");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exposition),
		cmocka_unit_test(test_scaled),
		cmocka_unit_test(test_double),
	};

	if (argc > 1 && !strcmp(argv[1], "--print")) {
		struct snapshot *s = sample_world();
		int err = exposition_write(s, &text_encoder, STDOUT_FILENO);

		snapshot_put(s);
		return err ? 1 : 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
