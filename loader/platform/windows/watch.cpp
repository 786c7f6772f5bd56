// SPDX-License-Identifier: BSL-1.0
//
// Windows reports changes of the entries of a directory, so a file is watched through all
// directories on its path: the last one for its content, those above it for their names. It does
// not report that a file was closed. A file that changed is complete when nobody has it open for
// writing, which is tried until it is so.
//
// An open directory can be renamed, but on NTFS none that is above an open one.
#include "platform/watch.hpp"

#include <tenon/mutex.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "platform/event.hpp"
#include "platform/file.hpp"
#include "platform/windows/system.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {
namespace {

namespace fs = std::filesystem;

constexpr DWORD names = FILE_NOTIFY_CHANGE_FILE_NAME | FILE_NOTIFY_CHANGE_DIR_NAME;
constexpr DWORD content =
    names | FILE_NOTIFY_CHANGE_SIZE | FILE_NOTIFY_CHANGE_LAST_WRITE | FILE_NOTIFY_CHANGE_CREATION;

// In nanoseconds.
constexpr std::int64_t pause_while_written = 50'000'000;
constexpr std::int64_t pause_while_lost = 2'000'000'000;

Error cannot_watch(const fs::path& where, const std::error_code& failed) {
  return Error({.code = "cannot-watch",
                .where = where.string(),
                .found = failed.message(),
                .needed =
                    "a directory that the host's user may list, on a file system that reports "
                    "changes",
                .fix = "check the permissions of the directory"});
}

/// Names that differ in case only name the same file.
struct NameOrder {
  bool operator()(const std::wstring& a, const std::wstring& b) const noexcept {
    return CompareStringOrdinal(a.c_str(), static_cast<int>(a.size()), b.c_str(),
                                static_cast<int>(b.size()), TRUE) == CSTR_LESS_THAN;
  }
};

/// A directory, and whether the content of its files is watched as well.
using Key = std::pair<fs::path, bool>;

/// A name in a watched directory.
struct Entry {
  Key directory;
  std::wstring name;

  friend bool operator==(const Entry&, const Entry&) = default;
};

struct WatchedFile {
  std::vector<Entry> chain;          // the watched entries on the path
  std::optional<FileIdentity> seen;  // the last known identity of the file
  bool moved = false;                // the chain has to be followed again
  bool complete = false;             // it has new content, once nobody writes to it
};
using Files = std::map<fs::path, WatchedFile>;

/// Returns whether a file is open for writing. While this is found out, nobody else can open it so.
bool is_being_written(const fs::path& file) noexcept {
  const Handle handle(CreateFileW(file.c_str(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE,
                                  nullptr, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr));
  return !handle && GetLastError() == ERROR_SHARING_VIOLATION;
}

/// A directory whose changes Windows writes into a buffer.
class Directory {
 public:
  Directory(Handle directory, DWORD filter, std::intptr_t event) noexcept
      : handle_(std::move(directory)), filter_(filter) {
    change_.hEvent = reinterpret_cast<HANDLE>(event);
  }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  ~Directory() {
    if (!reading_) return;
    CancelIoEx(handle_.get(), &change_);
    for (;;) {
      ResetEvent(change_.hEvent);  // other directories may have set it
      if (HasOverlappedIoCompleted(&change_)) break;
      WaitForSingleObject(change_.hEvent, INFINITE);
    }
    SetEvent(change_.hEvent);
  }

  /// Begins to read changes. Resets the event, also if another directory has set it.
  bool read() noexcept {
    reading_ = ReadDirectoryChangesW(handle_.get(), buffer_.data(), sizeof buffer_, FALSE, filter_,
                                     nullptr, &change_, nullptr) != 0;
    return reading_;
  }
  bool has_changes() const noexcept { return reading_ && HasOverlappedIoCompleted(&change_); }

  /// Calls `visit(name, action)` for the changes that were read. Returns false, with the error of
  /// Windows, if these are not all. REQUIRED: has_changes().
  template <class Visit>
  bool take(const Visit& visit) {
    DWORD size = 0;
    reading_ = false;
    if (GetOverlappedResult(handle_.get(), &change_, &size, FALSE) == 0) return false;
    SetLastError(ERROR_NOTIFY_ENUM_DIR);
    if (size == 0) return false;  // the buffer was too small
    const auto* at = reinterpret_cast<const char*>(buffer_.data());
    for (;;) {
      const auto& one = *reinterpret_cast<const FILE_NOTIFY_INFORMATION*>(at);
      visit(std::wstring(one.FileName, one.FileNameLength / sizeof(wchar_t)), one.Action);
      if (one.NextEntryOffset == 0) return true;
      at += one.NextEntryOffset;
    }
  }

  /// The files whose paths contain each name in the directory.
  std::map<std::wstring, std::set<Files::value_type*>, NameOrder> users;

 private:
  const Handle handle_;
  const DWORD filter_;
  OVERLAPPED change_{};
  bool reading_ = false;
  std::array<DWORD, 2048> buffer_;
};

}  // namespace

struct FileWatch::System {
  using Directories = std::map<Key, Directory>;

