/* SPDX-License-Identifier: BSL-1.0
 *
 * The interface of faulty.c for a process that tests itself.
 */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* How a request fails, if not with an errno: only a part of the requested bytes is read or written,
 * the process is killed instead, or the machine loses power: everything that no fsync has made
 * durable is undone, and the process is killed. */
enum { FAULTY_SHORT = -1, FAULTY_KILL = -2, FAULTY_FORGET = -3 };

/* Starts to count requests on all threads: those for files in the directory `in`, and those named in
 * `other_requests`, each between commas. Request number `at` fails; 0: none; -1: all fail. Each
 * request is written to `log`; NULL: no log. The texts are used until faulty_end. */
void faulty_begin(const char *in, const char *other_requests, const char *log, long at, int how);
void faulty_end(void);

/* For FAULTY_FORGET, before faulty_begin: an empty directory on the same file system for replaced and
 * removed files. */
void faulty_keep_in(const char *path);

/* Fails as FAULTY_FORGET, now. */
void faulty_lose_power(void);

/* Calls `act` once, on the thread of the request, right before request number `at` of those that
 * faulty_begin counts from now on. */
void faulty_act(long at, void (*act)(void));

/* Counts a request for which there is no function to override. Returns 0, or how it fails. */
int faulty_request(const char *name);

#ifdef __cplusplus
}
#endif
