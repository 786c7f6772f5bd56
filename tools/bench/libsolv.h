// SPDX-License-Identifier: BSL-1.0
//
// The little of libsolv that a benchmark needs; its own headers are no C++20.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

typedef struct libsolv libsolv;

libsolv *libsolv_new(void);
void libsolv_free(libsolv *self);

// The requirements of a package are added behind it: from a version on, and below another unless
// that is NULL.
void libsolv_add_package(libsolv *self, const char *name, const char *version);
void libsolv_add_requirement(libsolv *self, const char *name, const char *low, const char *high);
// Asks for some version of a package.
void libsolv_want(libsolv *self, const char *name);

// Solves once, what is looked up on the way included; says how many characters it takes to tell of
// the problems.
unsigned long libsolv_solve(libsolv *self);

#ifdef __cplusplus
}
#endif
