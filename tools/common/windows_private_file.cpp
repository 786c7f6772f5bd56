// SPDX-License-Identifier: BSL-1.0
#include <chrono>
#include <optional>
#include <utility>

#include "base/path_error.hpp"
#include "common/private_file.hpp"
#include "platform/windows/system.hpp"

namespace tenon::tools {
namespace {

using platform::Handle;

HANDLE handle_of(platform::NativeHandle handle) noexcept {
  return reinterpret_cast<HANDLE>(handle);
}

/// Returns what is wrong with a file; empty if nothing is.
std::string problem_of(HANDLE file) {
  if (GetFileType(file) != FILE_TYPE_DISK) return "a device or a pipe";
  FILE_BASIC_INFO known{};
  if (GetFileInformationByHandleEx(file, FileBasicInfo, &known, sizeof known) == 0) {
    return "a file without attributes";
  }
  if ((known.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0) return "a link";
  if ((known.FileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0) return "a directory";
  return {};
}

}  // namespace

Result<PrivateFile> PrivateFile::open(const std::filesystem::path& path, IfAbsent if_absent, Others,
                                      const std::string& what) {
  const bool creates = if_absent == IfAbsent::create;
  // Directories are opened only with the last flag but one.
  Handle file(CreateFileW(path.c_str(), GENERIC_READ | (creates ? GENERIC_WRITE : 0),
                          FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                          creates ? OPEN_ALWAYS : OPEN_EXISTING,
                          FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT, nullptr));
  if (!file) {
    const int number = platform::errno_of(platform::last_error());
    if (number == ENOENT && !creates) return PrivateFile(platform::no_handle);
    const std::string attempt = "opening " + what;
    return (creates ? detail::cannot_write(path, {attempt, number})
                    : detail::cannot_read(path, {attempt, number}));
  }
  if (std::string problem = problem_of(file.get()); !problem.empty()) {
    return Error({.code = "untrusted-file",
                  .message = what + " is not used",
                  .where = path.string(),
                  .found = std::move(problem),
                  .needed = "a regular file",
                  .fix = "remove it"});
  }
  return PrivateFile(reinterpret_cast<platform::NativeHandle>(file.release()));
}

PrivateFile::PrivateFile(PrivateFile&& other) noexcept
    : handle_(std::exchange(other.handle_, platform::no_handle)) {}

PrivateFile::~PrivateFile() {
  allow_replacement();
}

bool PrivateFile::lock() const {
  // Nobody can read a locked range, so this one is beyond every content.
  OVERLAPPED range{};
  range.OffsetHigh = 1U << 30;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (LockFileEx(handle_of(handle_), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1,
                    0, &range) == 0) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    Sleep(5);
  }
  FILE_STANDARD_INFO known{};
  return GetFileInformationByHandleEx(handle_of(handle_), FileStandardInfo, &known, sizeof known) !=
             0 &&
         known.DeletePending == 0 && known.NumberOfLinks != 0;
}

platform::InputFile PrivateFile::reader() const {
  HANDLE copy = INVALID_HANDLE_VALUE;
  DuplicateHandle(GetCurrentProcess(), handle_of(handle_), GetCurrentProcess(), &copy, 0, FALSE,
                  DUPLICATE_SAME_ACCESS);
  return platform::InputFile(reinterpret_cast<platform::NativeHandle>(copy));
}

void PrivateFile::allow_replacement() noexcept {
  if (*this) CloseHandle(handle_of(std::exchange(handle_, platform::no_handle)));
}

}  // namespace tenon::tools
