// SPDX-License-Identifier: Apache-2.0
/* JSON, character by character. --print: the array for another parser. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>
#include <cmocka.h>

#include "encode/sample_world.h"

#define PLACE                                                               \
	"\"lustre.fs.name\":\"lus\",\"lustre.mount.point\":\"/mnt/my fs\"," \
	"\"lustre.access.intent\":\"data_read\",\"lustre.access.op\":\"read\""
#define USER  PLACE ",\"user.id\":\"1000\",\"user.name\":\"user1000\""
#define ACTOR ",\"lustre.actor.type\":\"batch_job\",\"slurm.job.id\":\"42\""
#define WHO   USER ",\"process.name\":\"a\\\"b\\\\c\\u000ad\xef\xbf\xbd\"" ACTOR

static const char expected[] =
	"[\n"
	"{\"name\":\"lustre.client.access.operations\",\"type\":\"counter\",\"unit\":\"1\","
	"\"value\":3,\"attributes\":{" WHO "}},\n"
	"{\"name\":\"lustre.client.data.bytes\",\"type\":\"counter\",\"unit\":\"By\","
	"\"value\":8192,\"attributes\":{" WHO "}},\n"
	"{\"name\":\"lustre.client.operation.errors\",\"type\":\"counter\",\"unit\":\"1\","
	"\"value\":1,\"attributes\":{" WHO ",\"error.type\":\"io\"}},\n"
	"{\"name\":\"lustre.client.access.duration\",\"type\":\"histogram\",\"unit\":\"s\","
	"\"value\":{\"count\":3,\"sum\":200.000020001,\"bounds\":[1e-05,5e-05,0.00025,0.001,"
	"0.0025,0.01,0.025,0.1,0.25,1,2.5,10],\"counts\":[1,1,0,0,0,0,0,0,0,0,0,0,1]},"
	"\"attributes\":{" USER ACTOR "}},\n"
	"{\"name\":\"lustre.client.fs.operations\",\"type\":\"counter\",\"unit\":\"1\","
	"\"value\":3,\"attributes\":{" PLACE "}},\n"
	"{\"name\":\"lustre.client.fs.data.bytes\",\"type\":\"counter\",\"unit\":\"By\","
	"\"value\":8192,\"attributes\":{" PLACE "}},\n"
	"{\"name\":\"lustre.client.io.size\",\"type\":\"histogram\",\"unit\":\"By\","
	"\"value\":{\"count\":3,\"sum\":12288,\"bounds\":[64,256,1024,4096,16384,65536,262144,"
	"1048576,4194304,16777216,67108864,268435456,1073741824],"
	"\"counts\":[0,0,0,3,0,0,0,0,0,0,0,0,0,0]},\"attributes\":{" PLACE "}},\n"
	"{\"name\":\"lustre.ebpf.exporter.build\",\"type\":\"gauge\",\"unit\":\"1\",\"value\":1,"
	"\"attributes\":{\"version\":\"0.1.0\",\"revision\":\"\xc3\xa9\"}},\n"
	"{\"name\":\"process.cpu.seconds\",\"type\":\"counter\",\"unit\":\"s\",\"value\":0.25,"
	"\"attributes\":{}},\n"
	"{\"name\":\"lustre.client.oldest.operation.age.seconds\",\"type\":\"gauge\","
	"\"unit\":\"s\",\"value\":1e-07,\"attributes\":{\"lustre.access.op\":\"read\"}},\n"
	"{\"name\":\"lustre.client.oldest.operation.age.seconds\",\"type\":\"gauge\","
	"\"unit\":\"s\",\"value\":3,\"attributes\":{\"lustre.access.op\":\"write\"}}\n"
	"]\n";

static void test_array(void **state)
{
	static const size_t pieces[] = {1, 1 << 20};

	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		struct snapshot *s = sample_world();
		size_t len;
		char *text = world_encode(s, &json_encoder, pieces[i], &len);

		assert_string_equal(text, expected);
		free(text);
		snapshot_put(s);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_array)};

	if (argc > 1 && !strcmp(argv[1], "--print")) {
		struct snapshot *s = sample_world();
		int err = exposition_write(s, &json_encoder, STDOUT_FILENO);

		snapshot_put(s);
		return err ? 1 : 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
