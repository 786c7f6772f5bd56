// SPDX-License-Identifier: BSL-1.0
//
// inotify watches directories, so a file is watched through all directories on its path.
// Directories on the way are watched only for being moved or deleted, because / and /home change
// all the time. Directories that contain the file, a symbolic link on the path or a missing name
// are also watched for changes of names.
#include "platform/watch.hpp"

#include <tenon/mutex.hpp>

#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <compare>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "platform/file.hpp"
#include "platform/posix/descriptor.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t of_itself = IN_DELETE_SELF | IN_MOVE_SELF;
constexpr std::uint32_t of_names =
    IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE;
// Adds to an existing watch of the directory. Files that have no name any more are not reported.
constexpr std::uint32_t always = IN_MASK_ADD | IN_ONLYDIR | IN_DONT_FOLLOW | IN_EXCL_UNLINK;

// After this time, in nanoseconds, directories that could not be watched are tried again, since
// they cause no event.
constexpr std::int64_t pause = 2'000'000'000;

/// The limit of Linux.
constexpr int max_links = 40;

Error cannot_watch(const fs::path& where, int number) {
  return Error({.code = "cannot-watch",
                .where = where.string(),
                .found = std::generic_category().message(number),
                .needed = "a directory that the host's user may read, and a watch for it",
                .fix = "check the permissions; raise fs.inotify.max_user_watches and "
                       "fs.inotify.max_user_instances"});
}

/// A name in a watched directory. The empty name is the directory itself.
struct Entry {
  int directory;
  std::string name;

  friend auto operator<=>(const Entry&, const Entry&) = default;
};

struct WatchedFile {
  /// The watched entries on the path, the file itself last.
  std::vector<Entry> chain;
  std::optional<FileIdentity> seen;  // the last known identity of the file
  /// An entry of the chain that was created and is not complete yet.
  std::optional<Entry> created;
  bool moved = false;     // the chain has to be followed again
  bool complete = false;  // the last entry has new content

  void note(const Entry& entry, std::uint32_t event);
};
using Files = std::map<fs::path, WatchedFile>;

bool has_several_names(const fs::path& file) {
  struct stat status;
  return ::stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink > 1;
}

}  // namespace

struct FileWatch::System {
  explicit System(Descriptor open) : opened(std::move(open)), queue(opened.get()) {}
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  Result<void> follow(const fs::path& file, std::vector<Entry>& chain) TENON_REQUIRES(mutex);
  int watch(const fs::path& directory, std::uint32_t what, std::string name,
            std::vector<Entry>& chain) TENON_REQUIRES(mutex);
  void unwatch(const std::vector<Entry>& chain) TENON_REQUIRES(mutex);
  void replace_chain(Files::value_type& file, std::vector<Entry>&& chain) TENON_REQUIRES(mutex);
  void touch_all() TENON_REQUIRES(mutex);
  void handle(const inotify_event& event, std::string_view name) TENON_REQUIRES(mutex);
  bool check(Files::value_type& file) TENON_REQUIRES(mutex);

  const Descriptor opened;
  const int queue;
  sync::Mutex mutex;
  Files files TENON_GUARDED_BY(mutex);
  // Files with events that were not checked.
  std::set<Files::value_type*> touched TENON_GUARDED_BY(mutex);
  bool lost_all TENON_GUARDED_BY(mutex) = false;  // events of any file may be lost
  // The files whose chains contain each name, so that an event does not concern all files.
  std::map<Entry, std::set<Files::value_type*>> users TENON_GUARDED_BY(mutex);
  std::map<int, std::size_t> uses TENON_GUARDED_BY(mutex);  // of each watched directory
};

/// Watches a directory and appends an entry to the chain. Returns -1 with errno on failure.
int FileWatch::System::watch(const fs::path& directory, std::uint32_t what, std::string name,
                             std::vector<Entry>& chain) {
  const int id = inotify_add_watch(queue, directory.c_str(), what | always);
  if (id < 0) return id;
  ++uses[id];
  chain.push_back({id, std::move(name)});
  return id;
}

