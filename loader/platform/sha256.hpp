// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

namespace tenon { inline namespace v0_1 { namespace platform {

/// The SHA-256 hash of content that comes in pieces. Used by one thread at a time.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void add(std::span<const std::byte> content);
  /// Returns the hash. REQUIRED: called once, last.
  std::array<unsigned char, 32> finish();

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

}}}  // namespace tenon::v0_1::platform
