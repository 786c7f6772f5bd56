// SPDX-License-Identifier: BSL-1.0
//
// Linux tells about folders, so a file is watched by way of all folders that its path leads
// through: for those on the way only whether they themselves move, since everybody works in / and
// /home; for those that hold the file, a symbolic link or a name that is missing also what happens
// to names.
#include "platform/watch.hpp"

#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "platform/file.hpp"
#include "platform/posix/descriptor.hpp"

namespace tenon::platform {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t of_itself = IN_DELETE_SELF | IN_MOVE_SELF;
constexpr std::uint32_t of_names =
    IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE;
// Added to what is asked of the folder already; of files without a name nothing is told.
constexpr std::uint32_t always = IN_MASK_ADD | IN_ONLYDIR | IN_DONT_FOLLOW | IN_EXCL_UNLINK;

/// As many as the system follows.
constexpr int most_links = 40;

Error cannot_watch(const fs::path& where, int number) {
  return Error({.code = "cannot-watch",
                .where = where.string(),
                .found = std::generic_category().message(number),
                .needed = "a folder that the host's user may read, and a watch for it",
                .fix = "check the permissions; raise fs.inotify.max_user_watches and "
                       "fs.inotify.max_user_instances"});
}

/// A name in a watched folder. The empty name is the folder itself.
struct Entry {
  int folder;
  std::string name;

  friend bool operator==(const Entry&, const Entry&) = default;
};

struct Watched {
  /// What the path leads through, the file itself last.
  std::vector<Entry> way;
  std::optional<FileIdentity> seen;  // when it was there last
  /// A name on the way that was made and not written to its end yet.
  std::optional<Entry> begun;
  bool moved = false;     // the way has to be gone again
  bool complete = false;  // what stands at its end is new
};

bool has_several_names(const fs::path& file) {
  struct stat status;
  return ::stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink > 1;
}

}  // namespace

struct FileWatch::System {
  explicit System(Descriptor open) : opened(std::move(open)), queue(opened.get()) {}
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  Result<void> follow(const fs::path& file, std::vector<Entry>& way);
  int watch(const fs::path& folder, std::uint32_t what, std::string name, std::vector<Entry>& way);
  void forget(const std::vector<Entry>& way);
  void take(const inotify_event& event, std::string_view name);
  bool look(const fs::path& file, Watched& watched);

  const Descriptor opened;
  const int queue;
  std::mutex mutex;
  std::map<fs::path, Watched> files;
  std::map<int, std::size_t> uses;  // of each watched folder
};

/// Puts an entry behind the way. -1 and errno where the folder cannot be watched.
int FileWatch::System::watch(const fs::path& folder, std::uint32_t what, std::string name,
                             std::vector<Entry>& way) {
  const int id = inotify_add_watch(queue, folder.c_str(), what | always);
  if (id < 0) return id;
  uses[id]++;
  way.push_back({id, std::move(name)});
  return id;
}

void FileWatch::System::forget(const std::vector<Entry>& way) {
  for (const Entry& entry : way) {
    const auto use = uses.find(entry.folder);
    if (--use->second != 0) continue;
    inotify_rm_watch(queue, use->first);  // fails for a folder that is gone
    uses.erase(use);
  }
}

/// Goes the way to the file as far as there is one. Each folder is watched before a look is taken
/// at what it holds, so nothing happens unseen in between.
Result<void> FileWatch::System::follow(const fs::path& file, std::vector<Entry>& way) {
  std::vector<fs::path> rest;  // backwards
  const auto insert = [&](const fs::path& path) {
    const auto end = static_cast<std::ptrdiff_t>(rest.size());
    for (const fs::path& name : path.relative_path()) rest.insert(rest.begin() + end, name);
  };
  std::error_code error;
  insert(fs::absolute(file, error));
  fs::path folder = "/";
  int links = 0;
  while (!rest.empty()) {
    const fs::path name = std::move(rest.back());
    rest.pop_back();
    if (name.empty() || name == ".") continue;
    if (name == "..") {
      folder = folder.parent_path();
      continue;
    }
    const fs::path next = folder / name;
    if (!rest.empty()) {
      if (watch(next, of_itself, {}, way) >= 0 || errno == EACCES) {
        folder = next;
        continue;
      }
      if (errno != ENOENT && errno != ENOTDIR) return cannot_watch(next, errno);
    }
    if (watch(folder, of_itself | of_names, name, way) < 0) {
      if (errno == ENOENT || errno == ENOTDIR) return {};  // has just gone, which will be told
      return cannot_watch(folder, errno);
    }
    const fs::file_status status = fs::symlink_status(next, error);
    if (fs::is_symlink(status)) {
      const fs::path target = fs::read_symlink(next, error);
      if (error || links++ == most_links) return {};
      if (target.is_absolute()) folder = "/";
      insert(target);
    } else if (!rest.empty() && fs::is_directory(status)) {
      rest.push_back(name);  // has just come
    } else {
      return {};
    }
  }
  return {};
}

