// SPDX-License-Identifier: BSL-1.0
//
// What a call through a handle costs, against the same function called by its raw pointer. The call
// is reset before each one in both, because that is how its arena is used.
#include "modules.hpp"

#include <bench/counter/v2.h>
#include <benchmark/benchmark.h>
#include <dlfcn.h>
#include <bench/counter.hpp>
#include <tenon/host.hpp>

namespace tenon::bench {
namespace {

void call_in(benchmark::State& state, HostOptions options, const char* module) {
  options.app = "bench";
  options.plugin_path = {module};
  Host host(options);
  auto counter = host.create<::bench::Counter>(counter_name).value();
  Call call;
  for (auto _ : state) {
    call.reset();
    auto next = counter->next(call, 1);
    benchmark::DoNotOptimize(next);
  }
}

void call_handle(benchmark::State& state, const char* module) {
  call_in(state, {.app = ""}, module);
}
BENCHMARK_CAPTURE(call_handle, latest, counter_v2);
BENCHMARK_CAPTURE(call_handle, older, counter_v1);

/// What hosts pay that ask for more than calls.
void call_counted(benchmark::State& state) {
  call_in(state, {.app = "", .count_calls = true}, counter_v2);
}
BENCHMARK(call_counted);
void call_contained(benchmark::State& state) {
  call_in(state, {.app = "", .contain_crashes = true}, counter_v2);
}
BENCHMARK(call_contained);

/// One instance, called by all threads.
void call_shared_handle(benchmark::State& state) {
  static Host host({.app = "bench", .plugin_path = {counter_v2}});
  static auto counter = host.create<::bench::Counter>(counter_name).value();
  Call call;
  for (auto _ : state) {
    call.reset();
    auto next = counter->next(call, 1);
    benchmark::DoNotOptimize(next);
  }
}
BENCHMARK(call_shared_handle)->Threads(1)->Threads(2)->UseRealTime();

void call_pointer(benchmark::State& state) {
  void* image = dlopen(counter_v2, RTLD_NOW | RTLD_LOCAL);
  const auto* module = static_cast<const tenon_module*>(dlsym(image, "tenon_module_v1"));
  const auto& registration = TENON_AT(tenon_registration, module->registrations, 0);
  const auto* table = static_cast<const bench_counter_v2*>(registration.table);
  benchmark::DoNotOptimize(table);
  Call call;
  for (auto _ : state) {
    call.reset();
    const bench_counter_v2_next_request request = {sizeof request, 1};
    const bench_counter_v2_next_response* response = nullptr;
    const tenon_status status = table->next(call.raw(), nullptr, &request, &response);
    if (status != TENON_OK) state.SkipWithError("next failed");
    benchmark::DoNotOptimize(response->next);
  }
  dlclose(image);
}
BENCHMARK(call_pointer);

}  // namespace
}  // namespace tenon::bench
