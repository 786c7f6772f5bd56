// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tenon/abi.h>

#include <bench/counter/v2.h>
#include <benchmark/benchmark.h>

namespace tenon::bench {

/// Creates and destroys an instance of the first plugin of a module that a peer has loaded.
inline void create_and_destroy(benchmark::State& state, const tenon_module* module) {
  if (module == nullptr) return state.SkipWithError("there is no module object");
  const auto& registration = TENON_AT(tenon_registration, module->registrations, 0);
  const auto& counter = *static_cast<const bench_counter_v2*>(registration.table);
  tenon_create_request request{};
  request.struct_size = sizeof request;
  void* self = nullptr;
  if (counter.base->create(nullptr, &request, &self) != TENON_OK) {
    return state.SkipWithError("create failed");
  }
  counter.base->destroy(self);
}

}  // namespace tenon::bench
