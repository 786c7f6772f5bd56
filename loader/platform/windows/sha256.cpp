// SPDX-License-Identifier: BSL-1.0
#include "platform/sha256.hpp"

#include <algorithm>
#include <cstdlib>

#include "platform/windows/system.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {
namespace {

/// Ends the program if a function fails: it does so only if memory is exhausted.
void check(NTSTATUS status) noexcept {
  if (status < 0) std::abort();
}

}  // namespace

struct Sha256::State {
  BCRYPT_ALG_HANDLE algorithm = nullptr;
  BCRYPT_HASH_HANDLE hash = nullptr;
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  check(BCryptOpenAlgorithmProvider(&state_->algorithm, BCRYPT_SHA256_ALGORITHM, nullptr, 0));
  check(BCryptCreateHash(state_->algorithm, &state_->hash, nullptr, 0, nullptr, 0, 0));
}

Sha256::~Sha256() {
  BCryptDestroyHash(state_->hash);
  BCryptCloseAlgorithmProvider(state_->algorithm, 0);
}

void Sha256::add(std::span<const std::byte> content) {
  constexpr std::size_t most = std::size_t{1} << 30;
  while (!content.empty()) {
    const auto piece = content.first(std::min(content.size(), most));
    // The function does not write to it.
    auto* bytes = const_cast<UCHAR*>(reinterpret_cast<const UCHAR*>(piece.data()));
    check(BCryptHashData(state_->hash, bytes, static_cast<ULONG>(piece.size()), 0));
    content = content.subspan(piece.size());
  }
}

std::array<unsigned char, 32> Sha256::finish() {
  std::array<unsigned char, 32> hash;
  check(BCryptFinishHash(state_->hash, hash.data(), hash.size(), 0));
  return hash;
}

}}}  // namespace tenon::v0_1::platform
