// SPDX-License-Identifier: BSL-1.0
//
// A process keeps its incomplete files open, so that nobody else can open them alone.
#include <fcntl.h>
#include <io.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <utility>

#include "partial.hpp"
#include "windows_names.hpp"

#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>

namespace tenon::builtin {
namespace {

namespace fs = std::filesystem;

// Maximum number of leftovers that one call of remove_abandoned examines. There are more only after
// hundreds of crashes.
constexpr std::size_t max_examined = 100;

HANDLE open_partial_file(const Directory& parent, const std::string& name, DWORD access,
                         DWORD share, DWORD disposition, DWORD flags) {
  return CreateFileW(windows_path(parent.path_of(name)).c_str(), access, share, nullptr,
                     disposition, flags | FILE_FLAG_OPEN_REPARSE_POINT, nullptr);
}

Descriptor make_file(const Directory& parent, const std::string& name) {
  const HANDLE handle = open_partial_file(parent, name, GENERIC_WRITE,
                                          FILE_SHARE_READ | FILE_SHARE_DELETE, CREATE_NEW, 0);
  if (handle != INVALID_HANDLE_VALUE) {
    return Descriptor(::_open_osfhandle(reinterpret_cast<intptr_t>(handle), _O_WRONLY | _O_BINARY));
  }
  set_errno();
  return Descriptor(-1);
}

/// Removes a file that no process has open.
void remove_if_abandoned(const Directory& parent, const std::string& name) {
  const HANDLE handle =
      open_partial_file(parent, name, DELETE, 0, OPEN_EXISTING, FILE_FLAG_DELETE_ON_CLOSE);
  if (handle != INVALID_HANDLE_VALUE) CloseHandle(handle);
}

}  // namespace

std::string random_name() {
  std::random_device device;
  std::string name;
  for (int i = 0; i < 16; ++i) name += "0123456789abcdef"[device() % 16];
  return name;
}

Directory open_partial(const Directory& top) {
  std::optional<Directory> directory = top.make(partial_name);
  if (directory) return *std::move(directory);
  throw sdk::Failure(TENON_FAILED_PRECONDITION, top.path_of(partial_name),
                     " is not a directory: remove it");
}

Partial::Partial(Directory parent, std::string name, Descriptor made)
    : parent_(std::move(parent)), name_(std::move(name)), made_(std::move(made)) {}

Partial::~Partial() {
  if (made_.is_open() && !moved_) parent_.remove(name_);
}

Partial Partial::make(const Directory& top, Make make) {
  Directory parent = open_partial(top);
  std::string name = random_name();
  Descriptor made = make(parent, name);
  if (!made.is_open()) throw sdk::system_failure(errno, "cannot create ", parent.path_of(name));
  return {std::move(parent), std::move(name), std::move(made)};
}

Partial Partial::file(const Directory& top) {
  return make(top, make_file);
}

/// A file that is open cannot be replaced. Readers have it open for a moment, and so have scanners
/// of viruses.
bool Partial::move_to(const Directory& directory, const std::string& name) {
  check_same_name(directory.path(), name);
  const fs::path from = windows_path(parent_.path_of(name_));
  const fs::path to = windows_path(directory.path_of(name));
  constexpr int attempts = 20;
  for (int attempt = 1; !moved_; ++attempt) {
    moved_ = MoveFileExW(from.c_str(), to.c_str(),
                         MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) != 0;
    if (moved_) break;
    set_errno();
    if (directory.type_of(name) == EntryType::directory) errno = EISDIR;
    if (errno != EACCES || attempt == attempts) break;
    Sleep(static_cast<DWORD>(attempt));
  }
  return moved_;
}

void remove_abandoned(const Directory& top) {
  const Directory parent = open_partial(top);
  std::size_t count = 0;
  for (const Entry& entry : parent.entries()) {
    if (++count > max_examined) return;
    remove_if_abandoned(parent, entry.name);
  }
}

}  // namespace tenon::builtin
