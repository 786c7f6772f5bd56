// SPDX-License-Identifier: BSL-1.0
#include "common/hashed_value.hpp"

#include <cstddef>
#include <cstdint>

#include "base/random_number.hpp"
#include "common/sha256.hpp"

namespace tenon::tools {
namespace {

constexpr std::string_view begin_hash = "${hash:";
constexpr std::size_t key_digits = 64;

std::string new_key() {
  constexpr char hexadecimal[] = "0123456789abcdef";
  std::string key;
  while (key.size() < key_digits) {
    std::uint64_t number = platform::random_number();
    for (int i = 0; i < 16; ++i, number >>= 4) key += hexadecimal[number & 15];
  }
  return key;
}

/// All keys have one length, so that no other key and value are hashed as the same bytes.
std::string hash_of(std::string_view value, std::string_view key) {
  Sha256 hash;
  hash.add(key);
  hash.add(value);
  return std::string(begin_hash).append(key) + ":" + hash.digits() + "}";
}

}  // namespace

std::string hashed_value(std::string_view value) {
  return hash_of(value, new_key());
}

bool is_hashed_value(std::string_view stored) {
  return stored.starts_with(begin_hash);
}

bool is_hash_of(std::string_view stored, std::string_view value) {
  if (!is_hashed_value(stored)) return false;
  const std::string_view key = stored.substr(begin_hash.size()).substr(0, key_digits);
  return key.size() == key_digits && hash_of(value, key) == stored;
}

bool is_url_with_password(std::string_view value) {
  const std::size_t scheme = value.find("://");
  if (scheme == value.npos) return false;
  // Up to the last '@': a password may contain one that is not escaped.
  const std::size_t colon = value.find(':', scheme + 3);
  const std::size_t at = value.rfind('@');
  return at != value.npos && colon < at;
}

}  // namespace tenon::tools
