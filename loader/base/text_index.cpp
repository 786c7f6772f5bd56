// SPDX-License-Identifier: BSL-1.0
#include "base/text_index.hpp"

#include <sodium/crypto_shorthash.h>

#include <array>

namespace tenon { inline namespace v0_1 {
namespace {

struct Key {
  Key() { crypto_shorthash_keygen(bytes.data()); }

  std::array<unsigned char, crypto_shorthash_KEYBYTES> bytes;
};

}  // namespace

std::size_t TextHash::operator()(std::string_view text) const noexcept {
  static const Key key;
  std::size_t hash = 0;
  static_assert(sizeof hash == crypto_shorthash_BYTES);
  crypto_shorthash(reinterpret_cast<unsigned char*>(&hash),
                   reinterpret_cast<const unsigned char*>(text.data()), text.size(),
                   key.bytes.data());
  return hash;
}

}}  // namespace tenon::v0_1
