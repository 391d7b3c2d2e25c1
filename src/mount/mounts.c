// SPDX-License-Identifier: Apache-2.0
/*
 * The kernel side writes to the slots while they are read here. What it reads
 * of a super block's mounts is complete when `looked` is raised; the state is
 * changed by compare and exchange, because the super block may go meanwhile.
 */
#include "mounts.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/options.h"
#include "mount/mountinfo.h"
#include "util/log.h"
#include "util/utf8.h"

/* Takes what is counted for super blocks beyond the number of slots. */
#define SURPLUS_SLOT  0
#define SURPLUS_LABEL "other"

/* What was decided about a slot. */
struct view {
	enum mount_decision decision;
	char *fs, *mount; /* NULL: "" */
	uint32_t version;
	uint32_t generation; /* of the slot when it was first seen in its present use */
	uint32_t looked;     /* of the slot at the last decision */
	bool in_use;
	bool named; /* by a mount that stood in mountinfo */
};

struct mounts {
	struct mount_slot *slots;
	struct view views[MOUNT_SLOTS];
	struct mountinfo info;
	bool changed; /* info has not been used for all slots yet */
	bool unread;  /* it changed, but could not be read */
	char **paths; /* normalized */
	size_t n_paths;
	char *llite; /* directory in sysfs with an entry per super block */
	int fd;
	uint32_t version;
};

/* The mounts of a slot's super block, as the kernel side saw them last. */
struct ids {
	uint32_t id[MOUNT_IDS];
	uint32_t n;
	uint32_t looked;
};

/* Text only: no slash twice, none at the end. */
static char *normalize(const char *path)
{
	char *out = strdup(path), *p = out;

	if (!out)
		return NULL;
	for (; *path; path++)
		if (*path != '/' || p == out || p[-1] != '/')
			*p++ = *path;
	if (p - out > 1 && p[-1] == '/')
		p--;
	*p = '\0';
	return out;
}

static char *sanitize(const char *text)
{
	size_t len = strlen(text), size = UTF8_SANITIZED_MAX(len);
	char *out = malloc(size);

	if (out)
		utf8_sanitize(out, size, text, len);
	return out;
}

static void view_reset(struct view *view)
{
	free(view->fs);
	free(view->mount);
	*view = (struct view){.decision = MOUNT_UNDECIDED};
}

static int view_name(struct mounts *m, struct view *view, const char *fs, const char *mount)
{
	char *new_fs = sanitize(fs), *new_mount = sanitize(mount);

	if (!new_fs || !new_mount) {
		free(new_fs);
		free(new_mount);
		return -ENOMEM;
	}
	if (!view->fs || strcmp(view->fs, new_fs) || strcmp(view->mount, new_mount))
		view->version = ++m->version;
	free(view->fs);
	free(view->mount);
	view->fs = new_fs;
	view->mount = new_mount;
	return 0;
}

struct mounts *mounts_new(struct mount_slot *slots, const struct string_list *selected,
			  const char *procfs, const char *sysfs)
{
	struct mounts *m = calloc(1, sizeof(*m));
	struct view *surplus;

	if (!m)
		return NULL;
	m->fd = -1;
	m->slots = slots;
	m->changed = true;
	surplus = &m->views[SURPLUS_SLOT];
	surplus->decision = MOUNT_SELECTED;
	m->paths = calloc(selected->n ? selected->n : 1, sizeof(*m->paths));
	if (!m->paths || view_name(m, surplus, SURPLUS_LABEL, SURPLUS_LABEL))
		goto fail;
	for (; m->n_paths < selected->n; m->n_paths++) {
		m->paths[m->n_paths] = normalize(selected->items[m->n_paths]);
		if (!m->paths[m->n_paths])
			goto fail;
	}
	if (asprintf(&m->llite, "%s/fs/lustre/llite", sysfs) < 0) {
		m->llite = NULL;
		goto fail;
	}
	if (procfs) {
		int err = m->fd = mountinfo_open(procfs);

		if (m->fd >= 0)
			err = mountinfo_read_fd(m->fd, &m->info);
		m->unread = err < 0;
		if (err)
			log_kv(LOG_LEVEL_WARN, "cannot read mountinfo: no mount will be found",
			       LOG_S("procfs", procfs), LOG_S("err", strerror(-err)));
	}
	return m;
fail:
	mounts_free(m);
	return NULL;
}

