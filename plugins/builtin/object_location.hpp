// SPDX-License-Identifier: BSL-1.0
//
// The location of an object in a store: the directories of its path, and its name in the last one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "directory.hpp"
#include "partial.hpp"

namespace tenon::builtin {

class ObjectLocation {
 public:
  /// Returns the location of an object, which need not exist, or nothing if a directory of its path
  /// is missing. Throws sdk::Failure, also if the bucket or the key is invalid.
  static std::optional<ObjectLocation> find(const Directory& top, std::string_view bucket,
                                            std::string_view key);
  /// Moves a durable file to the location of an object, and creates the directories. All changes
  /// are durable afterwards. Throws sdk::Failure.
  static void put(const Directory& top, std::string_view bucket, std::string_view key,
                  Partial file);

  /// Returns the last directory.
  const Directory& directory() const { return directories_.back(); }
  const std::string& name() const noexcept { return parts_.back(); }
  /// Removes the object if it exists, and the directories of its path in the bucket that become
  /// empty.
  void remove();

 private:
  enum class IfMissing { fail, create };

  ObjectLocation(std::string_view bucket, std::string_view key);
  bool enter(const Directory& top, IfMissing if_missing);
  bool try_put(const Directory& top, Partial& file, std::string_view key);
  void sync(const Directory& top) const;
  void remove_empty_directories();

  std::vector<std::string> parts_;      // bucket, directories, name
  std::vector<Directory> directories_;  // of all parts except the last
};

}  // namespace tenon::builtin
