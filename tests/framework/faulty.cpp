// SPDX-License-Identifier: BSL-1.0
#include "framework/faulty.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <iterator>
#include <sstream>
#include <string_view>

namespace tenon::tests {
namespace {

namespace fs = std::filesystem;

struct Way {
  Failure failure;
  std::string how;  // in the form that faulty.c reads
};

const Way ways[] = {
    {Failure::no_room, std::to_string(ENOSPC)},
    {Failure::broken_disk, std::to_string(EIO)},
    {Failure::interrupted, std::to_string(EINTR)},
    {Failure::cut_short, "short"},
    {Failure::killed, "kill"},
    {Failure::power_lost, "forget"},
};

// Limits each scenario to a second or two, however many requests it makes.
constexpr std::size_t sample = 48;

/// A world in which the program runs with a fault, then without.
class Run {
 public:
  explicit Run(const Scenario& scenario) : scenario_(scenario) {
    fs::create_directories(beside("aside"));
    scenario_.prepare(world_);
    world_.set("FAULTY_DIRECTORY", world_.root().string());
    world_.set("FAULTY_OTHERS", ",getentropy,pthread_create,memfd_create,");
    world_.set("FAULTY_LOG", beside("log").string());
    world_.set("FAULTY_ASIDE", beside("aside").string());
  }
  ~Run() {
    fs::remove_all(beside("aside"));
    fs::remove(beside("log"));
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  void whole() {
    world_.set("FAULTY_AT", "0");
    const Outcome run = this->run();
    scenario_.check_whole(world_, run);
  }

  void with(const Fault& fault, const std::string& how) {
    world_.set("FAULTY_AT", std::to_string(fault.number));
    world_.set("FAULTY_HOW", how);
    const Outcome run = this->run();
    check(run, fault);
    scenario_.check(world_, run, fault);
  }

  std::vector<Request> requests() const { return read_requests(beside("log"), world_.root()); }

 private:
  /// Runs the command with fault injection. Commands that checks run have none.
  Outcome run() {
    world_.set("LD_PRELOAD", FAULTY);
    Outcome outcome = world_.run(scenario_.command);
    world_.set("LD_PRELOAD", "");
    return outcome;
  }

  fs::path beside(std::string_view what) const {
    return world_.root().string().append(".").append(what);
  }

  void check(const Outcome& run, const Fault& fault) const {
    constexpr int by_signal = 128;
    if (fault.ends_the_program()) {
      // Workers start another thread only if the others are busy, so a run may need one less.
      const bool may_be_missing = fault.request.name == "pthread_create";
      const bool is_missing = may_be_missing && requests().size() < fault.number;
      EXPECT_EQ(run.exit, is_missing ? 0 : by_signal + SIGKILL) << run.err;
      return;
    }
    EXPECT_LT(run.exit, by_signal) << run.err;
    if (run.exit != 0) {
      EXPECT_NE(run.err, "") << "an error without a message";
    }
    if (fault.request.name == "unlink" || fault.is_after_the_end()) return;
    for (const auto& entry : fs::recursive_directory_iterator(world_.root())) {
      if (entry.is_directory()) continue;  // a directory for temporary files may remain
      for (const fs::path& part : entry.path().lexically_relative(world_.root())) {
        EXPECT_NE(part.string().substr(0, 7), ".tenon-") << entry.path();
      }
    }
  }

  const Scenario& scenario_;
  World world_{"photo"};
};

bool takes_all() {
  const char* which = std::getenv("TENON_FAULTS");
  return which != nullptr && std::string_view(which) == "all";
}

const char* words_of(Failure failure) {
  constexpr const char* words[] = {"no room",     "broken disk", "no descriptor", "no memory",
                                   "interrupted", "cut short",   "killed",        "power lost"};
  return words[static_cast<std::size_t>(failure)];
}

}  // namespace

std::string Fault::in_words() const {
  return "request " + std::to_string(number) + ", " + request.name + " " + request.path + ": " +
         words_of(failure);
}

std::vector<Request> read_requests(const fs::path& log, const fs::path& directory) {
  std::vector<Request> requests;
  std::istringstream lines(read_file(log));
  for (std::string line; std::getline(lines, line);) {
    const auto space = line.find(' ');
    const fs::path path = line.substr(space + 1);
    requests.push_back(
        {line.substr(0, space), path.empty() ? "" : path.lexically_relative(directory).string()});
  }
  return requests;
}

std::size_t step_through(std::size_t count, std::size_t sample) {
  // Odd, so not a divisor of the number of ways: the sample covers each request and each way.
  return takes_all() || count <= sample ? 1 : (count / sample) | 1;
}

std::vector<Request> for_each_fault(const Scenario& scenario) {
  Run first(scenario);
  first.whole();
  auto requests = first.requests();
  std::size_t done = 0;
  const auto run_with = [&](const Fault& fault, const Way& way) {
    ++done;
    SCOPED_TRACE(fault.in_words());
    Run run(scenario);
    run.with(fault, way.how);
    run.whole();
  };
  const std::size_t count = requests.size() * std::size(ways);
  const std::size_t step = step_through(count, sample);
  for (std::size_t i = 0; i < count && !testing::Test::HasFatalFailure(); ++i) {
    const Way& way = ways[i % std::size(ways)];
    const std::size_t number = i / std::size(ways);
    if (i % step != 0 && !(scenario.always && scenario.always(requests[number]))) continue;
    run_with({requests[number], number + 1, way.failure}, way);
  }
  // More than any run makes: their number differs with the threads.
  run_with({{"end", ""}, 2 * requests.size() + 1000, Failure::power_lost}, std::end(ways)[-1]);
  testing::Test::RecordProperty("requests", static_cast<int>(requests.size()));
  testing::Test::RecordProperty("faults", static_cast<int>(done));
  return requests;
}

}  // namespace tenon::tests
