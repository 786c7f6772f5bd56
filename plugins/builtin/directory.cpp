// SPDX-License-Identifier: BSL-1.0
#include "directory.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <utility>

namespace tenon::builtin {
namespace {

constexpr int directory_flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
constexpr int own_directory = 0700;

sdk::Failure is_link(const std::string& path) {
  return sdk::Failure(TENON_FAILED_PRECONDITION, path,
                      " is a symbolic link, needed: a file or directory; links are not followed");
}

struct CloseDirectory {
  void operator()(DIR* directory) const noexcept { ::closedir(directory); }
};
using Listing = std::unique_ptr<DIR, CloseDirectory>;

/// Opens the directory again, because each listing needs its own position. Returns nullptr if the
/// directory has been removed.
Listing open_listing(const Directory& directory) {
  Descriptor again(retry([&] { return ::openat(directory.get(), ".", directory_flags); }));
  if (!again.is_open() && errno == ENOENT) return nullptr;
  Listing listing(again.is_open() ? ::fdopendir(again.get()) : nullptr);
  if (listing == nullptr) throw sdk::system_failure(errno, "cannot list ", directory.path());
  static_cast<void>(again.release());
  return listing;
}

EntryType listed_type(const Directory& directory, const dirent& entry) {
  switch (entry.d_type) {
    case DT_REG:
      return EntryType::file;
    case DT_DIR:
      return EntryType::directory;
    case DT_LNK:
      return EntryType::link;
    case DT_UNKNOWN:  // some file systems do not report the type
      return directory.type_of(entry.d_name);
    default:
      return EntryType::special;
  }
}

}  // namespace

EntryType type_of(const struct stat& status) {
  if (S_ISREG(status.st_mode)) return EntryType::file;
  if (S_ISDIR(status.st_mode)) return EntryType::directory;
  return S_ISLNK(status.st_mode) ? EntryType::link : EntryType::special;
}

Directory Directory::open(const std::string& path) {
  Descriptor file(retry([&] { return ::open(path.c_str(), directory_flags); }));
  if (file.is_open()) return {std::move(file), path};
  if (errno == ENOENT || errno == ENOTDIR) {
    throw sdk::Failure(TENON_UNAVAILABLE, "there is no directory ", path,
                       ": create it, or mount the disk that contains it");
  }
  throw sdk::system_failure(errno, "cannot open ", path);
}

std::string Directory::path_of(std::string_view name) const {
  return path_ + "/" + std::string(name);
}

std::optional<Directory> Directory::enter(const std::string& name) const {
  Descriptor file(
      retry([&] { return ::openat(get(), name.c_str(), directory_flags | O_NOFOLLOW); }));
  if (file.is_open()) return Directory(std::move(file), path_of(name));
  if (errno == ENOENT) return std::nullopt;
  if (errno != ENOTDIR && errno != ELOOP) {
    throw sdk::system_failure(errno, "cannot open ", path_of(name));
  }
  if (type_of(name) == EntryType::link) throw is_link(path_of(name));
  return std::nullopt;
}

std::optional<Directory> Directory::make(const std::string& name) const {
  if (::mkdirat(get(), name.c_str(), own_directory) != 0 && errno != EEXIST && errno != ENOENT) {
    throw sdk::system_failure(errno, "cannot create the directory ", path_of(name));
  }
  return enter(name);
}

std::optional<Descriptor> Directory::open_file(const std::string& name) const {
  constexpr int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;  // does not wait for a fifo
  Descriptor file(retry([&] { return ::openat(get(), name.c_str(), flags); }));
  if (!file.is_open()) {
    if (errno == ENOENT) return std::nullopt;
    if (errno == ELOOP) throw is_link(path_of(name));
    throw sdk::system_failure(errno, "cannot open ", path_of(name));
  }
  struct stat status;
  if (::fstat(file.get(), &status) != 0) {
    throw sdk::system_failure(errno, "cannot read the attributes of ", path_of(name));
  }
  const EntryType type = builtin::type_of(status);
  if (type == EntryType::directory) return std::nullopt;
  if (type != EntryType::file) {
    throw sdk::Failure(TENON_FAILED_PRECONDITION, path_of(name), " is not a regular file");
  }
  return file;
}

EntryType Directory::type_of(const std::string& name) const {
  struct stat status;
  if (::fstatat(get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
    return builtin::type_of(status);
  }
  if (errno == ENOENT) return EntryType::none;
  throw sdk::system_failure(errno, "cannot read the attributes of ", path_of(name));
}

bool Directory::refers_to(const std::string& name, int file) const {
  struct stat opened;
  struct stat named;
  return ::fstat(file, &opened) == 0 &&
         ::fstatat(get(), name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

std::vector<Entry> Directory::entries() const {
  const Listing listing = open_listing(*this);
  std::vector<Entry> entries;
  if (listing == nullptr) return entries;
  errno = 0;
  for (const dirent* entry; (entry = ::readdir(listing.get())) != nullptr; errno = 0) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") {
      entries.push_back({std::string(name), listed_type(*this, *entry)});
    }
  }
  if (errno != 0) throw sdk::system_failure(errno, "cannot list ", path_);
  return entries;
}

bool Directory::remove(const std::string& name) const noexcept {
  return retry([&] { return ::unlinkat(get(), name.c_str(), 0); }) == 0;
}

bool Directory::remove_directory(const std::string& name) const noexcept {
  return retry([&] { return ::unlinkat(get(), name.c_str(), AT_REMOVEDIR); }) == 0;
}

void Directory::grant_access(const std::string& name) const noexcept {
  ::fchmodat(get(), name.c_str(), own_directory, 0);
}

void Directory::sync() const {
  // Some file systems cannot sync directories.
  if (retry([&] { return ::fsync(get()); }) != 0 && errno != EINVAL) {
    throw sdk::system_failure(errno, "cannot write the directory ", path_);
  }
}

}  // namespace tenon::builtin