  explicit System(std::intptr_t event) noexcept : event(event) {}
  System(const System&) = delete;
  System& operator=(const System&) = delete;
  ~System() {
    directories.clear();  // their reads signal the event
    close_event(event);
  }

  Result<void> follow(Files::value_type& file) TENON_REQUIRES(mutex);
  std::error_code watch(Files::value_type& file, const Entry& entry) TENON_REQUIRES(mutex);
  void unwatch(Files::value_type& file, const Entry& entry) TENON_REQUIRES(mutex);
  void touch(const Directories::value_type& directory, const std::set<Files::value_type*>& users,
             DWORD action) TENON_REQUIRES(mutex);
  void touch_all(const Directories::value_type& directory) TENON_REQUIRES(mutex);
  void lose_directory(Directories::iterator directory) TENON_REQUIRES(mutex);
  void take_changes(Directories::iterator directory) TENON_REQUIRES(mutex);
  Directories::iterator next_changes() TENON_REQUIRES(mutex);
  bool check(Files::value_type& file) TENON_REQUIRES(mutex);

  const std::intptr_t event;
  mutable sync::Mutex mutex;
  Files files TENON_GUARDED_BY(mutex);
  // Files with changes that were not checked.
  std::set<Files::value_type*> touched TENON_GUARDED_BY(mutex);
  bool lost_all TENON_GUARDED_BY(mutex) = false;  // changes of any file may be lost
  Directories directories TENON_GUARDED_BY(mutex);
};

/// Watches the directory of an entry for a file. The error is not_a_directory if there is none.
std::error_code FileWatch::System::watch(Files::value_type& file, const Entry& entry) {
  const auto& [path, has_content] = entry.directory;
  auto known = directories.find(entry.directory);
  if (known == directories.end()) {
    Handle handle(CreateFileW(
        path.c_str(), FILE_LIST_DIRECTORY, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
        nullptr, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OVERLAPPED, nullptr));
    FILE_STANDARD_INFO opened{};
    if (!handle ||
        GetFileInformationByHandleEx(handle.get(), FileStandardInfo, &opened, sizeof opened) == 0) {
      const std::error_code failed = last_error();
      return errno_of(failed) == ENOENT ? make_error_code(std::errc::not_a_directory) : failed;
    }
    if (opened.Directory == 0) return make_error_code(std::errc::not_a_directory);
    const DWORD filter = has_content ? content : names;
    known = directories.try_emplace(entry.directory, std::move(handle), filter, event).first;
    if (!known->second.read()) {
      const std::error_code failed = last_error();
      directories.erase(known);
      return failed;
    }
  }
  known->second.users[entry.name].insert(&file);
  return {};
}

void FileWatch::System::unwatch(Files::value_type& file, const Entry& entry) {
  const auto directory = directories.find(entry.directory);
  if (directory == directories.end()) return;
  auto& users = directory->second.users;
  const auto user = users.find(entry.name);
  if (user == users.end()) return;
  user->second.erase(&file);
  if (user->second.empty()) users.erase(user);
  if (users.empty()) directories.erase(directory);
}

/// Watches the directories on the path of a file as far as they exist. Each is watched before the
/// next one is opened, so that no change is missed in between.
Result<void> FileWatch::System::follow(Files::value_type& file) {
  std::error_code failed;
  const fs::path path = fs::absolute(file.first, failed).lexically_normal().make_preferred();
  const fs::path relative = path.relative_path();
  fs::path directory = path.root_path();
  std::vector<Entry> chain;
  for (auto part = relative.begin(); part != relative.end(); directory /= *part++) {
    const bool is_last = std::next(part) == relative.end();
    Entry entry{{directory, is_last}, part->native()};
    failed = watch(file, entry);
    if (!failed) {
      chain.push_back(std::move(entry));
    } else if (failed == std::errc::not_a_directory && !chain.empty()) {
      failed.clear();  // its creation is a change of the directory above it
      break;
    } else if (is_last) {
      break;
    }
    // Others on the way may be hidden from the user, or are a server.
  }
  for (const Entry& old : std::exchange(file.second.chain, std::move(chain))) {
    if (std::ranges::find(file.second.chain, old) == file.second.chain.end()) unwatch(file, old);
  }
  return failed ? Result<void>(cannot_watch(directory, failed)) : Result<void>();
}

/// Notes a change of the entry with these users.
void FileWatch::System::touch(const Directories::value_type& directory,
                              const std::set<Files::value_type*>& users, DWORD action) {
  const bool is_gone = action == FILE_ACTION_REMOVED || action == FILE_ACTION_RENAMED_OLD_NAME;
  for (Files::value_type* file : users) {
    WatchedFile& watched = file->second;
    if (directory.first.second && !is_gone) watched.complete = true;
    touched.insert(file);
    if (action == FILE_ACTION_MODIFIED) continue;
    watched.moved = true;
    // Those below it are other ones now.
    const auto at = std::ranges::find(watched.chain, directory.first, &Entry::directory);
    for (auto below = at; below != watched.chain.end(); ++below) {
      if (below != at) directories.erase(below->directory);
    }
  }
}

/// Notes that changes of a directory are lost.
void FileWatch::System::touch_all(const Directories::value_type& directory) {
  for (const auto& [name, users] : directory.second.users) {
    touch(directory, users, FILE_ACTION_ADDED);
  }
}

void FileWatch::System::lose_directory(Directories::iterator directory) {
  touch_all(*directory);
  directories.erase(directory);
}

void FileWatch::System::take_changes(Directories::iterator directory) {
  const auto& all = directory->second.users;
  const bool taken = directory->second.take([&](const std::wstring& name, DWORD action) {
    // A short name, which stands for another one.
    if (name.find(L'~') != std::wstring::npos) touch_all(*directory);
    if (const auto users = all.find(name); users != all.end()) {
      touch(*directory, users->second, action);
    }
  });
  // A read also ends with the thread that began it.
  const DWORD error = taken ? ERROR_SUCCESS : GetLastError();
  if (error == ERROR_NOTIFY_ENUM_DIR || error == ERROR_OPERATION_ABORTED) touch_all(*directory);
  const bool readable = taken || error == ERROR_NOTIFY_ENUM_DIR || error == ERROR_OPERATION_ABORTED;
  if (!readable || !directory->second.read()) lose_directory(directory);
}

FileWatch::System::Directories::iterator FileWatch::System::next_changes() {
  return std::ranges::find_if(directories,
                              [](const auto& one) { return one.second.has_changes(); });
}

/// Checks a file after changes. Returns whether it has changed.
bool FileWatch::System::check(Files::value_type& file) {
  auto& [path, watched] = file;
  const bool moved = std::exchange(watched.moved, false);
  if (moved && !follow(file)) {
    watched.moved = true;  // try again
    touched.insert(&file);
  }
  const bool complete = std::exchange(watched.complete, false);
  const auto now = identity_of(path);
  if (!now) return false;
  if (!complete && (!moved || watched.seen == *now)) return false;
  if (is_being_written(path)) {
    watched.complete = true;
    touched.insert(&file);
    return false;
  }
  watched.seen = *now;
  return true;
}

FileWatch::FileWatch(std::unique_ptr<System> system) noexcept : system_(std::move(system)) {}
FileWatch::FileWatch(FileWatch&& other) noexcept = default;
FileWatch& FileWatch::operator=(FileWatch&& other) noexcept = default;
FileWatch::~FileWatch() = default;

Result<FileWatch> FileWatch::open() {
  const std::intptr_t event = create_event();
  if (event == no_event) return cannot_watch("an event", last_error());
  return FileWatch(std::make_unique<System>(event));
}

Result<void> FileWatch::add(const fs::path& file) {
  const sync::Lock lock(system_->mutex);
  const auto [added, is_new] = system_->files.try_emplace(file);
  if (!is_new) return {};
  auto followed = system_->follow(*added);
  if (!followed) {
    for (const Entry& entry : added->second.chain) system_->unwatch(*added, entry);
    system_->files.erase(added);
  } else if (const auto now = identity_of(file)) {
    added->second.seen = *now;
  }
  signal_event(system_->event);  // in case a read has reset it
  return followed;
}

void FileWatch::remove_if(const std::function<bool(const fs::path&)>& unwanted) {
  const sync::Lock lock(system_->mutex);
  for (auto file = system_->files.begin(); file != system_->files.end();) {
    if (!unwanted(file->first)) {
      ++file;
      continue;
    }
    for (const Entry& entry : file->second.chain) system_->unwatch(*file, entry);
    system_->touched.erase(&*file);
    file = system_->files.erase(file);
  }
}

std::int64_t FileWatch::retry_after() const {
  const sync::Lock lock(system_->mutex);
  const auto is_lost = [](const Files::value_type* file) { return file->second.moved; };
  if (system_->lost_all || std::ranges::any_of(system_->touched, is_lost)) return pause_while_lost;
  return system_->touched.empty() ? -1 : pause_while_written;
}

void FileWatch::lose_all() noexcept {
  const sync::Lock lock(system_->mutex);
  system_->lost_all = true;
}

std::intptr_t FileWatch::event() const noexcept {
  return system_->event;
}

std::vector<fs::path> FileWatch::changed() {
  const sync::Lock lock(system_->mutex);
  clear_event(system_->event);
  for (auto one = system_->next_changes(); one != system_->directories.end();
       one = system_->next_changes()) {
    system_->take_changes(one);
  }
  if (std::exchange(system_->lost_all, false)) {
    system_->directories.clear();
    for (auto& file : system_->files) {
      file.second.moved = file.second.complete = true;
      system_->touched.insert(&file);
    }
  }
  std::vector<fs::path> changed;
  for (auto* file : std::exchange(system_->touched, {})) {
    if (!file->second.moved && !file->second.complete) continue;
    if (system_->check(*file)) changed.push_back(file->first);
  }
  // A read that has begun meanwhile may have reset the event.
  if (system_->next_changes() != system_->directories.end()) signal_event(system_->event);
  std::ranges::sort(changed);
  return changed;
}

}}}  // namespace tenon::v0_1::platform
