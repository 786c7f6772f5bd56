// SPDX-License-Identifier: BSL-1.0
//
// Feeds bytes to the reader of lock files. A valid lock must round-trip.
#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>

#include "fuzz/fuzzing.hpp"
#include "package/lock.hpp"

namespace {

using namespace tenon;
using namespace tenon::detail;
using fuzzing::require;

bool same(const LockedPackage& a, const LockedPackage& b) {
  const auto same_library = [](const LockedLibrary& x, const LockedLibrary& y) {
    return x.path == y.path && x.sha256 == y.sha256;
  };
  return a.name == b.name && total_order(a.version, b.version) == 0 && a.sha256 == b.sha256 &&
         a.source == b.source && std::ranges::equal(a.libraries, b.libraries, same_library);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzzing::Directory directory;
  static const auto file = directory.path() / "lock";
  const std::string_view input = fuzzing::text_of(data, size);
  const auto read = parse_lock(input, file);
  if (!read) {
    require(read.error().code() == "broken-lock" || read.error().code() == "version-too-new");
    require(!read.error().fix().empty());
    return 0;
  }
  require(write_lock_file(file, *read, "fuzz").has_value());
  const auto again = read_lock_file(file);
  require(again && again->size() == read->size());
  for (std::size_t i = 0; i < read->size(); ++i) require(same((*read)[i], (*again)[i]));
  return 0;
}
