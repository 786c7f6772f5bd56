// SPDX-License-Identifier: BSL-1.0
//
// Windows has no functions on names in an open directory. A directory that is open here cannot be
// renamed, and NTFS renames none that is above it, so its path leads to it meanwhile.
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

// The others need the first.
// clang-format off
#include "platform/windows/system.hpp"
#include <aclapi.h>
#include <sddl.h>
// clang-format on

#include "archive_path.hpp"
#include "base/path_error.hpp"
#include "builtin/windows_names.hpp"
#include "platform/file_lock.hpp"
#include "platform/input_file.hpp"
#include "platform/utf8_path.hpp"
#include "restored_directory.hpp"

namespace backup {
namespace {

namespace fs = std::filesystem;

using tenon::platform::Handle;

constexpr std::wstring_view temporary_prefix = L".tenon-";
constexpr std::wstring_view lock_name = L".tenon-lock";

int last_number() noexcept {
  return tenon::platform::errno_of(tenon::platform::last_error());
}

tenon::Error cannot_write(const fs::path& path, int error) {
  tenon::detail::PathProblem problem =
      tenon::detail::unwritable(path, {.attempt = "writing the item",
                                       .number = error,
                                       .instead = "restore into another directory"});
  if (error == ENAMETOOLONG) {
    problem.needed = "a file system that allows such names; most allow 255 characters";
    problem.fix = "take the item from the archive";
  }
  return tenon::detail::error_of(problem);
}

tenon::Error cannot_create(const fs::path& directory, int error) {
  tenon::detail::PathProblem problem =
      tenon::detail::unwritable(directory, {.attempt = "creating the directory",
                                            .number = error,
                                            .instead = "restore into another directory"});
  if (error == ENOTDIR) {
    problem.needed = "no file in place of the directory or of one above it";
    problem.fix = "remove that file, or restore into another directory";
  }
  return tenon::detail::error_of(problem);
}

tenon::Error cannot_enter(const fs::path& directory, std::string found, std::string needed) {
  return tenon::Error({.code = "cannot-write",
                       .message = "the directory cannot be created",
                       .where = directory.string(),
                       .found = std::move(found),
                       .needed = std::move(needed),
                       .fix = "remove it, or restore into another directory"});
}

tenon::Error cannot_name(std::string where, std::string found, std::string needed) {
  return tenon::Error({.code = "cannot-write",
                       .message = "the item cannot have its file on Windows",
                       .where = std::move(where),
                       .found = std::move(found),
                       .needed = std::move(needed),
                       .fix = "restore it on another system, or take the item from the archive"});
}

/// Checks that each part of a path in an archive can be the name of a file. Otherwise it could lead
/// out of the directory, or to a device.
tenon::Result<void> check_names(std::string_view path) {
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string problem =
        tenon::builtin::windows_name_problem(path.substr(begin, end - begin));
    if (!problem.empty()) {
      return cannot_name(
          std::string(path), "a name that " + problem,
          "no name of a device, none of the characters \\ : * ? \" < > |, and no dot "
          "or blank at the end");
    }
    begin = end + 1;
  }
  return {};
}

/// Checks that no entry of the directory has another name that is the same one for Windows.
tenon::Result<void> check_same_name(const fs::path& path, std::string_view where) {
  const auto entry = tenon::builtin::find_entry(path);
  if (!entry || entry->name == path.filename().string()) return {};
  return cannot_name(std::string(where),
                     "\"" + entry->name + "\", which is the same name for Windows",
                     "names that differ not only in upper and lower case");
}

// -- Access -------------------------------------------------------------------

struct LocalMemory {
  void operator()(void* memory) const noexcept { LocalFree(memory); }
};
template <class T>
using Local = std::unique_ptr<T, LocalMemory>;

/// The identifiers of this user, the system and administrators, as texts.
std::vector<std::wstring> owners() {
  std::vector<std::wstring> all{L"S-1-5-18", L"S-1-5-32-544"};
  HANDLE token = nullptr;
  if (OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token) == 0) return all;
  const Handle owned(token);
  alignas(TOKEN_USER) std::byte user[sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE];
  DWORD size = sizeof user;
  wchar_t* text = nullptr;
  if (GetTokenInformation(token, TokenUser, user, size, &size) != 0 &&
      ConvertSidToStringSidW(reinterpret_cast<const TOKEN_USER*>(user)->User.Sid, &text) != 0) {
    const Local<wchar_t> memory(text);
    all.emplace_back(text);
  }
  return all;
}

/// Returns a list of access in which only they have all rights; nullptr on failure.
Local<void> private_access() {
  std::wstring list = L"D:P";
  for (const std::wstring& owner : owners()) list += L"(A;;FA;;;" + owner + L")";
  PSECURITY_DESCRIPTOR made = nullptr;
  ConvertStringSecurityDescriptorToSecurityDescriptorW(list.c_str(), SDDL_REVISION_1, &made,
                                                       nullptr);
  return Local<void>(made);
}

