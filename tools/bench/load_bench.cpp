// SPDX-License-Identifier: BSL-1.0
//
// Measures loading a module with its first instance, restarting it, and creating instances,
// compared with dlopen of the same file.
#include <tenon/host.hpp>
#include <tenon/mutex.hpp>

#include <bench/counter.hpp>
#include <benchmark/benchmark.h>
#include <dlfcn.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "calls.hpp"
#include "modules.hpp"
#include "raw_module.hpp"

namespace tenon::bench { namespace {

void load_and_first_instance(benchmark::State& state) {
  Host host({.app = "bench", .plugin_path = {counter_v2}});
  for (auto _ : state) {
    auto counter = host.create<::bench::Counter>(counter_name);
    if (!counter) state.SkipWithError(counter.error().to_string().c_str());
  }
}
BENCHMARK(load_and_first_instance)->MeasureProcessCPUTime();

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

/// Loads a copy in memory, so that the file can be replaced. Returns nullptr if the benchmark
/// failed.
void* open_copy(benchmark::State& state) {
  const std::filesystem::path copy = "/dev/shm/tenon-bench-copy.so";
  std::filesystem::copy_file(counter_v2, copy, std::filesystem::copy_options::overwrite_existing);
  void* image = dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL);
  std::filesystem::remove(copy);
  if (image == nullptr || dlsym(image, "tenon_module_v1") == nullptr) {
    state.SkipWithError(dlerror());
    return nullptr;
  }
  return image;
}

void copy_dlopen_dlclose(benchmark::State& state) {
  for (auto _ : state) {
    void* image = open_copy(state);
    if (image == nullptr) break;
    dlclose(image);
  }
}
BENCHMARK(copy_dlopen_dlclose);

/// Replaces one copy by another. Loading and unloading run on threads that could be abandoned if a
/// function of the plugin hung.
void replace_by_hand(benchmark::State& state) {
  void* serving = open_copy(state);
  for (auto _ : state) {
    void* fresh = nullptr;
    std::thread([&] { fresh = open_copy(state); }).join();
    if (fresh == nullptr) break;
    std::swap(serving, fresh);
    std::thread([&] { dlclose(fresh); }).join();
  }
  if (serving != nullptr) dlclose(serving);
}
BENCHMARK(replace_by_hand)->UseRealTime();

/// A whole restart, and its parts as the host reports them: loading the new generation, and
/// draining, stopping and unloading the old one.
void restart(benchmark::State& state) {
  std::atomic<std::int64_t> loading{0};
  std::atomic<std::int64_t> draining{0};
  HostOptions options{.app = "bench", .plugin_path = {counter_v2}};
  options.on_event = [&](const Event& event) {
    if (event.type == Event::Type::restarted) loading += event.load_time.count();
    if (event.type == Event::Type::drained) draining += event.drain_time.count();
  };
  Host host(options);
  auto counter = host.create<::bench::Counter>(counter_name).value();
  for (auto _ : state) {
    if (!host.restart(counter_name)) state.SkipWithError("the restart failed");
  }
  const auto mean = benchmark::Counter::kAvgIterations;
  state.counters["loading"] = benchmark::Counter(static_cast<double>(loading), mean);
  state.counters["draining"] = benchmark::Counter(static_cast<double>(draining), mean);
}
BENCHMARK(restart)->UseRealTime();

/// Creates instances one after the other while range(0) others exist.
void create_call_destroy(benchmark::State& state) {
  Host host({.app = "bench", .plugin_path = {counter_v2}});
  std::vector<Handle<::bench::Counter>> others;
  for (auto i = state.range(0); i > 0; --i) {
    others.push_back(host.create<::bench::Counter>(counter_name).value());
  }
  create_check_destroy(state, host, counter_name);
}
BENCHMARK(create_call_destroy)->Arg(1)->Arg(10'000);

void create_call_destroy_pointer(benchmark::State& state) {
  const RawModule module(counter_v2);
  raw_create_check_destroy(state, module.vtable<bench_counter_v2>());
}
BENCHMARK(create_call_destroy_pointer);

/// Finds the module by its name under a lock, and keeps it loaded while an object exists.
void create_by_hand(benchmark::State& state) {
  struct Object {
    std::shared_ptr<const RawModule> module;
    void* self;
  };
  sync::Mutex mutex;
  std::unordered_map<std::string, std::shared_ptr<const RawModule>> modules;
  std::unordered_set<const Object*> objects;
  modules.emplace(counter_name, std::make_shared<const RawModule>(counter_v2));
  Call call;
  for (auto _ : state) {
    auto object = std::make_unique<Object>();
    {
      const sync::Lock lock(mutex);
      object->module = modules.find(counter_name)->second;
    }
    const auto& counter = object->module->vtable<bench_counter_v2>();
    tenon_create_request creation{};
    creation.struct_size = sizeof creation;
    if (counter.base->create(call.raw(), &creation, &object->self) != TENON_OK) {
      return state.SkipWithError("create failed");
    }
    {
      const sync::Lock lock(mutex);
      objects.insert(object.get());
    }
    const bench_counter_v2_check_request request = {sizeof request, 1};
    if (counter.check(call.raw(), object->self, &request) != TENON_OK) {
      return state.SkipWithError("check failed");
    }
    {
      const sync::Lock lock(mutex);
      objects.erase(object.get());
    }
    counter.base->destroy(object->self);
  }
}
BENCHMARK(create_by_hand);

}}  // namespace tenon::bench
