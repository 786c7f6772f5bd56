// SPDX-License-Identifier: BSL-1.0
//
// The index of an app: a file in the cache directory of the user that lasts from one process to the
// next. See index.md for its format, and for when it is believed.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "catalog/index_file.hpp"
#include "platform/file.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

struct Scan;

/// Returns whether another change of a file after a scan that started at `when` shows in its times:
/// they are coarse, and may not show a change less than 3 seconds after another one.
bool is_settled(const platform::FileIdentity& identity,
                std::chrono::system_clock::time_point when) noexcept;

/// Problems of the index are not reported: without it, files are read.
class ModuleIndex {
 public:
  /// Reads the index of an app. There is none if the name of the app cannot be that of a file,
  /// without a directory for it, and in a process with the privileges of another user.
  explicit ModuleIndex(const std::string& app);

  /// Returns the index as it was read; nullptr if it is missing or not believed.
  const IndexFile* file() const noexcept { return file_.get(); }
  /// Writes an index of the files of a scan that started at `when`, unless it is the one that was
  /// read. Directories that were not scanned stay in it, up to a limit.
  void update(const Scan& scan, std::chrono::system_clock::time_point when) const;

 private:
  const std::string app_;
  const std::filesystem::path path_;  // empty if the app has no index
  std::unique_ptr<const IndexFile> file_;
};

}}}  // namespace tenon::v0_1::detail
