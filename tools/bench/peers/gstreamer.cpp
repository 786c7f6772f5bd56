// SPDX-License-Identifier: BSL-1.0
//
// Finds an element in the registry of GStreamer.
#include <benchmark/benchmark.h>
#include <gst/gst.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace tenon::bench { namespace {

void find(benchmark::State& state) {
  setenv("GST_REGISTRY_DISABLE", "yes", 1);  // without the elements of the system
  gst_init(nullptr, nullptr);
  std::vector<std::string> names;
  for (int i = 0; i < state.range(0); ++i) {
    names.push_back("bench-example-" + std::to_string(i));
    gst_element_register(nullptr, names.back().c_str(), GST_RANK_NONE, GST_TYPE_BIN);
  }
  GstRegistry* registry = gst_registry_get();
  std::size_t at = 0;
  for (auto _ : state) {
    const char* name = names[at++ % names.size()].c_str();
    GstPluginFeature* found = gst_registry_find_feature(registry, name, GST_TYPE_ELEMENT_FACTORY);
    if (found == nullptr) return state.SkipWithError("an element is missing");
    gst_object_unref(found);
  }
}
BENCHMARK(find)->Arg(1000);

}}  // namespace tenon::bench
