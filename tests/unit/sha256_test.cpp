// SPDX-License-Identifier: BSL-1.0
#include "trust/sha256.hpp"

#include <tenon/file_hash.hpp>

#include <gtest/gtest.h>

#include <string>

#include "framework/world.hpp"

namespace tenon::detail { namespace {

std::string sha256(std::string_view text) {
  return detail::sha256(std::as_bytes(std::span(text)));
}

// The examples of FIPS 180-4.
TEST(Sha256, MatchesTheExamplesOfTheStandard) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Sha256, HashesTheContentOfAFile) {
  const tests::World world;
  // Sizes around that of the read buffer.
  for (const std::size_t size : {0, 1, 65535, 65536, 65537, 200000}) {
    SCOPED_TRACE(size);
    std::string content(size, '\0');
    for (std::size_t i = 0; i < size; ++i) content[i] = static_cast<char>(i * 31 >> 3);
    EXPECT_EQ(sha256_of_file(world.write("file", content)).value(), sha256(content));
  }
}

TEST(Sha256, ReportsUnreadableFiles) {
  const tests::World world;
  EXPECT_EQ(sha256_of_file(world.path("none")).error().code(), "not-found");
  EXPECT_EQ(sha256_of_file(world.root()).error().code(), "cannot-read");
}

}}  // namespace tenon::detail
