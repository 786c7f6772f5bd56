// SPDX-License-Identifier: BSL-1.0
//
// Comparison of files by content. An unchanged file is read once, for any number of comparisons.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "base/lock_order.hpp"
#include "platform/file.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Thread-safe. No lock is held while files are read, so two threads may read the same file.
class FileComparison {
 public:
  /// Returns whether the contents of two files are known to differ, by size, then by hash. Returns
  /// false if a file cannot be read or exceeds the maximum size of a module.
  bool differ(const std::filesystem::path& a, const std::filesystem::path& b);

 private:
  struct Hashed {
    platform::FileIdentity identity;
    std::string hash;
  };

  std::optional<std::string> hash_of(const std::filesystem::path& file,
                                     const platform::FileIdentity& identity);

  LeafMutex mutex_;
  std::map<std::filesystem::path::string_type, Hashed> hashed_ TENON_GUARDED_BY(mutex_);
};

}}}  // namespace tenon::v0_1::detail
