// SPDX-License-Identifier: BSL-1.0
//
// What it costs to learn from a file which plugins it holds, against touching the file at all.
#include "folder.hpp"
#include "manifest/module_file.hpp"

#include <benchmark/benchmark.h>

namespace tenon::bench {
namespace {

void read_manifest(benchmark::State& state) {
  Folder folder;
  for (auto _ : state) {
    auto file = read_module_file(folder.next());
    if (!file) state.SkipWithError(file.error().to_string().c_str());
    benchmark::DoNotOptimize(file);
  }
}
BENCHMARK(read_manifest);

void open_pread_close(benchmark::State& state) {
  Folder folder;
  for (auto _ : state) read_page(state, folder.next());
}
BENCHMARK(open_pread_close);

}  // namespace
}  // namespace tenon::bench
