/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opgen makes N calls of one kind on a directory and knows which operations of
 * the client they are. A case is a row of a table; its preparation and clean-up
 * happen outside the window that is measured.
 */
#ifndef WORKLOAD_OPGEN_H
#define WORKLOAD_OPGEN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "tally.h"

#define ANY_RESULT (-1) /* struct opcase.want: succeed or fail, but be recorded */
#define NO_MAIN_OP OP_MAX
#define PAGE	   4096

/* One thread at work, in a directory of its own that is its current one. */
struct worker {
	const struct opcase *c;
	struct tally did; /* what the calls of the case were, by their results */
	int index;
	int count; /* calls to make */
	size_t size;
	uid_t uid;
	int dir;  /* the worker's directory, open */
	int home; /* the directory that opgen was given, open */
	char path[4096];
	int fd;	   /* the case's file */
	int fd2;   /* its other side: pipe, target */
	int *fds;  /* count of them, -1: not open */
	char *buf; /* room for size, at least a page, page aligned */
	char *map; /* of count pages */
	struct uring *ring;
	unsigned long aio; /* aio_context_t, 0: none */
	int hidden_errno;  /* injected: the result that the call does not show */
};

enum case_flags {
	CASE_OTHER_UID = 0x1,	/* the calls are made as a user who owns nothing here */
	CASE_DROP_CACHES = 0x2, /* names are looked up again */
	CASE_HIDES_RC = 0x4,	/* the system call does not return the operation's result */
	CASE_SLOW = 0x10,	/* runs only when named */
	CASE_SIM = 0x8,		/* holds for the simulated client; a real one may keep an answer */
};

struct opcase {
	const char *name;
	enum op_id op; /* recorded with each call's result; NO_MAIN_OP: call() records */
	int want;      /* errno that each call must give, 0 success, ANY_RESULT */
	op_mask exact; /* beside op: their numbers equal the record */
	op_mask also;  /* may happen any number of times */
	int (*setup)(struct worker *w);	       /* 0 or -errno */
	long (*call)(struct worker *w, int i); /* what the kernel returned, or -errno */
	unsigned int flags;
	const char *symbol; /* function whose injected errors such a call shows; NULL: none */
};

/* Every path walk and every write may cause these (names, ACLs, security.capability). */
#define SIDE_OPS                                                                    \
	(OP_BIT(LOOKUP) | OP_BIT(GETXATTR) | OP_BIT(GET_ACL) | OP_BIT(PERMISSION) | \
	 OP_BIT(REVALIDATE))

extern const struct opcase data_cases[], async_cases[], map_cases[], name_cases[], attr_cases[];

/* -errno of the last system call, or its result. */
long result(long rc);

/* Counts one operation beside the case's own. */
void also_did(struct worker *w, enum op_id op, long rc);

/* A file of the worker's, made with that many bytes of data and mode 0644. 0 or -errno. */
int make_file(struct worker *w, const char *name, size_t bytes);

/* The name "PREFIX<i>" in a buffer of the thread's own. */
const char *numbered(const char *prefix, int i);
const char *numbered2(const char *prefix, int i); /* a second buffer */

/* Set-ups that several tables use: w->fd is the case's file. */
int setup_empty_file(struct worker *w);	 /* open for reading and writing */
int setup_filled_file(struct worker *w); /* with count * size bytes */
int setup_name(struct worker *w);	 /* file "f", not open */
int setup_many_files(struct worker *w);	 /* "n0" ... */

/* Removes everything in the directory, files and empty or filled directories. */
void remove_tree(int dir);

/* Runs a case with that many threads. watch: sources to compare with. */
struct run {
	const char *dir;
	int count;
	int threads;
	size_t size;
	uid_t uid;
	const char *const *watch;
	int n_watch;
	op_mask ops;	    /* compared; what the exporter does not observe is left out */
	const char *inject; /* file of the simulated client, NULL: no injected errors */
	bool verbose;
};

/*
 * error: errno to inject, 0: none. Prints "ok NAME" or "not ok NAME: reason",
 * returns 0, or 1 when it failed, or -errno when nothing could be done.
 */
int run_case(const struct run *run, const struct opcase *c, int error);

#endif
