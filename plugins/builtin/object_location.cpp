// SPDX-License-Identifier: BSL-1.0
#include "object_location.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "relative_path.hpp"

namespace tenon::builtin {
namespace {

// A put is repeated only if a deletion has just emptied and removed one of its folders.
constexpr int max_attempts = 1000;

sdk::Failure blocked_by_object(const Folder& parent, std::string_view name, std::string_view key) {
  return sdk::Failure(TENON_FAILED_PRECONDITION, "the key \"", key, "\" needs the folder ",
                      parent.path_of(name),
                      ", which is an object: delete it, or use a key that does not begin with it");
}

sdk::Failure blocked_by_folder(const Folder& parent, std::string_view name, std::string_view key) {
  return sdk::Failure(TENON_FAILED_PRECONDITION, "the key \"", key, "\" needs the file ",
                      parent.path_of(name),
                      ", which is a folder of other objects: delete them, or use another key");
}

}  // namespace

ObjectLocation::ObjectLocation(std::string_view bucket, std::string_view key) {
  check_name("bucket", bucket);
  check_path("key", key);
  parts_ = parts_of(key);
  parts_.insert(parts_.begin(), std::string(bucket));
}

/// Returns false if a folder is missing, or was removed right after it was created.
bool ObjectLocation::enter(const Folder& top, IfMissing if_missing) {
  folders_.clear();
  for (std::size_t i = 0; i + 1 < parts_.size(); ++i) {
    const Folder& parent = i == 0 ? top : folders_.back();
    std::optional<Folder> folder =
        if_missing == IfMissing::create ? parent.make(parts_[i]) : parent.enter(parts_[i]);
    if (!folder) return false;
    folders_.push_back(*std::move(folder));
  }
  return true;
}

std::optional<ObjectLocation> ObjectLocation::find(const Folder& top, std::string_view bucket,
                                                   std::string_view key) {
  ObjectLocation location(bucket, key);
  if (!location.enter(top, IfMissing::fail)) return std::nullopt;
  return location;
}

void ObjectLocation::put(const Folder& top, std::string_view bucket, std::string_view key,
                         Partial file) {
  ObjectLocation location(bucket, key);
  try {
    for (int i = 0; i < max_attempts; ++i) {
      if (location.try_put(top, file, key)) return location.sync(top);
    }
  } catch (...) {
    location.remove_empty_folders();
    throw;
  }
  throw sdk::Failure(TENON_ABORTED, "other processes keep removing the folder of the key \"", key,
                     "\"")
      .retryable();
}

/// Returns false if another process has removed a folder meanwhile.
bool ObjectLocation::try_put(const Folder& top, Partial& file, std::string_view key) {
  if (!enter(top, IfMissing::create)) {
    const Folder& last = folders_.empty() ? top : folders_.back();
    const std::string& next = parts_[folders_.size()];
    if (last.type_of(next) == EntryType::file) throw blocked_by_object(last, next, key);
    return false;
  }
  if (file.move_to(folder(), name())) return true;
  if (errno == ENOENT) return false;
  if (errno != EISDIR) throw sdk::system_failure(errno, "cannot write ", folder().path_of(name()));
  if (!remove_empty_tree(folder(), name())) throw blocked_by_folder(folder(), name(), key);
  return false;
}

/// Syncs all folders, also those that existed: their creators may not have synced them yet.
void ObjectLocation::sync(const Folder& top) const {
  for (auto folder = folders_.rbegin(); folder != folders_.rend(); ++folder) folder->sync();
  top.sync();
}

void ObjectLocation::remove() const {
  if (::unlinkat(folder().get(), name().c_str(), 0) != 0) {
    if (errno == ENOENT || errno == EISDIR) return;
    throw sdk::system_failure(errno, "cannot delete ", folder().path_of(name()));
  }
  folder().sync();
  remove_empty_folders();
}

/// Keeps the bucket. A folder in which an object was created meanwhile is not empty and stays.
void ObjectLocation::remove_empty_folders() const {
  for (std::size_t i = folders_.size(); i-- > 1;) {
    if (::unlinkat(folders_[i - 1].get(), parts_[i].c_str(), AT_REMOVEDIR) != 0) return;
  }
}

}  // namespace tenon::builtin
