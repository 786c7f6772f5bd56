// SPDX-License-Identifier: BSL-1.0
#include "platform/sha256.hpp"

#include <sodium/crypto_hash_sha256.h>

namespace tenon { inline namespace v0_1 { namespace platform {

struct Sha256::State : crypto_hash_sha256_state {};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  crypto_hash_sha256_init(state_.get());
}

Sha256::~Sha256() = default;

void Sha256::add(std::span<const std::byte> content) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(content.data());
  crypto_hash_sha256_update(state_.get(), bytes, content.size());
}

std::array<unsigned char, 32> Sha256::finish() {
  std::array<unsigned char, crypto_hash_sha256_BYTES> hash;
  crypto_hash_sha256_final(state_.get(), hash.data());
  return hash;
}

}}}  // namespace tenon::v0_1::platform
