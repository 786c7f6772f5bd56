// SPDX-License-Identifier: BSL-1.0
//
// The file of an object: the folders that lead to it, and its name in the last one.
#pragma once

#include "folder.hpp"
#include "partial.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::builtin {

class ObjectPlace {
 public:
  /// Returns the place of an object, which need not exist, or nothing if a folder of its path is
  /// missing. Throws sdk::Failure, also if the bucket or the key is invalid.
  static std::optional<ObjectPlace> find(const Folder& top, std::string_view bucket,
                                         std::string_view key);
  /// Moves a file that is on the disk to the place of an object, and creates the folders. All of it
  /// is durable afterwards. Throws sdk::Failure.
  static void put(const Folder& top, std::string_view bucket, std::string_view key, Partial file);

  /// Returns the last folder.
  const Folder& folder() const { return folders_.back(); }
  const std::string& name() const noexcept { return parts_.back(); }
  /// Removes the object if there is one, and the folders in the bucket that are empty afterwards.
  void remove() const;

 private:
  enum class Missing { find_nothing, make };

  ObjectPlace(std::string_view bucket, std::string_view key);
  bool enter(const Folder& top, Missing missing);
  bool take(const Folder& top, Partial& file, std::string_view key);
  void sync(const Folder& top) const;
  void remove_empty_folders() const;

  std::vector<std::string> parts_;  // bucket, folders, name
  std::vector<Folder> folders_;     // of all parts but the last
};

}  // namespace tenon::builtin
