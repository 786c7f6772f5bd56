// SPDX-License-Identifier: BSL-1.0
//
// Byte sources, through which the readers of modules read files.
#include "binary/byte_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "framework/world.hpp"
#include "platform/file.hpp"

namespace tenon::detail { namespace {

/// Returns content without repeated sequences of a few bytes.
std::string content_of(std::size_t size) {
  std::string content;
  for (std::uint32_t i = 0; content.size() < size; ++i) content += std::to_string(i) + ",";
  content.resize(size);
  return content;
}

/// Returns the bytes at an offset, or the code of the error.
std::string read(ByteSource& source, std::uint64_t offset, std::size_t size) {
  std::string piece(size, '?');
  const auto done = source.read(offset, std::as_writable_bytes(std::span(piece)), "a piece");
  return done ? piece : std::string(done.error().code());
}

/// Returns the number of read system calls of this process.
int reads_of_process() {
  std::ifstream counters("/proc/self/io");
  std::string name;
  int value = 0;
  while (counters >> name >> value && name != "syscr:") {
  }
  return value;
}

TEST(ByteSources, ReturnTheContentOfTheFile) {
  const tests::World world;
  const std::string content = content_of(20000);
  const auto file = platform::File::open(world.write("file", content)).value();
  FileSource from_file(file);
  MemorySource from_memory("file", std::as_bytes(std::span(content)));
  const auto expect_piece = [&](std::uint64_t offset, std::size_t size) {
    const std::string expected = content.substr(offset, size);
    EXPECT_EQ(read(from_file, offset, size), expected) << offset << " " << size;
    EXPECT_EQ(read(from_memory, offset, size), expected) << offset << " " << size;
  };
  // Reads at the ends of cached blocks, inside them and across them, repeatedly.
  for (const std::size_t size : {0, 1, 7, 4095, 4096, 4097, 9000}) {
    for (const std::uint64_t offset : {0, 1, 4090, 4095, 4096, 4097, 8191, 8192, 10000}) {
      expect_piece(offset, size);
      expect_piece(0, 100);
    }
    expect_piece(content.size() - size, size);
  }
}

TEST(ByteSources, ReportReadsPastTheEnd) {
  const tests::World world;
  const std::string content = content_of(5000);
  const auto path = world.write("file", content);
  const auto file = platform::File::open(path).value();
  FileSource from_file(file);
  MemorySource from_memory("file", std::as_bytes(std::span(content)));
  for (ByteSource* source :
       {static_cast<ByteSource*>(&from_file), static_cast<ByteSource*>(&from_memory)}) {
    EXPECT_EQ(read(*source, 5000, 0), "");
    EXPECT_EQ(read(*source, 4999, 1), content.substr(4999));
    EXPECT_EQ(read(*source, 4999, 2), "truncated-file");
    EXPECT_EQ(read(*source, 5001, 0), "truncated-file");
    EXPECT_EQ(read(*source, ~std::uint64_t{0}, 2), "truncated-file");
  }
  // The file was truncated after it was opened.
  std::filesystem::resize_file(path, 100);
  FileSource shrunk(file);
  EXPECT_EQ(read(shrunk, 90, 10), content.substr(90, 10));
  EXPECT_EQ(read(shrunk, 90, 11), "truncated-file");
  EXPECT_EQ(read(shrunk, 4200, 10), "truncated-file");
  EXPECT_EQ(read(shrunk, 0, 5000), "truncated-file");
  // The file has grown after it was opened.
  std::filesystem::resize_file(path, 6000);
  FileSource grown(file);
  EXPECT_EQ(read(grown, 4990, 10), std::string(10, '\0'));
  EXPECT_EQ(read(grown, 4990, 11), "truncated-file");
}

TEST(ByteSources, CacheNearbyReads) {
  const tests::World world;
  const auto file = platform::File::open(world.write("file", content_of(20000))).value();
  FileSource source(file);
  const auto reads = [&](std::uint64_t offset, std::size_t size) {
    const int before = reads_of_process();
    const int unread = reads_of_process() - before;
    read(source, offset, size);
    return reads_of_process() - before - 2 * unread;
  };
  EXPECT_EQ(reads(0, 100), 1);
  EXPECT_EQ(reads(4000, 96), 0);
  EXPECT_EQ(reads(5000, 100), 1);
  EXPECT_EQ(reads(4096, 4096), 0);
  EXPECT_EQ(reads(0, 100), 0);      // the start stays cached
  EXPECT_EQ(reads(12280, 100), 1);  // across two blocks
  EXPECT_EQ(reads(12300, 4000), 0);
  EXPECT_EQ(reads(5000, 100), 1);  // only the last other block is cached
  EXPECT_EQ(reads(100, 10000), 1);
  EXPECT_EQ(reads(5000, 100), 0);
  EXPECT_EQ(reads(0, 0), 0);
}

}}  // namespace tenon::detail
