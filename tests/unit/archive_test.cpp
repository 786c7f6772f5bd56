// SPDX-License-Identifier: BSL-1.0
//
// Archives of backups: unpacking returns the items that were added, tar can unpack them as well,
// and invalid archives are errors.
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <string>
#include <string_view>
#include <utility>

#include "backup/archive_path.hpp"
#include "backup/archive_stream.hpp"
#include "backup/unpack_archive.hpp"
#include "framework/world.hpp"
#include "unit/archives.hpp"
#include "unit/peak_memory.hpp"

namespace backup { namespace {

using namespace std::chrono_literals;
using tenon::ResourceIdV1;
using tenon::tests::Outcome;
using tenon::tests::World;

constexpr std::chrono::sys_seconds noon(1'700'000'000s);

class ArchiveTest : public testing::TestWithParam<Compression> {
 protected:
  tenon::Result<Items> unpack(std::string packed, const ArchiveLimits& limits = {}) {
    return unpack_archive(content(std::move(packed)), world_.root(), limits, call_);
  }
  /// Returns the error of unpacking, or "" if there is none.
  std::string failure(std::string packed, const ArchiveLimits& limits = {}) {
    const auto items = unpack(std::move(packed), limits);
    return items ? "" : items.error().to_string();
  }

  World world_;
  tenon::Call call_;
};

class Compressions : public ArchiveTest {};
INSTANTIATE_TEST_SUITE_P(All, Compressions, testing::Values(Compression::gzip, Compression::zstd),
                         [](const auto& info) {
                           return info.param == Compression::gzip ? "Gzip" : "Zstd";
                         });

TEST_P(Compressions, RoundTripKeepsEveryItem) {
  ArchiveStream archive({.compression = GetParam(), .time = noon, .queue_bytes = 100'000});
  auto packed = std::async([body = archive.reader()]() mutable { return all(body, 4096); });
  for (std::size_t i = 0; i < 10'000; ++i) ASSERT_TRUE(archive.add(nth_id(i), nth_json(i)));
  ASSERT_TRUE(archive.add("metadata/version", "1\n"));
  ASSERT_TRUE(archive.finish());
  const auto items = unpack(packed.get().value());
  ASSERT_TRUE(items) << items.error().to_string();
  ASSERT_EQ(items->size(), 10'000u);
  for (std::size_t i = 0; i < 10'000; ++i) {
    const auto index = items->find(nth_id(i));
    ASSERT_TRUE(index);
    EXPECT_EQ(items->read(*index).value(), nth_json(i));
    EXPECT_EQ(id_text(items->id(*index)), id_text(nth_id(i)));
  }
}

/// Packs and unpacks 100 MB at the same time.
TEST_P(Compressions, ArchiveIsStreamedInBoundedMemory) {
  const PeakMemory memory;
  ArchiveStream archive({.compression = GetParam(), .time = noon, .queue_bytes = 1 << 20});
  auto unpacked = std::async([&, body = archive.reader()]() mutable {
    return unpack_archive(std::move(body), world_.root(), {}, call_);
  });
  const std::string json = "\"" + std::string(9'998, 'x') + "\"";
  for (std::size_t i = 0; i < 10'000; ++i) ASSERT_TRUE(archive.add(nth_id(i), json));
  ASSERT_TRUE(archive.finish());
  EXPECT_EQ(unpacked.get().value().size(), 10'000u);
#if !SANITIZED  // sanitizers retain freed memory
  EXPECT_LT(memory.growth(), 40'000'000u);
#endif
}

TEST_P(Compressions, SameItemsProduceTheSameBytes) {
  const std::string once = pack({{nth_id(1), "{}"}, {nth_id(2), nth_json(2)}}, GetParam());
  EXPECT_EQ(once, pack({{nth_id(1), "{}"}, {nth_id(2), nth_json(2)}}, GetParam(), 1));
  EXPECT_EQ(unpack(once).value().size(), 2u);
}

/// Some bits have no effect, eg: the time in the header of gzip.
TEST_P(Compressions, ChangedByteNeverChangesAnItem) {
  const std::string packed = pack({{nth_id(1999), nth_json(1999)}}, GetParam());
  std::size_t escaped_for_display = 0;
  for (std::size_t i = 0; i < packed.size(); ++i) {
    std::string changed = packed;
    changed[i] ^= 1;
    const auto items = unpack(changed);
    if (!items) continue;
    ++escaped_for_display;
    ASSERT_EQ(items->size(), 1u) << "byte " << i;
    EXPECT_EQ(items->read(items->find(nth_id(1999)).value()).value(), nth_json(1999));
  }
  EXPECT_LT(escaped_for_display, 16u);
}

TEST_P(Compressions, TruncatedArchiveIsAnError) {
  const std::string packed = pack({{nth_id(1), nth_json(1)}}, GetParam());
  for (std::size_t size = 0; size < packed.size(); ++size) {
    const auto cut = unpack(packed.substr(0, size));
    ASSERT_FALSE(cut) << size << " bytes";
    EXPECT_EQ(cut.error().code(), "broken-archive");
  }
}

TEST_P(Compressions, EmptyArchiveUnpacksToNothing) {
  EXPECT_EQ(unpack(pack({}, GetParam())).value().size(), 0u);
}

TEST_P(Compressions, TarExtractsTheArchive) {
  const ResourceIdV1 umlaut = id("pods", "web", "\xc3\xa4");
  const ResourceIdV1 longest = id("pods", "", std::string(longest_name - 5, 'n'));
  world_.write("a.tar", pack({{umlaut, "{\"a\":1}"}, {longest, nth_json(3)}}, GetParam()));
  const std::string filter = GetParam() == Compression::gzip ? "--gzip" : "--zstd";
  const Outcome run = world_.run({"tar", "--extract", filter, "--file", "a.tar"});
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(world_.read("resources/pods/namespaces/web/\xc3\xa4.json"), "{\"a\":1}");
  EXPECT_EQ(world_.read(archive_path(longest)), nth_json(3));
  const Outcome list = world_.run({"tar", "--list", "--verbose", filter, "--numeric-owner",
                                   "--full-time", "--utc", "--file", "a.tar"});
  EXPECT_TRUE(list.out.starts_with("-rw-r--r-- 0/0               7 2023-11-14 22:13:20 "))
      << list.out;
}

}}  // namespace backup
