// SPDX-License-Identifier: BSL-1.0
//
// A library with a host and kinds of its own, for programs that load and unload it.
#include <tenon/host.hpp>

#include <test/counter.hpp>
#include <unistd.h>

#include <chrono>
#include <string>
#include <string_view>

#include "integration/host_echo.hpp"

namespace {

/// Calls a counter. Returns the error, or nullptr.
const char* add_one(tenon::Host& host) {
  static std::string error;
  auto counter = host.create<test::Counter>("counter");
  if (counter) {
    const auto sum = (*counter)->add(1);
    if (sum) return nullptr;
    error = sum.error().to_string();
  } else {
    error = counter.error().to_string();
  }
  return error.c_str();
}

}  // namespace

extern "C" {

/// Creates a host, calls a counter among the plugins in `directory`, and ends both. `hanging`: the
/// function of the counter that does not end, eg: "1:stop"; none if empty. Returns the error, or
/// nullptr.
__attribute__((visibility("default"))) const char* use_counter(const char* directory,
                                                               const char* hanging) {
  tenon::tests::host_echo_says = [hanging](std::string_view asking) {
    while (asking == hanging) pause();
    return std::string();
  };
  tenon::HostOptions options{
      .app = "", .plugin_path = {directory}, .builtins = {tenon::tests::host_echo()}};
  options.restart.drain_timeout = std::chrono::milliseconds(200);
  options.restart.step_timeout = std::chrono::milliseconds(200);
  tenon::Host host(options);
  return add_one(host);
}

/// Calls a counter of a host of the program.
__attribute__((visibility("default"))) const char* use_counter_of(tenon::Host* host) {
  return add_one(*host);
}
}
