// SPDX-License-Identifier: BSL-1.0
#include "process_state.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <clocale>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "child.hpp"

namespace tenon::sdk::conformance {
namespace {

namespace fs = std::filesystem;

/// Returns the names of the entries of a directory below /proc/self: thread ids or descriptors.
std::set<std::string> entries(const char* directory) {
  std::set<std::string> numbers;
  for (const auto& entry : fs::directory_iterator(directory)) {
    numbers.insert(entry.path().filename().string());
  }
  return numbers;
}

template <class T>
std::string bytes_of(const T& value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace

std::string name_of_thread(const std::string& number) {
  std::string name;
  std::ifstream file("/proc/self/task/" + number + "/comm");
  std::getline(file, name);
  return "thread \"" + name + "\"";
}

std::string name_of_descriptor(const std::string& number) {
  std::error_code failed;
  const fs::path target = fs::read_symlink("/proc/self/fd/" + number, failed);
  return "descriptor " + number + " of " + (failed ? "an unknown file" : target.string());
}

std::set<std::string> own_threads() {
  return entries("/proc/self/task");
}

// Without the one that listed them.
std::set<std::string> own_descriptors() {
  std::set<std::string> numbers = entries("/proc/self/fd");
  std::erase_if(numbers, [](const std::string& number) {
    std::error_code ignored;
    return !fs::exists(fs::symlink_status("/proc/self/fd/" + number, ignored));
  });
  return numbers;
}

std::set<std::string> own_mappings() {
  std::set<std::string> data;
  std::set<std::string> code;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::string range, permissions, offset, device, inode, file;
    words >> range >> permissions >> offset >> device >> inode;
    std::getline(words >> std::ws, file);
    if (file.empty() || file.front() != '/' || file.starts_with("/usr/")) continue;
    (permissions.find('x') == std::string::npos ? data : code).insert(file);
  }
  std::erase_if(data, [&code](const std::string& file) { return code.contains(file); });
  return data;
}

std::string name_of_mapping(const std::string& file) {
  return "mapping of " + file;
}

std::vector<ProcessSetting> process_settings() {
  std::vector<ProcessSetting> all;
  sigset_t signals;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &signals);
  std::string blocked;  // by number; the system fills only a part of the mask
  for (int number = 1; number < NSIG; ++number) {
    blocked += sigismember(&signals, number) == 1 ? '1' : '0';
    struct sigaction action {};
    if (::sigaction(number, nullptr, &action) != 0) continue;
    all.push_back({"the handler of " + signal_name(number), bytes_of(action.sa_handler)});
  }
  all.push_back({"the signal mask", blocked});
  all.push_back({"the locale", std::setlocale(LC_ALL, nullptr)});
  std::string variables;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    (variables += *variable) += '\n';
  }
  all.push_back({"the environment", variables});
  std::error_code ignored;
  all.push_back({"the working directory", fs::current_path(ignored).string()});
  const mode_t mask = ::umask(0);
  ::umask(mask);
  all.push_back({"the mask for new files", bytes_of(mask)});
  return all;
}

}  // namespace tenon::sdk::conformance
