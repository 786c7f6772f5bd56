// SPDX-License-Identifier: BSL-1.0
//
// The registry of GStreamer: finds an element in it, and lists plugins by its file.
#include <benchmark/benchmark.h>
#include <gst/gst.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "../process.hpp"

namespace tenon::bench { namespace {

namespace fs = std::filesystem;

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

/// Writes copies of the plugin with other names of the same length.
void write_plugins(const fs::path& directory, int count) {
  std::ifstream stream(PLUGIN, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(stream), {}};
  std::string name = "bench-example-000000";
  for (int i = 0; i < count; ++i) {
    char next[32];
    std::snprintf(next, sizeof next, "bench-example-%06d", i);
    for (std::size_t at = 0; (at = content.find(name, at)) != content.npos; at += name.size())
      content.replace(at, name.size(), next);
    name = next;
    std::ofstream(directory / ("libgst" + name + ".so"), std::ios::binary) << content;
  }
}

/// A process that lists the elements of plugins that are in the file of the registry.
void list_process(benchmark::State& state) {
  std::string directory = (fs::temp_directory_path() / "tenon-bench-XXXXXX").string();
  if (mkdtemp(directory.data()) == nullptr) return state.SkipWithError("mkdtemp failed");
  const int count = static_cast<int>(state.range(0));
  write_plugins(directory, count);
  unsetenv("GST_REGISTRY_DISABLE");
  setenv("GST_REGISTRY", (directory + "/registry.bin").c_str(), 1);
  setenv("GST_PLUGIN_SYSTEM_PATH", "", 1);  // without the plugins of the system
  setenv("GST_PLUGIN_PATH", directory.c_str(), 1);
  const std::string lister = LISTER;
  // The first process loads the plugins, and writes the registry.
  const std::string complete =
      lister + " | grep -c bench-example- | grep -qx " + std::to_string(count);
  if (std::system(complete.c_str()) != 0) {
    state.SkipWithError("elements are missing");
  } else {
    run_process(state, {lister});
  }
  fs::remove_all(directory);
}
BENCHMARK(list_process)->Arg(500)->UseRealTime();

}}  // namespace tenon::bench
