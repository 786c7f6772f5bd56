// SPDX-License-Identifier: BSL-1.0
//
// A file that lies in no folder: for code where no folder may be executed from.
#pragma once

#include <tenon/result.hpp>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace tenon::platform {

/// Nobody can change it any more. Its path is free for another one when it ends, and the system's
/// loader takes two files for one when their paths are the same: it has to live as long as anything
/// is loaded from it.
class MemoryFile {
 public:
  /// `name` is for people. Error: cannot-write.
  static Result<MemoryFile> create(const std::string& name, std::span<const std::byte> content);
  MemoryFile(MemoryFile&& other) noexcept;
  MemoryFile& operator=(MemoryFile&& other) noexcept;
  ~MemoryFile();

  /// By which it can be opened in this process.
  std::filesystem::path path() const;

  /// It stays for as long as the process lives.
  void keep() noexcept;

 private:
  explicit MemoryFile(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

}  // namespace tenon::platform
