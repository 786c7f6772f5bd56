// SPDX-License-Identifier: BSL-1.0
//
// Writes items on several threads.
#include "backup/item_writers.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "framework/world.hpp"

namespace backup { namespace {

using tenon::tests::World;
using Written = RestoredDirectory::Written;

constexpr std::size_t count = 2000;  // many batches

class Writers : public testing::Test {
 protected:
  Writers() : directory_(world_.root() / "restored") { EXPECT_TRUE(directory_.lock()); }

  static ItemWrite item(std::size_t index, std::string name, std::string text = "{}") {
    return {.index = index,
            .id = {.resource = index % 2 == 0 ? "pods" : "services",
                   .in_namespace = "n" + std::to_string(index % 3),
                   .name = std::move(name)},
            .text = std::move(text),
            .existing = RestoredDirectory::Existing::keep,
            .source = {}};
  }
  std::string name_of(std::size_t index) const { return "i" + std::to_string(index); }

  World world_;
  RestoredDirectory directory_;
};

TEST_F(Writers, ReportEachItemInOrder) {
  std::vector<std::size_t> order;
  std::vector<std::size_t> failed;
  world_.write("restored/resources/services/namespaces/n1", "a file");
  ItemWriters writers(directory_, [&](const ItemWrite& write) {
    order.push_back(write.index);
    if (!write.written) {
      EXPECT_EQ(write.written.error().code(), "cannot-write");
      failed.push_back(write.index);
    } else {
      EXPECT_EQ(*write.written, Written::written);
      EXPECT_EQ(directory_.read(write.id), "[" + std::to_string(write.index) + "]\n");
    }
  });
  for (std::size_t i = 0; i < count; ++i) {
    writers.add(item(i, name_of(i), "[" + std::to_string(i) + "]"));
  }
  writers.finish();
  std::vector<std::size_t> all;
  std::vector<std::size_t> obstructed;
  for (std::size_t i = 0; i < count; ++i) {
    all.push_back(i);
    if (i % 6 == 1) obstructed.push_back(i);
  }
  EXPECT_EQ(order, all);
  EXPECT_EQ(failed, obstructed);
}

TEST_F(Writers, WriteOneFileOfSeveralItems) {
  std::size_t written = 0;
  std::size_t unchanged = 0;
  ItemWriters writers(directory_, [&](const ItemWrite& write) {
    ASSERT_TRUE(write.written);
    ++(*write.written == Written::written ? written : unchanged);
  });
  for (std::size_t i = 0; i < count; ++i) writers.add(item(0, "same"));
  writers.finish();
  EXPECT_EQ(written, 1u);
  EXPECT_EQ(unchanged, count - 1);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(world_.root()))
    files += entry.is_regular_file() ? 1 : 0;
  EXPECT_EQ(files, 1u);
}

TEST_F(Writers, MayBeFinishedAgain) {
  std::size_t taken = 0;
  ItemWriters writers(directory_, [&](const ItemWrite&) { ++taken; });
  writers.finish();
  writers.add(item(0, "a"));
  EXPECT_EQ(taken, 0u) << "one item is not worth a thread";
  writers.finish();
  writers.finish();
  EXPECT_EQ(taken, 1u);
}

}}  // namespace backup
