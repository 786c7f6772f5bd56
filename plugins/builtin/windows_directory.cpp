// SPDX-License-Identifier: BSL-1.0
//
// Windows has no functions on names in an open directory. A directory that is open here cannot be
// renamed, and NTFS renames none that is above it, so its path leads to it meanwhile.
#include <fcntl.h>
#include <io.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "directory.hpp"
#include "windows_names.hpp"

#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>

namespace tenon::builtin {
namespace {

namespace fs = std::filesystem;

sdk::Failure is_link(const std::string& path) {
  return sdk::Failure(TENON_FAILED_PRECONDITION, path,
                      " is a symbolic link, needed: a file or directory; links are not followed");
}

/// Opens a directory that nobody can rename or remove meanwhile. Follows a link at its end unless
/// `flags` say otherwise; then errno is ELOOP.
Descriptor open_directory(const fs::path& path, DWORD flags) {
  const HANDLE handle =
      CreateFileW(path.c_str(), FILE_LIST_DIRECTORY, FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr,
                  OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | flags, nullptr);
  if (handle == INVALID_HANDLE_VALUE) {
    set_errno();
    return Descriptor(-1);
  }
  Descriptor file(::_open_osfhandle(reinterpret_cast<intptr_t>(handle), _O_RDONLY));
  BY_HANDLE_FILE_INFORMATION known;
  if (GetFileInformationByHandle(handle, &known) == 0) {
    set_errno();
    return Descriptor(-1);
  }
  const bool is_directory = (known.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
  const bool leads_away = (known.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0;
  if (is_directory && !leads_away) return file;
  errno = leads_away ? ELOOP : ENOTDIR;
  return Descriptor(-1);
}

/// Returns the entry with exactly this name.
std::optional<WindowsEntry> entry_of(const std::string& path, const std::string& name) {
  if (!windows_name_problem(name).empty()) return std::nullopt;
  auto entry = find_entry(windows_path(path));
  if (entry && entry->name != name) return std::nullopt;
  return entry;
}

EntryType type_from(const std::optional<WindowsEntry>& entry) {
  if (!entry) return EntryType::none;
  if (entry->is_link) return EntryType::link;
  return entry->is_directory ? EntryType::directory : EntryType::file;
}

}  // namespace

Directory Directory::open(const std::string& path) {
  Descriptor file = open_directory(windows_path(path), 0);
  if (file.is_open()) return {std::move(file), path};
  if (errno == ENOENT || errno == ENOTDIR) {
    throw sdk::Failure(TENON_UNAVAILABLE, "there is no directory ", path,
                       ": create it, or mount the disk that contains it");
  }
  throw sdk::system_failure(errno, "cannot open ", path);
}

std::string Directory::path_of(std::string_view name) const {
  return path_ + "/" + std::string(name);
}

std::optional<Directory> Directory::enter(const std::string& name) const {
  const EntryType type = type_of(name);
  if (type == EntryType::link) throw is_link(path_of(name));
  if (type != EntryType::directory) return std::nullopt;
  for (int attempt = 1;; ++attempt) {
    Descriptor file = open_directory(windows_path(path_of(name)), FILE_FLAG_OPEN_REPARSE_POINT);
    if (file.is_open()) return Directory(std::move(file), path_of(name));
    const int reason = errno;
    if (reason == ELOOP) throw is_link(path_of(name));
    if (type_of(name) != EntryType::directory) return std::nullopt;
    // Another process may be trying to remove it.
    constexpr int attempts = 20;
    if (reason != EACCES || attempt == attempts) {
      throw sdk::system_failure(reason, "cannot open ", path_of(name));
    }
    Sleep(1);
  }
}

std::optional<Directory> Directory::make(const std::string& name) const {
  const fs::path path = windows_path(path_of(name));
  if (::_wmkdir(path.c_str()) != 0 && errno != EEXIST && errno != ENOENT) {
    throw sdk::system_failure(errno, "cannot create the directory ", path_of(name));
  }
  check_same_name(path_, name);
  return enter(name);
}

std::optional<Descriptor> Directory::open_file(const std::string& name) const {
  const EntryType type = type_of(name);
  if (type == EntryType::link) throw is_link(path_of(name));
  if (type != EntryType::file) return std::nullopt;
  const HANDLE handle = CreateFileW(windows_path(path_of(name)).c_str(), GENERIC_READ,
                                    FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                                    OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT, nullptr);
  if (handle != INVALID_HANDLE_VALUE) {
    return Descriptor(::_open_osfhandle(reinterpret_cast<intptr_t>(handle), _O_RDONLY | _O_BINARY));
  }
  set_errno();
  if (errno == ENOENT || type_of(name) == EntryType::none) return std::nullopt;
  throw sdk::system_failure(errno, "cannot open ", path_of(name));
}

EntryType Directory::type_of(const std::string& name) const {
  return type_from(entry_of(path_of(name), name));
}

std::vector<Entry> Directory::entries() const {
  std::vector<Entry> entries;
  WIN32_FIND_DATAW data;
  const HANDLE listing = FindFirstFileW((windows_path(path_) / L"*").c_str(), &data);
  if (listing == INVALID_HANDLE_VALUE) {
    set_errno();
    throw sdk::system_failure(errno, "cannot list ", path_);
  }
  do {
    std::string name = fs::path(data.cFileName).u8string();
    if (name == "." || name == "..") continue;
    const bool is_directory = (data.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
    const bool leads_away = (data.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0;
    const EntryType type = leads_away     ? EntryType::link
                           : is_directory ? EntryType::directory
                                          : EntryType::file;
    entries.push_back({std::move(name), type});
  } while (FindNextFileW(listing, &data) != 0);
  const bool complete = GetLastError() == ERROR_NO_MORE_FILES;
  if (!complete) set_errno();
  FindClose(listing);
  if (!complete) throw sdk::system_failure(errno, "cannot list ", path_);
  return entries;
}

bool Directory::remove(const std::string& name) const noexcept {
  const auto entry = entry_of(path_of(name), name);
  if (!entry) {
    errno = ENOENT;
    return false;
  }
  if (entry->is_directory && !entry->is_link) {
    errno = EISDIR;
    return false;
  }
  const fs::path path = windows_path(path_of(name));
  return (entry->is_directory ? ::_wrmdir(path.c_str()) : ::_wunlink(path.c_str())) == 0;
}

bool Directory::remove_directory(const std::string& name) const noexcept {
  return ::_wrmdir(windows_path(path_of(name)).c_str()) == 0;
}

void Directory::grant_access(const std::string&) const noexcept {}

// NTFS writes changes of entries in their order to its log, and nobody can flush a directory.
void Directory::sync() const {}

}  // namespace tenon::builtin
