// SPDX-License-Identifier: BSL-1.0
//
// GModule of GLib, which finds the module object in the same file as tenon.
#include <gmodule.h>

#include "../modules.hpp"
#include "module_counter.hpp"

namespace tenon::bench { namespace {

void load_and_first_instance(benchmark::State& state) {
  for (auto _ : state) {
    GModule* file = g_module_open(counter_v2, G_MODULE_BIND_LOCAL);
    gpointer module = nullptr;
    if (file == nullptr || !g_module_symbol(file, "tenon_module_v1", &module)) {
      return state.SkipWithError(g_module_error());
    }
    create_and_destroy(state, static_cast<const tenon_module*>(module));
    g_module_close(file);
  }
}
BENCHMARK(load_and_first_instance)->MeasureProcessCPUTime();

}}  // namespace tenon::bench
