/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which job the running task belongs to. Its cgroup proves it; else, where a
 * batch system does without cgroups, an ancestor that is the batch system's own
 * daemon. Names of directories are read here: a short job's are gone before user
 * space could look.
 *
 * What is found is kept with the task as long as its css_set is the same. Behind
 * that stand two caches, of cgroups and of processes, so that a job of many short
 * processes is found out once.
 *
 * Global functions: looked at by the verifier once a program, whoever calls them.
 */
#ifndef BPF_IDENTITY_H
#define BPF_IDENTITY_H

#include "maps.h"

/* What is found out is one number: the job's key, and WHO_* in the highest byte. */
#define FOUND(flags)	   ((__u64)(flags) << 56)
#define FOUND_FLAGS(found) ((__u32)((found) >> 56))
#define FOUND_KEY(found)   ((found) & ~(0xffULL << 56))
/* With the answer of job_of_id(): the caller has to fill the slot in. */
#define FOUND_FRESH 0x80

/* A job's directory lies above its steps and tasks; deeper trees are nobody's. */
#define CGROUP_DEPTH 24
/* Processes looked at between a program and the daemon that launched its job. */
#define ANCESTORS 48
/* Slots looked at for a free one. */
#define JOB_PROBES 16

/* What the name of a directory may be part of; identity/cgroup.c says where. */
enum dir_class {
	DIR_SLURM_SCOPE = 1 << 0, /* [<node>_]slurmstepd.scope */
	DIR_SLURM_JOB = 1 << 1,	  /* job_<n>, or a SLUID */
	DIR_SLURM = 1 << 2,	  /* slurm[_<node>] */
	DIR_UID = 1 << 3,	  /* uid_<n> */
	DIR_PBS = 1 << 4,	  /* pbs_jobs[.service], pbspro[.service] */
	DIR_JOBID = 1 << 5,
	DIR_SGE = 1 << 6,    /* sge, UGE */
	DIR_NUMBER = 1 << 7, /* begins with a digit */
	DIR_LSF = 1 << 8,
	DIR_LSF_JOB = 1 << 9,	 /* job.<...> */
	DIR_DELEGATED = 1 << 10, /* users may make directories below: no proof */
};

/* No text that is compared is longer. */
#define SUFFIX_MAX 24

/*
 * A walk from a cgroup up to its root. In memory: in registers each step would
 * multiply the states that the verifier has to follow.
 */
struct cgroup_walk {
	char zero[SUFFIX_MAX];
	char name[JOB_NAME_LEN];
	char suffix[SUFFIX_MAX]; /* of the name, with zeros before it */
	__u64 dir[2]; /* the two directories below the one looked at, and their classes */
	__u32 class[2];
	__u64 job; /* the job's directory as far as the walk has come, 0: none */
	__u32 proof;
	__u32 flags; /* WHO_BATCH if it is a job */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct cgroup_walk);
} cgroup_walks SEC(".maps");

static __always_inline bool job_is_current(__u64 key)
{
	__u32 at = JOB_KEY_SLOT(key);
	struct job_slot *slot = bpf_map_lookup_elem(&jobs, &at);

	return slot && slot->state != JOB_FREE && slot->generation == JOB_KEY_GENERATION(key);
}

/*
 * The key of a job, with FOUND_FRESH if it was not known; 0 if there is no slot
 * left.
 */
__noinline __u64 job_of_id(__u64 number, __u32 pid, __u32 hierarchy)
{
	struct lasting_id id = {.number = number, .pid = pid, .hierarchy = hierarchy};
	__u64 *found = bpf_map_lookup_elem(&job_index, &id);
	struct job_slot *slot = NULL;
	struct lasting_id claim = {};
	__u32 i, at = 0;
	__u64 key = 0;

	if (found && job_is_current(*found))
		return *found;
	for (i = 0; i < JOB_PROBES; i++) {
		at = (number + pid + i) & (JOB_SLOTS - 1);
		slot = bpf_map_lookup_elem(&jobs, &at);
		if (!slot || slot->state != JOB_FREE)
			continue;
		/* No process and no cgroup. The insertion that succeeds makes the claim. */
		claim.number = JOB_KEY(at, slot->generation);
		key = JOB_KEY(at, slot->generation + 1);
		if (!bpf_map_update_elem(&job_index, &claim, &key, BPF_NOEXIST))
			break;
	}
	if (i >= JOB_PROBES || !slot) {
		kernel_counter_inc(KC_JOB_REFUSED);
		return 0;
	}
	/* Of the job that had the slot before. */
	if (slot->id.number)
		bpf_map_delete_elem(&job_index, &slot->id);
	if (found)
		bpf_map_delete_elem(&job_index, &id);
	slot->id = id;
	slot->answered = 0;
	slot->n_members = 0;
	/* Valid before it can be found. */
	slot->generation++;
	slot->state = JOB_CLAIMED;
	if (bpf_map_update_elem(&job_index, &id, &key, BPF_NOEXIST)) {
		/* Another CPU was first with this job, or the map is full. */
		slot->id.number = 0;
		slot->state = JOB_FREE;
		bpf_map_delete_elem(&job_index, &claim);
		found = bpf_map_lookup_elem(&job_index, &id);
		return found ? *found : 0;
	}
	bpf_map_delete_elem(&job_index, &claim);
	return key | FOUND(FOUND_FRESH);
}

