// SPDX-License-Identifier: BSL-1.0
//
// The errors of files and directories that the system refuses.
#pragma once

#include <tenon/result.hpp>

#include <filesystem>

#include "base/path_problem.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

inline Error error_of(const PathProblem& problem) {
  return Error({.code = problem.code,
                .where = problem.where,
                .found = problem.found,
                .needed = problem.needed,
                .fix = problem.fix});
}

/// Return the error `cannot-read` or `cannot-write`, unless `failure` has another code.
inline Error cannot_read(const std::filesystem::path& path, const PathFailure& failure) {
  return error_of(unreadable(path, failure));
}
inline Error cannot_write(const std::filesystem::path& path, const PathFailure& failure) {
  return error_of(unwritable(path, failure));
}

}}}  // namespace tenon::v0_1::detail
