/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the environments of other processes, in a process of its own: such a
 * read waits for the memory map of its target, and a target that hangs holds it
 * for ever. Nobody waits here: questions and answers are messages, and whoever
 * asks decides how long he does without.
 */
#ifndef IDENTITY_READER_H
#define IDENTITY_READER_H

#include <linux/types.h>
#include <stdint.h>

#include "bpf/shared.h"
#include "identity/environ.h"

/* Readings under way at once. With all of them stuck, questions stay unanswered. */
#define READER_THREADS 4

struct reader_answer {
	uint64_t question;
	int32_t error; /* 0; -ESRCH: not that process any more; -EACCES, ... */
	uint32_t reserved;
	struct environ_jobs environ; /* with error 0 */
};

struct reader;

/*
 * Starts the process. Must be called before the caller has threads, and with the
 * privileges that reading takes (CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH). Returns
 * 0 or -errno. procfs must outlive the reader.
 */
int reader_start(struct reader **reader, const char *procfs);

/* Readable when there is an answer. */
int reader_fd(const struct reader *reader);

/* Returns 0, -EAGAIN: too many questions are open, or -errno. */
int reader_ask(struct reader *reader, uint64_t question, const struct lasting_id *process);

/* Returns 1, 0: there is none, or -errno: the process is gone. */
int reader_take(struct reader *reader, struct reader_answer *answer);

void reader_stop(struct reader *reader);

/*
 * What the reader does for one question: the jobs in the environment of the process,
 * if it is still that one. Returns 0 or -errno.
 */
int read_environ(const char *procfs, const struct lasting_id *process, struct environ_jobs *jobs);

#endif
