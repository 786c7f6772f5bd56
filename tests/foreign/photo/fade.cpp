// SPDX-License-Identifier: BSL-1.0
//
// A filter in C++ that keeps something between calls.
#include <photo/sdk/filter.hpp>

struct Fade : photo::sdk::FilterV1 {
  void configure(const tenon::sdk::Config& config) override { radius = config.get("radius", 3.f); }

  void apply(tenon::sdk::Buffer pixels, std::int32_t, std::int32_t, float strength) override {
    for (std::uint8_t& pixel : pixels) {
      pixel = static_cast<std::uint8_t>(static_cast<float>(pixel) * strength / radius);
    }
  }

  float radius = 3;
};

TENON_PLUGIN(Fade, "me.example/fade", "1.2.0",
             {"summary": "Fades to black", "properties": {"me.example/fade": {"menu": "Fade"}}});