void FileWatch::System::unwatch(const std::vector<Entry>& chain) {
  for (const Entry& entry : chain) {
    const auto use = uses.find(entry.directory);
    if (--use->second != 0) continue;
    inotify_rm_watch(queue, use->first);  // fails for a directory that is gone
    uses.erase(use);
  }
}

void FileWatch::System::replace_chain(Files::value_type& file, std::vector<Entry>&& chain) {
  std::vector<Entry>& own = file.second.chain;
  for (const Entry& entry : own) {
    const auto user = users.find(entry);
    if (user == users.end()) continue;
    user->second.erase(&file);
    if (user->second.empty()) users.erase(user);
  }
  unwatch(own);
  own = std::move(chain);
  for (const Entry& entry : own) {
    if (!entry.name.empty()) users[entry].insert(&file);
  }
}

/// Follows the path to the file as far as it exists. Each directory is watched before its content
/// is read, so that no change is missed in between.
Result<void> FileWatch::System::follow(const fs::path& file, std::vector<Entry>& chain) {
  std::vector<fs::path> rest;  // backwards
  const auto insert = [&](const fs::path& path) {
    const auto end = static_cast<std::ptrdiff_t>(rest.size());
    for (const fs::path& name : path.relative_path()) rest.insert(rest.begin() + end, name);
  };
  std::error_code error;
  insert(fs::absolute(file, error));
  fs::path directory = "/";
  int links = 0;
  while (!rest.empty()) {
    const fs::path name = std::move(rest.back());
    rest.pop_back();
    if (name.empty() || name == ".") continue;
    if (name == "..") {
      directory = directory.parent_path();
      continue;
    }
    const fs::path next = directory / name;
    if (!rest.empty()) {
      if (watch(next, of_itself, {}, chain) >= 0 || errno == EACCES) {
        directory = next;
        continue;
      }
      if (errno != ENOENT && errno != ENOTDIR) return cannot_watch(next, errno);
    }
    if (watch(directory, of_itself | of_names, name, chain) < 0) {
      if (errno == ENOENT || errno == ENOTDIR) return {};  // just removed; an event will follow
      return cannot_watch(directory, errno);
    }
    const fs::file_status status = fs::symlink_status(next, error);
    if (fs::is_symlink(status)) {
      const fs::path target = fs::read_symlink(next, error);
      if (error || links++ == max_links) return {};
      if (target.is_absolute()) directory = "/";
      insert(target);
    } else if (!rest.empty() && fs::is_directory(status)) {
      rest.push_back(name);  // just created
    } else {
      return {};
    }
  }
  return {};
}

/// Updates the state for an event of a name in the chain.
void WatchedFile::note(const Entry& entry, std::uint32_t event) {
  if ((event & IN_CLOSE_WRITE) == 0) moved = true;
  if (entry == chain.back()) {
    // If two files are exchanged, IN_MOVED_FROM of the old one comes last.
    if ((event & (IN_CLOSE_WRITE | IN_MOVED_TO)) != 0) complete = true;
    if ((event & IN_CREATE) != 0) complete = false;
  }
  if ((event & IN_CREATE) != 0) {
    created = entry;
  } else if (created == entry) {
    created.reset();
  }
}

/// Has all files checked, since events are lost.
void FileWatch::System::touch_all() {
  for (auto& file : files) {
    file.second.moved = file.second.complete = true;
    file.second.created.reset();
    touched.insert(&file);
  }
}

/// Updates the state of the watched files for an event.
void FileWatch::System::handle(const inotify_event& event, std::string_view name) {
  if ((event.mask & IN_Q_OVERFLOW) != 0) return touch_all();
  if ((event.mask & (of_itself | IN_UNMOUNT | IN_IGNORED)) != 0) {
    for (auto& file : files) {
      WatchedFile& watched = file.second;
      if (std::ranges::find(watched.chain, event.wd, &Entry::directory) != watched.chain.end()) {
        watched.moved = true;
      }
      if (watched.moved) touched.insert(&file);
    }
  }
  if (name.empty()) return;
  const auto user = users.find({event.wd, std::string(name)});
  if (user == users.end()) return;
  for (auto* file : user->second) {
    file->second.note(user->first, event.mask);
    touched.insert(file);
  }
}