static __always_inline struct kernfs_node *dir_parent(struct kernfs_node *dir)
{
	if (bpf_core_field_exists(struct kernfs_node___new, __parent))
		return BPF_CORE_READ((struct kernfs_node___new *)dir, __parent);
	return BPF_CORE_READ(dir, parent);
}

static __always_inline __u64 dir_number(struct kernfs_node *dir)
{
	if (bpf_core_field_exists(struct kernfs_node, id))
		return BPF_CORE_READ(dir, id);
	return BPF_CORE_READ((struct kernfs_node___old *)dir, id.id);
}

/*
 * Text at a place that is a multiple of 8, compared in words: at is where it has to
 * begin, n how much of it counts. All constants, so what is left are the words.
 */
static __always_inline bool same(const __u64 *words, __u32 at, const char *text, __u32 n)
{
	__u32 w, i;

#pragma unroll
	for (w = 0; w < SUFFIX_MAX / 8; w++) {
		__u64 value = 0, mask = 0;

#pragma unroll
		for (i = 0; i < 8; i++) {
			__u32 k = 8 * w + i;

			if (k < at || k >= at + n)
				continue;
			value |= (__u64)(__u8)text[k - at] << (8 * i);
			mask |= 0xffULL << (8 * i);
		}
		if (mask && (words[w] & mask) != value)
			return false;
	}
	return true;
}

/* Little endian, as are all machines that this runs on. */
#define BEGINS(name, text) same((const __u64 *)(name), 0, text, sizeof(text) - 1)
#define IS(name, text)	   same((const __u64 *)(name), 0, text, sizeof(text))
/* suffix: the SUFFIX_MAX bytes before the end */
#define ENDS(suffix, text) \
	same((const __u64 *)(suffix), SUFFIX_MAX - (sizeof(text) - 1), text, sizeof(text) - 1)

static __always_inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* s and 13 digits of Crockford's base 32. */
static __always_inline bool is_sluid(const char *name)
{
	__u32 i;

	if (name[0] != 's')
		return false;
	for (i = 1; i < 14; i++) {
		char c = name[i];

		if (!is_digit(c) && (c < 'A' || c > 'Z'))
			return false;
		if (c == 'I' || c == 'L' || c == 'O' || c == 'U')
			return false;
	}
	return !name[14];
}

/* job_ and a number that does not begin with 0. */
static __always_inline bool is_job_number(const char *name)
{
	__u32 i;

	if (!BEGINS(name, "job_") || name[4] == '0')
		return false;
	for (i = 4; i < 14; i++) {
		if (!name[i])
			return i > 4;
		if (!is_digit(name[i]))
			return false;
	}
	return !name[14];
}

