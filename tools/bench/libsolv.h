// SPDX-License-Identifier: BSL-1.0
//
// The part of libsolv that a benchmark uses. The headers of libsolv are not valid C++20.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

typedef struct libsolv libsolv;

libsolv *libsolv_new(void);
void libsolv_free(libsolv *self);

// Adds a package, and requirements of the package that was added last: at least `low`, and below
// `high` unless it is NULL.
void libsolv_add_package(libsolv *self, const char *name, const char *version);
void libsolv_add_requirement(libsolv *self, const char *name, const char *low, const char *high);
// Requests any version of a package.
void libsolv_want(libsolv *self, const char *name);

// Solves once, including look-ups. Returns the length of the texts of all problems.
unsigned long libsolv_solve(libsolv *self);

#ifdef __cplusplus
}
#endif
