// SPDX-License-Identifier: BSL-1.0
#include "base/text_index.hpp"

#include "base/random_number.hpp"
#include "base/sip_hash.hpp"

namespace tenon { inline namespace v0_1 {

std::size_t TextHash::operator()(std::string_view text) const noexcept {
  static const SipKey key{platform::random_number(), platform::random_number()};
  return sip_hash<1, 3>(key, text);
}

}}  // namespace tenon::v0_1
