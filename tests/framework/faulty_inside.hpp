// SPDX-License-Identifier: BSL-1.0
//
// Requests of the test's own process that fail, one after the other, on whichever thread: those
// for files in a folder, threads, events, files in memory, and allocations with operator new. The
// program is linked with faulty.c (see tests/meson.build).
//
//   for_each_fault(world.root(), {.prepare = [&] { world.place(module); },
//                                 .run = [&] { host.emplace(options); },
//                                 .check = [&](const Fault* fault) { ... }});
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "framework/faulty.hpp"

namespace tenon::tests {

struct InsideScenario {
  std::function<void()> prepare;
  /// A request fails in it. std::bad_alloc may leave it.
  std::function<void()> run;
  /// After it nothing of the run is left: no file that was not there before `prepare`, descriptor,
  /// thread, or mapping of a file in the folder. nullptr: nothing failed, and nothing was thrown.
  std::function<void(const Fault*)> check;
};

/// Runs a scenario once, and then once for each request and way to fail: with $TENON_FAULTS set to
/// "all" for each, else for a fixed sample. Returns the requests of the first run.
std::vector<Request> for_each_fault(const std::filesystem::path& folder,
                                    const InsideScenario& scenario);

}  // namespace tenon::tests
