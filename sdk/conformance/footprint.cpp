// SPDX-License-Identifier: BSL-1.0
#include "footprint.hpp"

#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>
#include <thread>

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

}  // namespace

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
