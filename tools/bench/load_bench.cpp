// SPDX-License-Identifier: BSL-1.0
//
// What it costs to load a module and to make its first instance, against the system's own loading
// of the same file.
#include "modules.hpp"

#include <benchmark/benchmark.h>
#include <dlfcn.h>
#include <bench/counter.hpp>
#include <tenon/host.hpp>

namespace tenon::bench {
namespace {

void load_and_first_instance(benchmark::State& state) {
  Host host({.app = "bench", .plugin_path = {counter_v2}});
  for (auto _ : state) {
    auto counter = host.create<::bench::Counter>(counter_name);
    if (!counter) state.SkipWithError(counter.error().to_string().c_str());
  }
}
BENCHMARK(load_and_first_instance);

void dlopen_dlsym_dlclose(benchmark::State& state) {
  for (auto _ : state) {
    void* image = dlopen(counter_v2, RTLD_NOW | RTLD_LOCAL);
    if (image == nullptr || dlsym(image, "tenon_module_v1") == nullptr) {
      state.SkipWithError(dlerror());
      break;
    }
    dlclose(image);
  }
}
BENCHMARK(dlopen_dlsym_dlclose);

void create_and_destroy(benchmark::State& state) {
  Host host({.app = "bench", .plugin_path = {counter_v2}});
  auto keeps_it_loaded = host.create<::bench::Counter>(counter_name).value();
  for (auto _ : state) {
    auto counter = host.create<::bench::Counter>(counter_name);
    benchmark::DoNotOptimize(counter);
  }
}
BENCHMARK(create_and_destroy);

}  // namespace
}  // namespace tenon::bench
