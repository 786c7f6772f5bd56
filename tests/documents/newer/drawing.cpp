// SPDX-License-Identifier: BSL-1.0
//
// The hand-written step of test.example/drawing: a count in version 1 becomes a text in version 2.
// It does not handle fields that older programs preserved in the bag.
#include <test/drawing_steps.hpp>

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace test {

bool DrawingStep1To2::up(tenon::Conversion& conversion, const DrawingV1Storage& from,
                         DrawingV2Storage& to) {
  if (from.count != nullptr) {
    to.amount = conversion.make(conversion.copy(std::to_string(*from.count)));
  }
  return true;
}

bool DrawingStep1To2::down(tenon::Conversion& conversion, const DrawingV2Storage& from,
                           DrawingV1Storage& to) {
  static constexpr std::string_view versions[] = {"2", "3"};
  if (from.amount == nullptr) return true;
  const std::string_view text = tenon::text_of(*from.amount);
  std::int32_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  if (std::to_string(number) == text) {
    to.count = conversion.make(number);
  } else {
    tenon::push(conversion, to.bag, {"amount", "2", "string"}, versions, from.amount);
  }
  return true;
}

}  // namespace test
