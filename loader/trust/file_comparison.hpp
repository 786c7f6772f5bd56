// SPDX-License-Identifier: BSL-1.0
//
// Whether files hold the same bytes, each pair read once as long as neither file changes.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <utility>

#include "platform/file.hpp"

namespace tenon {

/// Thread-safe. No lock is held while files are read, so two threads may compare one pair at once.
class FileComparison {
 public:
  /// Returns whether two files are known to hold different bytes. Reads as far as the first
  /// difference, and nothing at all where the sizes differ; false where a file cannot be read.
  bool differ(const std::filesystem::path& a, const std::filesystem::path& b);

 private:
  struct Compared {
    platform::FileIdentity a;
    platform::FileIdentity b;
    bool differ;
  };

  std::mutex mutex_;
  std::map<std::pair<std::filesystem::path::string_type, std::filesystem::path::string_type>,
           Compared>
      compared_;
};

}  // namespace tenon
