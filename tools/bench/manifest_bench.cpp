// SPDX-License-Identifier: BSL-1.0
//
// Measures reading the manifest of a file, compared with reading one page of the file.
#include <benchmark/benchmark.h>

#include <cstddef>

#include "directory.hpp"
#include "manifest/module_file.hpp"

namespace tenon::bench { namespace {

using detail::read_module_file;

constexpr int modules = 500;

void read_manifest(benchmark::State& state) {
  const auto& files = numbered_directory(modules).files();
  std::size_t at = 0;
  for (auto _ : state) {
    auto file = read_module_file(files[at++ % files.size()]);
    if (!file) state.SkipWithError(file.error().to_string().c_str());
    benchmark::DoNotOptimize(file);
  }
}
BENCHMARK(read_manifest);

void open_pread_close(benchmark::State& state) {
  const auto& files = numbered_directory(modules).files();
  std::size_t at = 0;
  for (auto _ : state) read_page(state, files[at++ % files.size()]);
}
BENCHMARK(open_pread_close);

}}  // namespace tenon::bench
