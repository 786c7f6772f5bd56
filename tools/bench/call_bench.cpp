// SPDX-License-Identifier: BSL-1.0
//
// What a call through a handle costs, against the same function called by its raw pointer and by a
// pointer that a shared_ptr keeps valid, as others guard their calls. The call is reset before each
// one in all of them, because that is how its arena is used.
#include "modules.hpp"

#include <bench/counter/v2.h>
#include <benchmark/benchmark.h>
#include <dlfcn.h>
#include <bench/counter.hpp>
#include <bench/flow.hpp>
#include <tenon/host.hpp>

#include <memory>

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

/// One instance, whose method a restart would interrupt.
void call_blocking(benchmark::State& state) {
  static Host host({.app = "bench", .plugin_path = {flow_module}});
  static auto flow = host.create<::bench::Flow>(flow_name).value();
  Call call;
  for (auto _ : state) {
    call.reset();
    auto next = flow->next(call, 1);
    benchmark::DoNotOptimize(next);
  }
}
BENCHMARK(call_blocking)->Threads(1)->Threads(2)->UseRealTime();

/// A stream for each thread, of one instance.
void read_stream(benchmark::State& state) {
  static Host host({.app = "bench", .plugin_path = {flow_module}});
  static auto flow = host.create<::bench::Flow>(flow_name).value();
  Reader stream = flow->open().value();
  Call call;
  std::uint8_t bytes[16];
  for (auto _ : state) {
    call.reset();
    auto got = stream.read(call, bytes);
    benchmark::DoNotOptimize(got);
  }
}
BENCHMARK(read_stream)->Threads(1)->Threads(2)->UseRealTime();

/// The module without any of tenon.
class RawCounter {
 public:
  RawCounter() : image_(dlopen(counter_v2, RTLD_NOW | RTLD_LOCAL)) {
    const auto* module = static_cast<const tenon_module*>(dlsym(image_, "tenon_module_v1"));
    const auto& registration = TENON_AT(tenon_registration, module->registrations, 0);
    table_ = static_cast<const bench_counter_v2*>(registration.table);
    benchmark::DoNotOptimize(table_);
  }
  ~RawCounter() { dlclose(image_); }
  RawCounter(const RawCounter&) = delete;
  RawCounter& operator=(const RawCounter&) = delete;

  std::int64_t next(Call& call, std::int64_t value) const {
    const bench_counter_v2_next_request request = {sizeof request, value};
    const bench_counter_v2_next_response* response = nullptr;
    const tenon_status status = table_->next(call.raw(), nullptr, &request, &response);
    return status == TENON_OK ? response->next : 0;
  }

 private:
  void* image_;
  const bench_counter_v2* table_;
};

void call_pointer(benchmark::State& state) {
  const RawCounter counter;
  Call call;
  for (auto _ : state) {
    call.reset();
    benchmark::DoNotOptimize(counter.next(call, 1));
  }
}
BENCHMARK(call_pointer);

/// Called by all threads; the first one makes it, before all begin, and ends it when all have
/// ended.
void call_shared_pointer(benchmark::State& state) {
  static std::unique_ptr<const RawCounter> counter;
  if (state.thread_index() == 0) counter = std::make_unique<RawCounter>();
  Call call;
  for (auto _ : state) {
    call.reset();
    benchmark::DoNotOptimize(counter->next(call, 1));
  }
  if (state.thread_index() == 0) counter = nullptr;
}
BENCHMARK(call_shared_pointer)->Threads(1)->Threads(2)->UseRealTime();

void call_shared_ptr(benchmark::State& state) {
  static std::shared_ptr<const RawCounter> counter;
  if (state.thread_index() == 0) counter = std::make_shared<RawCounter>();
  Call call;
  for (auto _ : state) {
    call.reset();
    const std::shared_ptr<const RawCounter> held = counter;
    benchmark::DoNotOptimize(held->next(call, 1));
  }
  if (state.thread_index() == 0) counter = nullptr;
}
BENCHMARK(call_shared_ptr)->Threads(1)->Threads(2)->UseRealTime();

}  // namespace
}  // namespace tenon::bench
