// SPDX-License-Identifier: BSL-1.0
//
// Measures calls through a handle, compared with calls of the same function through its raw pointer
// and through a shared_ptr, which other libraries use to guard calls. The callees are created here,
// see calls.hpp.
#include <memory>
#include <utility>

#include "calls.hpp"
#include "modules.hpp"
#include "raw_module.hpp"

namespace tenon::bench { namespace {

/// A host with one module, and an instance of its plugin.
template <class K>
struct Loaded {
  Host host;
  Handle<K> handle;

  Loaded(const char* module, const char* name, HostOptions options = {.app = ""})
      : host(with(module, std::move(options))), handle(host.create<K>(name).value()) {}

 private:
  static HostOptions with(const char* module, HostOptions options) {
    options.app = "bench";
    options.plugin_path = {module};
    return options;
  }
};
using Counter = Loaded<::bench::Counter>;
using Flow = Loaded<::bench::Flow>;

// -- Through handles ----------------------------------------------------------

void check(benchmark::State& state, const char* module) {
  Counter counter(module, counter_name);
  call_check(state, counter.handle);
}
BENCHMARK_CAPTURE(check, latest, counter_v2);
BENCHMARK_CAPTURE(check, older, counter_v1);
BENCHMARK_CAPTURE(check, sdk, counter_sdk);

void check_plain(benchmark::State& state) {
  Counter counter(counter_v2, counter_name);
  call_check_plain(state, counter.handle);
}
BENCHMARK(check_plain);

/// The costs of options of a host.
void check_counted(benchmark::State& state) {
  Counter counter(counter_v2, counter_name, {.app = "", .count_calls = true});
  call_check(state, counter.handle);
}
BENCHMARK(check_counted);
void check_contained(benchmark::State& state) {
  Counter counter(counter_v2, counter_name, {.app = "", .contain_crashes = true});
  call_check(state, counter.handle);
}
BENCHMARK(check_contained);

/// One instance, called by all threads.
void check_shared(benchmark::State& state) {
  static Counter counter(counter_v2, counter_name);
  call_check(state, counter.handle);
}
BENCHMARK(check_shared)->Threads(1)->Threads(2)->UseRealTime();

void next(benchmark::State& state) {
  Counter counter(counter_v2, counter_name);
  call_next(state, counter.handle);
}
BENCHMARK(next);

/// One instance. A restart cancels its method.
void next_blocking(benchmark::State& state) {
  static Flow flow(flow_module, flow_name);
  call_next(state, flow.handle);
}
BENCHMARK(next_blocking);
BENCHMARK(next_blocking)->Threads(2)->UseRealTime();

/// One instance, and a stream for each thread.
void read_stream(benchmark::State& state) {
  static Flow flow(flow_module, flow_name);
  Reader stream = flow.handle->open().value();
  call_read(state, stream);
}
BENCHMARK(read_stream);
BENCHMARK(read_stream)->Threads(2)->UseRealTime();

// -- Without a loader ---------------------------------------------------------

void check_pointer(benchmark::State& state) {
  const RawModule module(counter_v2);
  raw_check(state, module.vtable<bench_counter_v2>());
}
BENCHMARK(check_pointer);

/// The work of the SDK inside the module, without a host.
void check_by_hand_sdk(benchmark::State& state) {
  const RawModule module(counter_sdk);
  const auto& counter = module.vtable<bench_counter_v2>();
  Call call;
  tenon_create_request creation{};
  creation.struct_size = sizeof creation;
  void* self = nullptr;
  if (counter.base->create(call.raw(), &creation, &self) != TENON_OK) {
    return state.SkipWithError("create failed");
  }
  raw_check(state, counter, self);
  counter.base->destroy(self);
}
BENCHMARK(check_by_hand_sdk);

/// Adds parts of the work of the loader for a call.
void check_by_hand(benchmark::State& state,
                   void (*raw)(benchmark::State&, const bench_counter_v2&)) {
  const RawModule module(counter_v2);
  raw(state, module.vtable<bench_counter_v2>());
}
BENCHMARK_CAPTURE(check_by_hand, plain, raw_check_plain);
BENCHMARK_CAPTURE(check_by_hand, marked, raw_check_marked);
BENCHMARK_CAPTURE(check_by_hand, counted, raw_check_counted);

void next_pointer(benchmark::State& state) {
  const RawModule module(counter_v2);
  raw_next(state, module.vtable<bench_counter_v2>());
}
BENCHMARK(next_pointer);

/// Called by all threads. Unloaded afterwards, because other benchmarks measure loading.
std::unique_ptr<const RawModule> shared;
std::shared_ptr<const bench_counter_v2> shared_counter;

void load_shared(const benchmark::State&) {
  shared = std::make_unique<const RawModule>(counter_v2);
  shared_counter = {&shared->vtable<bench_counter_v2>(), [](const bench_counter_v2*) {}};
}
void unload_shared(const benchmark::State&) {
  shared_counter = nullptr;
  shared = nullptr;
}

void check_shared_pointer(benchmark::State& state) {
  raw_check(state, *shared_counter);
}
void next_shared_pointer(benchmark::State& state) {
  raw_next(state, *shared_counter);
}
void next_by_hand(benchmark::State& state) {
  raw_next_interruptible(state, *shared_counter);
}
void check_shared_ptr(benchmark::State& state) {
  raw_check(state, shared_counter);
}
void shared_by_one(benchmark::internal::Benchmark* benchmark) {
  benchmark->Setup(load_shared)->Teardown(unload_shared);
}
void shared_by_two(benchmark::internal::Benchmark* benchmark) {
  benchmark->Setup(load_shared)->Teardown(unload_shared)->Threads(2)->UseRealTime();
}
BENCHMARK(check_shared_pointer)->Apply(shared_by_two);
BENCHMARK(next_shared_pointer)->Apply(shared_by_two);
BENCHMARK(next_by_hand)->Apply(shared_by_one);
BENCHMARK(next_by_hand)->Apply(shared_by_two);
BENCHMARK(check_shared_ptr)->Apply(shared_by_one);
BENCHMARK(check_shared_ptr)->Apply(shared_by_two);

void read_pointer(benchmark::State& state) {
  const RawModule module(flow_module);
  raw_read(state, module.vtable<bench_flow_v1>());
}
BENCHMARK(read_pointer);

void read_by_hand(benchmark::State& state) {
  const RawModule module(flow_module);
  raw_read_alone(state, module.vtable<bench_flow_v1>());
}
BENCHMARK(read_by_hand);

}}  // namespace tenon::bench
