// SPDX-License-Identifier: BSL-1.0
//
// Measures the resolver. libsolv resolves the same packages if it is installed.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "package/resolver.hpp"
#include "packages.hpp"

#ifdef TENON_BENCH_LIBSOLV
#include "libsolv.h"
#endif

namespace tenon::bench { namespace {

using detail::Dependency;
using detail::Package;
using detail::Problem;
using detail::Repository;
using detail::Requirement;
using detail::resolve;
using detail::Version;

Dependency dependency(std::uint64_t name, const std::string& spec) {
  return {.name = name_of(name), .versions = Requirement::parse(spec).value()};
}

Repository repository(const Packages& packages) {
  Repository made;
  for (const Item& item : packages.items) {
    Package package = {.name = name_of(item.name),
                       .version = Version::parse(version_of(item.version)).value()};
    for (const VersionRange& range : item.requirements) {
      package.dependencies.push_back(dependency(range.name, text_of(range)));
    }
    made.add(std::move(package)).value();
  }
  return made;
}

void resolve_packages(benchmark::State& state, bool broken) {
  const auto there = repository(Packages(broken));
  Problem problem = {.roots = {{.name = "bench", .dependencies = {}}}};
  for (std::uint64_t name = 0; name < names; ++name) {
    problem.roots[0].dependencies.push_back(dependency(name, "*"));
  }
  for (auto _ : state) {
    auto resolution = resolve(there, problem);
    if (resolution.conflicts.empty() == broken) state.SkipWithError("wrong result");
    state.counters["versions"] = static_cast<double>(resolution.packages.size());
    benchmark::DoNotOptimize(resolution);
  }
}
BENCHMARK_CAPTURE(resolve_packages, whole, false);
BENCHMARK_CAPTURE(resolve_packages, broken, true);

void read_requirements(benchmark::State& state) {
  std::vector<std::string> texts;
  for (const Item& item : Packages(false).items) {
    for (const VersionRange& range : item.requirements) texts.push_back(text_of(range));
  }
  for (auto _ : state) {
    for (const std::string& text : texts) benchmark::DoNotOptimize(Requirement::parse(text));
  }
}
BENCHMARK(read_requirements);

#ifdef TENON_BENCH_LIBSOLV

libsolv* pool(const Packages& packages) {
  libsolv* made = libsolv_new();
  for (const Item& item : packages.items) {
    libsolv_add_package(made, name_of(item.name).c_str(), version_of(item.version).c_str());
    for (const VersionRange& range : item.requirements) {
      const auto high = version_of(range.high);
      libsolv_add_requirement(made, name_of(range.name).c_str(), version_of(range.low).c_str(),
                              range.high != 0 ? high.c_str() : nullptr);
    }
  }
  for (std::uint64_t name = 0; name < names; ++name) libsolv_want(made, name_of(name).c_str());
  return made;
}

void libsolv_packages(benchmark::State& state, bool broken) {
  const Packages packages(broken);
  for (auto _ : state) {
    state.PauseTiming();
    libsolv* there = pool(packages);  // a new one, because it caches look-ups
    state.ResumeTiming();
    const bool problems = libsolv_solve(there) > 0;
    state.PauseTiming();
    if (problems != broken) state.SkipWithError("wrong result");
    libsolv_free(there);
    state.ResumeTiming();
  }
}
BENCHMARK_CAPTURE(libsolv_packages, whole, false);
BENCHMARK_CAPTURE(libsolv_packages, broken, true);

#endif

}}  // namespace tenon::bench
