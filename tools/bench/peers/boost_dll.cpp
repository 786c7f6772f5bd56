// SPDX-License-Identifier: BSL-1.0
//
// Boost.DLL, which finds the module object in the same file as tenon.
#include <boost/dll/import.hpp>

#include "../modules.hpp"
#include "module_counter.hpp"

namespace tenon::bench { namespace {

void load_and_first_instance(benchmark::State& state) {
  for (auto _ : state) {
    const auto module =
        boost::dll::import_symbol<const tenon_module>(counter_v2, "tenon_module_v1");
    create_and_destroy(state, module.get());
  }
}
BENCHMARK(load_and_first_instance)->MeasureProcessCPUTime();

}}  // namespace tenon::bench