void mounts_free(struct mounts *m)
{
	size_t i;

	if (!m)
		return;
	if (m->fd >= 0)
		close(m->fd);
	for (i = 0; i < MOUNT_SLOTS; i++)
		view_reset(&m->views[i]);
	for (i = 0; i < m->n_paths; i++)
		free(m->paths[i]);
	free(m->paths);
	free(m->llite);
	mountinfo_free(&m->info);
	free(m);
}

int mounts_fd(const struct mounts *m)
{
	return m->fd;
}

void mounts_set_mountinfo(struct mounts *m, struct mountinfo *info)
{
	mountinfo_free(&m->info);
	m->info = *info;
	*info = (struct mountinfo){0};
	m->changed = true;
}

/* Reads mountinfo if it has changed; whether it did. What was known holds if it fails. */
static bool reload(struct mounts *m)
{
	struct pollfd poll_fd = {.fd = m->fd, .events = POLLPRI};
	struct mountinfo info;

	if (m->fd < 0)
		return false;
	if (poll(&poll_fd, 1, 0) > 0 && poll_fd.revents & (POLLPRI | POLLERR))
		m->unread = true;
	if (!m->unread || mountinfo_read_fd(m->fd, &info))
		return false;
	m->unread = false;
	mounts_set_mountinfo(m, &info);
	return true;
}

static void read_ids(const struct mount_slot *slot, struct ids *ids)
{
	uint32_t i;

	ids->looked = __atomic_load_n(&slot->looked, __ATOMIC_ACQUIRE);
	ids->n = __atomic_load_n(&slot->n_ids, __ATOMIC_RELAXED);
	if (ids->n > MOUNT_IDS)
		ids->n = MOUNT_IDS;
	for (i = 0; i < ids->n; i++)
		ids->id[i] = __atomic_load_n(&slot->mnt_id[i], __ATOMIC_RELAXED);
}

static bool has_id(const struct ids *ids, uint32_t id)
{
	uint32_t i;

	for (i = 0; i < ids->n; i++)
		if (ids->id[i] == id)
			return true;
	return false;
}

/* The line that names the super block, NULL if none of its mounts is in our mountinfo. */
static const struct mountinfo_entry *find_entry(const struct mounts *m, const struct ids *ids)
{
	const struct mountinfo_entry *first = NULL;
	size_t i;

	for (i = 0; i < m->info.count; i++) {
		const struct mountinfo_entry *e = &m->info.entries[i];

		if (!has_id(ids, e->id))
			continue;
		if (!strcmp(e->root, "/"))
			return e;
		if (!first)
			first = e;
	}
	return first;
}

/* The --mount path that names one of the super block's mounts, NULL if there is none. */
static const char *find_path(const struct mounts *m, const struct ids *ids)
{
	size_t p, i;

	for (p = 0; p < m->n_paths; p++)
		for (i = 0; i < m->info.count; i++)
			if (!strcmp(m->paths[p], m->info.entries[i].mount_point) &&
			    has_id(ids, m->info.entries[i].id))
				return m->paths[p];
	return NULL;
}

/* "<fsname>-<address of the super block>" in sysfs: the name, to be freed; "" if there is none. */
static char *find_fs_in_sysfs(const struct mounts *m, uint64_t sb)
{
	DIR *dir = opendir(m->llite);
	struct dirent *d;
	char suffix[18], *name = NULL;

	if (!dir)
		return strdup("");
	snprintf(suffix, sizeof(suffix), "-%016" PRIx64, sb);
	while (!name && (d = readdir(dir))) {
		size_t len = strlen(d->d_name), n = strlen(suffix);

		if (len > n && !strcmp(d->d_name + len - n, suffix))
			name = strndup(d->d_name, len - n);
	}
	closedir(dir);
	return name ? name : strdup("");
}

static void decide_by_entry(struct mounts *m, struct view *view, const struct mountinfo_entry *e,
			    const struct ids *ids)
{
	const char *path = find_path(m, ids);

	/* Without memory the slot is decided at the next update. */
	if (view_name(m, view, e->fsname, path ? path : e->mount_point))
		return;
	view->named = true;
	view->decision = !m->n_paths || path ? MOUNT_SELECTED : MOUNT_REJECTED;
}

static void decide_foreign(struct mounts *m, struct view *view, const struct mount_slot *slot)
{
	char *fs = find_fs_in_sysfs(m, slot->sb);

	if (fs && !view_name(m, view, fs, ""))
		view->decision = m->n_paths ? MOUNT_REJECTED : MOUNT_SELECTED;
	free(fs);
}