/* The DIR_* of the name in the walk, which has len bytes. */
__noinline __u32 dir_classify(__u32 len)
{
	__u32 zero = 0, class = 0;
	struct cgroup_walk *walk = bpf_map_lookup_elem(&cgroup_walks, &zero);
	const char *name, *suffix;

	if (!walk)
		return 0;
	name = walk->name;
	suffix = walk->suffix;
	bpf_probe_read_kernel(walk->suffix, SUFFIX_MAX, walk->zero + (len & (JOB_NAME_LEN - 1)));

	if (is_sluid(name) || is_job_number(name))
		return DIR_SLURM_JOB;
	if (is_digit(name[0]))
		class = DIR_NUMBER;
	if (BEGINS(name, "job."))
		return DIR_LSF_JOB;
	if (BEGINS(name, "uid_") && is_digit(name[4]))
		return DIR_UID;
	if (IS(name, "jobid"))
		return DIR_JOBID;
	if (IS(name, "sge") || IS(name, "UGE"))
		return DIR_SGE;
	if (IS(name, "lsf"))
		return DIR_LSF;
	if (IS(name, "slurm") || BEGINS(name, "slurm_"))
		class |= DIR_SLURM;
	if (IS(name, "pbs_jobs") || IS(name, "pbspro"))
		return DIR_PBS;
	if (BEGINS(name, "user-") || BEGINS(name, "user@") || IS(name, "user.slice"))
		return class | DIR_DELEGATED;
	if (ENDS(suffix, ".service")) {
		if (IS(name, "pbs_jobs.service") || IS(name, "pbspro.service"))
			class |= DIR_PBS;
		if (!BEGINS(name, "slurmd"))
			class |= DIR_DELEGATED;
	} else if (ENDS(suffix, ".scope")) {
		if (IS(name, "slurmstepd.scope") || ENDS(suffix, "_slurmstepd.scope"))
			class |= DIR_SLURM_SCOPE;
		if (!BEGINS(name, "docker-") && !BEGINS(name, "libpod-") &&
		    !BEGINS(name, "crio-") && !BEGINS(name, "cri-containerd-"))
			class |= DIR_DELEGATED;
	}
	return class;
}

static __always_inline void walk_found(struct cgroup_walk *walk, __u64 job, __u32 proof)
{
	walk->job = job;
	walk->proof = proof;
	walk->flags = WHO_BATCH;
}

/* One directory of the walk. */
__noinline int walk_step(__u64 directory)
{
	struct kernfs_node *dir = (void *)directory;
	__u32 zero = 0, class, below, below2;
	struct cgroup_walk *walk = bpf_map_lookup_elem(&cgroup_walks, &zero);
	bool at_top;
	long len;

	if (!walk)
		return 0;
	__builtin_memset(walk->name, 0, SUFFIX_MAX);
	len = bpf_probe_read_kernel_str(walk->name, JOB_NAME_LEN, BPF_CORE_READ(dir, name));
	class = len > 0 ? dir_classify(len - 1) : 0;
	below = walk->class[0];
	below2 = walk->class[1];
	at_top = !dir_parent(dir_parent(dir));

	/* Patterns that begin at this directory count even if what is below belongs to others. */
	if (class & DIR_DELEGATED) {
		walk->job = 0;
		walk->flags = 0;
	}
	if (class & DIR_SLURM_SCOPE && below & DIR_SLURM_JOB)
		walk_found(walk, walk->dir[0], JOB_SLURM_V2);
	else if (at_top && class & DIR_SLURM && below & DIR_UID && below2 & DIR_SLURM_JOB)
		walk_found(walk, walk->dir[1], JOB_SLURM_V1);
	else if ((class & DIR_PBS && below & DIR_JOBID && below2 & DIR_NUMBER) ||
		 (at_top && class & DIR_SGE && below & DIR_NUMBER) ||
		 (at_top && class & DIR_LSF && below2 & DIR_LSF_JOB))
		walk_found(walk, 0, 0);

	walk->dir[1] = walk->dir[0];
	walk->class[1] = below;
	walk->dir[0] = directory;
	walk->class[0] = class;
	return 0;
}

/* Finds the job's directory above the cgroup at dir. */
__noinline int walk_up(__u64 start)
{
	struct kernfs_node *dir = (void *)start, *parent;
	__u32 zero = 0, i;
	struct cgroup_walk *walk = bpf_map_lookup_elem(&cgroup_walks, &zero);

	if (!walk)
		return 0;
	walk->class[0] = walk->class[1] = 0;
	walk->job = 0;
	walk->flags = 0;
	for (i = 0; i < CGROUP_DEPTH; i++) {
		parent = dir_parent(dir);
		if (!parent)
			return 0;
		walk_step((__u64)dir);
		dir = parent;
	}
	/* Not seen up to the root. */
	walk->job = 0;
	walk->flags = 0;
	return 0;
}

/* Fills in the slot of a job that was just met at its directory. */
__noinline int job_fill_dirs(__u64 key, __u64 job, __u32 proof)
{
	struct kernfs_node *dir = (void *)job;
	__u32 at = JOB_KEY_SLOT(key), i;
	struct job_slot *slot = bpf_map_lookup_elem(&jobs, &at);

	if (!slot)
		return 0;
	for (i = 0; i < JOB_DIRS; i++) {
		slot->dir[i][0] = 0;
		if (!dir)
			continue;
		bpf_probe_read_kernel_str(slot->dir[i], JOB_NAME_LEN, BPF_CORE_READ(dir, name));
		dir = dir_parent(dir);
	}
	slot->proof = proof;
	barrier();
	slot->state = JOB_MET;
	return 0;
}

