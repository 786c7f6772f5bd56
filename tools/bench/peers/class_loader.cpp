// SPDX-License-Identifier: BSL-1.0
//
// class_loader of ROS, with a library of its own format.
#include <benchmark/benchmark.h>
#include <class_loader/class_loader.hpp>

#include "counter.hpp"

namespace tenon::bench { namespace {

void create_and_call(benchmark::State& state, class_loader::ClassLoader& loader) {
  const auto counter = loader.createUniqueInstance<Counter>("RosCounter");
  if (!counter->check(1)) state.SkipWithError("check failed");
}

void load_and_first_instance(benchmark::State& state) {
  for (auto _ : state) {
    class_loader::ClassLoader loader(PEER_COUNTER);
    create_and_call(state, loader);
  }
}
BENCHMARK(load_and_first_instance)->MeasureProcessCPUTime();

void create_call_destroy(benchmark::State& state) {
  class_loader::ClassLoader loader(PEER_COUNTER);
  for (auto _ : state) create_and_call(state, loader);
}
BENCHMARK(create_call_destroy)->Arg(1);

}}  // namespace tenon::bench
