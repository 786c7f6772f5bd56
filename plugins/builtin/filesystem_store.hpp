// SPDX-License-Identifier: BSL-1.0
//
// tenon.dev/filesystem as an object store: each object is a file. A bucket is a directory in the
// configured `directory`, created by the first put; a slash in a key separates directories. The
// directory itself is never created: if it is missing, its disk may not be mounted, and an empty
// store on another disk would be mistaken for the one that holds the backups.
//
// An object is written to `.tenon-partial` in the directory, and moved to its final path when it is
// on the disk. A later put removes files that killed processes left there.
//
// A key has at most 1024 bytes, in parts of at most 255. The part of a key before a slash cannot be
// a key itself: "a" and "a/b" exclude each other. Other files in the directories are objects, too,
// if their names are UTF-8. Symbolic links and special files are not objects, and no link is
// followed.
#pragma once

#include <tenon/sdk/object_store.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "directory.hpp"

namespace tenon::builtin {

class FilesystemStore : public sdk::ObjectStoreV2 {
 public:
  void configure(const sdk::Config& config) override;
  void put_object(std::string_view bucket, std::string_view key,
                  std::unique_ptr<sdk::Reader> body) override;
  ObjectInfoV1 object_info(std::string_view bucket, std::string_view key) override;
  std::unique_ptr<sdk::Reader> get_object(std::string_view bucket, std::string_view key) override;
  std::vector<std::string> list_common_prefixes(std::string_view bucket, std::string_view prefix,
                                                std::string_view delimiter) override;
  ListObjectsResult list_objects(std::string_view bucket, std::string_view prefix,
                                 std::string_view start_after, std::uint32_t limit) override;
  void delete_object(std::string_view bucket, std::string_view key) override;

 private:
  void copy(sdk::Reader& body, int file, std::string_view key) const;

  std::string directory_;
};

}  // namespace tenon::builtin