/* What the cgroup, of a hierarchy, says: see FOUND. */
__noinline __u64 job_of_cgroup(__u64 kn, __u32 hierarchy)
{
	struct lasting_id id = {.hierarchy = hierarchy + 1};
	struct cgroup_walk *walk;
	__u64 *cached, found, key, job;
	__u32 zero = 0, proof;

	id.number = dir_number((void *)kn);
	cached = bpf_map_lookup_elem(&cgroup_cache, &id);
	if (cached && (!FOUND_KEY(*cached) || job_is_current(FOUND_KEY(*cached))))
		return *cached;

	walk_up(kn);
	walk = bpf_map_lookup_elem(&cgroup_walks, &zero);
	if (!walk)
		return 0;
	found = FOUND(walk->flags);
	job = walk->job;
	proof = walk->proof;
	if (job && config.collect_jobs) {
		key = job_of_id(dir_number((void *)job), 0, hierarchy + 1);
		if (FOUND_FLAGS(key) & FOUND_FRESH)
			job_fill_dirs(key, job, proof);
		/* No room: tried again the next time. */
		if (!key)
			return found;
		found |= FOUND_KEY(key);
	}
	bpf_map_update_elem(&cgroup_cache, &id, &found, BPF_ANY);
	return found;
}

static __always_inline __u64 job_of_subsystem(__u64 css_set, __u64 index)
{
	struct cgroup_subsys_state *css = NULL;
	struct cgroup *cgroup;
	int hierarchy;

	bpf_probe_read_kernel(
		&css, sizeof(css),
		(void *)(css_set + bpf_core_field_offset(struct css_set, subsys) + 8 * index));
	cgroup = BPF_CORE_READ(css, cgroup);
	hierarchy = BPF_CORE_READ(cgroup, root, hierarchy_id);
	/* A controller of v2, where the task itself stands in the default hierarchy. */
	if (!hierarchy)
		return 0;
	return job_of_cgroup((__u64)BPF_CORE_READ(cgroup, kn), hierarchy);
}

