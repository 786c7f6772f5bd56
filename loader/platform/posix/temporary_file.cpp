// SPDX-License-Identifier: BSL-1.0
#include "platform/posix/temporary_file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string_view>

namespace tenon { inline namespace v0_1 { namespace platform {
namespace {

constexpr std::string_view name_prefix = ".tenon-";
constexpr std::size_t name_digits = 16;

/// Returns a name that cannot be guessed; empty, with the reason in errno, on failure.
std::string random_name() {
  std::uint64_t number = 0;
  if (::getentropy(&number, sizeof number) != 0) return {};
  char name[32];
  std::snprintf(name, sizeof name, "%016llx", static_cast<unsigned long long>(number));
  return std::string(name_prefix) + name;
}

bool is_random_name(std::string_view name) {
  return name.substr(0, name_prefix.size()) == name_prefix &&
         name.size() == name_prefix.size() + name_digits &&
         name.find_first_not_of("0123456789abcdef", name_prefix.size()) == name.npos;
}

int open_new(int directory, const std::string& name, mode_t mode) {
  if (name.empty()) return -1;
  constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  return ::openat(directory, name.c_str(), flags, mode);
}

struct CloseDirectory {
  void operator()(DIR* directory) const noexcept { ::closedir(directory); }
};

/// Opens the directory again, because the position of a listing belongs to the open directory.
/// Returns null if it cannot be read.
std::unique_ptr<DIR, CloseDirectory> open_listing(int directory) {
  Descriptor again(::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  std::unique_ptr<DIR, CloseDirectory> listing(again ? ::fdopendir(again.get()) : nullptr);
  if (listing != nullptr) again.release();
  return listing;
}

}  // namespace

TemporaryFile::TemporaryFile(int directory, mode_t mode) : directory_(directory) {
  // Another process may take a new file for an abandoned one and remove it before it is locked.
  do {
    name_ = random_name();
    file_.emplace(open_new(directory_, name_, mode));
  } while (*file_ && is_lost());
  exists_ = static_cast<bool>(*file_);
}

TemporaryFile::~TemporaryFile() {
  if (exists_) ::unlinkat(directory_, name_.c_str(), 0);
}

/// Locks the file, if the file system has locks. Returns whether it was removed before.
bool TemporaryFile::is_lost() const {
  struct stat status;
  return (::flock(file_->get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) ||
         (::fstat(file_->get(), &status) == 0 && status.st_nlink == 0);
}

void remove_abandoned_files(int directory) {
  const auto listing = open_listing(directory);
  if (listing == nullptr) return;
  while (const dirent* entry = ::readdir(listing.get())) {
    if (!is_random_name(entry->d_name)) continue;
    constexpr int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    const Descriptor file(::openat(directory, entry->d_name, flags));
    struct stat status;
    if (file && ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) &&
        ::flock(file.get(), LOCK_EX | LOCK_NB) == 0) {
      ::unlinkat(directory, entry->d_name, 0);
    }
  }
}

}}}  // namespace tenon::v0_1::platform
