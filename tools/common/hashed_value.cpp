// SPDX-License-Identifier: BSL-1.0
#include "common/hashed_value.hpp"

#include <sodium.h>

#include <array>
#include <cstddef>
#include <stdexcept>
#include <tuple>

namespace tenon::tools {
namespace {

constexpr std::string_view begin_hash = "${hash:";

using Key = std::array<unsigned char, crypto_generichash_KEYBYTES>;
using Hash = std::array<unsigned char, crypto_generichash_BYTES>;
constexpr std::size_t key_digits = 2 * std::tuple_size_v<Key>;

template <class Bytes>
std::string digits_of(const Bytes& bytes) {
  std::string digits(2 * bytes.size() + 1, '\0');
  sodium_bin2hex(digits.data(), digits.size(), bytes.data(), bytes.size());
  digits.pop_back();  // the terminating NUL that libsodium writes
  return digits;
}

void initialize() {
  if (sodium_init() < 0) throw std::runtime_error("cannot initialize libsodium");
}

std::string hash_of(std::string_view value, const Key& key) {
  Hash hash;
  crypto_generichash(hash.data(), hash.size(), reinterpret_cast<const unsigned char*>(value.data()),
                     value.size(), key.data(), key.size());
  return std::string(begin_hash) + digits_of(key) + ":" + digits_of(hash) + "}";
}

}  // namespace

std::string hashed_value(std::string_view value) {
  initialize();
  Key key;
  randombytes_buf(key.data(), key.size());
  return hash_of(value, key);
}

bool is_hashed_value(std::string_view stored) {
  return stored.starts_with(begin_hash);
}

bool is_hash_of(std::string_view stored, std::string_view value) {
  if (!is_hashed_value(stored)) return false;
  const std::string_view digits = stored.substr(begin_hash.size()).substr(0, key_digits);
  Key key;
  std::size_t size = 0;
  initialize();
  return sodium_hex2bin(key.data(), key.size(), digits.data(), digits.size(), nullptr, &size,
                        nullptr) == 0 &&
         size == key.size() && hash_of(value, key) == stored;
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
