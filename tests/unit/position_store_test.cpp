// SPDX-License-Identifier: BSL-1.0
//
// The lock of a stored position between two steps of another run.
#include "pipeline/position_store.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "framework/window.hpp"
#include "framework/world.hpp"

namespace pipeline { namespace {

using tenon::Result;
using tenon::tests::Window;
using tenon::tests::World;

TEST(PositionStore, IsNotOpenedWithALockThatWasRemoved) {
  const World world;
  const auto path = world.root() / "position.json";
  Diagnostics diagnostics;
  std::optional first = PositionStore::open(path, diagnostics).value();
  ASSERT_TRUE(first->save());
  std::optional<Result<PositionStore>> third;
  const Window window("position: opened", [&] {
    ASSERT_TRUE(first->remove());
    first.reset();
    third.emplace(PositionStore::open(path, diagnostics));
  });
  const auto second = PositionStore::open(path, diagnostics);
  ASSERT_TRUE(third && *third) << "it has a lock of its own";
  ASSERT_FALSE(second) << "both would save their positions";
  EXPECT_EQ(second.error().code(), "in-use");
}

}}  // namespace pipeline
