// SPDX-License-Identifier: BSL-1.0
//
// Whether files hold the same bytes. Each file is read once as long as it does not change, however
// many it is compared with.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "platform/file.hpp"

namespace tenon {

/// Thread-safe. No lock is held while files are read, so two threads may read one at once.
class FileComparison {
 public:
  /// Returns whether two files are known to hold different bytes: by their sizes, then by their
  /// hashes. False where a file cannot be read, and for files larger than a module may be.
  bool differ(const std::filesystem::path& a, const std::filesystem::path& b);

 private:
  struct Hashed {
    platform::FileIdentity identity;
    std::string hash;
  };

  std::optional<std::string> hash_of(const std::filesystem::path& file,
                                     const platform::FileIdentity& identity);

  std::mutex mutex_;
  std::map<std::filesystem::path::string_type, Hashed> hashed_;
};

}  // namespace tenon
