// SPDX-License-Identifier: BSL-1.0
//
// What the library and all commands print about a path that the system refuses.
#pragma once

#include <string>

namespace tenon::tests {

/// `found`: what failed and why, eg: "reading the file: Permission denied".
inline std::string unreadable_text(const std::string& path, const std::string& found) {
  return "error[cannot-read] " + path + "\n   found   " + found +
         "\n   needed  a file or directory that this user may read"
         "\n   fix     check the path, the permissions and the disk\n";
}
/// `instead`: another remedy.
inline std::string unwritable_text(const std::string& path, const std::string& found,
                                   const std::string& instead = "") {
  return "error[cannot-write] " + path + "\n   found   " + found +
         "\n   needed  a file or directory that this user may write"
         "\n   fix     check the path, the permissions and the free space on the disk" +
         (instead.empty() ? "" : ", or " + instead) + "\n";
}

}  // namespace tenon::tests
