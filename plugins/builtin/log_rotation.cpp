// SPDX-License-Identifier: BSL-1.0
#include "log_rotation.hpp"

#include <algorithm>
#include <string_view>
#include <system_error>
#include <utility>

#include "system_files.hpp"

namespace tenon::builtin {
namespace {

namespace fs = std::filesystem;

/// Calls `visit` with each regular file in the directory of a file. Follows links to the file.
template <class Visit>
void visit_siblings(const fs::path& file, const Visit& visit) {
  std::error_code ignored;  // a directory that cannot be read has no files to find
  for (const auto& entry : fs::directory_iterator(file.parent_path(), ignored)) {
    if (const auto known = regular_file(entry.path())) visit(entry.path(), *known);
  }
}

fs::path resolved(const std::string& text) {
  const fs::path path = fs::u8path(text);
  std::error_code failed;
  fs::path full = fs::canonical(path, failed);
  return failed ? fs::absolute(path) : full;
}

bool is_rotated_name(std::string_view name, std::string_view original) {
  if (name.size() < original.size() + 2 || name.substr(0, original.size()) != original)
    return false;
  name.remove_prefix(original.size());
  return (name.front() == '.' || name.front() == '-') && name.find_first_of("0123456789") == 1 &&
         name.find_first_not_of("0123456789.-_:T") == name.npos;
}

}  // namespace

std::vector<std::string> rotated_files(const std::string& path) {
  const fs::path file = resolved(path);
  const std::string name = file.filename().u8string();
  std::vector<std::pair<std::int64_t, std::string>> found;
  visit_siblings(file, [&](const fs::path& sibling, const RegularFile& known) {
    if (!is_rotated_name(sibling.filename().u8string(), name)) return;
    found.emplace_back(known.modified, sibling.u8string());
  });
  // Of two files that were written to at the same time, `in.log.2` is older than `in.log.1`.
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : a.second > b.second;
  });
  std::vector<std::string> names;
  for (auto& [time, rotated] : found) names.push_back(std::move(rotated));
  return names;
}

std::optional<std::string> file_of_inode(const std::string& path, std::uint64_t inode) {
  std::optional<std::string> found;
  visit_siblings(resolved(path), [&](const fs::path& sibling, const RegularFile& known) {
    if (known.inode == inode) found = sibling.u8string();
  });
  return found;
}

}  // namespace tenon::builtin
