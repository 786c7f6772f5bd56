// SPDX-License-Identifier: BSL-1.0
//
// A directory is closed before it is removed, because Windows removes none that is open.
#include <cerrno>
#include <optional>
#include <string>
#include <utility>

#include "directory.hpp"

namespace tenon::builtin {
namespace {

/// Removes one tree. Entries that other processes remove meanwhile count as removed.
class Removal {
 public:
  Removal(const TreeRemoval& how, std::string path) : how_(how), path_(std::move(path)) {}

  void remove(const Directory& directory, const std::string& name, int level) const {
    if (directory.remove(name) || errno == ENOENT) return;
    if (errno != EISDIR)
      throw sdk::system_failure(errno, "cannot remove ", directory.path_of(name));
    if (level == how_.max_levels) {
      throw sdk::Failure(TENON_FAILED_PRECONDITION, "cannot remove ", path_, ": it has more than ",
                         how_.max_levels, " levels of directories; fix: remove it by hand");
    }
    if (how_.grants_access) directory.grant_access(name);
    if (const std::optional<Directory> inside = directory.enter(name)) empty(*inside, level);
    if (!directory.remove_directory(name) && errno != ENOENT) {
      throw sdk::system_failure(errno, "cannot remove ", directory.path_of(name));
    }
  }

 private:
  void empty(const Directory& directory, int level) const {
    for (const Entry& entry : directory.entries()) {
      how_.call.check();
      remove(directory, entry.name, level + 1);
    }
  }

  const TreeRemoval how_;
  const std::string path_;  // of the tree
};

}  // namespace

void remove_tree(const Directory& directory, const std::string& name, const TreeRemoval& how) {
  Removal(how, directory.path_of(name)).remove(directory, name, 0);
}

bool remove_empty_tree(const Directory& directory, const std::string& name) {
  if (directory.remove_directory(name)) return true;
  if (errno != ENOTEMPTY && errno != EEXIST) return errno == ENOENT;
  if (const std::optional<Directory> inside = directory.enter(name)) {
    for (const Entry& entry : inside->entries()) {
      const bool is_gone =
          entry.type == EntryType::directory && remove_empty_tree(*inside, entry.name);
      if (!is_gone) return false;
    }
  } else {
    return true;
  }
  return directory.remove_directory(name);
}

}  // namespace tenon::builtin
