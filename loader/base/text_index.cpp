// SPDX-License-Identifier: BSL-1.0
#include "base/text_index.hpp"

#include <sodium/randombytes.h>

#include "base/sip_hash.hpp"

namespace tenon { inline namespace v0_1 {
namespace {

SipKey random_key() {
  SipKey key;
  randombytes_buf(key.data(), sizeof key);
  return key;
}

}  // namespace

std::size_t TextHash::operator()(std::string_view text) const noexcept {
  static const SipKey key = random_key();
  return sip_hash<1, 3>(key, text);
}

}}  // namespace tenon::v0_1