#define TRY_SUBSYSTEM(name)                                                                   \
	if (bpf_core_enum_value_exists(enum cgroup_subsys_id, name##_cgrp_id)) {              \
		found = job_of_subsystem(                                                     \
			css_set, bpf_core_enum_value(enum cgroup_subsys_id, name##_cgrp_id)); \
		if (found)                                                                    \
			return found;                                                         \
	}

/*
 * What the task's cgroups say. The hierarchy of each is looked at here, not the
 * host's mounts: it is right whichever are mounted, when and where. Slurm makes
 * its directories below the controllers that it was told to use.
 */
__noinline __u64 job_of_css_set(__u64 css_set)
{
	struct cgroup *cgroup;
	__u64 found;

	TRY_SUBSYSTEM(memory)
	TRY_SUBSYSTEM(devices)
	TRY_SUBSYSTEM(freezer)
	TRY_SUBSYSTEM(cpuset)
	TRY_SUBSYSTEM(pids)
	cgroup = BPF_CORE_READ((struct css_set *)css_set, dfl_cgrp);
	return job_of_cgroup((__u64)BPF_CORE_READ(cgroup, kn), 0);
}

static __always_inline void process_id(struct lasting_id *id, struct task_struct *leader)
{
	id->pid = BPF_CORE_READ(leader, tgid);
	id->hierarchy = 0;
	if (bpf_core_field_exists(struct task_struct, start_boottime))
		id->number = BPF_CORE_READ(leader, start_boottime);
	else
		id->number = BPF_CORE_READ((struct task_struct___old *)leader, real_start_time);
}

/*
 * Whether the process is one that launches jobs: by its name, and by being
 * root's.
 */
static __always_inline bool is_daemon(struct task_struct *leader)
{
	__u64 comm[COMM_LEN / 8];

	BPF_CORE_READ_INTO(&comm, leader, comm);
	return (IS(comm, "slurmstepd") || IS(comm, "pbs_mom") || IS(comm, "sge_shepherd") ||
		IS(comm, "sbatchd")) &&
	       !BPF_CORE_READ(leader, real_cred, uid.val);
}

/* The job below a slurmstepd; child is what the slurmstepd launched. */
static __always_inline __u64 job_of_stepd(const struct lasting_id *stepd,
					  const struct lasting_id *child)
{
	__u64 key = job_of_id(stepd->number, stepd->pid, 0);
	__u32 at = JOB_KEY_SLOT(key);
	struct job_slot *slot;

	if (!(FOUND_FLAGS(key) & FOUND_FRESH))
		return key;
	slot = bpf_map_lookup_elem(&jobs, &at);
	if (!slot)
		return 0;
	slot->launched = *child;
	slot->proof = JOB_ANCESTOR;
	barrier();
	slot->state = JOB_MET;
	return FOUND_KEY(key);
}

/* What a daemon that launches jobs hands on to child. */
__noinline __u64 job_of_daemon(__u64 leader, __u64 child_start, __u32 child_pid)
{
	struct task_struct *task = (void *)leader;
	struct lasting_id id = {}, child = {.number = child_start, .pid = child_pid};
	__u64 comm[COMM_LEN / 8], found = FOUND(WHO_BATCH);

	/* A user's set-uid program is root's too, and its name is the user's choice. */
	if (BPF_CORE_READ(task, mm, exe_file, f_inode, i_mode) & S_ISUID)
		return 0;
	BPF_CORE_READ_INTO(&comm, task, comm);
	if (!config.collect_jobs || !IS(comm, "slurmstepd"))
		return found;
	process_id(&id, task);
	return found | job_of_stepd(&id, &child);
}

/* What a process, given by its leader, has from its parent, or 0. */
__noinline __u64 job_of_parent(__u64 leader)
{
	struct task_struct *task = (void *)leader;
	struct task_struct *parent = BPF_CORE_READ(task, real_parent, group_leader);
	struct lasting_id id = {};
	struct process *known;

	if (is_daemon(parent)) {
		process_id(&id, task);
		return job_of_daemon((__u64)parent, id.number, id.pid);
	}
	process_id(&id, parent);
	known = bpf_map_lookup_elem(&processes, &id);
	return known ? known->inherited : 0;
}

/*
 * What the running process has from its ancestors. The body of the loop is a
 * function of its own: the verifier looks at it once.
 */
__noinline __u64 job_of_ancestors(void)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	__u64 found = 0;
	__u32 i;

	task = BPF_CORE_READ(task, group_leader);
	for (i = 0; i < ANCESTORS; i++) {
		if (BPF_CORE_READ(task, tgid) <= 1)
			break;
		found = job_of_parent((__u64)task);
		if (found)
			break;
		task = BPF_CORE_READ(task, real_parent, group_leader);
	}
	return found;
}

/* Tells user space of one more process that may know the number of its job. */
static __always_inline void job_member_add(__u64 key, const struct lasting_id *member)
{
	__u32 at = JOB_KEY_SLOT(key), n;
	struct job_slot *slot = bpf_map_lookup_elem(&jobs, &at);
	struct job_news news = {.job = key};

	if (!slot || slot->answered)
		return;
	n = slot->n_members;
	slot->member[n & (JOB_MEMBERS - 1)] = *member;
	slot->n_members = n + 1;
	if (config.has_ringbuf)
		bpf_ringbuf_output(&job_news, &news, sizeof(news), BPF_RB_FORCE_WAKEUP);
}

/* Everything about the running task's job: see FOUND. */
__noinline __u64 job_of_current(void)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct lasting_id id = {};
	struct process process = {};
	struct process *known;

	if (BPF_CORE_READ(task, flags) & PF_KTHREAD)
		return FOUND(WHO_KTHREAD);
	process.css_set = (__u64)BPF_CORE_READ(task, cgroups);
	process_id(&id, BPF_CORE_READ(task, group_leader));
	known = bpf_map_lookup_elem(&processes, &id);
	if (known) {
		process.inherited = known->inherited;
		if (known->css_set == process.css_set &&
		    (!FOUND_KEY(known->job) || job_is_current(FOUND_KEY(known->job))))
			return known->job;
	}
	process.job = job_of_css_set(process.css_set);
	if (!process.job) {
		if (!process.inherited ||
		    (FOUND_KEY(process.inherited) && !job_is_current(FOUND_KEY(process.inherited))))
			process.inherited = job_of_ancestors();
		process.job = process.inherited;
	}
	if (process.inherited || !config.has_task_storage)
		bpf_map_update_elem(&processes, &id, &process, BPF_ANY);
	if (FOUND_KEY(process.job))
		job_member_add(FOUND_KEY(process.job), &id);
	return process.job;
}

#endif
