// SPDX-License-Identifier: BSL-1.0
//
// Directories of modules that are only read, not loaded.
#pragma once

#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tenon::bench {

/// A temporary directory with files. The destructor removes it.
class Directory {
 public:
  Directory();
  ~Directory();
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  /// Adds a file. `below`: its directory in this one; empty: this one.
  void add(const std::string& content, const std::filesystem::path& below = {});
  std::filesystem::path root() const { return root_; }
  const std::vector<std::filesystem::path>& files() const { return files_; }
  /// Waits until the files are so old that an index has them.
  void wait_until_settled() const;

 private:
  std::string root_;
  std::vector<std::filesystem::path> files_;
  std::chrono::steady_clock::time_point changed_;
};

/// Returns the name of a plugin of `numbered_directory` and of its package.
std::string numbered_name(int number);
/// Returns a directory with `count` modules, each of which is a package with one plugin. Created
/// once.
const Directory& numbered_directory(int count);
/// Returns one with the same modules, each in a directory of its version. Created once.
const Directory& nested_directory(int count);
/// Returns a directory with a module for each package of packages.hpp. Created once.
const Directory& package_directory();

/// The location of the manifest in the file of a module and in its copies, in bytes.
struct ManifestLocation {
  std::int64_t offset;
  std::size_t size;
};
ManifestLocation find_manifest(const char* module);

/// Opens a file, reads its first page, calls `then` with the descriptor, and closes the file.
template <class Then>
void read_page_and(benchmark::State& state, const std::filesystem::path& path, const Then& then) {
  char page[4096];
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (pread(file, page, sizeof page, 0) <= 0) state.SkipWithError("pread");
  then(file);
  close(file);
  benchmark::DoNotOptimize(page);
}
inline void read_page(benchmark::State& state, const std::filesystem::path& path) {
  read_page_and(state, path, [](int) {});
}

}  // namespace tenon::bench
