// SPDX-License-Identifier: BSL-1.0
#include "footprint.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <clocale>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "child.hpp"

namespace tenon::sdk::conformance {
namespace {

namespace fs = std::filesystem;

std::string name_of_thread(const std::string& id) {
  std::string name;
  std::ifstream file("/proc/self/task/" + id + "/comm");
  std::getline(file, name);
  return "thread \"" + name + "\"";
}

std::string name_of_descriptor(const std::string& number) {
  std::error_code failed;
  const fs::path target = fs::read_symlink("/proc/self/fd/" + number, failed);
  return "descriptor " + number + " of " + (failed ? "an unknown file" : target.string());
}

/// Returns the names of the entries of a directory below /proc/self: thread ids or descriptors.
std::set<std::string> entries(const char* directory) {
  std::set<std::string> numbers;
  for (const auto& entry : fs::directory_iterator(directory)) {
    numbers.insert(entry.path().filename().string());
  }
  return numbers;
}

/// Returns the open descriptors, without the one that listed them.
std::set<std::string> descriptors() {
  std::set<std::string> numbers = entries("/proc/self/fd");
  std::erase_if(numbers, [](const std::string& number) {
    std::error_code ignored;
    return !fs::exists(fs::symlink_status("/proc/self/fd/" + number, ignored));
  });
  return numbers;
}

/// Returns the files that are mapped without code. Those of the system are left out: the C library
/// maps locales and tables of character sets when they are used.
std::set<std::string> mappings() {
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

template <class T>
std::string bytes_of(const T& value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace

Footprint::Footprint()
    : threads_(entries("/proc/self/task")), descriptors_(descriptors()), mappings_(mappings()) {}

std::string Footprint::added() const {
  const Footprint now;
  std::string text;
  const auto add = [&](const std::set<std::string>& old, const std::set<std::string>& all,
                       std::string (*name)(const std::string&)) {
    for (const std::string& one : all) {
      if (!old.contains(one)) text += (text.empty() ? "" : ", ") + name(one);
    }
  };
  add(threads_, now.threads_, name_of_thread);
  add(descriptors_, now.descriptors_, name_of_descriptor);
  add(mappings_, now.mappings_, name_of_mapping);
  return text;
}

void Footprint::require_nothing_more(std::chrono::milliseconds patience) const {
  const auto end = std::chrono::steady_clock::now() + patience;
  std::string leaked = added();
  while (!leaked.empty() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    leaked = added();
  }
  require(leaked.empty(), "leaked: " + leaked);
}

Settings::Settings() : before_(all()) {}

void Settings::require_unchanged() const {
  std::string changed = modes_.restore_changed() ? "the floating-point modes" : "";
  const std::vector<Setting> after = all();
  for (std::size_t i = 0; i < before_.size(); ++i) {
    if (before_[i].value == after[i].value) continue;
    changed += (changed.empty() ? "" : ", ") + before_[i].name;
  }
  require(changed.empty(), "changed: " + changed);
}

std::vector<Settings::Setting> Settings::all() {
  std::vector<Setting> all;
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

void require_nothing_left(Subject& subject, void (*use)(Subject& subject)) {
  use_library();
  const Footprint before;
  use(subject);
  subject.close();
  before.require_nothing_more(subject.patience());
}

void use_library() {
  const Host host({.app = "tenon-conformance"});
}

}  // namespace tenon::sdk::conformance
