// SPDX-License-Identifier: BSL-1.0
//
// A plugin written like one of an author. painter.cpp builds it as a standalone plugin, the test as
// a builtin.
#pragma once

#include <test/sdk/paint.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

struct Painter : test::sdk::PaintV1 {
  Painter() : made_as(name()) {}

  void configure(const tenon::sdk::Config& config) override {
    radius = config.get("radius", 3.f);
    delay = config.get("delay", std::chrono::milliseconds(2));
    log.info("radius ", radius);
  }

  void fill(tenon::sdk::Buffer pixels, std::uint8_t value,
            std::optional<std::int64_t> limit) override {
    if (limit && *limit < 0) throw std::invalid_argument("a negative limit");
    std::size_t end = limit ? static_cast<std::size_t>(*limit) : pixels.size;
    for (std::size_t i = 0; i < end && i < pixels.size; ++i) pixels[i] = value;
  }

  std::vector<std::string> names(std::string_view begin) override {
    return {std::string(begin) + "a", made_as};
  }

  void pause(tenon::sdk::Duration time) override { call().wait(time); }

  std::string made_as;
  float radius = 0;
  tenon::sdk::Duration delay{};
};
