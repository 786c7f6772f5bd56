// SPDX-License-Identifier: BSL-1.0
//
// Unpacks the input. If that succeeds, packs the items again, and requires that the new archive
// unpacks to the same items.
#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "backup/archive_stream.hpp"
#include "backup/unpack_archive.hpp"
#include "fuzz/fuzzing.hpp"

namespace {

using namespace backup;
using tenon::fuzzing::require;

constexpr ArchiveLimits limits{.bytes = 1 << 20, .item_bytes = 1 << 16, .entries = 100};

class Input : public tenon::HostReader {
 public:
  explicit Input(std::string_view left) : left_(left) {}
  tenon::Result<std::size_t> read(tenon::Call&, std::span<std::uint8_t> into) override {
    const std::size_t count = std::min({left_.size(), into.size(), std::size_t{100}});
    std::copy_n(left_.data(), count, into.data());
    left_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view left_;
};

tenon::Result<Items> unpack(tenon::Reader archive) {
  static const tenon::fuzzing::Directory directory;
  tenon::Call call;
  return unpack_archive(std::move(archive), directory.path(), limits, call);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto items = unpack(std::make_unique<Input>(tenon::fuzzing::text_of(data, size)));
  if (!items) {
    require(!items.error().found().empty() || !items.error().where().empty());
    return 0;
  }
  ArchiveStream archive({.compression = Compression::zstd, .queue_bytes = limits.bytes * 2});
  for (std::size_t i = 0; i < items->size(); ++i) {
    require(archive.add(items->id(i), items->read(i).value()).has_value());
  }
  require(archive.finish().has_value());
  const auto again = unpack(archive.reader());
  require(again.has_value() && again->size() == items->size());
  for (std::size_t i = 0; i < items->size(); ++i) {
    require(again->id(i).name == items->id(i).name);
    require(again->read(i).value() == items->read(i).value());
  }
  return 0;
}
