// SPDX-License-Identifier: BSL-1.0
#include "object_location.hpp"

#include <cerrno>
#include <utility>

#include "relative_path.hpp"

namespace tenon::builtin {
namespace {

// A put is repeated only if a deletion has just emptied and removed one of its directories.
constexpr int max_attempts = 1000;

sdk::Failure blocked_by_object(const Directory& parent, std::string_view name,
                               std::string_view key) {
  return sdk::Failure(TENON_FAILED_PRECONDITION, "the key \"", key, "\" needs the directory ",
                      parent.path_of(name),
                      ", which is an object: delete it, or use a key that does not begin with it");
}

sdk::Failure blocked_by_directory(const Directory& parent, std::string_view name,
                                  std::string_view key) {
  return sdk::Failure(TENON_FAILED_PRECONDITION, "the key \"", key, "\" needs the file ",
                      parent.path_of(name),
                      ", which is a directory of other objects: delete them, or use another key");
}

}  // namespace

ObjectLocation::ObjectLocation(std::string_view bucket, std::string_view key) {
  check_name("bucket", bucket);
  check_path("key", key);
  parts_ = parts_of(key);
  parts_.insert(parts_.begin(), std::string(bucket));
}

/// Returns false if a directory is missing, or was removed right after it was created.
bool ObjectLocation::enter(const Directory& top, IfMissing if_missing) {
  directories_.clear();
  for (std::size_t i = 0; i + 1 < parts_.size(); ++i) {
    const Directory& parent = i == 0 ? top : directories_.back();
    std::optional<Directory> directory =
        if_missing == IfMissing::create ? parent.make(parts_[i]) : parent.enter(parts_[i]);
    if (!directory) return false;
    directories_.push_back(*std::move(directory));
  }
  return true;
}

std::optional<ObjectLocation> ObjectLocation::find(const Directory& top, std::string_view bucket,
                                                   std::string_view key) {
  ObjectLocation location(bucket, key);
  if (!location.enter(top, IfMissing::fail)) return std::nullopt;
  return location;
}

void ObjectLocation::put(const Directory& top, std::string_view bucket, std::string_view key,
                         Partial file) {
  ObjectLocation location(bucket, key);
  try {
    for (int i = 0; i < max_attempts; ++i) {
      if (location.try_put(top, file, key)) return location.sync(top);
    }
  } catch (...) {
    location.remove_empty_directories();
    throw;
  }
  throw sdk::Failure(TENON_ABORTED, "other processes keep removing the directory of the key \"",
                     key, "\"")
      .retryable();
}

/// Returns false if another process has removed a directory meanwhile.
bool ObjectLocation::try_put(const Directory& top, Partial& file, std::string_view key) {
  if (!enter(top, IfMissing::create)) {
    const Directory& last = directories_.empty() ? top : directories_.back();
    const std::string& next = parts_[directories_.size()];
    if (last.type_of(next) == EntryType::file) throw blocked_by_object(last, next, key);
    return false;
  }
  if (file.move_to(directory(), name())) return true;
  if (errno == ENOENT) return false;
  if (errno != EISDIR)
    throw sdk::system_failure(errno, "cannot write ", directory().path_of(name()));
  if (!remove_empty_tree(directory(), name())) throw blocked_by_directory(directory(), name(), key);
  return false;
}

/// Syncs all directories, also those that existed: their creators may not have synced them yet.
void ObjectLocation::sync(const Directory& top) const {
  for (auto directory = directories_.rbegin(); directory != directories_.rend(); ++directory)
    directory->sync();
  top.sync();
}

void ObjectLocation::remove() {
  if (!directory().remove(name())) {
    if (errno == ENOENT || errno == EISDIR) return;
    throw sdk::system_failure(errno, "cannot delete ", directory().path_of(name()));
  }
  directory().sync();
  remove_empty_directories();
}

/// Keeps the bucket. A directory in which an object was created meanwhile is not empty and stays.
/// Closes each directory before it is removed, because Windows removes none that is open.
void ObjectLocation::remove_empty_directories() {
  while (directories_.size() > 1) {
    directories_.pop_back();
    if (!directories_.back().remove_directory(parts_[directories_.size()])) return;
  }
}

}  // namespace tenon::builtin
