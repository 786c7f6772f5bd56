// SPDX-License-Identifier: BSL-1.0
//
// The hand-written step of test.example/album: a number in version 1 becomes a text in version 2.
#include <test/album_steps.hpp>

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace test {
namespace {

constexpr tenon::BagField amount_2{"amount", "2", "string"};
constexpr std::string_view version_2[] = {"2"};

}  // namespace

bool AlbumStep1To2::up(tenon::Conversion& conversion, const AlbumV1Storage& from,
                       AlbumV2Storage& to) {
  if (!tenon::pull(conversion, to.bag, "amount", "string", version_2, to.amount)) return false;
  if (from.count == nullptr || to.amount != nullptr) return true;
  to.amount = conversion.make(conversion.copy(std::to_string(*from.count)));
  return true;
}

bool AlbumStep1To2::down(tenon::Conversion& conversion, const AlbumV2Storage& from,
                         AlbumV1Storage& to) {
  if (from.amount == nullptr) return true;
  const std::string_view text = tenon::text_of(*from.amount);
  std::int32_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  if (std::to_string(number) == text) {
    to.count = conversion.make(number);
  } else {
    tenon::push(conversion, to.bag, amount_2, version_2, from.amount);
  }
  return true;
}

}  // namespace test
