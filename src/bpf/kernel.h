/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel types that the programs read, reduced to the fields they read.
 * libbpf finds the real offsets in the BTF of the running kernel (CO-RE), so
 * order and completeness do not matter here; a suffix ___x is a flavour: another
 * shape that the same type has on some kernels.
 */
#ifndef BPF_KERNEL_H
#define BPF_KERNEL_H

/* Tells bpf_tracing.h to use the kernel's names of the registers. */
#define __VMLINUX_H__

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed char __s8;
typedef short __s16;
typedef int __s32;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
typedef _Bool bool;
#define true 1
#define false 0
#define NULL ((void *)0)

enum {
	BPF_ANY = 0,
	BPF_NOEXIST = 1,
};
#define BPF_F_NO_PREALLOC	       1U
#define BPF_F_MMAPABLE		       (1U << 10)
#define BPF_LOCAL_STORAGE_GET_F_CREATE 1ULL
#define BPF_RB_FORCE_WAKEUP	       2ULL

enum bpf_map_type {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_STACK = 23,
	BPF_MAP_TYPE_RINGBUF = 27,
	BPF_MAP_TYPE_TASK_STORAGE = 29,
};

#if defined(__TARGET_ARCH_x86)
struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di;
	unsigned long orig_ax, ip, cs, flags, sp, ss;
};
#elif defined(__TARGET_ARCH_arm64)
struct user_pt_regs {
	__u64 regs[31];
	__u64 sp, pc, pstate;
};
struct pt_regs {
	struct user_pt_regs user_regs;
};
#endif

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

typedef struct {
	__u32 val;
} kuid_t;

struct cred {
	kuid_t uid;
	kuid_t fsuid;
};

struct hlist_node {
	struct hlist_node *next;
};

struct hlist_head {
	struct hlist_node *first;
};

struct bpf_map {
	__u32 id;
};

struct bpf_local_storage_map {
	struct bpf_map map;
};

struct bpf_local_storage_data {
	struct bpf_local_storage_map *smap;
	__u8 data[];
};

struct bpf_local_storage_elem {
	struct hlist_node snode;
	struct bpf_local_storage_data sdata;
};

struct bpf_local_storage {
	struct hlist_head list;
};

struct task_struct {
	struct bpf_local_storage *bpf_storage;
	int pid, tgid;
	unsigned int flags;
	struct mm_struct *mm;
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	const struct cred *real_cred;
	const struct cred *cred;
	struct css_set *cgroups;
	__u64 start_boottime;
	char comm[16];
};

/* Up to 5.4. */
struct task_struct___old {
	__u64 real_start_time;
};

struct kernfs_node {
	const char *name;
	struct kernfs_node *parent;
	__u64 id;
};

/* Up to 5.4 ... */
union kernfs_node_id {
	__u64 id;
};

struct kernfs_node___old {
	union kernfs_node_id id;
};

/* ... and from 6.15 on. */
struct kernfs_node___new {
	struct kernfs_node *__parent;
};

struct cgroup_root {
	int hierarchy_id; /* 0: v2 */
};

struct cgroup {
	struct kernfs_node *kn;
	struct cgroup_root *root;
};

struct cgroup_subsys_state {
	struct cgroup *cgroup;
};

struct css_set {
	struct cgroup_subsys_state *subsys[1];
	struct cgroup *dfl_cgrp; /* of v2 */
};

/* The values are those of the running kernel's configuration. */
enum cgroup_subsys_id {
	cpuset_cgrp_id,
	memory_cgrp_id,
	devices_cgrp_id,
	freezer_cgrp_id,
	pids_cgrp_id,
};

struct mm_struct {
	struct file *exe_file;
};

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

struct bpf_iter__bpf_map_elem {
	struct bpf_iter_meta *meta;
	void *key;
	void *value;
};

struct list_head {
	struct list_head *next;
};

struct super_block {
	__u32 s_dev;
};

/* s_mounts up to 6.x: a list of struct mount by mnt_instance ... */
struct super_block___list {
	struct list_head s_mounts;
};

struct ns_common {
	unsigned int inum;
};

struct mnt_namespace {
	struct ns_common ns;
};

struct mount {
	struct mnt_namespace *mnt_ns;
	int mnt_id;
};

struct mount___list {
	struct list_head mnt_instance;
};

/* ... and in 7.x a chain. */
struct mount___chain {
	struct mount___chain *mnt_next_for_sb;
};

struct super_block___chain {
	struct mount___chain *s_mounts;
};

struct inode {
	__u16 i_mode;
	struct super_block *i_sb;
};

struct dentry {
	struct inode *d_inode;
	struct super_block *d_sb;
};

struct path {
	struct dentry *dentry;
};

struct file {
	unsigned int f_mode;
	struct path f_path;
	struct inode *f_inode;
};

struct kiocb {
	struct file *ki_filp;
	void *ki_complete;
	int ki_flags;
};

struct iov_iter {
	unsigned long count;
};

struct vm_area_struct {
	struct file *vm_file;
};

struct vm_fault {
	struct vm_area_struct *vma;
};

#pragma clang attribute pop

/* Constants that BTF does not carry; unchanged since the release named. */
#define FMODE_OPENED  0x80000  /* 4.19 */
#define FMODE_CREATED 0x100000 /* 4.19 */
#define O_CREAT	      0100
#define S_ISUID	      04000
#define PF_KTHREAD    0x00200000

/* RWF_NOWAIT, since 4.20 */
#define IOCB_NOWAIT 0x8

#define VM_FAULT_RETRY	0x400
#define VM_FAULT_OOM	0x1
#define VM_FAULT_SIGBUS 0x2
/* OOM, SIGBUS, HWPOISON, HWPOISON_LARGE, SIGSEGV, FALLBACK */
#define VM_FAULT_ERROR (0x1 | 0x2 | 0x10 | 0x20 | 0x40 | 0x800)

#define MAX_ERRNO   4095
#define EPERM	    1
#define ENOENT	    2
#define EIO	    5
#define ECHILD	    10
#define EAGAIN	    11
#define ENODEV	    19
#define ENOMEM	    12
#define EACCES	    13
#define EEXIST	    17
#define ENOTDIR	    20
#define ENOTCONN    107
#define ETIMEDOUT   110
#define EREMOTEIO   121
#define EIOCBQUEUED 529

#endif
