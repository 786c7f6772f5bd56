// SPDX-License-Identifier: BSL-1.0
//
// The filter in a host of its own. PLUGIN is the path of its module.
#include <tenon/sdk/testing.hpp>

#include <gtest/gtest.h>
#include <photo/filter.hpp>

#include <cstdint>
#include <vector>

TEST(Fade, KeepsItsRadiusWhenItIsRestarted) {
  tenon::Host host(tenon::sdk::testing::options(PLUGIN));
  auto fade = host.create<photo::Filter>("me.example/fade", {{"radius", "2"}}).value();
  std::vector<std::uint8_t> pixels{0, 10, 20, 200};
  const std::uint8_t mask[] = {1};
  fade->apply({pixels.data(), pixels.size()}, 1, 1, 1.f, {mask, 1}).value();
  EXPECT_EQ(pixels, (std::vector<std::uint8_t>{0, 5, 10, 100}));
  host.restart("me.example/fade").value();
  fade->apply({pixels.data(), pixels.size()}, 1, 1, 1.f, {mask, 1}).value();
  EXPECT_EQ(pixels, (std::vector<std::uint8_t>{0, 2, 5, 50}));
}

TEST(Fade, NeedsAMask) {
  tenon::Host host(tenon::sdk::testing::options(PLUGIN));
  auto fade = host.create<photo::Filter>("me.example/fade").value();
  const auto applied = fade->apply({}, 0, 0, 1.f, {});
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.error().message(), "a mask is needed");
}
