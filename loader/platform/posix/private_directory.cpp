// SPDX-License-Identifier: BSL-1.0
#include "platform/private_directory.hpp"

#include <tenon/mutex.hpp>

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/path_error.hpp"
#include "base/test_point.hpp"
#include "platform/exposure.hpp"
#include "platform/posix/descriptor.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {
namespace {

constexpr std::string_view prefix = "tenon-";
constexpr std::size_t random_letters = 6;  // after the prefix, by mkdtemp
constexpr std::string_view lock_text = "files of one process of tenon\n";
constexpr const char* lock_name = "lock";
constexpr const char* new_lock_name = "lock.new";
constexpr int directory_flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// Limits of one call of remove_abandoned_directories.
constexpr std::size_t max_read = 100'000;
constexpr std::size_t max_checked = 1'000;
constexpr std::size_t max_removed = 100;
// A module has a handful of files; a directory with more is removed by several calls.
constexpr std::size_t max_files = 10'000;

/// The descriptors that a forked child has to close, and the directories of this process.
struct Held {
  sync::Mutex mutex;
  std::vector<int> descriptors TENON_GUARDED_BY(mutex);
  std::vector<PrivateDirectory*> directories TENON_GUARDED_BY(mutex);
};
Held& held() {
  static auto& all = *new Held;
  return all;
}
std::atomic<unsigned> forks = 0;

void prepare_for_forks() {
  static const int prepared =
      pthread_atfork([]() TENON_ACQUIRE(held().mutex) { held().mutex.lock(); },
                     []() TENON_RELEASE(held().mutex) { held().mutex.unlock(); },
                     []() TENON_RELEASE(held().mutex) {
                       for (const int number : held().descriptors) {
                         ::close(number);
                       }
                       held().descriptors.clear();
                       held().directories.clear();
                       ++forks;
                       held().mutex.unlock();
                     });
  static_cast<void>(prepared);
}

/// Registers a descriptor, which a forked child closes. The mutex is held since before the file was
/// opened.
int hold(int descriptor) TENON_REQUIRES(held().mutex) {
  if (descriptor < 0) return descriptor;
  try {
    held().descriptors.push_back(descriptor);
  } catch (...) {  // out of memory
    ::close(descriptor);
    throw;
  }
  return descriptor;
}

void release(int descriptor) noexcept {
  if (descriptor < 0) return;
  sync::Lock lock(held().mutex);
  std::erase(held().descriptors, descriptor);
  ::close(descriptor);
}

/// How many of the entries of a directory were read.
enum class Listed { all, some, none };

/// Appends the names in an open directory for which `wanted` is true, without `.` and `..`. Looks
/// at `most` entries, or at fewer if memory runs out.
template <class Wanted>
Listed list(int directory, std::size_t most, Wanted wanted,
            std::vector<std::string>& names) noexcept {
  const int copy = ::openat(directory, ".", directory_flags);
  DIR* stream = copy >= 0 ? ::fdopendir(copy) : nullptr;
  if (stream == nullptr) {
    if (copy >= 0) ::close(copy);
    return Listed::none;
  }
  Listed listed = Listed::some;
  for (std::size_t count = 0; count < most; ++count) {
    errno = 0;
    const dirent* entry = ::readdir(stream);
    if (entry == nullptr) {
      if (errno == 0) listed = Listed::all;
      break;
    }
    const std::string_view name = entry->d_name;
    if (name == "." || name == ".." || !wanted(*entry)) continue;
    try {
      names.emplace_back(name);
    } catch (const std::bad_alloc&) {
      break;
    }
  }
  ::closedir(stream);
  return listed;
}

template <class Wanted>
std::vector<std::string> names_in(int directory, std::size_t most, Wanted wanted) noexcept {
  std::vector<std::string> names;
  list(directory, most, wanted, names);
  return names;
}

bool is_no_lock(const dirent& entry) {
  return std::strcmp(entry.d_name, lock_name) != 0;
}

enum class Owner { this_process, none };

/// Removes a directory whose lock is held. The lock is removed last, so that a later call can
/// remove the rest. If its files cannot be listed, only its owner removes it, who has usually
/// removed them.
bool remove_directory(int parent, const char* name, int directory, Owner owner) {
  std::vector<std::string> files;
  const Listed listed = list(directory, max_files, is_no_lock, files);
  bool empty = listed == Listed::all || (listed == Listed::none && owner == Owner::this_process);
  for (const std::string& file : files) {
    if (::unlinkat(directory, file.c_str(), 0) != 0 && errno != ENOENT) empty = false;
  }
  if (!empty) return false;
  ::unlinkat(directory, lock_name, 0);
  return ::unlinkat(parent, name, AT_REMOVEDIR) == 0;
}

bool is_own_directory(int directory) {
  struct stat status;
  return ::fstat(directory, &status) == 0 && S_ISDIR(status.st_mode) &&
         status.st_uid == ::geteuid() && (status.st_mode & 0077) == 0;
}

/// Returns whether a name has the form of those that `create` makes.
bool is_name(std::string_view name) {
  return name.size() == prefix.size() + random_letters && name.starts_with(prefix) &&
         std::ranges::all_of(name.substr(prefix.size()),
                             [](unsigned char letter) { return std::isalnum(letter) != 0; });
}

bool has_lock_text(int lock) {
  std::array<char, lock_text.size() + 1> text{};
  const auto count = ::pread(lock, text.data(), text.size(), 0);
  return count >= 0 && std::string_view(text.data(), static_cast<std::size_t>(count)) == lock_text;
}

/// Takes the lock of a directory, shared or exclusively (LOCK_SH, LOCK_EX). Returns false if
/// another process holds it.
bool take_lock(int lock, int how) {
  if (::flock(lock, how | LOCK_NB) != 0) return false;
  // Another process may have removed it in the meantime.
  struct stat status;
  return ::fstat(lock, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid() &&
         status.st_nlink == 1;
}

/// A directory whose owner was killed, with its lock.
struct Abandoned {
  /// `how`: see take_lock.
  Abandoned(int parent, const char* name, int how)
      : directory(::openat(parent, name, directory_flags)),
        lock(directory && is_own_directory(directory.get())
                 ? ::openat(directory.get(), lock_name,
                            O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
                 : -1),
        is_locked(lock && has_lock_text(lock.get()) && take_lock(lock.get(), how)) {}

  const Descriptor directory;
  const Descriptor lock;
  const bool is_locked;  // false: it has an owner, or is none of these
};

bool remove_if_abandoned(int parent, const char* name) {
  const Abandoned abandoned(parent, name, LOCK_EX);
  TENON_TEST_POINT("abandoned: locked");
  return abandoned.is_locked &&
         remove_directory(parent, name, abandoned.directory.get(), Owner::none);
}

/// Returns the names of at most `max_checked` private directories.
std::vector<std::string> private_directories(int parent) {
  auto names = names_in(parent, max_read, [](const dirent& entry) {
    return is_name(entry.d_name) && (entry.d_type == DT_DIR || entry.d_type == DT_UNKNOWN);
  });
  if (names.size() > max_checked) {
    // Start at another directory each time, so that directories in use do not hide the others for
    // ever.
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    const auto first = static_cast<std::size_t>(now) % names.size();
    std::rotate(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(first), names.end());
    names.resize(max_checked);
  }
  return names;
}

/// Removes the directories of images that stay mapped until the process exits. Static hosts of a
/// program are destroyed earlier, because they are constructed later.
const struct RemoveAtExit {
  RemoveAtExit() { static_cast<void>(held()); }
  ~RemoveAtExit() {
    sync::Lock lock(held().mutex);
    for (PrivateDirectory* directory : held().directories) directory->end_at_exit();
  }
} remove_at_exit;

Error exchangeable(const std::filesystem::path& parent, const Exposure& exposure) {
  std::string found = exposure.found;
  if (exposure.path != parent) found += ", " + exposure.path.string();
  return Error(
      {.code = "untrusted-owner",
       .where = parent.string(),
       .found = std::move(found),
       .needed = "a directory for copies of modules in which no other user may rename them",
       .fix = exposure.by_owner
                  ? "set TMPDIR to a directory of this user"
                  : "chmod +t " + exposure.path.string() + ", or set TMPDIR to another directory"});
}

Result<void> check_exposure(const std::filesystem::path& path) {
  const auto exposure = exposure_at(path);
  if (!exposure) return {};
  std::string found = exposure->found;
  if (exposure->path != path) found += ", " + exposure->path.string();
  return Error({.code = "untrusted-owner",
                .where = path.string(),
                .found = std::move(found),
                .needed = "directories that no other user may change",
                .fix = exposure->fix});
}

Error replaced(const std::filesystem::path& parent) {
  return Error({.code = "cannot-write",
                .where = parent.string(),
                .found = "another directory in the place of the one that was just created in it",
                .needed = "a directory where no other process exchanges the host's files",
                .fix = "set TMPDIR to a directory of this user"});
}

Error not_written(const std::filesystem::path& path) {
  return detail::cannot_write(path, {"creating the file", errno});
}

/// Returns whether a path leads to the open file.
bool is_at(int descriptor, const char* path) noexcept {
  struct stat open, there;
  return ::fstat(descriptor, &open) == 0 && ::lstat(path, &there) == 0 &&
         open.st_dev == there.st_dev && open.st_ino == there.st_ino;
}

}  // namespace

Result<std::shared_ptr<PrivateDirectory>> PrivateDirectory::create(
    const std::filesystem::path& parent, StaysAtExit stays_at_exit) {
  prepare_for_forks();
  if (auto exposed = exposure_at(parent)) {
    std::error_code ignored;
    const bool itself = exposed->path == std::filesystem::canonical(parent, ignored);
    if (is_privileged() || (itself && !exposed->by_owner)) return exchangeable(parent, *exposed);
  }
  std::error_code ignored;
  std::string name = (std::filesystem::absolute(parent, ignored) / prefix).string() + "XXXXXX";
  std::shared_ptr<PrivateDirectory> made(
      new PrivateDirectory);  // before there is a directory to remove
  made->stays_at_exit_ = stays_at_exit;
  if (::mkdtemp(name.data()) == nullptr) {
    const int number = errno;
    return detail::cannot_write(parent, {.attempt = "creating a directory in it",
                                         .number = number,
                                         .code = number == ENOENT ? "not-found" : ""});
  }
  try {
    made->path_ = name;
    made->lock_path_ = made->path_ / lock_name;
  } catch (...) {  // out of memory
    ::rmdir(name.c_str());
    throw;
  }
  TENON_TEST_POINT("directory: made");
  if (!made->open()) {
    release(std::exchange(made->directory_, -1));  // so that nothing in it is removed
    return replaced(parent);
  }
  TENON_TEST_POINT("directory: opened");
  if (!made->lock()) {
    // The directory is usable, but remains if this process is killed.
    ::unlinkat(made->directory_, new_lock_name, 0);
    release(std::exchange(made->lock_, -1));
  }
  return made;
}

bool PrivateDirectory::open() {
  sync::Lock no_fork(held().mutex);
  forks_ = forks;
  held().directories.push_back(this);
  directory_ = hold(::open(path_.c_str(), directory_flags));
  return directory_ >= 0 && is_own_directory(directory_);
}

bool PrivateDirectory::lock() {
  sync::Lock no_fork(held().mutex);
  ::flock(directory_, LOCK_SH | LOCK_NB);
  lock_ = hold(::openat(directory_, new_lock_name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  return lock_ >= 0 && write_all(lock_, lock_text) && ::flock(lock_, LOCK_EX | LOCK_NB) == 0 &&
         ::renameat(directory_, new_lock_name, directory_, lock_name) == 0;
}

Result<void> PrivateDirectory::create_file(const std::string& name,
                                           std::span<const std::byte> content) const {
  Descriptor file(::openat(directory_, name.c_str(),
                           O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return not_written(path_ / name);
  if (write_all(file.get(), content) && file.close()) return {};
  auto error = not_written(path_ / name);
  ::unlinkat(directory_, name.c_str(), 0);
  return error;
}

Result<void> PrivateDirectory::link_file(const std::string& name, const std::string& second) const {
  if (::linkat(directory_, name.c_str(), directory_, second.c_str(), 0) == 0) return {};
  return not_written(path_ / second);
}

void PrivateDirectory::remove_file(const std::string& name) const noexcept {
  ::unlinkat(directory_, name.c_str(), 0);
}

PrivateDirectory::~PrivateDirectory() {
  if (!is_own()) return;
  {
    sync::Lock lock(held().mutex);
    std::erase(held().directories, this);
  }
  remove();
  release(lock_);
  release(directory_);
}

void PrivateDirectory::remove() noexcept {
  remove_directory(AT_FDCWD, path_.c_str(), directory_, Owner::this_process);
}

void PrivateDirectory::end_at_exit() noexcept {
  if (stays_at_exit_ == nullptr || !stays_at_exit_()) remove();
}

bool PrivateDirectory::is_own() const noexcept {
  return forks_ == forks;
}

/// If the path leads to the lock, it also leads to the directory.
bool PrivateDirectory::is_usable() const noexcept {
  return is_own() &&
         (lock_ < 0 ? is_at(directory_, path_.c_str()) : is_at(lock_, lock_path_.c_str()));
}

std::size_t remove_abandoned_directories(const std::filesystem::path& parent) noexcept {
  const Descriptor directory(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory) return 0;
  std::size_t removed = 0;
  for (const std::string& name : private_directories(directory.get())) {
    if (removed == max_removed) break;
    removed += remove_if_abandoned(directory.get(), name.c_str());
  }
  return removed;
}

// The lock is shared, so that no process that looks takes one that looks at the same time for the
// owner.
void visit_abandoned_files(const std::filesystem::path& parent,
                           const std::function<bool(const std::filesystem::path&)>& keep) {
  const Descriptor directory(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory) return;
  for (const std::string& name : private_directories(directory.get())) {
    const Abandoned abandoned(directory.get(), name.c_str(), LOCK_SH);
    if (!abandoned.is_locked) continue;
    bool empty = true;
    for (const std::string& file : names_in(abandoned.directory.get(), max_files, is_no_lock)) {
      if (keep(parent / name / file)) {
        empty = false;
      } else {
        ::unlinkat(abandoned.directory.get(), file.c_str(), 0);
      }
    }
    if (empty)
      remove_directory(directory.get(), name.c_str(), abandoned.directory.get(), Owner::none);
  }
}

Result<void> check_user_directory(const std::filesystem::path& directory) {
  struct stat status;
  if (::lstat(directory.c_str(), &status) != 0) return {};
  const bool is_own = S_ISDIR(status.st_mode) && status.st_uid == ::geteuid();
  if (is_own && (status.st_mode & 0077) == 0)
    return is_privileged() ? check_exposure(directory) : Result<void>();
  return Error({.code = "untrusted-owner",
                .where = directory.string(),
                .found = is_own ? "a directory to which other users have access"
                                : "no directory, or that of another user",
                .needed = "a directory of this user with the mode 0700",
                .fix = is_own ? "chmod 700 " + directory.string() : "remove it"});
}

Result<void> make_user_directory(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> missing;
  std::filesystem::path existing = directory;
  struct stat status;
  while (::lstat(existing.c_str(), &status) != 0 && existing.has_relative_path()) {
    missing.push_back(existing);
    existing = existing.parent_path();
  }
  if (!missing.empty() && is_privileged()) {
    if (auto checked = check_exposure(existing); !checked) return checked;
  }
  for (; !missing.empty(); missing.pop_back()) {
    if (::mkdir(missing.back().c_str(), 0700) == 0 || errno == EEXIST) continue;
    return detail::cannot_write(missing.back(), {"creating the directory", errno});
  }
  return check_user_directory(directory);
}

}}}  // namespace tenon::v0_1::platform
