// SPDX-License-Identifier: BSL-1.0
//
// QPluginLoader of Qt, with a library of its own format. It returns one instance for each library.
#include <benchmark/benchmark.h>

#include <QJsonObject>
#include <QPluginLoader>
#include <filesystem>
#include <string>
#include <vector>

#include "counter.hpp"

namespace tenon::bench { namespace {

namespace fs = std::filesystem;

void load_and_first_instance(benchmark::State& state) {
  for (auto _ : state) {
    QPluginLoader loader(PEER_COUNTER);
    auto* counter = dynamic_cast<Counter*>(loader.instance());
    if (counter == nullptr || !counter->check(1)) return state.SkipWithError("check failed");
    if (!loader.unload()) return state.SkipWithError("unload failed");
  }
}
BENCHMARK(load_and_first_instance)->MeasureProcessCPUTime();

/// Reads the metadata of libraries without loading them. Qt keeps none from one process to the
/// next.
void discover(benchmark::State& state) {
  std::string directory = (fs::temp_directory_path() / "tenon-bench-XXXXXX").string();
  if (mkdtemp(directory.data()) == nullptr) return state.SkipWithError("mkdtemp failed");
  std::vector<QString> files;
  for (int i = 0; i < state.range(0); ++i) {
    const fs::path file = fs::path(directory) / ("plugin" + std::to_string(i) + ".so");
    fs::copy_file(PEER_COUNTER, file);
    files.push_back(QString::fromStdString(file));
  }
  for (auto _ : state) {
    for (const QString& file : files) {
      if (QPluginLoader(file).metaData().isEmpty()) state.SkipWithError("no metadata was found");
    }
  }
  fs::remove_all(directory);
}
BENCHMARK(discover)->Arg(500)->UseRealTime();

}}  // namespace tenon::bench
