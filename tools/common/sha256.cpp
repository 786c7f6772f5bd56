// SPDX-License-Identifier: BSL-1.0
#include "common/sha256.hpp"

#include <sodium/utils.h>

#include <array>

namespace tenon::tools {

Sha256::Sha256() noexcept {
  crypto_hash_sha256_init(&state_);
}

void Sha256::add(std::span<const std::uint8_t> piece) noexcept {
  crypto_hash_sha256_update(&state_, piece.data(), piece.size());
}

std::string Sha256::digits() const {
  crypto_hash_sha256_state state = state_;
  std::array<unsigned char, crypto_hash_sha256_BYTES> hash;
  crypto_hash_sha256_final(&state, hash.data());
  std::array<char, 2 * crypto_hash_sha256_BYTES + 1> digits;
  return sodium_bin2hex(digits.data(), digits.size(), hash.data(), hash.size());
}

}  // namespace tenon::tools
