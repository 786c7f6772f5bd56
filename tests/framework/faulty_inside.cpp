// SPDX-License-Identifier: BSL-1.0
#include "framework/faulty_inside.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <iterator>
#include <new>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <utility>

#include "framework/faulty.h"

namespace {
std::atomic<bool> allocation_failed{false};

bool fails_to_allocate() {
  if (faulty_request("allocation") == 0) return false;
  allocation_failed.store(true);
  return true;
}
}  // namespace

void* operator new(std::size_t size) {
  if (fails_to_allocate()) throw std::bad_alloc();
  void* memory = std::malloc(size != 0 ? size : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return fails_to_allocate() ? nullptr : std::malloc(size != 0 ? size : 1);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace tenon::tests {
namespace {

namespace fs = std::filesystem;

struct Way {
  Failure failure;
  int how;  // in the form that faulty.c accepts
};

constexpr Way of_files[] = {
    {Failure::no_room, ENOSPC},   {Failure::broken_disk, EIO},   {Failure::no_descriptor, EMFILE},
    {Failure::no_memory, ENOMEM}, {Failure::interrupted, EINTR}, {Failure::cut_short, FAULTY_SHORT},
};
constexpr Way of_others[] = {{Failure::no_memory, ENOMEM}};
constexpr const char* others =
    ",allocation,getentropy,pthread_create,memfd_create,eventfd,inotify_init1,";

// Limits each scenario to about a second, however many requests it makes.
constexpr std::size_t sample = 48;

std::size_t count_in(const fs::path& directory) {
  const auto count = std::distance(fs::directory_iterator(directory), fs::directory_iterator());
  return static_cast<std::size_t>(count);
}

std::string mappings_of(const fs::path& directory) {
  std::string found;
  std::istringstream lines(read_file("/proc/self/maps"));
  for (std::string line; std::getline(lines, line);) {
    if (line.find(directory.string() + "/") != std::string::npos) found += line + "\n";
  }
  return found;
}

std::set<fs::path> files_in(const fs::path& directory) {
  std::set<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) files.insert(entry.path());
  return files;
}

/// The resources that a process holds between the runs.
struct Held {
  std::size_t descriptors = count_in("/proc/self/fd");
  std::size_t threads = count_in("/proc/self/task");
};

void run(const fs::path& directory, const InsideScenario& scenario, const std::string& log,
         const Fault* fault, int how) {
  scenario.prepare();
  const std::set<fs::path> before = files_in(directory);
  const long number = fault == nullptr ? 0 : static_cast<long>(fault->number);
  allocation_failed.store(false);
  faulty_begin(directory.c_str(), others, log.empty() ? nullptr : log.c_str(), number, how);
  bool thrown = false;
  try {
    scenario.run();
  } catch (const std::bad_alloc&) {
    thrown = true;
  }
  faulty_end();
  EXPECT_TRUE(!thrown || allocation_failed.load());
  // Several threads make requests, so the request of this number may be another one in this run.
  Fault actual = fault != nullptr ? *fault : Fault{};
  if (allocation_failed.load()) actual.request = {"allocation", ""};
  scenario.check(fault != nullptr ? &actual : nullptr);
  for (const fs::path& file : files_in(directory)) {
    EXPECT_TRUE(before.contains(file)) << file << " is left";
  }
  EXPECT_EQ(mappings_of(directory), "");
}

std::vector<std::pair<Fault, int>> faults_of(const std::vector<Request>& requests) {
  std::vector<std::pair<Fault, int>> faults;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const bool of_file = !requests[i].path.empty();
    for (const Way& way : of_file ? std::span<const Way>(of_files) : of_others) {
      faults.push_back({{requests[i], i + 1, way.failure}, way.how});
    }
  }
  return faults;
}

}  // namespace

std::vector<Request> for_each_fault(const fs::path& directory, const InsideScenario& scenario) {
  const std::string log = directory.string() + ".log";
  run(directory, scenario, "", nullptr, 0);  // initialises what lasts as long as the process
  run(directory, scenario, log, nullptr, 0);
  std::vector<Request> requests = read_requests(log, directory);
  fs::remove(log);
  Held before;
  const auto faults = faults_of(requests);
  const std::size_t step = step_through(faults.size(), sample);
  std::size_t done = 0;
  for (std::size_t i = 0; i < faults.size(); i += step, ++done) {
    const auto& [fault, how] = faults[i];
    SCOPED_TRACE(fault.in_words());
    run(directory, scenario, "", &fault, how);
    EXPECT_EQ(Held().descriptors, before.descriptors);
    // A thread that has ended stays in the list for a moment, so `before` may count one too many.
    EXPECT_TRUE(eventually([&] { return Held().threads <= before.threads; }));
    before.threads = std::min(before.threads, Held().threads);
    if (testing::Test::HasFailure()) break;
  }
  testing::Test::RecordProperty("requests", static_cast<int>(requests.size()));
  testing::Test::RecordProperty("faults", static_cast<int>(done));
  return requests;
}

}  // namespace tenon::tests
