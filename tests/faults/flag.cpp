// SPDX-License-Identifier: BSL-1.0
//
// A command-line flag, which may be defined once.
#include <gflags/gflags.h>

DEFINE_string(tests_flag, "", "A flag of a module.");
