// SPDX-License-Identifier: BSL-1.0
//
// The writer and the reader of an archive that is written while it is read. If one of them ends,
// the other is woken.
#include "backup/archive_stream.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "backup/archive_path.hpp"
#include "backup/unpack_archive.hpp"
#include "framework/world.hpp"
#include "unit/archives.hpp"

namespace backup { namespace {

using namespace std::chrono_literals;
using tenon::tests::eventually;

tenon::Error gone() {
  return tenon::Error({.status = TENON_UNAVAILABLE, .message = "the cluster is gone"});
}

/// Reads the first bytes of the archive, which consumes some entries.
void read_once(tenon::Reader& reader) {
  std::uint8_t buffer[16];
  ASSERT_GT(reader.read(buffer).value(), 0u);
}

TEST(ArchiveStream, FailsOnBothSidesIfAbandoned) {
  ArchiveStream archive({});
  tenon::Reader reader = archive.reader();
  ASSERT_TRUE(archive.add(nth_id(1), "{}"));
  archive.abandon(gone());
  archive.abandon(tenon::Error({.status = TENON_INTERNAL}));
  EXPECT_EQ(all(reader, 100).error().message(), "the cluster is gone");
  EXPECT_EQ(all(reader, 100).error().message(), "the cluster is gone");
  EXPECT_EQ(archive.add(nth_id(2), "{}").error().message(), "the cluster is gone");
  EXPECT_EQ(archive.finish().error().code(), "unavailable");
}

TEST(ArchiveStream, FailsIfUnfinished) {
  tenon::Reader reader;
  {
    ArchiveStream archive({});
    reader = archive.reader();
    ASSERT_TRUE(archive.add(nth_id(1), "{}"));
  }
  EXPECT_EQ(all(reader, 100).error().message(), "the archive was not finished");
}

TEST(ArchiveStream, WakesTheReaderIfAbandoned) {
  ArchiveStream archive({});
  auto read = std::async([body = archive.reader()]() mutable { return all(body, 100); });
  EXPECT_EQ(read.wait_for(0s), std::future_status::timeout);
  archive.abandon(gone());
  EXPECT_EQ(read.get().error().code(), "unavailable");
}

TEST(ArchiveStream, CannotBeAbandonedAfterFinish) {
  ArchiveStream archive({});
  auto read = std::async([body = archive.reader()]() mutable { return all(body, 100); });
  ASSERT_TRUE(archive.finish());
  archive.abandon(gone());
  EXPECT_TRUE(read.get());
}

TEST(ArchiveStream, WaitsForTheReaderIfTheQueueIsFull) {
  ArchiveStream archive({.queue_bytes = 1000});
  std::optional<tenon::Reader> reader = archive.reader();
  std::atomic<int> added = 0;
  auto adding = std::async([&]() -> tenon::Result<void> {
    while (true) {
      if (auto put = archive.add(nth_id(1), std::string(600, 'x')); !put) return put;
      ++added;
    }
  });
  EXPECT_TRUE(eventually([&] { return added == 1; }));
  read_once(*reader);  // makes room in the queue
  EXPECT_TRUE(eventually([&] { return added > 1; }));
  EXPECT_EQ(adding.wait_for(0s), std::future_status::timeout);
  reader.reset();
  const auto failed = adding.get();
  EXPECT_EQ(failed.error().code(), "aborted");
  EXPECT_EQ(failed.error().message(), "the archive is no longer read");
}

TEST(ArchiveStream, AcceptsItemsLargerThanTheQueue) {
  const std::string large(5'000'000, 'x');
  ArchiveStream archive({.queue_bytes = 10});
  auto read = std::async([body = archive.reader()]() mutable { return all(body, 100); });
  for (std::size_t i = 0; i < 3; ++i) ASSERT_TRUE(archive.add(nth_id(i), large));
  ASSERT_TRUE(archive.finish());
  EXPECT_TRUE(read.get());
}

TEST(ArchiveStream, ResumesAfterACancelledRead) {
  ArchiveStream archive({});
  tenon::Reader reader = archive.reader();
  tenon::Call call;
  std::uint8_t buffer[100];
  auto read = std::async([&] { return reader.read(call, buffer); });
  EXPECT_EQ(read.wait_for(0s), std::future_status::timeout);
  call.cancel();
  EXPECT_EQ(read.get().error().code(), "cancelled");
  call.reset();
  call.set_timeout(1ms);
  EXPECT_EQ(reader.read(call, buffer).error().code(), "deadline-exceeded");
  ASSERT_TRUE(archive.add(nth_id(1), "{}"));
  ASSERT_TRUE(archive.finish());
  EXPECT_TRUE(all(reader, 100));
}

TEST(ArchiveStream, ContinuesAfterABadId) {
  ArchiveStream archive({});
  EXPECT_EQ(archive.add(id("pods", "", "a/b"), "{}").error().to_string(),
            "error[bad-id] pods a/b: the resource cannot be stored in an archive\n"
            "   found   the name cannot be part of a path: it contains '/'\n"
            "   needed  1 to 253 bytes of UTF-8 without '/' and control characters\n"
            "   fix     correct the name");
  EXPECT_TRUE(archive.add(id("pods", "", "a"), "{}"));
}

TEST(ArchiveStream, ContinuesAfterAnItemThatIsTooLarge) {
  ArchiveStream archive({.limits = {.item_bytes = 10}});
  EXPECT_EQ(archive.add(nth_id(1), std::string(11, ' ')).error().to_string(),
            "error[item-too-large] the item is too large for an archive\n"
            "   found   11 bytes\n"
            "   needed  at most 10 bytes\n"
            "   fix     make the item smaller, or exclude it");
  EXPECT_FALSE(archive.failed());
  EXPECT_TRUE(archive.add(nth_id(1), std::string(10, ' ')));
  EXPECT_TRUE(archive.add("metadata/backup.json", std::string(11, ' ')));
  EXPECT_TRUE(archive.finish());
}

TEST(ArchiveStream, FailsOnBothSidesIfItIsTooLarge) {
  ArchiveStream archive({.limits = {.entries = 2}});
  tenon::Reader reader = archive.reader();
  ASSERT_TRUE(archive.add(nth_id(1), "{}"));
  ASSERT_TRUE(archive.add(nth_id(2), "{}"));
  const std::string says =
      "error[archive-too-large] the backup is too large for one archive\n"
      "   found   one more entry\n"
      "   needed  at most 2 entries\n"
      "   fix     create several backups, eg: one for each namespace";
  EXPECT_EQ(archive.add(nth_id(3), "{}").error().to_string(), says);
  EXPECT_TRUE(archive.failed());
  EXPECT_EQ(archive.finish().error().to_string(), says);
  EXPECT_EQ(all(reader, 100).error().message(), "the backup is too large for one archive");
}

/// Returns the archive of items whose names and contents have different lengths, or an error.
tenon::Result<std::string> pack_within(const ArchiveLimits& limits, std::size_t items) {
  ArchiveStream archive({.limits = limits});
  auto read = std::async([body = archive.reader()]() mutable { return all(body, 1000); });
  for (std::size_t i = 0; i < items; ++i) {
    if (auto added = archive.add(id("pods", "", std::string(i + 1, 'n')), std::string(i * 37, ' '));
        !added) {
      return std::move(added).error();
    }
  }
  if (auto finished = archive.finish(); !finished) return std::move(finished).error();
  return read.get();
}

TEST(ArchiveStream, HasTheLimitsOfTheReader) {
  const tenon::tests::World world;
  const std::size_t items = longest_name;  // some paths need an entry of their own
  const auto packed = pack_within({}, items).value();
  tenon::Call call;
  const auto unpacks = [&](std::uint64_t bytes) {
    const auto unpacked = unpack_archive(content(packed), world.root(), {.bytes = bytes}, call);
    return unpacked && unpacked->size() == items;
  };
  // The smallest limit that the reader accepts.
  std::uint64_t least = 0;
  for (std::uint64_t step = 1 << 30; step != 0; step /= 2) {
    if (!unpacks(least + step)) least += step;
  }
  ++least;
  EXPECT_TRUE(unpacks(least));
  EXPECT_TRUE(pack_within({.bytes = least}, items));
  EXPECT_EQ(pack_within({.bytes = least - 1}, items).error().code(), "archive-too-large");
}

TEST(ArchiveStream, AcceptsItemsFromSeveralThreads) {
  ArchiveStream archive({.compression = Compression::zstd, .queue_bytes = 1000});
  auto read = std::async([body = archive.reader()]() mutable { return all(body, 100); });
  std::vector<std::future<void>> adding;
  for (std::size_t thread = 0; thread < 4; ++thread) {
    adding.push_back(std::async([&archive, thread] {
      for (std::size_t i = 0; i < 200; ++i) archive.add(nth_id(thread * 200 + i), "{}").value();
    }));
  }
  for (auto& each : adding) each.get();
  archive.finish().value();
  EXPECT_GT(read.get().value().size(), 1000u);
}

}}  // namespace backup
