// SPDX-License-Identifier: BSL-1.0
//
// Programs whose requests to the system fail, one after the other (see faulty.c). A scenario says
// how the world looks before the program runs, which program runs, and what must hold afterwards.
// It runs once to count the requests, and then once for each request and each way to fail.
//
//   for_each_fault({.prepare = [](World& world) { world.write("in.json", "{}"); },
//                   .command = {TENON, "convert", "--in-place", "in.json"},
//                   .check = [](World& world, const Outcome& run, const Fault& fault) { ... }});
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "framework/world.hpp"

namespace tenon::tests {

/// What a program asked of the system, eg: "rename" of "state/position.json".
struct Request {
  std::string name;
  std::string path;  // from the root of the world on; empty where it is not about a file
};

/// How a request fails: with an error of the system, with a part of what was asked for, or never
/// returns because the program was killed, or the machine lost power.
enum class Failure {
  no_room,
  broken_disk,
  no_descriptor,
  no_memory,
  interrupted,
  cut_short,
  killed,
  power_lost,
};

struct Fault {
  Request request;
  std::size_t number;  // of the request, from 1 on
  Failure failure;

  bool ends_the_program() const {
    return failure == Failure::killed || failure == Failure::power_lost;
  }
  /// For people, eg: "request 34, rename tenon.lock: no room"
  std::string in_words() const;
};

struct Scenario {
  std::function<void(World&)> prepare;
  std::vector<std::string> command;
  /// After a run in which a request failed. Nothing else has run since. Requests of
  /// programs that the check runs do not fail.
  std::function<void(World&, const Outcome&, const Fault&)> check;
  /// After a run in which nothing failed: the first one, and one that follows each fault.
  std::function<void(World&, const Outcome&)> check_whole;
  /// Selects requests that fail in each run, also if they are not in the sample. Empty: none.
  std::function<bool(const Request&)> always{};
};

/// The requests that faulty.c wrote to a log. Paths are those from the folder on.
std::vector<Request> read_requests(const std::filesystem::path& log,
                                   const std::filesystem::path& folder);

/// How far the next of `count` faults lies, of which about `sample` are to be taken: with
/// $TENON_FAULTS set to "all" each is.
std::size_t step_through(std::size_t count, std::size_t sample);

/// Runs a scenario with its faults: with $TENON_FAULTS set to "all" with each, else with a fixed
/// sample. Checks besides that no program ends by a signal of its own, that one that fails says
/// so, and that nothing of a kind `.tenon-*` stays behind unless the program was ended.
/// Returns the requests of the first run.
std::vector<Request> for_each_fault(const Scenario& scenario);

}  // namespace tenon::tests
