// SPDX-License-Identifier: BSL-1.0
//
// Converts looks between version 1, whose strength is a percentage, and version 2, whose strength
// is a fraction of 1. Version 1 gets a rounded percentage, and the exact strength is restored in
// version 2 unless the percentage was changed.
#include <photo/look_steps.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace photo {
namespace {

constexpr std::string_view version_2[] = {"2"};
constexpr tenon::BagField strength_2{"strength", "2", "float64"};

double part_of(std::int32_t percent) {
  return percent / 100.0;
}

/// Returns nothing if the strength is not a percentage.
std::optional<std::int32_t> percent_of(double part) {
  const double percent = std::round(part * 100);
  using Limits = std::numeric_limits<std::int32_t>;
  if (!(percent >= Limits::min() && percent <= Limits::max())) return std::nullopt;
  return static_cast<std::int32_t>(percent);
}

bool is_whole(double part) {
  const auto percent = percent_of(part);
  return percent && part_of(*percent) == part && !(part == 0 && std::signbit(part));
}

}  // namespace

bool LookStep1To2::up(tenon::Conversion& conversion, const LookV1Storage& from, LookV2Storage& to) {
  const double* exact = nullptr;
  if (!tenon::pull(conversion, to.bag, strength_2.name, strength_2.type, version_2, exact)) {
    return false;
  }
  const auto percent = exact != nullptr ? percent_of(*exact) : std::nullopt;
  if (from.strength == nullptr) {
    if (!percent) to.strength = exact;
  } else {
    to.strength = percent == *from.strength ? exact : conversion.make(part_of(*from.strength));
  }
  return true;
}

bool LookStep1To2::down(tenon::Conversion& conversion, const LookV2Storage& from,
                        LookV1Storage& to) {
  if (from.strength == nullptr) return true;
  if (const auto percent = percent_of(*from.strength)) to.strength = conversion.make(*percent);
  if (!is_whole(*from.strength)) {
    tenon::push(conversion, to.bag, strength_2, version_2, from.strength);
  }
  return true;
}

}  // namespace photo