static void write_state(struct mount_slot *slot, uint32_t wanted)
{
	uint32_t state = __atomic_load_n(&slot->state, __ATOMIC_ACQUIRE);

	while (state != wanted && state != MOUNT_FREE && state != MOUNT_GONE)
		if (__atomic_compare_exchange_n(&slot->state, &state, wanted, false,
						__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			break;
}

static void update_slot(struct mounts *m, unsigned int i, bool changed)
{
	struct mount_slot *slot = &m->slots[i];
	uint32_t state = __atomic_load_n(&slot->state, __ATOMIC_ACQUIRE);
	uint32_t generation = __atomic_load_n(&slot->generation, __ATOMIC_ACQUIRE);
	struct view *view = &m->views[i];
	const struct mountinfo_entry *e;
	bool first_time = false;
	struct ids ids;

	if (view->in_use && (state == MOUNT_FREE || view->generation != generation))
		view_reset(view);
	if (state == MOUNT_FREE)
		return;
	if (!view->in_use) {
		view->in_use = first_time = true;
		view->generation = generation;
	}
	/* What a super block was called stays when it is gone. */
	if (state == MOUNT_GONE && view->decision != MOUNT_UNDECIDED)
		return;
	read_ids(slot, &ids);
	if (!changed && ids.looked == view->looked && view->decision != MOUNT_UNDECIDED)
		return;
	view->looked = ids.looked;
	e = find_entry(m, &ids);
	/* The mount may be newer than the mountinfo that we have. */
	if (!e && view->decision == MOUNT_UNDECIDED && reload(m))
		e = find_entry(m, &ids);
	if (e)
		decide_by_entry(m, view, e, &ids);
	else if (!view->named && (state == MOUNT_GONE || ids.n || !first_time))
		decide_foreign(m, view, slot);
	/*
	 * Else the super block has no mount yet, or has lost those that we saw: it goes on
	 * under the labels that it had. Look again also where an id was found: the list
	 * may lack a new bind mount that --mount names, or hold an id that was given
	 * to another mount since.
	 */
	if (state != MOUNT_GONE && (changed || !e))
		__atomic_store_n(&slot->refresh, 1, __ATOMIC_RELEASE);
	if (view->decision != MOUNT_UNDECIDED)
		write_state(slot, view->decision == MOUNT_SELECTED ? MOUNT_COUNTED : MOUNT_IGNORED);
}

void mounts_update(struct mounts *m)
{
	unsigned int i;
	bool changed;

	reload(m);
	changed = m->changed;
	m->changed = false;
	for (i = SURPLUS_SLOT + 1; i < MOUNT_SLOTS; i++)
		update_slot(m, i, changed);
}

enum mount_decision mounts_decision(const struct mounts *m, unsigned int slot)
{
	return m->views[slot].decision;
}

void mounts_label(const struct mounts *m, unsigned int slot, struct mount_label *label)
{
	const struct view *view = &m->views[slot];

	label->fs = view->fs ? view->fs : "";
	label->mount = view->mount ? view->mount : "";
	label->version = view->version;
}

void mounts_release(struct mounts *m, unsigned int i)
{
	struct mount_slot *slot = &m->slots[i];

	if (__atomic_load_n(&slot->state, __ATOMIC_ACQUIRE) != MOUNT_GONE ||
	    m->views[i].decision == MOUNT_UNDECIDED)
		return;
	view_reset(&m->views[i]);
	__atomic_add_fetch(&slot->generation, 1, __ATOMIC_ACQ_REL);
	__atomic_store_n(&slot->state, MOUNT_FREE, __ATOMIC_RELEASE);
}

unsigned int mounts_count(const struct mounts *m)
{
	return m->info.count;
}

static bool is_mounted(const struct mounts *m, const char *path)
{
	size_t i;

	for (i = 0; i < m->info.count; i++)
		if (!strcmp(path, m->info.entries[i].mount_point))
			return true;
	return false;
}

const char *mounts_missing_path(const struct mounts *m, unsigned int n)
{
	size_t p;

	for (p = 0; p < m->n_paths; p++)
		if (!is_mounted(m, m->paths[p]) && !n--)
			return m->paths[p];
	return NULL;
}

unsigned int mounts_missing(const struct mounts *m)
{
	unsigned int n = 0;

	while (mounts_missing_path(m, n))
		n++;
	return n;
}
