// SPDX-License-Identifier: BSL-1.0
#include "key_walk.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "relative_path.hpp"
#include "utf8.hpp"

namespace tenon::builtin {
namespace {

/// Returns a directory below a bucket, or nothing if it cannot contain a key.
std::optional<Directory> find_directory(const Directory& bucket, std::string_view path) {
  if (!problem_of_path(path).empty()) return std::nullopt;
  std::optional<Directory> found;
  for (const std::string& part : parts_of(path)) {
    const Directory& parent = found ? *found : bucket;
    if (parent.type_of(part) != EntryType::directory) return std::nullopt;
    found = parent.enter(part);
    if (!found) return std::nullopt;
  }
  return found;
}

}  // namespace

void KeyWalk::run(const Directory& bucket, const Visit& visit) {
  const std::size_t slash = prefix_.rfind('/');
  if (slash == std::string_view::npos) {
    visit_directory(bucket, "", visit);
  } else if (const std::optional<Directory> begin =
                 find_directory(bucket, prefix_.substr(0, slash))) {
    visit_directory(*begin, std::string(prefix_.substr(0, slash + 1)), visit);
  }
}

bool KeyWalk::visit_directory(const Directory& directory, std::string path, const Visit& visit) {
  call_.check();
  const std::size_t size = path.size();
  for (const std::string& name : sorted_names(directory, path)) {
    path.append(name);
    if (!visit_entry(directory, name, path, visit)) return false;
    path.resize(size);
  }
  return true;
}

bool KeyWalk::visit_entry(const Directory& directory, const std::string& name,
                          const std::string& path, const Visit& visit) {
  if (name.back() != '/') return !has_keys(path) || visit(path);
  if (!has_keys_below(path)) return true;
  const std::optional<Directory> inside = directory.enter(name.substr(0, name.size() - 1));
  return !inside || visit_directory(*inside, path, visit);
}

/// Ends the names of directories with a slash, so that the names sort like the keys below them.
std::vector<std::string> KeyWalk::sorted_names(const Directory& directory,
                                               const std::string& path) const {
  std::vector<std::string> names;
  std::string full = path;
  for (Entry& entry : directory.entries()) {
    const bool is_directory = entry.type == EntryType::directory;
    if (!is_directory && entry.type != EntryType::file) continue;
    if (is_directory) entry.name.push_back('/');
    full.replace(path.size(), std::string::npos, entry.name);
    if (full.size() > max_path_size || !is_utf8(entry.name)) continue;
    if (is_directory ? has_keys_below(full) : has_keys(full))
      names.push_back(std::move(entry.name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool KeyWalk::has_keys(std::string_view path) const {
  const bool is_skipped = !skipped_.empty() && starts_with(path, skipped_);
  return starts_with(path, prefix_) && path > after_ && !is_skipped;
}

bool KeyWalk::has_keys_below(std::string_view path) const {
  const bool is_skipped = !skipped_.empty() && starts_with(path, skipped_);
  return starts_with(path, prefix_) && (path > after_ || starts_with(after_, path)) && !is_skipped;
}

}  // namespace tenon::builtin
