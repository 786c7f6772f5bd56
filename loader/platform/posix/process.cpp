// SPDX-License-Identifier: BSL-1.0
#include "platform/process.hpp"

#ifdef __APPLE__
#include <pthread.h>
#endif
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>

namespace tenon { inline namespace v0_1 { namespace platform {
namespace {

/// Returns a directory below the home of the user; an empty path if the user has no home.
std::filesystem::path in_home(const std::filesystem::path& below) {
  const std::string home = trusted_environment("HOME");
  return home.empty() ? std::filesystem::path() : home / below;
}

/// Returns a directory of the user that a variable names, otherwise one in the home of the user;
/// empty if there is neither. The standard of these variables says that relative paths count as
/// absent.
std::filesystem::path user_directory(const char* variable, const char* below_home) {
  std::filesystem::path directory = trusted_environment(variable);
  if (!directory.is_absolute()) directory = in_home(below_home);
  return directory.is_absolute() ? directory : std::filesystem::path();
}

bool is_file_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos;
}

}  // namespace

std::string trusted_environment(const std::string& name) {
  const char* value = secure_getenv(name.c_str());
  return value != nullptr ? value : "";
}

TemporaryDirectory temporary_directory() {
  for (const char* variable : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"}) {
    if (std::string directory = trusted_environment(variable); !directory.empty()) {
      return {.path = std::move(directory), .named = true};
    }
  }
  return {.path = "/tmp", .named = false};
}

std::vector<std::filesystem::path> split_path_list(const std::string& list) {
  std::vector<std::filesystem::path> directories;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(':', begin), list.size());
    if (end > begin) directories.emplace_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return directories;
}

void write_to_standard_error(std::initializer_list<std::string_view> parts) noexcept {
  iovec pieces[10];
  int count = 0;
  for (const std::string_view part : parts) {
    pieces[count++] = {const_cast<char*>(part.data()), part.size()};
  }
  static_cast<void>(!writev(STDERR_FILENO, pieces, count));
}

bool on_main_thread() noexcept {
#ifdef __APPLE__
  return pthread_main_np() != 0;
#else
  return gettid() == getpid();
#endif
}

std::int32_t thread_number() noexcept {
  static thread_local const auto number = static_cast<std::int32_t>(::gettid());
  return number;
}

std::string this_thread_name() {
  char name[64] = "";
  static_cast<void>(::pthread_getname_np(::pthread_self(), name, sizeof name));
  return name;
}

std::int64_t process_number() noexcept {
  return ::getpid();
}

std::size_t page_size() {
  static const long size = ::sysconf(_SC_PAGESIZE);
  return static_cast<std::size_t>(size);
}

std::vector<std::filesystem::path> module_directories(const std::string& app) {
  const std::filesystem::path below = std::filesystem::path("lib") / app / "plugins";
  std::vector<std::filesystem::path> directories = {"/usr/local" / below, "/usr" / below};
  const std::filesystem::path own = in_home(".local" / below);
  if (!own.empty()) directories.insert(directories.begin(), own);
  return directories;
}

std::vector<std::filesystem::path> data_directories(const std::string& app) {
  std::filesystem::path own = user_directory("XDG_DATA_HOME", ".local/share");
  std::string shared = trusted_environment("XDG_DATA_DIRS");
  if (shared.empty()) shared = "/usr/local/share:/usr/share";
  std::vector<std::filesystem::path> directories = split_path_list(shared);
  directories.insert(directories.begin(), std::move(own));
  std::erase_if(directories, [](const auto& directory) { return !directory.is_absolute(); });
  for (std::filesystem::path& directory : directories) directory /= app;
  return directories;
}

SettingsFiles settings_files(const std::string& app) {
  SettingsFiles files;
  if (!is_file_name(app)) return files;
  const std::filesystem::path below = std::filesystem::path("tenon") / (app + ".json");
  const std::filesystem::path own = user_directory("XDG_CONFIG_HOME", ".config");
  if (!own.empty()) files.user = own / below;
  std::string shared = trusted_environment("XDG_CONFIG_DIRS");
  if (shared.empty()) shared = "/etc/xdg";
  for (const std::filesystem::path& directory : split_path_list(shared)) {
    if (directory.is_absolute()) files.system.push_back(directory / below);
  }
  return files;
}

std::filesystem::path state_directory(const std::string& app) {
  const std::filesystem::path directory = user_directory("XDG_STATE_HOME", ".local/state");
  return directory.empty() || !is_file_name(app) ? std::filesystem::path()
                                                 : directory / "tenon" / app;
}

}}}  // namespace tenon::v0_1::platform