/// Returns whether only they can use a file.
bool is_private(const fs::path& path) {
  ACL* list = nullptr;
  PSECURITY_DESCRIPTOR memory = nullptr;
  if (GetNamedSecurityInfoW(path.c_str(), SE_FILE_OBJECT, DACL_SECURITY_INFORMATION, nullptr,
                            nullptr, &list, nullptr, &memory) != ERROR_SUCCESS) {
    return false;
  }
  const Local<void> owned(memory);
  if (list == nullptr) return false;  // everyone
  const auto known = owners();
  for (DWORD i = 0; i < list->AceCount; ++i) {
    void* entry = nullptr;
    wchar_t* text = nullptr;
    if (GetAce(list, i, &entry) == 0) return false;
    const auto* allowed = static_cast<const ACCESS_ALLOWED_ACE*>(entry);
    if (allowed->Header.AceType == ACCESS_DENIED_ACE_TYPE) continue;
    if (allowed->Header.AceType != ACCESS_ALLOWED_ACE_TYPE ||
        ConvertSidToStringSidW(const_cast<DWORD*>(&allowed->SidStart), &text) == 0) {
      return false;
    }
    const Local<wchar_t> account(text);
    if (std::ranges::find(known, text) == known.end()) return false;
  }
  return true;
}

// -- Files --------------------------------------------------------------------

/// Opens a directory that nobody can rename or remove meanwhile. Follows a link at its end unless
/// `flags` say otherwise.
Handle open_directory(const fs::path& path, DWORD flags) noexcept {
  return Handle(CreateFileW(path.c_str(), FILE_LIST_DIRECTORY, FILE_SHARE_READ | FILE_SHARE_WRITE,
                            nullptr, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | flags, nullptr));
}

/// Returns the content of a file, or nothing if there is none. Follows no link.
std::optional<std::string> content_of(const fs::path& path) {
  const auto entry = tenon::builtin::find_entry(path);
  if (!entry || entry->is_link || entry->is_directory) return std::nullopt;
  tenon::platform::InputFile file(path);
  std::string content;
  char piece[65536];
  for (;;) {
    const auto got = file.read(piece);
    if (!got) return std::nullopt;
    if (*got == 0) return content;
    content.append(piece, *got);
  }
}

/// Writes a temporary file in the directory `top`, where the next restore looks for files of a
/// killed one, and moves it. Returns 0 or the error; EEXIST if the file exists and is kept.
int write_and_move(const fs::path& top, const fs::path& path, bool is_secret,
                   std::string_view content, RestoredDirectory::Existing existing) {
  const fs::path fresh = top / (std::wstring(temporary_prefix) + tenon::platform::random_name());
  const Local<void> access(is_secret ? private_access() : nullptr);
  if (is_secret && !access) return last_number();
  SECURITY_ATTRIBUTES attributes{sizeof attributes, access.get(), FALSE};
  Handle file(CreateFileW(fresh.c_str(), GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_DELETE,
                          is_secret ? &attributes : nullptr, CREATE_NEW, FILE_ATTRIBUTE_NORMAL,
                          nullptr));
  if (!file) return last_number();
  const DWORD replace =
      existing == RestoredDirectory::Existing::replace ? MOVEFILE_REPLACE_EXISTING : 0;
  // It stays open until it has its name, so that no other process takes it for abandoned.
  if (tenon::platform::write_all(file.get(), content) && FlushFileBuffers(file.get()) != 0 &&
      MoveFileExW(fresh.c_str(), path.c_str(), replace | MOVEFILE_WRITE_THROUGH) != 0) {
    return 0;
  }
  const int error = last_number();
  file.close();
  DeleteFileW(fresh.c_str());
  return error;
}

/// Removes the temporary files of processes that were killed. Other processes keep theirs open.
void remove_abandoned_files(const fs::path& directory) {
  WIN32_FIND_DATAW entry;
  const fs::path pattern = directory / (std::wstring(temporary_prefix) + L"????????????????");
  const HANDLE found = FindFirstFileW(pattern.c_str(), &entry);
  if (found == INVALID_HANDLE_VALUE) return;
  do {
    const fs::path file = directory / entry.cFileName;
    const Handle alone(CreateFileW(file.c_str(), DELETE, 0, nullptr, OPEN_EXISTING,
                                   FILE_FLAG_DELETE_ON_CLOSE | FILE_FLAG_OPEN_REPARSE_POINT,
                                   nullptr));
  } while (FindNextFileW(found, &entry) != 0);
  FindClose(found);
}

}  // namespace

struct RestoredDirectory::Opened {
  explicit Opened(fs::path opened, DWORD flags = 0)
      : path(std::move(opened)), directory(open_directory(path, flags)) {}
  ~Opened() {
    if (!lock) return;
    lock.reset();
    DeleteFileW((path / lock_name).c_str());  // another process may have locked it meanwhile
  }

  const fs::path path;  // for functions of Windows
  Handle directory;
  std::optional<tenon::platform::FileLock> lock;  // of the directory of the restore
};

