// SPDX-License-Identifier: BSL-1.0
#include "platform/replace_file.hpp"

#include <tenon/mutex.hpp>

#include <set>
#include <string>
#include <string_view>

#include "platform/windows/system.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {
namespace {

namespace fs = std::filesystem;

/// Of the names of temporary files.
constexpr std::wstring_view prefix = L".tenon-";

/// A file that is open cannot be replaced. Readers have it open for a moment, and so have scanners
/// of viruses.
bool move_over(const fs::path& from, const fs::path& to) noexcept {
  constexpr DWORD flags = MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH;
  constexpr int attempts = 10;
  for (int attempt = 1;; ++attempt) {
    if (MoveFileExW(from.c_str(), to.c_str(), flags) != 0) return true;
    const DWORD failed = GetLastError();
    const bool may_pass = failed == ERROR_ACCESS_DENIED || failed == ERROR_SHARING_VIOLATION;
    if (!may_pass || attempt == attempts) return false;
    Sleep(static_cast<DWORD>(attempt));
    SetLastError(failed);
  }
}

/// Removes the files of processes that were killed from a directory, but only once in a process. A
/// process keeps its files open, so that they cannot be opened alone.
void tidy_once(const fs::path& directory) {
  static sync::Mutex mutex;
  static auto& tidied = *new std::set<fs::path>;  // under the mutex; outlives every thread
  const sync::Lock lock(mutex);
  std::error_code failed;
  const fs::path full = fs::absolute(directory, failed);
  if (failed || !tidied.insert(full).second) return;
  WIN32_FIND_DATAW entry;
  const HANDLE found = FindFirstFileW((full / (std::wstring(prefix) + L"*")).c_str(), &entry);
  if (found == INVALID_HANDLE_VALUE) return;
  do {
    const fs::path file = full / entry.cFileName;
    Handle alone = open_alone(file, OPEN_EXISTING);
    if (!alone) continue;
    alone.close();
    DeleteFileW(file.c_str());
  } while (FindNextFileW(found, &entry) != 0);
  FindClose(found);
}

std::error_code portable(const std::error_code& error) noexcept {
  return {errno_of(error), std::generic_category()};
}

}  // namespace

struct Replacement::State {
  std::error_code failed;
  fs::path target;
  fs::path fresh;
  std::uint64_t other_names = 0;
  Handle file;
};

Replacement::Replacement(const fs::path& path, Attributes attributes)
    : state_(std::make_unique<State>()) {
  State& state = *state_;
  state.target = attributes == Attributes::kept ? follow_links(path, state.failed) : path;
  if (state.failed) return;
  if (const Handle old = open_shared(state.target.c_str(), FILE_READ_ATTRIBUTES)) {
    BY_HANDLE_FILE_INFORMATION known{};
    if (GetFileType(old.get()) != FILE_TYPE_DISK ||
        GetFileInformationByHandle(old.get(), &known) == 0) {
      state.failed = std::make_error_code(std::errc::not_supported);
    } else if ((known.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0) {
      state.failed = std::make_error_code(std::errc::is_a_directory);
    } else {
      state.other_names = known.nNumberOfLinks - 1;
    }
  }
  if (state.failed) return;
  const fs::path directory = state.target.parent_path();
  tidy_once(directory);
  state.fresh = directory / (std::wstring(prefix) + random_name());
  state.file =
      Handle(CreateFileW(state.fresh.c_str(), GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_DELETE,
                         nullptr, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, nullptr));
  if (!state.file) state.failed = portable(last_error());
}

Replacement::~Replacement() {
  if (!state_->file) return;
  state_->file.close();
  DeleteFileW(state_->fresh.c_str());
}

void Replacement::append(std::string_view content) {
  if (state_->failed) return;
  if (!write_all(state_->file.get(), content)) state_->failed = portable(last_error());
}

ReplaceResult Replacement::commit() {
  State& state = *state_;
  if (state.failed) return {state.failed};
  // It stays open until it has its name.
  if (FlushFileBuffers(state.file.get()) == 0 || !move_over(state.fresh, state.target)) {
    return {portable(last_error())};
  }
  state.file.close();
  return {{}, state.other_names};
}

fs::path follow_links(fs::path path, std::error_code& failed) {
  constexpr int max_links = 63;  // the limit of Windows
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
  const Handle file = open_shared(path.c_str(), FILE_READ_ATTRIBUTES);
  FILE_ID_INFO id;
  if (!file || GetFileInformationByHandleEx(file.get(), FileIdInfo, &id, sizeof id) == 0) return {};
  std::string key = std::to_string(id.VolumeSerialNumber);
  for (const unsigned char byte : id.FileId.Identifier) key += " " + std::to_string(byte);
  return key;
}

ReplaceResult replace_content(const fs::path& path, std::string_view content,
                              Attributes attributes) {
  Replacement replacement(path, attributes);
  replacement.append(content);
  return replacement.commit();
}

// MOVEFILE_WRITE_THROUGH has written the entries of a directory, which cannot be flushed itself.
std::error_code sync_directory(const fs::path&) {
  return {};
}

bool create_directories(const fs::path& directory, std::error_code& failed) {
  return fs::create_directories(directory, failed) && !failed;
}

}}}  // namespace tenon::v0_1::platform
