// SPDX-License-Identifier: BSL-1.0
//
// Fault injection into the process of the test: its requests fail one after the other, on any
// thread. Covers files in a directory, threads, eventfd, memfd, and allocations with operator new.
// The program is linked with faulty.c (see tests/meson.build).
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
  /// Runs with one failing request. May throw std::bad_alloc.
  std::function<void()> run;
  /// Must release everything: afterwards there is no new file, descriptor, thread, or mapping of a
  /// file in the directory. nullptr: nothing failed, and nothing was thrown.
  std::function<void(const Fault*)> check;
};

/// Runs a scenario once, then with each request and failure if $TENON_FAULTS is "all", otherwise
/// with a fixed sample of them. Returns the requests of the first run.
std::vector<Request> for_each_fault(const std::filesystem::path& directory,
                                    const InsideScenario& scenario);

}  // namespace tenon::tests
