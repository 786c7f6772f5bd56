// SPDX-License-Identifier: BSL-1.0
//
// The SHA-256 of content that arrives in pieces.
#pragma once

#include <sodium/crypto_hash_sha256.h>

#include <cstdint>
#include <span>
#include <string>

namespace tenon::tools {

/// Belongs to one thread at a time.
class Sha256 {
 public:
  Sha256() noexcept;
  void add(std::span<const std::uint8_t> piece) noexcept;
  /// Returns the hash of all pieces as 64 lowercase hexadecimal digits.
  std::string digits() const;

 private:
  crypto_hash_sha256_state state_;
};

}  // namespace tenon::tools
