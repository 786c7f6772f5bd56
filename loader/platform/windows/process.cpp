// SPDX-License-Identifier: BSL-1.0
#include "platform/process.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "platform/utf8_path.hpp"
#include "platform/windows/known_folder.hpp"
#include "platform/windows/system.hpp"

// MinGW 10 has it only in its library.
extern "C" __declspec(dllimport) HRESULT WINAPI GetThreadDescription(HANDLE, PWSTR*);

namespace tenon { inline namespace v0_1 { namespace platform {
namespace {

namespace fs = std::filesystem;

/// The thread that has loaded the library, or started the program that contains it.
const DWORD first_thread = GetCurrentThreadId();

/// Returns a path below a folder; empty if the system has no such folder.
fs::path in_folder(Folder folder, const fs::path& below) {
  const fs::path path = known_folder(folder);
  return path.empty() ? path : path / below;
}

bool is_file_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of("/\\:*?\"<>|") == std::string::npos;
}

}  // namespace

std::string trusted_environment(const std::string& name) {
  const std::wstring wide = path_from(name).native();
  std::wstring value(256, L'\0');
  for (;;) {
    const auto size = static_cast<DWORD>(value.size());
    const DWORD needed = GetEnvironmentVariableW(wide.c_str(), value.data(), size);
    if (needed < size) return utf8_of(std::wstring_view(value).substr(0, needed));
    value.resize(needed);
  }
}

TemporaryDirectory temporary_directory() {
  for (const char* variable : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"}) {
    if (std::string directory = trusted_environment(variable); !directory.empty()) {
      return {.path = path_from(directory), .named = true};
    }
  }
  return {.path = in_folder(Folder::local_data, "Temp"), .named = false};
}

std::vector<fs::path> split_path_list(const std::string& list) {
  std::vector<fs::path> directories;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(';', begin), list.size());
    if (end > begin)
      directories.push_back(path_from(std::string_view(list).substr(begin, end - begin)));
    begin = end + 1;
  }
  return directories;
}

void write_to_standard_error(std::initializer_list<std::string_view> parts) noexcept {
  char line[4096];
  std::size_t size = 0;
  for (const std::string_view part : parts) {
    const std::size_t taken = std::min(part.size(), sizeof line - size);
    std::memcpy(line + size, part.data(), taken);
    size += taken;
  }
  static_cast<void>(write_all(GetStdHandle(STD_ERROR_HANDLE), {line, size}));
}

bool on_main_thread() noexcept {
  return GetCurrentThreadId() == first_thread;
}

std::int32_t thread_number() noexcept {
  return static_cast<std::int32_t>(GetCurrentThreadId());
}

std::string this_thread_name() {
  wchar_t* text = nullptr;
  if (FAILED(GetThreadDescription(GetCurrentThread(), &text))) return {};
  std::string name = utf8_of(text);
  LocalFree(text);
  return name;
}

std::int64_t process_number() noexcept {
  return GetCurrentProcessId();
}

std::size_t page_size() {
  SYSTEM_INFO info;
  GetSystemInfo(&info);
  return info.dwPageSize;
}

std::vector<fs::path> module_directories(const std::string& app) {
  std::vector<fs::path> directories;
  for (const Folder folder : {Folder::local_data, Folder::program_data, Folder::programs}) {
    if (fs::path path = in_folder(folder, path_from(app) / "plugins"); !path.empty()) {
      directories.push_back(std::move(path));
    }
  }
  return directories;
}

std::vector<fs::path> data_directories(const std::string& app) {
  std::vector<fs::path> directories;
  for (const Folder folder : {Folder::local_data, Folder::program_data}) {
    if (fs::path path = in_folder(folder, path_from(app)); !path.empty()) {
      directories.push_back(std::move(path));
    }
  }
  return directories;
}

SettingsFiles settings_files(const std::string& app) {
  SettingsFiles files;
  if (!is_file_name(app)) return files;
  const fs::path below = fs::path("tenon") / path_from(app + ".json");
  files.user = in_folder(Folder::roaming_data, below);
  if (fs::path shared = in_folder(Folder::program_data, below); !shared.empty()) {
    files.system.push_back(std::move(shared));
  }
  return files;
}

fs::path state_directory(const std::string& app) {
  return is_file_name(app) ? in_folder(Folder::local_data, fs::path("tenon") / path_from(app))
                           : fs::path();
}

}}}  // namespace tenon::v0_1::platform