RestoredDirectory::Place::Place() = default;
RestoredDirectory::Place::~Place() = default;

RestoredDirectory::RestoredDirectory(fs::path directory) : directory_(std::move(directory)) {}

RestoredDirectory::~RestoredDirectory() = default;

tenon::Result<RestoredDirectory::Written> RestoredDirectory::write(const tenon::ResourceIdV1& id,
                                                                   std::string_view json,
                                                                   Existing existing,
                                                                   Place& place) const {
  const std::string text = archive_path(id);
  if (auto good = check_names(text); !good) return std::move(good).error();
  const fs::path path = tenon::platform::path_from(text);
  constexpr std::size_t longest_name = 255;  // in UTF-16
  if (path.filename().native().size() > longest_name) {
    return cannot_write(directory_ / path, ENAMETOOLONG);
  }
  const auto entered = enter(path.parent_path(), Missing::made, place);
  if (!entered) return entered.error();
  const fs::path full = (*entered)->path / path.filename();
  if (auto good = check_same_name(full, text); !good) return std::move(good).error();
  const std::string content = std::string(json) + "\n";
  const bool is_secret = id.resource == "secrets";
  int error = EEXIST;
  if (!tenon::builtin::find_entry(full)) {
    error = write_and_move(top_->path, full, is_secret, content, Existing::keep);
  }
  const bool same = error == EEXIST && content_of(full) == content;
  const bool is_open = same && is_secret && !is_private(full);
  if (error == EEXIST && (same ? is_open : existing == Existing::replace)) {
    error = write_and_move(top_->path, full, is_secret, content, Existing::replace);
  }
  if (error == 0) return Written::written;
  if (error != EEXIST) return cannot_write(directory_ / path, error);
  return same ? Written::unchanged : Written::differs;
}

std::optional<std::string> RestoredDirectory::read(const tenon::ResourceIdV1& id) const {
  const std::string text = archive_path(id);
  if (!check_names(text)) return std::nullopt;
  const fs::path path = tenon::platform::path_from(text);
  Place place;
  const auto entered = enter(path.parent_path(), Missing::error, place);
  if (!entered) return std::nullopt;
  const fs::path full = (*entered)->path / path.filename();
  return check_same_name(full, text) ? content_of(full) : std::nullopt;
}

tenon::Result<void> RestoredDirectory::lock() {
  std::error_code failed;
  fs::create_directories(directory_, failed);
  if (failed) return cannot_create(directory_, failed.value());
  auto top = std::make_unique<Opened>(
      tenon::builtin::windows_path(fs::absolute(directory_).lexically_normal().string()));
  if (!top->directory) return cannot_write(directory_, last_number());
  top->lock.emplace(top->path / lock_name);
  const int error = top->lock->error();
  if (error == 0) {
    remove_abandoned_files(top->path);
    top_ = std::move(top);
    return {};
  }
  if (error != EWOULDBLOCK) return cannot_write(directory_, error);
  return tenon::Error({.code = "in-use",
                       .message = "another process restores into this directory",
                       .where = directory_.string(),
                       .fix = "wait until it ends, or restore into another directory"});
}

// Each file was written to the disk before it got its name, and MOVEFILE_WRITE_THROUGH has written
// that. Windows lets only administrators flush a whole file system.
tenon::Result<void> RestoredDirectory::sync() const {
  return {};
}

void RestoredDirectory::write_back() const noexcept {}

void RestoredDirectory::write_several(const std::function<void()>& writes) {
  writes();
}

/// Opens a directory below the directory. Follows no link, which could lead out of it.
tenon::Result<const RestoredDirectory::Opened*> RestoredDirectory::enter(const fs::path& path,
                                                                         Missing missing,
                                                                         Place& place) const {
  if (path == place.path) return place.directory.get();
  place.path.clear();
  fs::path shown = directory_;
  fs::path full = top_->path;
  for (const fs::path& part : path) {
    shown /= part;
    full /= part;
    const bool failed = missing == Missing::made && CreateDirectoryW(full.c_str(), nullptr) == 0 &&
                        last_number() != EEXIST;
    const int reason = last_number();
    if (auto good = check_same_name(full, shown.string()); !good) return std::move(good).error();
    // The directory around it stays open until this one is open.
    auto inside = std::make_unique<Opened>(full, FILE_FLAG_OPEN_REPARSE_POINT);
    if (!inside->directory) return cannot_create(shown, failed ? reason : last_number());
    BY_HANDLE_FILE_INFORMATION known{};
    GetFileInformationByHandle(inside->directory.get(), &known);
    if ((known.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0) {
      return cannot_enter(full,
                          "a symbolic link, which might lead out of the directory of the restore",
                          "no link in place of the directory");
    }
    if ((known.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) == 0) {
      return cannot_enter(shown, "a file", "no file in place of the directory");
    }
    place.directory = std::move(inside);
  }
  place.path = path;
  return place.directory.get();
}

}  // namespace backup
