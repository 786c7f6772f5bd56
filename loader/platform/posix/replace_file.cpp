// SPDX-License-Identifier: BSL-1.0
#include "platform/replace_file.hpp"

#include <tenon/mutex.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "platform/posix/descriptor.hpp"
#include "platform/posix/temporary_file.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {
namespace {

namespace fs = std::filesystem;

constexpr const char* access_list = "system.posix_acl_access";
constexpr mode_t mode_before_umask = 0666;
constexpr mode_t permissions = 07777;

std::error_code last_error() {
  return {errno, std::generic_category()};
}

/// Removes abandoned files from a directory, but only once in a process: a position is replaced
/// often.
void tidy_once(const fs::path& path, int directory) {
  static sync::Mutex mutex;
  static auto& tidied = *new std::set<std::string>;  // under the mutex; outlives every thread
  const sync::Lock lock(mutex);
  std::error_code failed;
  const fs::path full = fs::absolute(path, failed);
  if (!failed && tidied.insert(full.native()).second) remove_abandoned_files(directory);
}

bool sync_entries(int directory) {
  return ::fsync(directory) == 0 || errno == EINVAL || errno == EBADF || errno == ENOTSUP;
}

/// Renames a temporary file, which stays locked until it has its name.
bool replace(TemporaryFile& file, int directory, const std::string& target) {
  const Descriptor lock(::fcntl(file.get(), F_DUPFD_CLOEXEC, 0));
  if (::fsync(file.get()) != 0 || !file.close() ||
      ::renameat(directory, file.name().c_str(), directory, target.c_str()) != 0)
    return false;
  file.release();
  return true;
}

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
  std::optional<Descriptor> directory;
  std::optional<TemporaryFile> file;
};

Replacement::Replacement(const fs::path& path, Attributes attributes)
    : state_(std::make_unique<State>()) {
  State& state = *state_;
  const bool keeps = attributes == Attributes::kept;
  state.target = keeps ? follow_links(path, state.failed) : path;
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
  const fs::path directory = state.target.has_parent_path() ? state.target.parent_path() : ".";
  state.directory.emplace(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!*state.directory) {
    state.failed = last_error();
    return;
  }
  tidy_once(directory, state.directory->get());
  state.file.emplace(state.directory->get(),
                     keeps && !exists ? mode_before_umask : S_IRUSR | S_IWUSR);
  if (!state.file->is_open() ||
      (keeps && exists && !copy_attributes(state.target, old, state.file->get()))) {
    state.failed = last_error();
  }
}

Replacement::~Replacement() = default;

void Replacement::append(std::string_view content) {
  if (state_->failed) return;
  if (!write_all(state_->file->get(), content)) {
    state_->failed = last_error();
  }
}

ReplaceResult Replacement::commit() {
  State& state = *state_;
  if (state.failed) return {state.failed};
  if (!replace(*state.file, state.directory->get(), state.target.filename()) ||
      !sync_entries(state.directory->get())) {
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

std::string file_key(const fs::path& path) {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0) return {};
  return std::to_string(status.st_dev) + " " + std::to_string(status.st_ino);
}

ReplaceResult replace_content(const fs::path& path, std::string_view content,
                              Attributes attributes) {
  Replacement replacement(path, attributes);
  replacement.append(content);
  return replacement.commit();
}

std::error_code sync_directory(const fs::path& directory) {
  const Descriptor open(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const bool done = open ? sync_entries(open.get()) : errno == EACCES;
  return done ? std::error_code() : last_error();
}

bool create_directories(const fs::path& directory, std::error_code& failed) {
  std::vector<fs::path> missing;
  for (fs::path at = fs::absolute(directory, failed);
       !failed && !fs::exists(at, failed) && at.has_relative_path(); at = at.parent_path()) {
    missing.push_back(at);
  }
  const bool created = !failed && fs::create_directories(directory, failed);
  for (auto at = missing.rbegin(); !failed && at != missing.rend(); ++at) {
    failed = sync_directory(at->parent_path());
  }
  std::error_code ignored;
  for (const fs::path& at : missing) {
    if (failed) fs::remove(at, ignored);
  }
  return created && !failed;
}

}}}  // namespace tenon::v0_1::platform
