// SPDX-License-Identifier: BSL-1.0
//
// Files that are replaced as a whole, by the library and by the tools.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>

namespace tenon::platform {

/// Who may use a file that did not exist before.
enum class NewFile {
  as_usual,   // what the umask of the process leaves
  owner_only  // this user alone
};

struct Replaced {
  std::error_code failed;
  /// How many other names (hard links) still lead to the old content.
  std::uint64_t other_names = 0;
};

/// The new content of a file, written piece by piece to a file with a random name in the same
/// folder. That is removed again unless it is committed. Belongs to one thread at a time.
class Replacement {
 public:
  /// Owner, group, permissions and access control list are those of the file; where that is not
  /// possible nothing is written. Of a symbolic link the file that it leads to is meant. What is no
  /// regular file is neither opened nor replaced.
  explicit Replacement(const std::filesystem::path& path, NewFile rights = NewFile::as_usual);
  ~Replacement();
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;

  /// Does nothing after a failure, which `commit` returns.
  void append(std::string_view content);

  /// Puts the new content in the place of the file: whoever reads sees the old file or the new one,
  /// also after a loss of power. REQUIRED: called once, last.
  Replaced commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Replaces the whole content of a file; see Replacement.
Replaced replace_content(const std::filesystem::path& path, std::string_view content,
                         NewFile rights = NewFile::as_usual);

}  // namespace tenon::platform
