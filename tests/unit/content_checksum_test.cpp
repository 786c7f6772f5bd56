// SPDX-License-Identifier: BSL-1.0
//
// The checksum of what a source has read.
#include <tenon/sdk/content_checksum.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace tenon::tests { namespace {

using sdk::ContentChecksum;

std::string content_of(std::size_t size) {
  std::mt19937 random(7);
  std::string content(size, '\0');
  for (char& c : content) c = static_cast<char>(random());
  return content;
}

std::uint64_t sum_before(std::string_view content, std::size_t offset) {
  return ContentChecksum::before(
             offset, [&](std::uint64_t at, std::uint64_t size) { return content.substr(at, size); })
      .value();
}

TEST(ContentChecksum, IsTheSameWhetherItIsReadAtOnceOrInPieces) {
  const std::string content = content_of(300000);
  std::mt19937 random(8);
  ContentChecksum sum;
  EXPECT_EQ(sum.value(), sum_before(content, 0));
  std::size_t offset = 0;
  for (const std::size_t end :
       {65535u, 65536u, 65537u, 65545u, 131071u, 131072u, 131073u, 299999u}) {
    while (offset < end) {
      const std::size_t size = std::min<std::size_t>(random() % 3000, end - offset);
      sum.add(std::string_view(content).substr(offset, size));
      offset += size;
    }
    EXPECT_EQ(sum.value(), sum_before(content, offset)) << offset;
  }
  ContentChecksum resumed = ContentChecksum::before(
      200000, [&](std::uint64_t at, std::uint64_t size) { return content.substr(at, size); });
  resumed.add(std::string_view(content).substr(200000, 99999));
  EXPECT_EQ(resumed.value(), sum.value());
}

TEST(ContentChecksum, ChangesWithEachByteOfBothParts) {
  std::string content = content_of(200003);
  const std::uint64_t before = sum_before(content, content.size());
  for (const std::size_t at : {0u, 1u, 7u, 8u, 65535u, 134467u, 134472u, 200000u, 200002u}) {
    for (const int bit : {0, 7}) {
      content[at] = static_cast<char>(content[at] ^ (1 << bit));
      EXPECT_NE(sum_before(content, content.size()), before) << at;
      content[at] = static_cast<char>(content[at] ^ (1 << bit));
    }
  }
  EXPECT_EQ(sum_before(content, content.size()), before);
}

TEST(ContentChecksum, ChangesWithTheSize) {
  const std::string zeros(70000, '\0');
  EXPECT_NE(sum_before(zeros, 1), sum_before(zeros, 2));
  EXPECT_NE(sum_before(zeros, 69999), sum_before(zeros, 70000));
  EXPECT_NE(sum_before(zeros.substr(0, 1000), 70000), sum_before(zeros, 70000));
}

TEST(Checksum, DistinguishesTexts) {
  EXPECT_EQ(sdk::checksum("a"), sdk::checksum("a"));
  EXPECT_NE(sdk::checksum("a"), sdk::checksum("b"));
  EXPECT_NE(sdk::checksum(""), sdk::checksum(std::string_view("\0", 1)));
}

}}  // namespace tenon::tests
