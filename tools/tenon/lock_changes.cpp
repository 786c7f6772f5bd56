// SPDX-License-Identifier: BSL-1.0
#include "lock_changes.hpp"

#include <cstddef>
#include <string_view>
#include <utility>

#include "text.hpp"

namespace tenon::command {
namespace {

/// Calls `found(key, before, after)` for each key of two maps, with nullptr where it is missing.
template <class Map, class Found>
void for_each_pair(const Map& before, const Map& after, Found found) {
  auto old = before.begin();
  auto fresh = after.begin();
  while (old != before.end() || fresh != after.end()) {
    if (fresh == after.end() || (old != before.end() && old->first < fresh->first)) {
      found(old->first, &old->second, nullptr);
      ++old;
    } else if (old == before.end() || fresh->first < old->first) {
      found(fresh->first, nullptr, &fresh->second);
      ++fresh;
    } else {
      found(old->first, &old->second, &fresh->second);
      ++old;
      ++fresh;
    }
  }
}

using Files = detail::LockContents::mapped_type;

std::vector<FileChange> changes_of_files(const Files& before, const Files& after) {
  std::vector<FileChange> changes;
  for_each_pair(before, after,
                [&](const std::string& path, const std::string* old, const std::string* fresh) {
                  if (old != nullptr && fresh != nullptr && *old == *fresh) return;
                  changes.push_back({path, old != nullptr ? *old : std::string(),
                                     fresh != nullptr ? *fresh : std::string()});
                });
  return changes;
}

/// Returns the first digits of a hash, which are enough to compare it with another.
std::string short_hash(std::string_view sha256) {
  constexpr std::size_t digits = 12;
  return sha256.empty() ? "none" : std::string(sha256.substr(0, digits)) + "...";
}

}  // namespace

std::vector<LockChange> changes_of(const detail::LockContents& before,
                                   const detail::LockContents& after) {
  std::vector<LockChange> changes;
  for_each_pair(before, after, [&](const auto& id, const Files* old, const Files* fresh) {
    const auto& [package, version] = id;
    if (old == nullptr || fresh == nullptr) {
      changes.push_back({package, version, old == nullptr ? "added" : "removed", {}});
    } else if (auto files = changes_of_files(*old, *fresh); !files.empty()) {
      changes.push_back({package, version, "changed", std::move(files)});
    }
  });
  return changes;
}

std::vector<std::string> to_lines(const std::vector<LockChange>& changes) {
  std::vector<Row> rows;
  for (const LockChange& one : changes) {
    rows.push_back({"  " + one.change, one.package + " " + one.version});
    for (const FileChange& file : one.files) {
      rows.push_back({"", (file.path.empty() ? "module" : file.path) + ", sha256 " +
                              short_hash(file.before) + " -> " + short_hash(file.after)});
    }
  }
  return aligned(rows);
}

}  // namespace tenon::command
