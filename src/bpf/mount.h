/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From a super block to its slot. The super block's address is the identity of
 * a mount: s_dev is the same for two mounts of one file system. The kernel
 * fills a slot at the first operation; user space names it.
 */
#ifndef BPF_MOUNT_H
#define BPF_MOUNT_H

#include "maps.h"

/* Bound of a walk through the mounts of one super block. */
#define MOUNT_WALK 128

static __always_inline void mount_slot_add_id(struct mount_slot *slot, __u32 n, struct mount *mnt)
{
	slot->mnt_id[n & (MOUNT_IDS - 1)] = BPF_CORE_READ(mnt, mnt_id);
}

/* Writes the ids of the super block's mounts; a change under way costs at most one of them. */
static __always_inline void mount_slot_look(struct mount_slot *slot, __u64 sb)
{
	__u32 n = 0;

	slot->dev = BPF_CORE_READ((struct super_block *)sb, s_dev);

	if (bpf_core_field_exists(struct mount___chain, mnt_next_for_sb)) {
		/* Newest first: when there are too many, the oldest stay. */
		struct mount___chain *mnt =
			BPF_CORE_READ((struct super_block___chain *)sb, s_mounts);

		for (n = 0; n < MOUNT_WALK && mnt; n++) {
			mount_slot_add_id(slot, n, (struct mount *)mnt);
			mnt = BPF_CORE_READ(mnt, mnt_next_for_sb);
		}
	} else {
		/* Oldest first. */
		__u64 head = sb + bpf_core_field_offset(struct super_block___list, s_mounts);
		__u64 node = (__u64)BPF_CORE_READ((struct super_block___list *)sb, s_mounts.next);

		for (n = 0; n < MOUNT_IDS && node && node != head; n++) {
			mount_slot_add_id(slot, n,
					  (void *)(node - bpf_core_field_offset(struct mount___list,
										mnt_instance)));
			node = (__u64)BPF_CORE_READ((struct list_head *)node, next);
		}
	}
	slot->n_ids = n < MOUNT_IDS ? n : MOUNT_IDS;
	slot->refresh = 0;
	__sync_fetch_and_add(&slot->looked, 1);
}

static __always_inline __u64 mount_claim_key(__u32 i, __u32 generation)
{
	/* Cannot be a super block: those are kernel addresses. */
	return (__u64)generation << 8 | i;
}

/*
 * The slot of a super block, claimed if it is seen for the first time; 0 if none
 * is left. This and the next are global functions: the verifier looks at them
 * once a program instead of once for every way that leads to them.
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
	mount_slot_look(slot, sb);
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

/* Looks at the super block's mounts again, because user space asked for it. */
__noinline int mount_look_again(__u32 index)
{
	struct mount_slot *slot = bpf_map_lookup_elem(&mount_slots, &index);

	if (slot && slot->sb)
		mount_slot_look(slot, slot->sb);
	return 0;
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
