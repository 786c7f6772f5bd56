// SPDX-License-Identifier: BSL-1.0
//
// A file that exists only in memory, for systems where all directories are mounted noexec.
#pragma once

#include <tenon/result.hpp>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace tenon { inline namespace v0_1 { namespace platform {

/// An immutable file in memory. It must live as long as an image of it is loaded: its path may be
/// reused afterwards, and the dynamic loader takes two files with the same path for one.
class MemoryFile {
 public:
  /// Creates a file. `name` is shown by debugging tools. Errors: cannot-write.
  static Result<MemoryFile> create(const std::string& name, std::span<const std::byte> content);
  MemoryFile(MemoryFile&& other) noexcept;
  MemoryFile& operator=(MemoryFile&& other) noexcept;
  ~MemoryFile();

  /// Returns a path under which this process can open the file.
  std::filesystem::path path() const;

  /// Keeps the file until the process exits.
  void keep() noexcept;

 private:
  explicit MemoryFile(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

}}}  // namespace tenon::v0_1::platform
