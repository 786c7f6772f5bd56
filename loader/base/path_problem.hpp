// SPDX-License-Identifier: BSL-1.0
//
// The text for files and directories that the system refuses, the same in the library and in all
// commands: the path, what failed and why, what is needed, and the remedy.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace tenon { inline namespace v0_1 { namespace detail {

/// Describes a failed operation on a path. Texts that do not apply are empty.
struct PathFailure {
  std::string_view attempt{};  // eg: "opening the file"
  int number = 0;              // a value of errno
  std::string_view instead{};  // a remedy besides the usual one, eg: "set TMPDIR"
  std::string_view code{};     // if it is not the usual one
};

/// The parts of an error.
struct PathProblem {
  std::string code;
  std::string where;
  std::string found;
  std::string needed;
  std::string fix;
};

inline PathProblem path_problem(const std::filesystem::path& path, const PathFailure& failure,
                                std::string_view code, std::string_view use, std::string_view fix) {
  PathProblem problem{.code = std::string(failure.code.empty() ? code : failure.code),
                      .where = path.string(),
                      .found = std::string(failure.attempt),
                      .needed = "a file or directory that this user may " + std::string(use),
                      .fix = "check " + std::string(fix)};
  if (!problem.found.empty()) problem.found += ": ";
  problem.found += std::generic_category().message(failure.number);
  if (!failure.instead.empty()) problem.fix.append(", or ").append(failure.instead);
  return problem;
}

/// Return the problem `cannot-read` or `cannot-write`.
inline PathProblem unreadable(const std::filesystem::path& path, const PathFailure& failure) {
  return path_problem(path, failure, "cannot-read", "read",
                      "the path, the permissions and the disk");
}
inline PathProblem unwritable(const std::filesystem::path& path, const PathFailure& failure) {
  return path_problem(path, failure, "cannot-write", "write",
                      "the path, the permissions and the free space on the disk");
}

}}}  // namespace tenon::v0_1::detail
