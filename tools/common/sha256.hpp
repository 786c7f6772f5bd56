// SPDX-License-Identifier: BSL-1.0
//
// The SHA-256 of content that arrives in pieces.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "platform/sha256.hpp"

namespace tenon::tools {

/// Belongs to one thread at a time.
class Sha256 {
 public:
  void add(std::span<const std::uint8_t> piece) { state_.add(std::as_bytes(piece)); }
  void add(std::string_view piece) { state_.add(std::as_bytes(std::span(piece))); }
  /// Returns the hash of all pieces as 64 lowercase hexadecimal digits. REQUIRED: called once,
  /// last.
  std::string digits();

 private:
  platform::Sha256 state_;
};

}  // namespace tenon::tools
