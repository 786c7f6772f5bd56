// SPDX-License-Identifier: BSL-1.0
//
// What it costs to learn from a file which plugins it holds, against touching the file at all.
#include "manifest/module_file.hpp"
#include "modules.hpp"

#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace tenon::bench {
namespace {

namespace fs = std::filesystem;

/// 500 modules in a folder that is gone at the end.
class Folder {
 public:
  Folder() : root_((fs::temp_directory_path() / "tenon-bench-XXXXXX").string()) {
    if (mkdtemp(root_.data()) == nullptr) std::abort();
    for (int i = 0; i < 500; i++) {
      files_.push_back(fs::path(root_) / ("plugin" + std::to_string(i) + ".so"));
      fs::copy_file(counter_v1, files_.back());
    }
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const fs::path& next() { return files_[at_++ % files_.size()]; }

 private:
  std::string root_;
  std::vector<fs::path> files_;
  std::size_t at_ = 0;
};

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
  char page[4096];
  for (auto _ : state) {
    const int file = open(folder.next().c_str(), O_RDONLY | O_CLOEXEC);
    if (pread(file, page, sizeof page, 0) <= 0) state.SkipWithError("pread");
    close(file);
    benchmark::DoNotOptimize(page);
  }
}
BENCHMARK(open_pread_close);

}  // namespace
}  // namespace tenon::bench
