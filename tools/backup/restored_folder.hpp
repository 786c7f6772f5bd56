// SPDX-License-Identifier: BSL-1.0
//
// The folder that items are restored into. It has the layout of archives.
#pragma once

#include <tenon/resource_id.hpp>
#include <tenon/result.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "common/descriptor.hpp"

namespace backup {

/// Belongs to one thread.
class RestoredFolder {
 public:
  explicit RestoredFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}

  enum class Written { written, unchanged, differs };

  /// Creates the folder and locks it, so that no other process restores into it. Errors:
  /// cannot-write; in-use.
  tenon::Result<void> lock();

  /// Returns the content of the file of an item, or nothing if there is none.
  std::optional<std::string> read(const tenon::ResourceIdV1& id) const;

  /// Writes an item completely or not at all. An existing file is kept: returns `unchanged` if it
  /// has the same content, otherwise `differs`. Error: cannot-write. REQUIRED: check_id(id).
  tenon::Result<Written> write(const tenon::ResourceIdV1& id, std::string_view json);

  /// Waits until everything is on the disk. Error: cannot-write.
  tenon::Result<void> sync() const;

 private:
  tenon::Result<void> make(const std::filesystem::path& folder);

  const std::filesystem::path folder_;
  std::unordered_set<std::string> made_;
  tenon::tools::Descriptor lock_{-1};
};

}  // namespace backup