/// Notes what an event means to the files.
void FileWatch::System::take(const inotify_event& event, std::string_view name) {
  const bool lost_count = (event.mask & IN_Q_OVERFLOW) != 0;
  const bool gone = (event.mask & (of_itself | IN_UNMOUNT | IN_IGNORED)) != 0;
  for (auto& [file, watched] : files) {
    if (lost_count) {
      watched.moved = watched.complete = true;
      watched.begun.reset();
    }
    for (const Entry& entry : watched.way) {
      if (entry.folder != event.wd) continue;
      if (gone) watched.moved = true;
      if (entry.name.empty() || entry.name != name) continue;
      if ((event.mask & IN_CLOSE_WRITE) == 0) watched.moved = true;
      if (&entry == &watched.way.back()) {
        watched.complete = (event.mask & (IN_CLOSE_WRITE | IN_MOVED_TO)) != 0;
      }
      if ((event.mask & IN_CREATE) != 0) {
        watched.begun = entry;
      } else if (watched.begun == entry) {
        watched.begun.reset();
      }
    }
  }
}

/// Takes a look at a file that something happened to. Whether it has changed.
bool FileWatch::System::look(const fs::path& file, Watched& watched) {
  bool elsewhere = false;
  if (std::exchange(watched.moved, false)) {
    std::vector<Entry> way;
    if (!follow(file, way)) watched.moved = true;  // once more at the next occasion
    elsewhere = way != watched.way;
    std::swap(way, watched.way);
    forget(way);
  }
  const bool complete = std::exchange(watched.complete, false);
  const auto now = identity_of(file);
  if (!now) return false;
  const auto before = std::exchange(watched.seen, *now);
  if (watched.begun) {
    const bool unfinished = !watched.way.empty() && *watched.begun == watched.way.back();
    if (unfinished && !has_several_names(file)) return false;
    watched.begun.reset();
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
  if (!queue.is_open()) return cannot_watch("inotify", errno);
  return FileWatch(std::make_unique<System>(std::move(queue)));
}

Result<void> FileWatch::add(const fs::path& file) {
  std::lock_guard lock(system_->mutex);
  if (system_->files.count(file) != 0) return {};
  Watched watched;
  if (auto followed = system_->follow(file, watched.way); !followed) {
    system_->forget(watched.way);
    return followed;
  }
  if (const auto now = identity_of(file)) watched.seen = *now;
  system_->files.emplace(file, std::move(watched));
  return {};
}

void FileWatch::remove(const fs::path& file) {
  std::lock_guard lock(system_->mutex);
  const auto found = system_->files.find(file);
  if (found == system_->files.end()) return;
  system_->forget(found->second.way);
  system_->files.erase(found);
}

std::intptr_t FileWatch::event() const noexcept {
  return system_->queue;
}

std::vector<fs::path> FileWatch::changed() {
  std::lock_guard lock(system_->mutex);
  alignas(inotify_event) char buffer[16 * 1024];
  for (;;) {
    const ssize_t size = ::read(system_->queue, buffer, sizeof buffer);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    for (const char* at = buffer; at < buffer + size;) {
      const auto& event = *reinterpret_cast<const inotify_event*>(at);
      // The name is padded with NUL.
      system_->take(event, event.len != 0 ? event.name : "");
      at += sizeof event + event.len;
    }
  }
  std::vector<fs::path> changed;
  for (auto& [file, watched] : system_->files) {
    if (!watched.moved && !watched.complete) continue;
    if (system_->look(file, watched)) changed.push_back(file);
  }
  return changed;
}

}  // namespace tenon::platform
