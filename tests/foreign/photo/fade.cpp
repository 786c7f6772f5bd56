// SPDX-License-Identifier: BSL-1.0
//
// A filter in C++ that keeps state between calls.
#include <photo/sdk/filter.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>

struct Fade : photo::sdk::FilterV2 {
  void configure(const tenon::sdk::Config& config) override { radius = config.get("radius", 3.f); }

  void apply(tenon::sdk::Buffer pixels, std::int32_t, std::int32_t, float strength,
             tenon::BytesView mask) override {
    if (mask.size() == 0) throw std::invalid_argument("a mask is needed");
    for (std::uint8_t& pixel : pixels) {
      pixel = static_cast<std::uint8_t>(static_cast<float>(pixel) * strength / radius);
    }
  }

  std::string describe() override { return "fades to black"; }

  float radius = 3;
};

TENON_PLUGIN(Fade, "me.example/fade", "1.2.0",
             {"summary": "Fades to black", "properties": {"me.example/fade": {"menu": "Fade"}}});
