// SPDX-License-Identifier: BSL-1.0
//
// The lock is an open file that nobody else can open. Access to the directory is what its parent
// gives: the directory for temporary files of Windows belongs to the user.
#include "platform/private_directory.hpp"

#include <tenon/mutex.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/path_error.hpp"
#include "platform/file.hpp"
#include "platform/utf8_path.hpp"
#include "platform/windows/system.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {
namespace {

namespace fs = std::filesystem;

constexpr std::wstring_view prefix = L"tenon-";
constexpr std::size_t random_letters = 16;  // after the prefix
constexpr std::string_view lock_text = "files of one process of tenon\n";
constexpr const wchar_t* lock_name = L"lock";

// Limits of one call of remove_abandoned_directories.
constexpr std::size_t max_checked = 1'000;
constexpr std::size_t max_removed = 100;

/// The directories of this process.
struct Held {
  sync::Mutex mutex;
  std::vector<PrivateDirectory*> directories TENON_GUARDED_BY(mutex);
};
Held& held() {
  static auto& all = *new Held;
  return all;
}

/// Removes the directories of images that stay mapped until the process exits, as far as Windows
/// removes mapped files. Static hosts of a program are destroyed earlier, because they are
/// constructed later.
const struct RemoveAtExit {
  RemoveAtExit() { static_cast<void>(held()); }
  ~RemoveAtExit() {
    const sync::Lock lock(held().mutex);
    for (PrivateDirectory* directory : held().directories) directory->end_at_exit();
  }
} remove_at_exit;

Error not_written(const fs::path& path) {
  return detail::cannot_write(path, {"creating the file", errno_of(last_error())});
}

/// Removes a directory and its files. Files that are mapped stay, and so does the directory then.
void remove_directory(const fs::path& path) noexcept {
  std::error_code ignored;
  for (fs::directory_iterator file(path, ignored), end; !ignored && file != end;
       file.increment(ignored)) {
    DeleteFileW(file->path().c_str());
  }
  RemoveDirectoryW(path.c_str());
}

bool is_private_name(std::wstring_view name) {
  return name.size() == prefix.size() + random_letters && name.starts_with(prefix);
}

/// Returns the lock of a directory without an owner; nothing if it has one or is no such directory.
Handle lock_of_abandoned(const fs::path& directory) noexcept {
  Handle lock = open_alone(directory / lock_name, OPEN_EXISTING);
  if (!lock) return lock;
  std::array<char, lock_text.size() + 1> text;
  DWORD size = 0;
  const bool read = ReadFile(lock.get(), text.data(), text.size(), &size, nullptr) != 0;
  if (!read || std::string_view(text.data(), size) != lock_text) lock.close();
  return lock;
}

/// Returns the directories in `parent` that may be abandoned.
std::vector<fs::path> private_directories(const fs::path& parent) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (fs::directory_iterator entry(parent, ignored), end;
       !ignored && entry != end && found.size() < max_checked; entry.increment(ignored)) {
    if (is_private_name(entry->path().filename().native())) found.push_back(entry->path());
  }
  return found;
}

}  // namespace

Result<std::shared_ptr<PrivateDirectory>> PrivateDirectory::create(const fs::path& parent,
                                                                   StaysAtExit stays_at_exit) {
  std::error_code ignored;
  std::shared_ptr<PrivateDirectory> made(
      new PrivateDirectory);  // before there is a directory to remove
  made->stays_at_exit_ = stays_at_exit;
  const fs::path path = fs::absolute(parent, ignored) / (std::wstring(prefix) + random_name());
  if (CreateDirectoryW(path.c_str(), nullptr) == 0) {
    const int number = errno_of(last_error());
    return detail::cannot_write(parent, {.attempt = "creating a directory in it",
                                         .number = number,
                                         .code = number == ENOENT ? "not-found" : ""});
  }
  made->path_ = path;
  made->lock_path_ = path / lock_name;
  if (!made->open() || !made->lock()) return not_written(made->lock_path_);
  return made;
}

