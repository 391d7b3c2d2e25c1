// SPDX-License-Identifier: Apache-2.0
/*
 * Where batch systems put their jobs:
 *
 *	Slurm v2  <slices>/[<node>_]slurmstepd.scope/<job>/step_<s>/user/task_<n>
 *	      v1  /slurm[_<node>]/uid_<n>/<job>/step_<s>/task_<n>
 *		  <job> is job_<n>, or from 26.05 on a SLUID; step_<s>/slurm and
 *		  slurmstepd.scope/system hold slurmstepd itself
 *	PBS	  <slices>/pbs_jobs.service/jobid/<job>, formerly pbspro.service
 *	SGE	  /sge/<n>[.<task>], Univa: /UGE/...
 *	LSF	  /lsf/<cluster>/job.<n>.<pid>.<time>
 */
#include "cgroup.h"

#include <string.h>

#include "util/parse.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Components that are looked at; batch systems use ten at most. */
#define DEPTH_MAX 24

struct part {
	const char *text;
	size_t len;
};

struct path {
	struct part part[DEPTH_MAX];
	size_t n;
};

static void split(struct path *path, const char *text, size_t len)
{
	const char *end = text + len;

	path->n = 0;
	while (text < end && path->n < DEPTH_MAX) {
		const char *slash = memchr(text, '/', end - text);
		const char *stop = slash ? slash : end;

		if (stop > text)
			path->part[path->n++] = (struct part){text, stop - text};
		text = stop + 1;
	}
}

static bool is(const struct part *p, const char *text)
{
	return p->len == strlen(text) && !memcmp(p->text, text, p->len);
}

static bool begins(const struct part *p, const char *prefix)
{
	return p->len >= strlen(prefix) && !memcmp(p->text, prefix, strlen(prefix));
}

static bool ends(const struct part *p, const char *suffix)
{
	size_t n = strlen(suffix);

	return p->len >= n && !memcmp(p->text + p->len - n, suffix, n);
}

/* "<prefix><number><suffix>" */
static bool numbered(const struct part *p, const char *prefix, const char *suffix, uint32_t *number)
{
	size_t frame = strlen(prefix) + strlen(suffix);
	uint64_t value;

	if (!begins(p, prefix) || !ends(p, suffix) || p->len <= frame ||
	    parse_digits(p->text + strlen(prefix), p->len - frame, UINT32_MAX, &value))
		return false;
	*number = value;
	return true;
}

static bool is_container(const struct part *p)
{
	static const char *const scopes[] = {"docker-", "libpod-", "crio-", "cri-containerd-"};
	static const char *const names[] = {"docker", "lxc", "machine.slice"};
	static const char *const prefixes[] = {"kubepods", "lxc.payload"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(scopes); i++)
		if (begins(p, scopes[i]) && ends(p, ".scope"))
			return true;
	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (is(p, names[i]))
			return true;
	for (i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (begins(p, prefixes[i]))
			return true;
	return false;
}

/*
 * Whether somebody else than root may have made what is below: users own their
 * slice, services and scopes may be delegated. Containers' cgroups are theirs
 * only if they are privileged.
 */
static bool is_delegated(const struct part *p)
{
	if (is(p, "user.slice") || begins(p, "user-") || begins(p, "user@"))
		return true;
	if (ends(p, ".service"))
		return !begins(p, "slurmd");
	return ends(p, ".scope") && !is_container(p);
}

static void set_job(struct cgroup_info *info, enum batch_manager manager, const char *id,
		    size_t len)
{
	info->kind = CGROUP_JOB;
	info->manager = manager;
	memcpy(info->job_id, id, len);
	info->job_id[len] = '\0';
}

static enum job_step parse_step(const struct part *p)
{
	static const struct {
		const char *name;
		enum job_step step;
	} steps[] = {{"step_batch", STEP_BATCH},
		     {"step_extern", STEP_EXTERN},
		     {"step_interactive", STEP_INTERACTIVE}};
	const char *plus = memchr(p->text, '+', p->len);
	/* Step of a heterogeneous job: N+component. */
	struct part first = {p->text, plus ? (size_t)(plus - p->text) : p->len};
	uint32_t number;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(steps); i++)
		if (is(&first, steps[i].name))
			return steps[i].step;
	return numbered(&first, "step_", "", &number) ? STEP_NUMBERED : STEP_NONE;
}

/* <job>[/<step>[/...]], from the component at on. */
static bool parse_slurm_job(struct cgroup_info *info, const struct path *path, size_t at)
{
	const struct part *p = &path->part[at];
	const size_t prefix = strlen("job_");

	if (at >= path->n)
		return false;
	if (begins(p, "job_") && jobid_is_number(p->text + prefix, p->len - prefix)) {
		set_job(info, BATCH_SLURM, p->text + prefix, p->len - prefix);
	} else if (jobid_is_sluid(p->text, p->len)) {
		set_job(info, BATCH_SLURM, p->text, p->len);
		info->is_sluid = true;
	} else {
		return false;
	}
	if (at + 1 < path->n)
		info->step = parse_step(p + 1);
	info->is_stepd = at + 2 < path->n && is(p + 2, "slurm");
	return true;
}

