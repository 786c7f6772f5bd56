// SPDX-License-Identifier: BSL-1.0
//
// Fault injection into programs: their requests to the system fail one after the other (see
// faulty.c). A scenario defines the files before the program runs, the program, and the conditions
// afterwards. It runs once to count the requests, then once for each request and failure.
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

/// A request of a program to the system, eg: "rename" of "state/position.json".
struct Request {
  std::string name;
  std::string path;  // relative to the root of the world; empty if the request concerns no file
};

/// How a request fails: with an error of the system, with a part of the requested bytes, or by not
/// returning because the program was killed or the machine lost power.
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
  Request request;     // "end" if the machine lost power when the program ended
  std::size_t number;  // of the request, counted from 1
  Failure failure;

  bool is_after_the_end() const { return request.name == "end"; }
  bool ends_the_program() const {
    return (failure == Failure::killed || failure == Failure::power_lost) && !is_after_the_end();
  }
  /// For people, eg: "request 34, rename tenon.lock: no room"
  std::string in_words() const;
};

struct Scenario {
  std::function<void(World&)> prepare;
  std::vector<std::string> command;
  /// Called right after a run in which a request failed. Requests of programs that the check runs
  /// do not fail.
  std::function<void(World&, const Outcome&, const Fault&)> check;
  /// Called after a run in which nothing failed: the first one, and the one after each fault.
  std::function<void(World&, const Outcome&)> check_whole;
  /// Selects requests that are always tested, even if they are not in the sample. Empty: none.
  std::function<bool(const Request&)> always{};
};

/// Returns the requests that faulty.c wrote to a log. Paths are relative to `directory`.
std::vector<Request> read_requests(const std::filesystem::path& log,
                                   const std::filesystem::path& directory);

/// Returns the step through `count` faults that selects about `sample` of them, or 1 if
/// $TENON_FAULTS is "all".
std::size_t step_through(std::size_t count, std::size_t sample);

/// Runs a scenario with each fault if $TENON_FAULTS is "all", otherwise with a fixed sample, and
/// with a loss of power after the program ended. Also checks that no program crashes, that a
/// program that fails prints an error, and that no `.tenon-*` file is left unless the program was
/// killed. Returns the requests of the first run.
std::vector<Request> for_each_fault(const Scenario& scenario);

}  // namespace tenon::tests
