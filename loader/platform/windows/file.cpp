// SPDX-License-Identifier: BSL-1.0
#include "platform/file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "base/path_error.hpp"
#include "platform/file_status.hpp"
#include "platform/replace_file.hpp"
#include "platform/utf8_path.hpp"
#include "platform/windows/system.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {
namespace {

std::string_view code_if_absent(int number) {
  return number == ENOENT ? "not-found" : std::string_view();
}

Error cannot_read(const std::filesystem::path& path, std::string_view attempt,
                  const std::error_code& failed = last_error()) {
  const int number = errno_of(failed);
  return detail::cannot_read(
      path, {.attempt = attempt, .number = number, .code = code_if_absent(number)});
}

Error cannot_write(const std::filesystem::path& path, std::string_view attempt,
                   const std::error_code& failed = last_error()) {
  const int number = errno_of(failed);
  return detail::cannot_write(
      path, {.attempt = attempt, .number = number, .code = code_if_absent(number)});
}

HANDLE handle_of(NativeHandle handle) noexcept {
  return reinterpret_cast<HANDLE>(handle);
}

/// Returns nanoseconds since 1970 from steps of 100 since 1601.
std::int64_t nanoseconds(LARGE_INTEGER time) {
  constexpr std::int64_t from_1601_to_1970 = 116'444'736'000'000'000;
  return (time.QuadPart - from_1601_to_1970) * 100;
}

std::optional<FileStatus> status_of(HANDLE file) noexcept {
  FILE_BASIC_INFO times;
  FILE_STANDARD_INFO size;
  FILE_ID_INFO id;
  if (GetFileInformationByHandleEx(file, FileBasicInfo, &times, sizeof times) == 0 ||
      GetFileInformationByHandleEx(file, FileStandardInfo, &size, sizeof size) == 0 ||
      GetFileInformationByHandleEx(file, FileIdInfo, &id, sizeof id) == 0)
    return std::nullopt;
  std::uint64_t halves[2];  // of the number, of which NTFS uses the first
  static_assert(sizeof halves == sizeof id.FileId);
  std::memcpy(halves, &id.FileId, sizeof halves);
  return FileStatus{
      .identity = {.device = id.VolumeSerialNumber,
                   .inode = halves[0] ^ halves[1],
                   .size = static_cast<std::uint64_t>(size.EndOfFile.QuadPart),
                   .modified = nanoseconds(times.LastWriteTime),
                   .changed = nanoseconds(times.ChangeTime)},
      .access = {.is_directory = size.Directory != 0},
  };
}

}  // namespace

Result<File> File::open(const std::filesystem::path& path, bool) {
  const auto irregular = [&path](std::string_view type) {
    return Error(
        {.code = "cannot-read",
         .where = path.string(),
         .found = std::string(type),
         .needed = "a regular file",
         .fix = "name a regular file, or remove this one from the directory that is searched"});
  };
  Handle handle = open_shared(path.c_str(), GENERIC_READ);
  if (!handle) return cannot_read(path, "opening the file");
  const DWORD type = GetFileType(handle.get());
  if (type != FILE_TYPE_DISK) return irregular(type == FILE_TYPE_PIPE ? "a pipe" : "a device");
  const auto status = status_of(handle.get());
  if (!status) return cannot_read(path, "looking at the file");
  if (status->access.is_directory) return irregular("a directory");
  std::string name = path.string();  // before the handle changes hands
  return File(std::move(name), reinterpret_cast<NativeHandle>(handle.release()), status->identity,
              status->access);
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
  if (handle_ != no_handle) CloseHandle(handle_of(handle_));
}

bool File::is_unchanged() const noexcept {
  const auto now = status_of(handle_of(handle_));
  return now && now->identity.size == identity_.size &&
         now->identity.modified == identity_.modified;
}

