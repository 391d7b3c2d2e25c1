// SPDX-License-Identifier: Apache-2.0
/* Web server and OTLP push, from the command line to their threads. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "exporter/outlets.h"
#include "exporter/privileges.h"
#include "version.h"
#include "web/push.h"
#include "web/security.h"
#include "web/server.h"

struct outlets {
	const struct options *options;
	bool serves, pushes;
	struct listeners listeners;
	struct web_security *security; /* NULL: plain HTTP for everybody */
	struct web_server *web;
	struct push_config push_config;
	struct pusher *pusher;
};

static int open_web(struct outlets *o, char *err, size_t errlen)
{
	const struct options *options = o->options;
	int ret;

	if (options->web_config_file) {
		ret = web_security_new(&o->security, options->web_config_file, err, errlen);
		if (ret)
			return ret;
	}
	ret = options->web_systemd_socket ? web_listen_systemd(&o->listeners, err, errlen)
					  : web_listen(&o->listeners, options->listen.items,
						       options->listen.n, err, errlen);
	o->serves = !ret;
	return ret;
}

static int open_push(struct outlets *o, char *err, size_t errlen)
{
	char hostname[256] = "";
	int ret;

	gethostname(hostname, sizeof(hostname) - 1);
	ret = push_config_load(&o->push_config, o->options->otlp_endpoint, getenv, EXPORTER_VERSION,
			       hostname, err, errlen);
	o->pushes = ret > 0;
	return ret < 0 ? ret : 0;
}

int outlets_open(struct outlets **outlets, const struct options *options, char *err, size_t errlen)
{
	struct outlets *o = calloc(1, sizeof(*o));
	int ret = 0;

	if (!o)
		return -ENOMEM;
	o->options = options;
	if (!options->once && !options->dry_run) {
		ret = open_web(o, err, errlen);
		if (!ret)
			ret = open_push(o, err, errlen);
	}
	if (ret) {
		outlets_stop(o);
		return ret;
	}
	*outlets = o;
	return 0;
}

/*
 * The files are read again for every connection, by whoever this process is now: if
 * it may not, nobody would ever be served.
 */
static int check_security(struct outlets *o, char *err, size_t errlen)
{
	char why[400];
	int ret = web_security_check(o->security, why, sizeof(why));

	if (ret == -EACCES)
		snprintf(err, errlen,
			 "%s: the exporter serves as %s, who must be able to read it (chgrp and "
			 "chmod g+r the file; its folder needs g+x)",
			 why, geteuid() ? "the user " EXPORTER_USER : "root without privileges");
	else if (ret)
		snprintf(err, errlen, "%s", why);
	return ret;
}

int outlets_start(struct outlets *o, const struct outlet_source *source, char *err, size_t errlen)
{
	struct web_site site = {
		.telemetry_path = o->options->telemetry_path,
		.version = EXPORTER_VERSION,
		.collect = source->collect,
		.ready = source->ready,
		.ctx = source->ctx,
		.limits = web_default_limits,
		.security = o->security,
	};
	struct push_site push = {
		.version = EXPORTER_VERSION,
		.collect = source->collect,
		.ctx = source->ctx,
	};
	int ret = check_security(o, err, errlen);

	if (!ret && o->serves) {
		o->serves = false; /* the listeners are the server's now */
		ret = web_start(&o->web, &o->listeners, &site, err, errlen);
	}
	if (!ret && o->pushes)
		ret = push_start(&o->pusher, &o->push_config, &push, err, errlen);
	return ret;
}

void outlets_stop(struct outlets *o)
{
	if (!o)
		return;
	if (o->pusher)
		push_stop(o->pusher, true);
	if (o->web)
		web_stop(o->web);
	if (o->serves)
		web_unlisten(&o->listeners);
	if (o->security)
		web_security_free(o->security);
	if (o->pushes)
		push_config_free(&o->push_config);
	free(o);
}
