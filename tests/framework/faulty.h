/* SPDX-License-Identifier: BSL-1.0
 *
 * faulty.c in a process that tests itself.
 */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* How a request fails: with an errno, with a part of the requested bytes, or the process is killed
 * instead. */
enum { FAULTY_SHORT = -1, FAULTY_KILL = -2 };

/* From now on requests count, on all threads: for files in the folder `in`, and those whose names
 * are in `other_requests`, each between commas. Request number `at` fails; 0: none. Each is written
 * to `log`; NULL: none is. The texts are in use until faulty_end. */
void faulty_begin(const char *in, const char *other_requests, const char *log, long at, int how);
void faulty_end(void);

/* Counts a request that the process makes of itself. Returns 0, or how it fails. */
int faulty_request(const char *name);

#ifdef __cplusplus
}
#endif
