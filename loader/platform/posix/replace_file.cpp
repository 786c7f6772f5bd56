// SPDX-License-Identifier: BSL-1.0
#include "platform/replace_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "platform/posix/descriptor.hpp"

namespace tenon::inline v0_1::platform {
namespace {

namespace fs = std::filesystem;

constexpr const char* access_list = "system.posix_acl_access";
constexpr mode_t mode_before_umask = 0666;
constexpr mode_t permissions = 07777;
constexpr std::string_view name_prefix = ".tenon-";
constexpr std::size_t name_digits = 16;

std::error_code last_error() {
  return {errno, std::generic_category()};
}

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

/// Removes the temporary files of processes that have ended. A process locks its files.
void remove_abandoned_files(const fs::path& folder) {
  std::error_code failed;  // a folder that cannot be read is not tidied
  for (auto entry = fs::directory_iterator(folder, failed);
       !failed && entry != fs::directory_iterator(); entry.increment(failed)) {
    const fs::path& path = entry->path();
    if (!is_random_name(path.filename().native())) continue;
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat status;
    if (file.is_open() && ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) &&
        ::flock(file.get(), LOCK_EX | LOCK_NB) == 0) {
      ::unlink(path.c_str());
    }
  }
}

/// Removes abandoned files from a folder, but only once in a process: a position is replaced often.
void tidy_once(const fs::path& folder) {
  static std::mutex mutex;
  static std::set<std::string> tidied;
  const std::lock_guard lock(mutex);
  std::error_code failed;
  const fs::path full = fs::absolute(folder, failed);
  if (!failed && tidied.insert(full.native()).second) remove_abandoned_files(full);
}

int open_new(const fs::path& path, mode_t mode) {
  if (!path.has_filename()) return -1;
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
}

/// Makes the entries of a folder durable, unless its file system cannot sync folders.
bool sync_folder(int folder) {
  return ::fsync(folder) == 0 || errno == EINVAL || errno == EBADF || errno == ENOTSUP;
}

/// A temporary file, which is removed unless it replaces another.
class Temporary {
 public:
  Temporary(const fs::path& folder, mode_t mode) {
    // Another process may take a new file for an abandoned one and remove it before it is locked.
    do {
      path_ = folder / random_name();
      file_.emplace(open_new(path_, mode));
    } while (file_->is_open() && is_lost());
    exists_ = file_->is_open();
  }
  ~Temporary() {
    if (exists_) ::unlink(path_.c_str());
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  bool is_open() const { return exists_; }
  int get() const { return file_->get(); }
  bool write(std::string_view content) {
    return write_all(file_->get(), std::as_bytes(std::span(content)));
  }
  bool replace(const fs::path& target) {
    // Keeps the file locked after it is closed.
    const Descriptor lock(::fcntl(file_->get(), F_DUPFD_CLOEXEC, 0));
    if (::fsync(file_->get()) != 0 || !file_->close() ||
        std::rename(path_.c_str(), target.c_str()) != 0)
      return false;
    exists_ = false;
    return true;
  }

 private:
  /// Locks the file, if the file system has locks. Returns whether it was removed before.
  bool is_lost() const {
    struct stat status;
    return (::flock(file_->get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) ||
           (::fstat(file_->get(), &status) == 0 && status.st_nlink == 0);
  }

  fs::path path_;
  std::optional<Descriptor> file_;
  bool exists_ = false;
};

bool copy_access_list(const fs::path& from, int to) {
  const ssize_t size = ::getxattr(from.c_str(), access_list, nullptr, 0);
  if (size < 0) return errno == ENODATA || errno == ENOTSUP;
  std::vector<char> list(static_cast<std::size_t>(size));
  return ::getxattr(from.c_str(), access_list, list.data(), list.size()) == size &&
         ::fsetxattr(to, access_list, list.data(), list.size(), 0) == 0;
}

/// Copies owner and permissions. The permissions come last: changing the owner clears some of them.
bool copy_attributes(const fs::path& from, const struct stat& old, int to) {
  struct stat fresh;
  if (::fstat(to, &fresh) != 0) return false;
  const bool same_owner = fresh.st_uid == old.st_uid && fresh.st_gid == old.st_gid;
  if (!same_owner && ::fchown(to, old.st_uid, old.st_gid) != 0) return false;
  return ::fchmod(to, old.st_mode & permissions) == 0 && copy_access_list(from, to);
}

}  // namespace

struct Replacement::State {
  std::error_code failed;
  fs::path target;
  std::uint64_t other_names = 0;
  std::optional<Temporary> file;
  std::optional<Descriptor> folder;
};

Replacement::Replacement(const fs::path& path, NewFileMode mode)
    : state_(std::make_unique<State>()) {
  State& state = *state_;
  state.target = follow_links(path, state.failed);
  if (state.failed) return;
  struct stat old;
  const bool exists = ::lstat(state.target.c_str(), &old) == 0;
  if (!exists && errno != ENOENT) state.failed = last_error();
  if (exists && !S_ISREG(old.st_mode)) {
    state.failed = std::make_error_code(S_ISDIR(old.st_mode) ? std::errc::is_a_directory
                                                             : std::errc::not_supported);
  }
  if (state.failed) return;
  if (exists) state.other_names = old.st_nlink - 1;
  const fs::path folder = state.target.has_parent_path() ? state.target.parent_path() : ".";
  tidy_once(folder);
  const bool by_umask = !exists && mode == NewFileMode::by_umask;
  state.file.emplace(folder, by_umask ? mode_before_umask : S_IRUSR | S_IWUSR);
  if (!state.file->is_open() ||
      (exists && !copy_attributes(state.target, old, state.file->get()))) {
    state.failed = last_error();
    return;
  }
  state.folder.emplace(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!state.folder->is_open()) state.failed = last_error();
}

Replacement::~Replacement() = default;

void Replacement::append(std::string_view content) {
  if (!state_->failed && !state_->file->write(content)) state_->failed = last_error();
}

ReplaceResult Replacement::commit() {
  State& state = *state_;
  if (state.failed) return {state.failed};
  if (!state.file->replace(state.target) || !sync_folder(state.folder->get())) {
    return {last_error()};
  }
  return {{}, state.other_names};
}

fs::path follow_links(fs::path path, std::error_code& failed) {
  constexpr int max_links = 40;  // the limit of Linux
  for (int i = 0; fs::is_symlink(fs::symlink_status(path, failed)); ++i) {
    if (i == max_links) failed = std::make_error_code(std::errc::too_many_symbolic_link_levels);
    const fs::path next = failed ? fs::path() : fs::read_symlink(path, failed);
    if (failed) return path;
    path = path.parent_path() / next;
  }
  failed.clear();
  return path;
}

ReplaceResult replace_content(const fs::path& path, std::string_view content, NewFileMode mode) {
  Replacement replacement(path, mode);
  replacement.append(content);
  return replacement.commit();
}

}  // namespace tenon::inline v0_1::platform
