/* SPDX-License-Identifier: GPL-2.0 */
/* Groups of checks; all but the last run with the root of a fresh mount as working directory. */
#ifndef SIM_SELFTEST_SUITES_H
#define SIM_SELFTEST_SUITES_H

void suite_names(void);
void suite_attributes(void);
void suite_data(void);
void suite_async(void);
void suite_mmap(void);
void suite_locks(void);
void suite_inject(void);
void suite_load(void);
void suite_rpcs(void);
void suite_no_locks(void);
void suite_mounts(const char *mount_point);

#endif
