// SPDX-License-Identifier: BSL-1.0
#include "footprint.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <clocale>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "platform/float_modes.hpp"

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

struct Footprint {
  std::set<std::string> threads = entries("/proc/self/task");
  std::set<std::string> files = descriptors();
};

/// Returns a description of the entries that are in `after` but not in `before`.
std::string added(const Footprint& before, const Footprint& after) {
  std::string text;
  const auto add = [&](const std::set<std::string>& old, const std::set<std::string>& now,
                       std::string (*name)(const std::string&)) {
    for (const std::string& number : now) {
      if (!old.contains(number)) text += (text.empty() ? "" : ", ") + name(number);
    }
  };
  add(before.threads, after.threads, name_of_thread);
  add(before.files, after.files, name_of_descriptor);
  return text;
}

/// Makes the library allocate its resources that exist until the process ends, so that they are not
/// attributed to the plugin.
void use_library() {
  const Host host({.app = "tenon-conformance"});
}

/// A setting of the process or thread, and its value in a form that can be compared.
struct Setting {
  std::string name;
  std::string value;
};

template <class T>
std::string bytes_of(const T& value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

std::vector<Setting> settings() {
  std::vector<Setting> all;
  sigset_t signals;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &signals);
  std::string blocked;  // by number; the system fills only a part of the mask
  for (int number = 1; number < NSIG; ++number) {
    blocked += sigismember(&signals, number) == 1 ? '1' : '0';
    struct sigaction action {};
    if (::sigaction(number, nullptr, &action) != 0) continue;
    const char* name = ::sigabbrev_np(number);
    all.push_back({"the handler of " + (name != nullptr ? "SIG" + std::string(name)
                                                        : "signal " + std::to_string(number)),
                   bytes_of(action.sa_handler)});
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

}  // namespace

void require_nothing_changed(Subject& subject, void (*use)(Subject& subject)) {
  const platform::FloatModes modes;
  const std::vector<Setting> before = settings();
  use(subject);
  std::string changed = modes.restore_changed() ? "the floating-point modes" : "";
  const std::vector<Setting> after = settings();
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i].value == after[i].value) continue;
    changed += (changed.empty() ? "" : ", ") + before[i].name;
  }
  require(changed.empty(), "changed: " + changed);
}

void require_nothing_left(Subject& subject, void (*use)(Subject& subject)) {
  use_library();
  const Footprint before;
  use(subject);
  subject.close();
  const auto end = std::chrono::steady_clock::now() + subject.patience();
  std::string leaked = added(before, Footprint());
  while (!leaked.empty() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    leaked = added(before, Footprint());
  }
  require(leaked.empty(), "leaked: " + leaked);
}

}  // namespace tenon::sdk::conformance
