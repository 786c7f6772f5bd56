// SPDX-License-Identifier: BSL-1.0
#include "builtins.hpp"

#include <tenon/sdk/module.hpp>

#include <photo/sdk/filter.hpp>

namespace photo {
namespace {

struct Blacken : sdk::FilterV2 {
  void apply(tenon::sdk::Buffer pixels, std::int32_t, std::int32_t, float,
             tenon::BytesView) override {
    for (std::uint8_t& pixel : pixels) pixel = 0;
  }
};

}  // namespace

std::vector<const tenon_module*> builtins() {
  static const auto kit =
      tenon::sdk::Builtin("me.example/kit", "2.0.0",
                          R"({"properties": {"me.example/blacken": {"menu": "Blacken"}}})")
          .add<Blacken>("me.example/blacken");
  return {kit.module()};
}

}  // namespace photo
