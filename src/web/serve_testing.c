// SPDX-License-Identifier: Apache-2.0
/*
 * A server of one small snapshot for tests with foreign clients: prints its port, and
 * serves until its standard input ends. serve_testing [WEB_CONFIG_FILE]
 */
#include "web/testing.h"

int main(int argc, char **argv)
{
	struct site state = {.snapshot = sample_world()};
	struct web_site site = site_of(&state);
	struct address address;
	struct web_server *server;
	struct listeners l;
	const char *why;
	char err[512], byte;

	if (argc > 1 && web_security_new(&site.security, argv[1], err, sizeof(err)))
		goto fail;
	if (address_parse(&address, "127.0.0.1:0", &why) ||
	    web_listen(&l, &address, 1, err, sizeof(err)))
		goto fail;
	printf("%u\n", listener_port(&l));
	fflush(stdout);
	if (web_start(&server, &l, &site, err, sizeof(err)))
		goto fail;
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	web_stop(server);
	web_security_free(site.security);
	snapshot_put(state.snapshot);
	return 0;
fail:
	fprintf(stderr, "%s\n", err);
	return 1;
}
