// SPDX-License-Identifier: BSL-1.0
//
// Feeds bytes to the reader of stored positions. A valid file must round-trip; otherwise a problem
// must name the file.
#include <algorithm>

#include "fuzz/fuzzing.hpp"
#include "pipeline/position_store.hpp"

namespace {

using namespace pipeline;
using tenon::fuzzing::require;

PipelineState read_again(const std::filesystem::path& path) {
  Diagnostics findings;
  auto store = PositionStore::open(path, findings);
  require(store.has_value() && findings.empty());
  return store->state();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const tenon::fuzzing::Directory directory;
  const auto text = tenon::fuzzing::text_of(data, size);
  const auto path = directory.write("position.json", text);
  std::filesystem::permissions(path, std::filesystem::perms(0600));
  Diagnostics findings;
  PipelineState state;
  {
    auto store = PositionStore::open(path, findings);
    require(store.has_value());
    for (const auto& finding : findings.all()) {
      require(finding.location.file == path.string() && finding.location.line >= 0);
      require(finding.location.line <= 1 + std::count(text.begin(), text.end(), '\n'));
      require(!finding.code.empty() && !finding.message.empty() && !finding.fix.empty());
    }
    if (!findings.empty()) return 0;
    state = store->state();
    require(store->save().has_value());
  }
  require(read_again(path) == state);
  return 0;
}