static bool parse_slurm_v2(struct cgroup_info *info, const struct path *path, size_t at)
{
	static const char scope[] = "slurmstepd.scope", with_node[] = "_slurmstepd.scope";
	const struct part *p = &path->part[at];

	if (!is(p, scope) && !(ends(p, with_node) && p->len > strlen(with_node)))
		return false;
	if (parse_slurm_job(info, path, at + 1))
		return true;
	info->kind = CGROUP_SYSTEM;
	info->manager = BATCH_SLURM;
	info->is_stepd = true;
	return true;
}

static bool parse_slurm_v1(struct cgroup_info *info, const struct path *path, size_t at)
{
	uint32_t uid;

	if (at || path->n < 3 || (!is(path->part, "slurm") && !begins(path->part, "slurm_")) ||
	    !numbered(&path->part[1], "uid_", "", &uid) || !parse_slurm_job(info, path, 2))
		return false;
	info->has_uid = true;
	info->uid = uid;
	return true;
}

static bool parse_pbs(struct cgroup_info *info, const struct path *path, size_t at)
{
	static const char *const names[] = {"pbs_jobs.service", "pbspro.service", "pbs_jobs",
					    "pbspro"};
	const struct part *p = &path->part[at];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (is(p, names[i]))
			break;
	if (i == ARRAY_SIZE(names) || at + 2 >= path->n || !is(p + 1, "jobid") ||
	    !jobid_is_pbs(p[2].text, p[2].len))
		return false;
	set_job(info, BATCH_PBS, p[2].text, p[2].len);
	return true;
}

/* The number that a component begins with, up to one of the characters in stop. */
static bool set_numbered_job(struct cgroup_info *info, enum batch_manager manager,
			     const struct part *p, size_t prefix, const char *stop)
{
	const char *id = p->text + prefix;
	size_t len = 0;

	while (prefix + len < p->len && !strchr(stop, id[len]))
		len++;
	if (!jobid_is_number(id, len))
		return false;
	set_job(info, manager, id, len);
	return true;
}

static bool parse_sge(struct cgroup_info *info, const struct path *path, size_t at)
{
	if (at || path->n < 2 || (!is(path->part, "sge") && !is(path->part, "UGE")))
		return false;
	return set_numbered_job(info, BATCH_SGE, &path->part[1], 0, ".");
}

static bool parse_lsf(struct cgroup_info *info, const struct path *path, size_t at)
{
	if (at || path->n < 3 || !is(path->part, "lsf") || !begins(&path->part[2], "job."))
		return false;
	return set_numbered_job(info, BATCH_LSF, &path->part[2], strlen("job."), ".[");
}

/* Each looks at the component at and behind it. */
static bool (*const job_patterns[])(struct cgroup_info *info, const struct path *path,
				    size_t at) = {
	parse_slurm_v2, parse_slurm_v1, parse_pbs, parse_sge, parse_lsf,
};

static void parse_slice(struct cgroup_info *info, const struct path *path)
{
	size_t i;

	if (path->n && (is(path->part, "system.slice") || is(path->part, "init.scope")))
		info->kind = CGROUP_SYSTEM;
	if (path->n && is(path->part, "user.slice")) {
		info->kind = CGROUP_USER;
		info->has_uid =
			path->n > 1 && numbered(&path->part[1], "user-", ".slice", &info->uid);
		if (path->n > 2)
			numbered(&path->part[2], "session-", ".scope", &info->session);
	}
	for (i = 0; i < path->n; i++)
		if (is_container(&path->part[i]))
			info->kind = CGROUP_CONTAINER;
}

void cgroup_parse_path(struct cgroup_info *info, const char *text, size_t len)
{
	struct path path;
	size_t at, i;

	*info = (struct cgroup_info){0};
	split(&path, text, len);
	for (at = 0; at < path.n; at++) {
		for (i = 0; i < ARRAY_SIZE(job_patterns); i++)
			if (job_patterns[i](info, &path, at))
				return;
		if (is_delegated(&path.part[at]))
			break;
	}
	parse_slice(info, &path);
}

/* How much a line is worth: a job, then a known kind, then by its controllers. */
static int rank(const struct cgroup_info *info, const char *controllers, size_t len)
{
	static const char *const preferred[] = {"cpuset", "freezer", "devices", "memory"};
	int value = info->kind == CGROUP_JOB ? 200 : info->kind != CGROUP_OTHER ? 100 : 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(preferred); i++)
		if (memmem(controllers, len, preferred[i], strlen(preferred[i])))
			return value + 1 + i;
	return value;
}

void cgroup_parse_proc(struct cgroup_info *info, const char *text, size_t len)
{
	static const char deleted[] = " (deleted)";
	const char *end = text + len;
	int best = -1;

	*info = (struct cgroup_info){0};
	while (text < end) {
		const char *newline = memchr(text, '\n', end - text);
		const char *stop = newline ? newline : end;
		const char *controllers = memchr(text, ':', stop - text), *path;
		struct cgroup_info line;
		struct part p;
		int value;

		text = stop + 1;
		path = controllers ? memchr(controllers + 1, ':', stop - controllers - 1) : NULL;
		if (!path)
			continue;
		p = (struct part){path + 1, stop - path - 1};
		if (ends(&p, deleted))
			p.len -= strlen(deleted);
		cgroup_parse_path(&line, p.text, p.len);
		value = rank(&line, controllers + 1, path - controllers - 1);
		if (value > best) {
			best = value;
			*info = line;
		}
	}
}
