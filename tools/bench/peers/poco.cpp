// SPDX-License-Identifier: BSL-1.0
//
// Poco::ClassLoader, with a library of its own format.
#include <Poco/ClassLoader.h>
#include <benchmark/benchmark.h>

#include <memory>

#include "counter.hpp"

namespace tenon::bench { namespace {

void create_and_call(benchmark::State& state, Poco::ClassLoader<Counter>& loader) {
  const std::unique_ptr<Counter> counter(loader.create("PocoCounter"));
  if (!counter->check(1)) state.SkipWithError("check failed");
}

void load_and_first_instance(benchmark::State& state) {
  Poco::ClassLoader<Counter> loader;
  for (auto _ : state) {
    loader.loadLibrary(PEER_COUNTER);
    create_and_call(state, loader);
    loader.unloadLibrary(PEER_COUNTER);
  }
}
BENCHMARK(load_and_first_instance)->MeasureProcessCPUTime();

void create_call_destroy(benchmark::State& state) {
  Poco::ClassLoader<Counter> loader;
  loader.loadLibrary(PEER_COUNTER);
  for (auto _ : state) create_and_call(state, loader);
  loader.unloadLibrary(PEER_COUNTER);  // the destructor of the loader does not
}
BENCHMARK(create_call_destroy)->Arg(1);

}}  // namespace tenon::bench
