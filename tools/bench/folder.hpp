// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "modules.hpp"

#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace tenon::bench {

namespace fs = std::filesystem;

inline std::string content_of(const char* file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Modules with packages of their own, in a folder that is removed at the end: copies of one module
/// in which each name is replaced by another of the same length.
class Folder {
 public:
  explicit Folder(int count = 500)
      : root_((fs::temp_directory_path() / "tenon-bench-XXXXXX").string()) {
    if (mkdtemp(root_.data()) == nullptr) std::abort();
    std::string content = content_of(counter_numbered);
    std::string name = "bench.example/000000";
    for (int i = 0; i < count; i++) {
      const std::string number = std::to_string(i);
      std::string next = name;
      next.replace(next.size() - number.size(), number.size(), number);
      for (std::size_t at = 0; (at = content.find(name, at)) != std::string::npos;
           at += name.size()) {
        content.replace(at, name.size(), next);
      }
      name = std::move(next);
      files_.push_back(fs::path(root_) / ("plugin" + number + ".so"));
      std::ofstream(files_.back(), std::ios::binary) << content;
    }
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  fs::path root() const { return root_; }
  const std::vector<fs::path>& files() const { return files_; }
  const fs::path& next() { return files_[at_++ % files_.size()]; }

 private:
  std::string root_;
  std::vector<fs::path> files_;
  std::size_t at_ = 0;
};

/// Touches a file: the least that anybody does who reads it.
inline void read_page(benchmark::State& state, const fs::path& path) {
  char page[4096];
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (pread(file, page, sizeof page, 0) <= 0) state.SkipWithError("pread");
  close(file);
  benchmark::DoNotOptimize(page);
}

}  // namespace tenon::bench