/// Checks a file after events. Returns whether it has changed.
bool FileWatch::System::check(Files::value_type& file) {
  auto& [path, watched] = file;
  bool elsewhere = false;
  if (std::exchange(watched.moved, false)) {
    std::vector<Entry> chain;
    if (!follow(path, chain)) {
      watched.moved = true;  // try again
      touched.insert(&file);
    }
    elsewhere = chain != watched.chain;
    replace_chain(file, std::move(chain));
  }
  const bool complete = std::exchange(watched.complete, false);
  const auto now = identity_of(path);
  if (!now) return false;
  const auto before = std::exchange(watched.seen, *now);
  if (watched.created) {
    const bool unfinished = !watched.chain.empty() && *watched.created == watched.chain.back();
    if (unfinished && !has_several_names(path)) return false;
    watched.created.reset();
    if (unfinished) return true;  // it was linked
  }
  return elsewhere ? watched.seen != before : complete;
}

FileWatch::FileWatch(std::unique_ptr<System> system) noexcept : system_(std::move(system)) {}
FileWatch::FileWatch(FileWatch&& other) noexcept = default;
FileWatch& FileWatch::operator=(FileWatch&& other) noexcept = default;
FileWatch::~FileWatch() = default;

Result<FileWatch> FileWatch::open() {
  Descriptor queue(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!queue) return cannot_watch("inotify", errno);
  return FileWatch(std::make_unique<System>(std::move(queue)));
}

Result<void> FileWatch::add(const fs::path& file) {
  sync::Lock lock(system_->mutex);
  if (system_->files.count(file) != 0) return {};
  std::vector<Entry> chain;
  if (auto followed = system_->follow(file, chain); !followed) {
    system_->unwatch(chain);
    return followed;
  }
  auto& added = *system_->files.emplace(file, WatchedFile()).first;
  system_->replace_chain(added, std::move(chain));
  if (const auto now = identity_of(file)) added.second.seen = *now;
  return {};
}

void FileWatch::remove_if(const std::function<bool(const fs::path&)>& unwanted) {
  sync::Lock lock(system_->mutex);
  for (auto file = system_->files.begin(); file != system_->files.end();) {
    if (!unwanted(file->first)) {
      ++file;
      continue;
    }
    system_->replace_chain(*file, {});
    system_->touched.erase(&*file);
    file = system_->files.erase(file);
  }
}

std::int64_t FileWatch::retry_after() const {
  sync::Lock lock(system_->mutex);
  return !system_->touched.empty() || system_->lost_all ? pause : -1;
}

void FileWatch::lose_all() noexcept {
  sync::Lock lock(system_->mutex);
  system_->lost_all = true;
}

std::intptr_t FileWatch::event() const noexcept {
  return system_->queue;
}

std::vector<fs::path> FileWatch::changed() {
  sync::Lock lock(system_->mutex);
  alignas(inotify_event) char buffer[16 * 1024];
  for (;;) {
    const ssize_t size = ::read(system_->queue, buffer, sizeof buffer);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    for (const char* at = buffer; at < buffer + size;) {
      const auto& event = *reinterpret_cast<const inotify_event*>(at);
      // The name is padded with NUL.
      system_->handle(event, event.len != 0 ? event.name : "");
      at += sizeof event + event.len;
    }
  }
  if (std::exchange(system_->lost_all, false)) system_->touch_all();
  std::vector<fs::path> changed;
  for (auto* file : std::exchange(system_->touched, {})) {
    if (!file->second.moved && !file->second.complete) continue;
    if (system_->check(*file)) changed.push_back(file->first);
  }
  std::ranges::sort(changed);
  return changed;
}

}}}  // namespace tenon::v0_1::platform
