// SPDX-License-Identifier: BSL-1.0
//
// Feeds bytes as dpkg's database to both versions of the example plugin. Both must read the same
// records, and each must resume after a position of the other.
#include <tenon/host.hpp>
#include <tenon/source.hpp>

#include <optional>
#include <string>
#include <vector>

#include "fuzz/fuzzing.hpp"

// The build renames the module objects.
extern "C" const tenon_module dpkg_module_1;
extern "C" const tenon_module dpkg_module_2;

namespace {

using namespace tenon;
using fuzzing::require;

struct Reading {
  std::vector<RecordV2> records{};
  tenon_status ended = TENON_OK;

  bool operator==(const Reading& other) const = default;
};

/// Returns the records that a package reads after a position.
Reading read(Host& host, const char* package, const std::string& path,
             std::optional<BytesView> position) {
  auto source = host.create<Source>(package, {{"path", path}}).value();
  source->open(position).value();
  Reading reading;
  for (;;) {
    auto batch = source->read_batch(1, std::nullopt);
    if (!batch) {
      reading.ended = batch.error().status();
      require(reading.ended == TENON_OUT_OF_RANGE || reading.ended == TENON_DATA_LOSS);
      return reading;
    }
    require(batch->size() == 1);
    reading.records.push_back(std::move(batch->front()));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzzing::Directory directory;
  static Host host({.app = "", .builtins = {&dpkg_module_1, &dpkg_module_2}});
  constexpr const char* in_c = "example.io/dpkg@1.0.0";
  constexpr const char* in_cpp = "example.io/dpkg@2.0.0";
  const std::string path = directory.write("status", fuzzing::text_of(data, size));
  const Reading all = read(host, in_c, path, {});
  require(read(host, in_cpp, path, {}) == all);
  // Tests only some of many records.
  const std::size_t step = 1 + all.records.size() / 4;
  for (std::size_t i = 0; i < all.records.size(); i += step) {
    const auto rest = all.records.begin() + static_cast<std::ptrdiff_t>(i) + 1;
    const Reading expected{{rest, all.records.end()}, all.ended};
    const BytesView position(all.records[i].position);
    require(read(host, in_c, path, position) == expected);
    require(read(host, in_cpp, path, position) == expected);
  }
  return 0;
}