Result<std::size_t> File::read_at(std::uint64_t offset, std::span<std::byte> into) const {
  constexpr std::size_t most = std::size_t{1} << 30;
  std::size_t done = 0;
  while (done < into.size()) {
    const auto piece = static_cast<DWORD>(std::min(into.size() - done, most));
    const std::uint64_t at = offset + done;
    OVERLAPPED position{};
    position.Offset = static_cast<DWORD>(at);
    position.OffsetHigh = static_cast<DWORD>(at >> 32);
    DWORD count = 0;
    if (ReadFile(handle_of(handle_), into.data() + done, piece, &count, &position) == 0) {
      if (GetLastError() == ERROR_HANDLE_EOF) break;
      return cannot_read(path_, "reading the file");
    }
    if (count == 0) break;
    done += count;
  }
  return done;
}

std::optional<FileStatus> status_of(const wchar_t* path) noexcept {
  const Handle handle = open_shared(path, FILE_READ_ATTRIBUTES);
  return handle ? status_of(handle.get()) : std::nullopt;
}

Result<FileIdentity> identity_of(const std::filesystem::path& path) {
  const auto status = status_of(path.c_str());
  if (!status) return cannot_read(path, "looking at the file");
  return status->identity;
}

std::error_code read_directory(const std::filesystem::path& directory,
                               std::vector<DirectoryEntry>& entries) {
  return OpenDirectory(directory.c_str()).read(entries);
}

struct OpenDirectory::Stream {
  explicit Stream(const wchar_t* directory)
      : path(directory), found(FindFirstFileW((path / L"*").c_str(), &first)) {}
  ~Stream() {
    if (found != INVALID_HANDLE_VALUE) FindClose(found);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  const std::filesystem::path path;
  WIN32_FIND_DATAW first;
  const HANDLE found;
};

OpenDirectory::OpenDirectory(const wchar_t* path) : stream_(std::make_unique<Stream>(path)) {
  if (stream_->found != INVALID_HANDLE_VALUE) return;
  failed_ = {errno_of(last_error()), std::generic_category()};
  stream_ = nullptr;
}

OpenDirectory::~OpenDirectory() = default;

std::error_code OpenDirectory::read(std::vector<DirectoryEntry>& entries) {
  if (stream_ == nullptr) return failed_;
  WIN32_FIND_DATAW& entry = stream_->first;
  do {
    const std::wstring_view name = entry.cFileName;
    if (name == L"." || name == L"..") continue;
    const bool is_link = (entry.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0;
    const bool is_directory = (entry.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
    entries.push_back({.name = utf8_of(name),
                       .is_directory = is_directory,
                       .may_be_link = is_link,
                       .is_regular = !is_link && !is_directory});
  } while (FindNextFileW(stream_->found, &entry) != 0);
  if (GetLastError() == ERROR_NO_MORE_FILES) return {};
  return {errno_of(last_error()), std::generic_category()};
}

std::optional<FileAccess> OpenDirectory::access() const noexcept {
  if (stream_ == nullptr) return std::nullopt;
  const auto status = platform::status_of(stream_->path.c_str());
  return status ? std::optional(status->access) : std::nullopt;
}

std::optional<FileStatus> OpenDirectory::status_of(const DirectoryEntry& entry) const noexcept {
  if (stream_ == nullptr) return std::nullopt;
  return platform::status_of((stream_->path / path_from(entry.name)).c_str());
}

Result<void> replace_file(const std::filesystem::path& path, std::span<const std::byte> content) {
  const std::string_view text(reinterpret_cast<const char*>(content.data()), content.size());
  const ReplaceResult replaced = replace_content(path, text);
  if (!replaced.failed) return {};
  return cannot_write(path, "replacing the file", replaced.failed);
}

bool may_execute(const std::filesystem::path&) {
  return true;
}

std::filesystem::path memory_directory() {
  return {};
}

Result<void> remove(const std::filesystem::path& path) {
  if (DeleteFileW(path.c_str()) != 0) return {};
  const std::error_code failed = last_error();
  if (errno_of(failed) == ENOENT || RemoveDirectoryW(path.c_str()) != 0) return {};
  return cannot_write(path, "removing the file", failed);
}

}}}  // namespace tenon::v0_1::platform
