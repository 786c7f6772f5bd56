// SPDX-License-Identifier: BSL-1.0
#include "catalog/file_comparison.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "framework/world.hpp"

namespace tenon::tests { namespace {

using detail::FileComparison;

class FileComparisonTest : public testing::Test {
 protected:
  std::filesystem::path write(const char* name, const std::string& content) const {
    return world_.write(name, content);
  }

  World world_;
  FileComparison files_;
};

TEST_F(FileComparisonTest, FindsADifferenceInTheLastByte) {
  const std::string content(200'000, 'x');
  const auto a = write("a", content + "a");
  const auto b = write("b", content + "b");
  const auto c = write("c", content + "a");
  EXPECT_TRUE(files_.differ(a, b));
  EXPECT_FALSE(files_.differ(a, c));
  EXPECT_FALSE(files_.differ(a, a));
}

TEST_F(FileComparisonTest, FindsADifferenceInTheSize) {
  EXPECT_TRUE(files_.differ(write("a", "xx"), write("b", "x")));
}

TEST_F(FileComparisonTest, RereadsAFileOnlyIfItWasReplaced) {
  const auto a = write("a", "one");
  const auto b = write("b", "two");
  EXPECT_TRUE(files_.differ(a, b));
  EXPECT_TRUE(files_.differ(a, b));
  std::filesystem::remove(b);
  std::filesystem::copy_file(a, b);
  EXPECT_FALSE(files_.differ(a, b));
}

TEST_F(FileComparisonTest, DoesNotReadOversizedFiles) {
  const auto a = write("a", "a");
  const auto b = write("b", "b");
  std::filesystem::resize_file(a, (std::uintmax_t{1} << 30) + 1);
  std::filesystem::resize_file(b, (std::uintmax_t{1} << 30) + 1);
  EXPECT_FALSE(files_.differ(a, b)) << "hashing either file would take seconds";
  EXPECT_TRUE(files_.differ(a, write("c", "c")));
}

TEST_F(FileComparisonTest, ReturnsNothingForUnreadableFiles) {
  EXPECT_FALSE(files_.differ(write("a", "one"), world_.root() / "gone"));
}

}}  // namespace tenon::tests
