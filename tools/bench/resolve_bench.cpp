// SPDX-License-Identifier: BSL-1.0
//
// What it costs to find a version of everything: 1000 packages with 10 versions each, each of
// which requires 3 others. The same random packages are put to libsolv where that is installed.
#include "package/resolver.hpp"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#ifdef TENON_BENCH_LIBSOLV
#include "libsolv.h"
#endif

namespace tenon::bench {
namespace {

constexpr std::uint64_t names = 1000;
constexpr std::uint64_t versions = 10;

/// Versions of a name from `low` on, below `high` unless that is 10.
struct Wish {
  std::uint64_t name;
  std::uint64_t low;
  std::uint64_t high;
};

struct Item {
  std::uint64_t name;
  std::uint64_t version;
  std::vector<Wish> wishes;
};

std::string name_of(std::uint64_t name) {
  return "bench.example/package-" + std::to_string(name);
}

// 1.0.0 to 1.4.0, 2.0.0 to 2.4.0
std::string version_of(std::uint64_t version) {
  return std::to_string(1 + version / 5) + "." + std::to_string(version % 5) + ".0";
}

std::string text_of(const Wish& wish) {
  const auto low = ">=" + version_of(wish.low);
  return wish.high < versions ? low + ",<" + version_of(wish.high) : low;
}

/// Packages that are the same in every run. Of each name one version goes well with those of all
/// others, because libsolv gives everybody the same; what other versions require is as it comes.
/// Where they are broken, no version of the last name can be used, nor what requires one.
class Packages {
 public:
  explicit Packages(bool broken) {
    std::vector<std::uint64_t> good(names);
    for (auto& version : good) version = pick(versions);
    for (std::uint64_t name = 0; name < names; ++name) {
      for (std::uint64_t version = 0; version < versions; ++version) {
        items.push_back({.name = name, .version = version, .wishes = {}});
        for (int i = 0; i < 3; ++i) {
          const auto other = pick(names);
          const auto middle = version == good[name] ? good[other] : pick(versions);
          const auto low = middle - pick(middle + 1);
          const auto high = pick(2) == 0 ? versions : middle + 1 + pick(versions - middle);
          items.back().wishes.push_back({.name = other, .low = low, .high = high});
        }
        if (broken && name == names - 1) items.back().wishes[0].name = names;
      }
    }
  }

  std::vector<Item> items;

 private:
  std::uint64_t pick(std::uint64_t below) { return random_() % below; }

  std::mt19937_64 random_{1};
};

Need need(std::uint64_t name, const std::string& spec) {
  return {.name = name_of(name), .versions = Requirement::parse(spec).value()};
}

Repository repository(const Packages& packages) {
  Repository made;
  for (const Item& item : packages.items) {
    Package package = {.name = name_of(item.name),
                       .version = Version::parse(version_of(item.version)).value()};
    for (const Wish& wish : item.wishes) package.needs.push_back(need(wish.name, text_of(wish)));
    made.add(std::move(package)).value();
  }
  return made;
}

void resolve_packages(benchmark::State& state, bool broken) {
  const auto there = repository(Packages(broken));
  Question question = {.roots = {{.name = "bench", .needs = {}}}};
  for (std::uint64_t name = 0; name < names; ++name) {
    question.roots[0].needs.push_back(need(name, "*"));
  }
  for (auto _ : state) {
    auto answer = resolve(there, question);
    if (answer.unmet.empty() == broken) state.SkipWithError("wrong answer");
    state.counters["versions"] = static_cast<double>(answer.packages.size());
    benchmark::DoNotOptimize(answer);
  }
}
BENCHMARK_CAPTURE(resolve_packages, whole, false);
BENCHMARK_CAPTURE(resolve_packages, broken, true);

void read_requirements(benchmark::State& state) {
  std::vector<std::string> texts;
  for (const Item& item : Packages(false).items) {
    for (const Wish& wish : item.wishes) texts.push_back(text_of(wish));
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
    for (const Wish& wish : item.wishes) {
      const auto high = version_of(wish.high);
      libsolv_add_requirement(made, name_of(wish.name).c_str(), version_of(wish.low).c_str(),
                              wish.high < versions ? high.c_str() : nullptr);
    }
  }
  for (std::uint64_t name = 0; name < names; ++name) libsolv_want(made, name_of(name).c_str());
  return made;
}

void libsolv_packages(benchmark::State& state, bool broken) {
  const Packages packages(broken);
  for (auto _ : state) {
    state.PauseTiming();
    libsolv* there = pool(packages);  // a new one, as it remembers what it has looked up
    state.ResumeTiming();
    const bool problems = libsolv_solve(there) > 0;
    state.PauseTiming();
    if (problems != broken) state.SkipWithError("wrong answer");
    libsolv_free(there);
    state.ResumeTiming();
  }
}
BENCHMARK_CAPTURE(libsolv_packages, whole, false);
BENCHMARK_CAPTURE(libsolv_packages, broken, true);

#endif

}  // namespace
}  // namespace tenon::bench
