// SPDX-License-Identifier: BSL-1.0
//
// What it costs to learn from a folder which modules there are, against touching the files at all.
#include "folder.hpp"

#include <benchmark/benchmark.h>
#include <tenon/host.hpp>

namespace tenon::bench {
namespace {

/// Of a host that knows the modules already.
void rescan(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  Folder folder(static_cast<int>(count));
  Host host({.app = "", .plugin_path = {folder.root()}});
  for (auto _ : state) host.rescan();
  if (host.registered().size() != count) state.SkipWithError("modules are missing");
}
BENCHMARK(rescan)->Arg(500)->Arg(2000);

void read_pages(benchmark::State& state) {
  Folder folder(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    for (const fs::path& file : folder.files()) read_page(state, file);
  }
}
BENCHMARK(read_pages)->Arg(500)->Arg(2000);

}  // namespace
}  // namespace tenon::bench
