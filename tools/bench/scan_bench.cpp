// SPDX-License-Identifier: BSL-1.0
//
// Measures scanning a directory of modules, listing them, finding one by name, and resolving the
// versions of packages.
#include <tenon/host.hpp>

#include <bench/counter.hpp>
#include <benchmark/benchmark.h>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "directory.hpp"
#include "modules.hpp"
#include "packages.hpp"
#include "process.hpp"

namespace tenon::bench { namespace {

HostOptions options(const Directory& directory) {
  return {.app = "", .plugin_path = {directory.root()}};
}

void expect(benchmark::State& state, const Host& host, std::size_t count) {
  if (host.registered().size() != count) state.SkipWithError("modules are missing");
}

// -- Directories ------------------------------------------------------------------

/// A new host scans the directory.
void discover(benchmark::State& state) {
  const Directory& directory = numbered_directory(static_cast<int>(state.range(0)));
  expect(state, Host(options(directory)), directory.files().size());
  for (auto _ : state) Host host(options(directory));
}
BENCHMARK(discover)->Arg(500)->UseRealTime();

/// A host that knows the modules scans the directory again.
void rescan(benchmark::State& state) {
  const Directory& directory = numbered_directory(static_cast<int>(state.range(0)));
  Host host(options(directory));
  for (auto _ : state) host.rescan();
  expect(state, host, directory.files().size());
}
BENCHMARK(rescan)->Arg(500)->Arg(2000)->UseRealTime();

/// The index of the measured hosts and of `tenon`.
const Directory& cache() {
  static const Directory directory;
  setenv("XDG_CACHE_HOME", directory.root().c_str(), 1);
  return directory;
}
const Directory& cache_of_this_run = cache();

/// A new host scans a directory that is in the index, alone.
void discover_indexed(benchmark::State& state, const Directory& directory) {
  const HostOptions options{.app = directory.root().filename(), .plugin_path = {directory.root()}};
  directory.wait_until_settled();
  expect(state, Host(options), directory.files().size());
  for (auto _ : state) Host host(options);
}
void discover_flat_indexed(benchmark::State& state) {
  discover_indexed(state, numbered_directory(static_cast<int>(state.range(0))));
}
BENCHMARK(discover_flat_indexed)->Arg(500)->UseRealTime();
void discover_nested_indexed(benchmark::State& state) {
  discover_indexed(state, nested_directory(static_cast<int>(state.range(0))));
}
BENCHMARK(discover_nested_indexed)->Arg(500)->UseRealTime();
void discover_packages_indexed(benchmark::State& state) {
  discover_indexed(state, package_directory());
}
BENCHMARK(discover_packages_indexed)->UseRealTime();

/// Reads the status of each file below an open directory, and closes the directory.
std::size_t stat_below(int open_directory) {
  DIR* directory = fdopendir(open_directory);
  std::size_t files = 0;
  while (const dirent* entry = readdir(directory)) {
    if (entry->d_name[0] == '.') continue;
    constexpr int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    struct stat status;
    if (entry->d_type == DT_DIR) {
      files += stat_below(openat(dirfd(directory), entry->d_name, flags));
    } else if (fstatat(dirfd(directory), entry->d_name, &status, 0) == 0) {
      ++files;
    }
  }
  closedir(directory);
  return files;
}
void stat_files_of(benchmark::State& state, const Directory& directory) {
  for (auto _ : state) {
    const int root = open(directory.root().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (stat_below(root) != directory.files().size()) state.SkipWithError("files are missing");
  }
}
void stat_flat(benchmark::State& state) {
  stat_files_of(state, numbered_directory(static_cast<int>(state.range(0))));
}
BENCHMARK(stat_flat)->Arg(500)->UseRealTime();
void stat_nested(benchmark::State& state) {
  stat_files_of(state, nested_directory(static_cast<int>(state.range(0))));
}
BENCHMARK(stat_nested)->Arg(500)->UseRealTime();

void read_pages_of(benchmark::State& state, const Directory& directory) {
  for (auto _ : state) {
    for (const auto& file : directory.files()) read_page(state, file);
  }
}
void read_pages(benchmark::State& state) {
  read_pages_of(state, numbered_directory(static_cast<int>(state.range(0))));
}
BENCHMARK(read_pages)->Arg(500)->Arg(2000);

/// Parses each manifest into a JSON tree.
void parse_manifests_of(benchmark::State& state, const Directory& directory, const char* module) {
  const ManifestLocation manifest = find_manifest(module);
  std::string text(manifest.size, '\0');
  for (auto _ : state) {
    for (const auto& file : directory.files()) {
      read_page_and(state, file, [&](int open) {
        if (pread(open, text.data(), text.size(), manifest.offset) <= 0)
          state.SkipWithError("pread");
      });
      benchmark::DoNotOptimize(boost::json::parse(text));
    }
  }
}
void parse_manifests(benchmark::State& state) {
  parse_manifests_of(state, numbered_directory(static_cast<int>(state.range(0))), counter_numbered);
}
BENCHMARK(parse_manifests)->Arg(1)->Arg(500);

void list_process(benchmark::State& state) {
  const Directory& directory = numbered_directory(static_cast<int>(state.range(0)));
  directory.wait_until_settled();  // the first process writes the index
  run_process(state, {TENON, "list", "--plugin-path", directory.root()});
}
BENCHMARK(list_process)->Arg(500)->UseRealTime();

/// The same program without modules.
void start_process(benchmark::State& state) {
  run_process(state, {TENON, "--version"});
}
BENCHMARK(start_process)->UseRealTime();

void read_process(benchmark::State& state) {
  const Directory& directory = numbered_directory(static_cast<int>(state.range(0)));
  run_process(state, {READ_FILES, directory.root()});
}
BENCHMARK(read_process)->Arg(500)->UseRealTime();

// -- Names --------------------------------------------------------------------

std::vector<std::string> numbered_names(std::int64_t count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back(numbered_name(i));
  return names;
}

void find(benchmark::State& state) {
  const Host host(options(numbered_directory(static_cast<int>(state.range(0)))));
  const auto names = numbered_names(state.range(0));
  std::size_t at = 0;
  for (auto _ : state) {
    auto found = host.find<::bench::Counter>(names[at++ % names.size()]);
    if (!found) return state.SkipWithError(found.error().to_string().c_str());
    benchmark::DoNotOptimize(found);
  }
}
BENCHMARK(find)->Arg(1000);

/// The same with a hash table of shared_ptr.
void find_in_table(benchmark::State& state) {
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const noexcept {
      return std::hash<std::string_view>()(name);
    }
  };
  const auto names = numbered_names(state.range(0));
  std::unordered_map<std::string, std::shared_ptr<const std::string>, Hash, std::equal_to<>> table;
  for (const auto& name : names) table.emplace(name, std::make_shared<const std::string>(name));
  std::size_t at = 0;
  for (auto _ : state) {
    auto found = table.find(std::string_view(names[at++ % names.size()]))->second;
    benchmark::DoNotOptimize(found);
  }
}
BENCHMARK(find_in_table)->Arg(1000);

// -- Packages -----------------------------------------------------------------

void discover_packages(benchmark::State& state) {
  const Directory& directory = package_directory();
  expect(state, Host(options(directory)), directory.files().size());
  for (auto _ : state) Host host(options(directory));
}
BENCHMARK(discover_packages)->UseRealTime();

void read_pages_of_packages(benchmark::State& state) {
  read_pages_of(state, package_directory());
}
BENCHMARK(read_pages_of_packages);

void parse_manifests_of_packages(benchmark::State& state) {
  parse_manifests_of(state, package_directory(), packaged_module);
}
BENCHMARK(parse_manifests_of_packages);

void resolve_by_host(benchmark::State& state) {
  const Host host(options(package_directory()));
  std::vector<std::string> references;
  for (std::uint64_t name = 0; name < names; ++name) references.push_back(name_of(name));
  for (auto _ : state) {
    const ResolvedPackages resolved = host.resolve(references);
    if (resolved.packages.size() < names) return state.SkipWithError("packages are missing");
  }
}
BENCHMARK(resolve_by_host);

}}  // namespace tenon::bench