bool PrivateDirectory::open() {
  const sync::Lock lock(held().mutex);
  held().directories.push_back(this);
  return true;
}

bool PrivateDirectory::lock() {
  Handle lock = open_alone(lock_path_, CREATE_NEW);
  if (!lock || !write_all(lock.get(), lock_text)) return false;
  lock_ = reinterpret_cast<NativeHandle>(lock.release());
  return true;
}

Result<void> PrivateDirectory::create_file(const std::string& name,
                                           std::span<const std::byte> content) const {
  const fs::path path = path_ / path_from(name);
  Handle file = open_shared(path.c_str(), GENERIC_WRITE, CREATE_NEW);
  if (!file) return not_written(path);
  const std::string_view text(reinterpret_cast<const char*>(content.data()), content.size());
  if (write_all(file.get(), text)) return {};
  auto error = not_written(path);
  file.close();
  DeleteFileW(path.c_str());
  return error;
}

Result<void> PrivateDirectory::link_file(const std::string& name, const std::string& second) const {
  const fs::path link = path_ / path_from(second);
  if (CreateHardLinkW(link.c_str(), (path_ / path_from(name)).c_str(), nullptr) != 0) return {};
  return not_written(link);
}

void PrivateDirectory::remove_file(const std::string& name) const noexcept {
  DeleteFileW((path_ / path_from(name)).c_str());
}

PrivateDirectory::~PrivateDirectory() {
  {
    const sync::Lock lock(held().mutex);
    std::erase(held().directories, this);
  }
  if (!path_.empty()) remove();
}

void PrivateDirectory::remove() noexcept {
  if (lock_ != no_handle) CloseHandle(reinterpret_cast<HANDLE>(std::exchange(lock_, no_handle)));
  remove_directory(path_);
}

void PrivateDirectory::end_at_exit() noexcept {
  if (stays_at_exit_ == nullptr || !stays_at_exit_()) remove();
}

bool PrivateDirectory::is_own() const noexcept {
  return true;
}

/// Nobody else can remove the lock.
bool PrivateDirectory::is_usable() const noexcept {
  return lock_ != no_handle && GetFileAttributesW(lock_path_.c_str()) != INVALID_FILE_ATTRIBUTES;
}

std::size_t remove_abandoned_directories(const fs::path& parent) noexcept {
  std::size_t removed = 0;
  for (const fs::path& directory : private_directories(parent)) {
    if (removed == max_removed) break;
    Handle lock = lock_of_abandoned(directory);
    if (!lock) continue;
    lock.close();
    remove_directory(directory);
    ++removed;
  }
  return removed;
}

void visit_abandoned_files(const fs::path& parent,
                           const std::function<bool(const fs::path&)>& keep) {
  for (const fs::path& directory : private_directories(parent)) {
    Handle lock = lock_of_abandoned(directory);
    if (!lock) continue;
    bool empty = true;
    std::error_code ignored;
    for (fs::directory_iterator file(directory, ignored), end; !ignored && file != end;
         file.increment(ignored)) {
      if (file->path().filename() == lock_name) continue;
      if (keep(file->path())) {
        empty = false;
      } else {
        DeleteFileW(file->path().c_str());
      }
    }
    lock.close();
    if (empty) remove_directory(directory);
  }
}

Result<void> check_user_directory(const fs::path& directory) {
  std::error_code failed;
  const auto type = fs::symlink_status(directory, failed).type();
  if (type == fs::file_type::not_found || type == fs::file_type::directory) return {};
  return Error({.code = "untrusted-owner",
                .where = directory.string(),
                .found = "no directory",
                .needed = "a directory of this user",
                .fix = "remove it"});
}

Result<void> make_user_directory(const fs::path& directory) {
  std::error_code failed;
  fs::create_directories(directory, failed);
  if (failed) {
    return detail::cannot_write(directory, {"creating the directory", errno_of(failed)});
  }
  return check_user_directory(directory);
}

}}}  // namespace tenon::v0_1::platform
