// SPDX-License-Identifier: BSL-1.0
#include "platform/process.hpp"

#ifdef __APPLE__
#include <pthread.h>
#endif
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace tenon { inline namespace v0_1 { namespace platform {
namespace {

/// Returns `below` in the prefix of the user, of this machine and of the system.
std::vector<std::filesystem::path> installed(const std::filesystem::path& below) {
  std::vector<std::filesystem::path> folders;
  if (const std::string home = trusted_environment("HOME"); !home.empty()) {
    folders.push_back(std::filesystem::path(home) / ".local" / below);
  }
  folders.push_back("/usr/local" / below);
  folders.push_back("/usr" / below);
  return folders;
}

}  // namespace

std::string trusted_environment(const std::string& name) {
  const char* value = secure_getenv(name.c_str());
  return value != nullptr ? value : "";
}

TemporaryFolder temporary_folder() {
  for (const char* variable : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"}) {
    if (std::string folder = trusted_environment(variable); !folder.empty()) {
      return {.path = std::move(folder), .named = true};
    }
  }
  return {.path = "/tmp", .named = false};
}

std::vector<std::filesystem::path> split_path_list(const std::string& list) {
  std::vector<std::filesystem::path> folders;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(':', begin), list.size());
    if (end > begin) folders.emplace_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return folders;
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

std::size_t page_size() {
  static const long size = ::sysconf(_SC_PAGESIZE);
  return static_cast<std::size_t>(size);
}

std::vector<std::filesystem::path> module_folders(const std::string& app) {
  return installed(std::filesystem::path("lib") / app / "plugins");
}

std::vector<std::filesystem::path> data_folders(const std::string& app) {
  return installed(std::filesystem::path("share") / app);
}

}}}  // namespace tenon::v0_1::platform
