/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From a super block to its slot. The super block's address is the identity of
 * a mount: s_dev is the same for two mounts of one file system. The kernel
 * fills a slot at the first operation; user space names it.
 *
 * Global functions here are looked at by the verifier once a program, not once
 * for every way that leads to them.
 */
#ifndef BPF_MOUNT_H
#define BPF_MOUNT_H

#include "maps.h"

/* Bound of a walk through the mounts of one super block: bind mounts, and copies in namespaces. */
#define MOUNT_WALK 64

/* A walk through the mounts of a super block, in whichever way this kernel chains them. */
struct mount_walk {
	__u64 next; /* struct mount ___chain, or list node */
	__u64 head; /* of the list */
};

static __always_inline void mount_walk_begin(struct mount_walk *walk, __u64 sb)
{
	if (bpf_core_field_exists(struct mount___chain, mnt_next_for_sb)) {
		walk->next = (__u64)BPF_CORE_READ((struct super_block___chain *)sb, s_mounts);
	} else {
		walk->head = sb + bpf_core_field_offset(struct super_block___list, s_mounts);
		walk->next = (__u64)BPF_CORE_READ((struct super_block___list *)sb, s_mounts.next);
	}
}

/* NULL at the end. */
static __always_inline struct mount *mount_walk_next(struct mount_walk *walk)
{
	__u64 at = walk->next;

	if (!at)
		return NULL;
	if (bpf_core_field_exists(struct mount___chain, mnt_next_for_sb)) {
		walk->next = (__u64)BPF_CORE_READ((struct mount___chain *)at, mnt_next_for_sb);
		return (struct mount *)at;
	}
	if (at == walk->head)
		return NULL;
	walk->next = (__u64)BPF_CORE_READ((struct list_head *)at, next);
	return (struct mount *)(at - bpf_core_field_offset(struct mount___list, mnt_instance));
}

/*
 * Writes the ids of the super block's mounts: those of user space's own mount
 * namespace, which are the only ones that it can look up.
 */
__noinline int mount_look(__u32 index, __u64 sb)
{
	struct mount_slot *slot = bpf_map_lookup_elem(&mount_slots, &index);
	struct mount_walk walk = {};
	__u32 i, n;

	if (!slot)
		return 0;
	/* Before reading: a change after this is a reason to look once more. */
	slot->refresh = 0;
	slot->fill = 0;
	slot->dev = BPF_CORE_READ((struct super_block *)sb, s_dev);
	mount_walk_begin(&walk, sb);
	for (i = 0; i < MOUNT_WALK; i++) {
		struct mount *mnt = mount_walk_next(&walk);

		if (!mnt)
			break;
		if (BPF_CORE_READ(mnt, mnt_ns, ns.inum) != config.mnt_ns)
			continue;
		/* Counted in the map: a counter in a register would multiply the verifier's states.
		 */
		n = slot->fill;
		if (n >= MOUNT_IDS)
			break;
		slot->mnt_id[n] = BPF_CORE_READ(mnt, mnt_id);
		slot->fill = n + 1;
	}
	slot->n_ids = slot->fill;
	__sync_fetch_and_add(&slot->looked, 1);
	return 0;
}

static __always_inline __u64 mount_claim_key(__u32 i, __u32 generation)
{
	/* Cannot be a super block: those are kernel addresses. */
	return (__u64)generation << 8 | i;
}

/*
 * The slot of a super block, claimed if it is seen for the first time; 0 if none
 * is left.
 */
__noinline int mount_find(__u64 sb)
{
	__u32 *found = bpf_map_lookup_elem(&mount_index, &sb);
	struct mount_slot *slot = NULL;
	__u32 i, index = 0;
	__u64 claim = 0;

	if (found)
		return *found;
	for (i = 1; i < MOUNT_SLOTS; i++) {
		index = i;
		slot = bpf_map_lookup_elem(&mount_slots, &index);
		if (!slot || slot->state != MOUNT_FREE)
			continue;
		claim = mount_claim_key(i, slot->generation);
		if (!bpf_map_update_elem(&mount_index, &claim, &index, BPF_NOEXIST))
			break;
	}
	if (i >= MOUNT_SLOTS || !slot) {
		kernel_counter_inc(KC_MOUNT_REFUSED);
		return 0;
	}
	mount_look(index, sb);
	slot->sb = sb;
	if (!bpf_map_update_elem(&mount_index, &sb, &index, BPF_NOEXIST)) {
		slot->state = MOUNT_CLAIMED;
		return index;
	}
	/* Another CPU was first with this super block, or the map is full. */
	slot->sb = 0;
	bpf_map_delete_elem(&mount_index, &claim);
	found = bpf_map_lookup_elem(&mount_index, &sb);
	return found ? *found : 0;
}

/* The super block is shut down: no operation can follow, and its address may be used again. */
static __always_inline void mount_gone(__u64 sb)
{
	__u32 *index = bpf_map_lookup_elem(&mount_index, &sb);
	struct mount_slot *slot;
	__u64 claim;
	__u32 i;

	if (!index)
		return;
	i = *index;
	slot = bpf_map_lookup_elem(&mount_slots, &i);
	if (!slot)
		return;
	claim = mount_claim_key(i, slot->generation);
	slot->sb = 0;
	slot->state = MOUNT_GONE;
	bpf_map_delete_elem(&mount_index, &sb);
	bpf_map_delete_elem(&mount_index, &claim);
	__sync_fetch_and_add(&mount_generation, 1);
}

#endif
