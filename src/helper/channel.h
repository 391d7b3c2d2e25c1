/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages between the serving process and its privileged helper: one datagram
 * each over a socket pair of type SOCK_SEQPACKET, some with a descriptor.
 */
#ifndef HELPER_CHANNEL_H
#define HELPER_CHANNEL_H

#include <stdint.h>

enum message_type {
	MSG_MAP,     /* [helper] a mapped array: index is enum object_map, with descriptor */
	MSG_READY,   /* [helper] start-up is done; index: entries of MAP_CELLS */
	MSG_FAILED,  /* [helper] start-up failed, text says why */
	MSG_HOLD,    /* [helper] keep the descriptor of an attached probe in slot index */
	MSG_DROP,    /* [helper] close what is in slot index; to be acknowledged */
	MSG_DROPPED, /* [server] done */
};

struct message {
	uint32_t type; /* enum message_type */
	uint32_t index;
	char text[240];
};

/* fd -1: none. Returns 0 or -errno. */
int channel_send(int channel, const struct message *message, int fd);

/*
 * Waits for one message. *fd is -1 or a descriptor that the caller owns.
 * Returns 1, 0 at the end of the other side, or -errno.
 */
int channel_receive(int channel, struct message *message, int *fd);

#endif
