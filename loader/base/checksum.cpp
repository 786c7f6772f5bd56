// SPDX-License-Identifier: BSL-1.0
#include "base/checksum.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

namespace tenon { inline namespace v0_1 {
namespace {

constexpr std::uint64_t prime_1 = 0x9e3779b185ebca87;
constexpr std::uint64_t prime_2 = 0xc2b2ae3d27d4eb4f;
constexpr std::uint64_t prime_3 = 0x165667b19e3779f9;
constexpr std::uint64_t prime_4 = 0x85ebca77c2b2ae63;
constexpr std::uint64_t prime_5 = 0x27d4eb2f165667c5;

template <class Number>
Number take(std::string_view& bytes) noexcept {
  static_assert(std::endian::native == std::endian::little);
  Number number;
  std::memcpy(&number, bytes.data(), sizeof number);
  bytes.remove_prefix(sizeof number);
  return number;
}

std::uint64_t round(std::uint64_t lane, std::uint64_t input) noexcept {
  return std::rotl(lane + input * prime_2, 31) * prime_1;
}

std::uint64_t merge(std::uint64_t hash, std::uint64_t lane) noexcept {
  return (hash ^ round(0, lane)) * prime_1 + prime_4;
}

/// Takes whole stripes of 32 bytes.
std::uint64_t hash_of_stripes(std::string_view& bytes) noexcept {
  std::array<std::uint64_t, 4> lanes = {prime_1 + prime_2, prime_2, 0, 0 - prime_1};
  while (bytes.size() >= 32) {
    for (std::uint64_t& lane : lanes) lane = round(lane, take<std::uint64_t>(bytes));
  }
  std::uint64_t hash = std::rotl(lanes[0], 1) + std::rotl(lanes[1], 7) + std::rotl(lanes[2], 12) +
                       std::rotl(lanes[3], 18);
  for (const std::uint64_t lane : lanes) hash = merge(hash, lane);
  return hash;
}

}  // namespace

std::uint64_t checksum(std::string_view bytes) noexcept {
  const std::uint64_t size = bytes.size();
  std::uint64_t hash = (size >= 32 ? hash_of_stripes(bytes) : prime_5) + size;
  while (bytes.size() >= 8) {
    hash = std::rotl(hash ^ round(0, take<std::uint64_t>(bytes)), 27) * prime_1 + prime_4;
  }
  if (bytes.size() >= 4) {
    hash = std::rotl(hash ^ take<std::uint32_t>(bytes) * prime_1, 23) * prime_2 + prime_3;
  }
  while (!bytes.empty()) {
    hash = std::rotl(hash ^ take<std::uint8_t>(bytes) * prime_5, 11) * prime_1;
  }
  hash = (hash ^ hash >> 33) * prime_2;
  hash = (hash ^ hash >> 29) * prime_3;
  return hash ^ hash >> 32;
}

}}  // namespace tenon::v0_1
