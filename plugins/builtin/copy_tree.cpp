// SPDX-License-Identifier: BSL-1.0
#include "copy_tree.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <optional>

#include "copy_file.hpp"

namespace tenon::builtin {
namespace {

// Each level holds two open directories.
constexpr int max_levels = 400;
constexpr mode_t permissions = 07777;
constexpr mode_t without_owner = 0777;  // a set-user-ID program would run as another user

struct stat status_of(int file, const std::string& path) {
  struct stat status;
  if (::fstat(file, &status) != 0)
    throw sdk::system_failure(errno, "cannot read the attributes of ", path);
  return status;
}

/// Only a privileged process may change owners. Otherwise the copies belong to the user who copies.
void set_attributes(int file, const struct stat& like, const std::string& path) {
  const bool owned = ::fchown(file, like.st_uid, like.st_gid) == 0;
  if (!owned && errno != EPERM) throw sdk::system_failure(errno, "cannot set the owner of ", path);
  const mode_t mode = like.st_mode & (owned ? permissions : without_owner);
  const timespec times[] = {like.st_atim, like.st_mtim};
  if (::fchmod(file, mode) != 0 || ::futimens(file, times) != 0) {
    throw sdk::system_failure(errno, "cannot set the attributes of ", path);
  }
}

}  // namespace

void TreeCopy::copy_directory(const Directory& from, const Directory& to, int depth) {
  if (depth > max_levels) {
    throw sdk::Failure(TENON_FAILED_PRECONDITION, "more than ", max_levels,
                       " directories are nested, the last is ", from.path());
  }
  const struct stat status = status_of(from.get(), from.path());
  for (const Entry& entry : from.entries()) {
    call_.check();
    copy_entry(from, to, entry, depth);
  }
  set_attributes(to.get(), status, to.path());
}

void TreeCopy::copy_entry(const Directory& from, const Directory& to, const Entry& entry,
                          int depth) {
  switch (entry.type) {
    case EntryType::none:
      return;
    case EntryType::file:
      return copy_file(from, to, entry.name);
    case EntryType::link:
      return copy_link(from, to, entry.name);
    case EntryType::special:
      return on_skipped_(from.path_of(entry.name));
    case EntryType::directory:
      const std::optional<Directory> inside = from.enter(entry.name);
      if (!inside) return;
      const std::optional<Directory> copy = to.make(entry.name);
      if (!copy) throw sdk::Failure(TENON_ABORTED, to.path_of(entry.name), " was removed");
      copy_directory(*inside, *copy, depth + 1);
  }
}

void TreeCopy::copy_file(const Directory& from, const Directory& to, const std::string& name) {
  const std::optional<Descriptor> source = from.open_file(name);
  if (!source) return;
  const struct stat status = status_of(source->get(), from.path_of(name));
  constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const Descriptor copy(retry([&] { return ::openat(to.get(), name.c_str(), flags, 0600); }));
  if (!copy.is_open()) throw sdk::system_failure(errno, "cannot create ", to.path_of(name));
  builtin::copy_file(call_, source->get(), copy.get(), status.st_size, from.path_of(name));
  set_attributes(copy.get(), status, to.path_of(name));
  ++files_;
}

void TreeCopy::copy_link(const Directory& from, const Directory& to, const std::string& name) {
  std::array<char, PATH_MAX + 1> target{};
  struct stat status;
  if (::fstatat(from.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 ||
      ::readlinkat(from.get(), name.c_str(), target.data(), target.size() - 1) < 0) {
    if (errno == ENOENT) return;
    throw sdk::system_failure(errno, "cannot read the link ", from.path_of(name));
  }
  if (::symlinkat(target.data(), to.get(), name.c_str()) != 0) {
    throw sdk::system_failure(errno, "cannot create the link ", to.path_of(name));
  }
  const int owned =
      ::fchownat(to.get(), name.c_str(), status.st_uid, status.st_gid, AT_SYMLINK_NOFOLLOW);
  const timespec times[] = {status.st_atim, status.st_mtim};
  if ((owned != 0 && errno != EPERM) ||
      ::utimensat(to.get(), name.c_str(), times, AT_SYMLINK_NOFOLLOW) != 0) {
    throw sdk::system_failure(errno, "cannot set the attributes of ", to.path_of(name));
  }
  ++files_;
}

}  // namespace tenon::builtin
