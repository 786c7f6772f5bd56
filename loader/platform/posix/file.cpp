// SPDX-License-Identifier: BSL-1.0
#include "platform/file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#ifdef __linux__
#include <linux/magic.h>
#include <sys/vfs.h>
#endif
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "base/path_error.hpp"
#include "platform/file_status.hpp"
#include "platform/posix/descriptor.hpp"
#include "platform/posix/file_access.hpp"
#include "platform/replace_file.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {
namespace {

std::string_view code_if_absent(int number) {
  return number == ENOENT ? "not-found" : std::string_view();
}

// Return the error for errno.
Error cannot_read(const std::filesystem::path& path, std::string_view attempt) {
  const int number = errno;
  return detail::cannot_read(
      path, {.attempt = attempt, .number = number, .code = code_if_absent(number)});
}

Error cannot_write(const std::filesystem::path& path, std::string_view attempt) {
  const int number = errno;
  return detail::cannot_write(
      path, {.attempt = attempt, .number = number, .code = code_if_absent(number)});
}

std::string_view type_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

std::int64_t nanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

FileIdentity identity_from(const struct stat& status) {
  return {.device = status.st_dev,
          .inode = status.st_ino,
          .size = static_cast<std::uint64_t>(status.st_size),
          .modified = nanoseconds(status.st_mtim),
          .changed = nanoseconds(status.st_ctim)};
}

bool may_be_link(const dirent& entry) {
  return entry.d_type == DT_UNKNOWN || entry.d_type == DT_LNK;
}

bool leads_to_directory(DIR* directory, const dirent& entry) {
  if (!may_be_link(entry)) return entry.d_type == DT_DIR;
  struct stat status;
  return ::fstatat(::dirfd(directory), entry.d_name, &status, 0) == 0 && S_ISDIR(status.st_mode);
}

}  // namespace

Result<File> File::open(const std::filesystem::path& path, bool is_regular) {
  const auto irregular = [&path](mode_t mode) {
    return Error(
        {.code = "cannot-read",
         .where = path.string(),
         .found = std::string(type_of(mode)),
         .needed = "a regular file",
         .fix = "name a regular file, or remove this one from the directory that is searched"});
  };
  struct stat status;
  // Opening a device can have side effects, so the type is checked first. The file may be replaced
  // in between, so it is opened without blocking and checked again.
  if (!is_regular) {
    if (::stat(path.c_str(), &status) != 0) return cannot_read(path, "opening the file");
    if (!S_ISREG(status.st_mode)) return irregular(status.st_mode);
  }
  Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!descriptor) return cannot_read(path, "opening the file");
  if (::fstat(descriptor.get(), &status) != 0) {
    return cannot_read(path, "looking at the file");
  }
  if (!S_ISREG(status.st_mode)) return irregular(status.st_mode);
  std::string name = path.string();  // before the descriptor changes hands
  return File(std::move(name), descriptor.release(), identity_from(status), access_of(status));
}

File::File(std::string path, NativeHandle handle, const FileIdentity& identity,
           const FileAccess& access)
    : path_(std::move(path)), handle_(handle), identity_(identity), access_(access) {}

File::File(File&& other) noexcept
    : path_(std::move(other.path_)),
      handle_(std::exchange(other.handle_, no_handle)),
      identity_(other.identity_),
      access_(other.access_) {}

File& File::operator=(File&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(handle_, other.handle_);
  std::swap(identity_, other.identity_);
  std::swap(access_, other.access_);
  return *this;
}

File::~File() {
  if (handle_ >= 0) ::close(handle_);
}

bool File::is_unchanged() const noexcept {
  struct stat status;
  if (::fstat(handle_, &status) != 0) return false;
  const FileIdentity now = identity_from(status);
  return now.size == identity_.size && now.modified == identity_.modified;
}

Result<std::size_t> File::read_at(std::uint64_t offset, std::span<std::byte> into) const {
  std::size_t done = 0;
  while (done < into.size()) {
    const auto rest = into.subspan(done);
    const auto count =
        ::pread(handle_, rest.data(), rest.size(), static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return cannot_read(path_, "reading the file");
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

std::optional<FileStatus> status_of(const char* path) noexcept {
  struct stat status;
  if (::stat(path, &status) != 0) return std::nullopt;
  return FileStatus{identity_from(status), access_of(status)};
}

Result<FileIdentity> identity_of(const std::filesystem::path& path) {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0) {
    return cannot_read(path, "looking at the file");
  }
  return identity_from(status);
}

std::error_code read_directory(const std::filesystem::path& directory,
                               std::vector<DirectoryEntry>& entries) {
  return OpenDirectory(directory.c_str()).read(entries);
}

struct OpenDirectory::Stream {
  explicit Stream(const char* path) noexcept : open(::opendir(path)) {}
  ~Stream() {
    if (open != nullptr) ::closedir(open);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  DIR* const open;
};

OpenDirectory::OpenDirectory(const char* path) : stream_(std::make_unique<Stream>(path)) {
  if (stream_->open != nullptr) return;
  failed_ = {errno, std::generic_category()};
  stream_ = nullptr;
}

OpenDirectory::~OpenDirectory() = default;

std::error_code OpenDirectory::read(std::vector<DirectoryEntry>& entries) {
  if (stream_ == nullptr) return failed_;
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(stream_->open);
    if (entry == nullptr) return {errno, std::generic_category()};
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    entries.push_back({.name = std::string(name),
                       .is_directory = leads_to_directory(stream_->open, *entry),
                       .may_be_link = may_be_link(*entry),
                       .is_regular = entry->d_type == DT_REG});
  }
}

std::optional<FileAccess> OpenDirectory::access() const noexcept {
  struct stat status;
  if (stream_ == nullptr || ::fstat(::dirfd(stream_->open), &status) != 0) return std::nullopt;
  return access_of(status);
}

std::optional<FileStatus> OpenDirectory::status_of(const DirectoryEntry& entry) const noexcept {
  struct stat status;
  if (stream_ == nullptr || ::fstatat(::dirfd(stream_->open), entry.name.c_str(), &status, 0) != 0)
    return std::nullopt;
  return FileStatus{identity_from(status), access_of(status)};
}

Result<void> replace_file(const std::filesystem::path& path, std::span<const std::byte> content) {
  const std::string_view text(reinterpret_cast<const char*>(content.data()), content.size());
  const ReplaceResult replaced = replace_content(path, text);
  if (!replaced.failed) return {};
  errno = replaced.failed.value();
  return cannot_write(path, "replacing the file");
}

bool may_execute(const std::filesystem::path& directory) {
  struct statvfs status;
  return ::statvfs(directory.c_str(), &status) != 0 || (status.f_flag & ST_NOEXEC) == 0;
}

std::filesystem::path memory_directory() {
#ifdef __linux__
  constexpr const char* directory = "/dev/shm";
  constexpr auto no_execution = decltype(std::declval<struct statfs>().f_flags){ST_NOEXEC};
  struct statfs status;
  if (::statfs(directory, &status) == 0 && status.f_type == TMPFS_MAGIC &&
      (status.f_flags & no_execution) == 0 && status.f_bavail >= status.f_blocks / 2) {
    return directory;
  }
#endif
  return {};
}

Result<void> remove(const std::filesystem::path& path) {
  if (::remove(path.c_str()) != 0 && errno != ENOENT) {
    return cannot_write(path, "removing the file");
  }
  return {};
}

}}}  // namespace tenon::v0_1::platform
