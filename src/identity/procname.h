/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folding of process names: the names of a pool's threads or of a program's
 * instances become one (--process-name-strip-suffix).
 */
#ifndef IDENTITY_PROCNAME_H
#define IDENTITY_PROCNAME_H

#include <stddef.h>

/*
 * Folds the len bytes at name in place and returns how many are left; nothing
 * is written behind them but a NUL in the room of what was dropped. Repeated
 * until nothing changes; a name that would become empty stays as it is.
 *
 *	tokens at the end, numeric or one ASCII letter, behind one or more of
 *	blank - _ : /			worker-3, ray-dashboard-E, name--42
 *	a bracketed number at the end	pool (3), pool[3]
 *	digits at the end of the last component of a dotted name, unless that
 *	component begins with one	client.poll12, but python3.11
 */
size_t procname_fold(char *name, size_t len);

#endif
