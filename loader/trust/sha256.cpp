// SPDX-License-Identifier: BSL-1.0
#include "trust/sha256.hpp"

#include <tenon/file_hash.hpp>

#include <sodium/crypto_hash_sha256.h>

#include <array>
#include <vector>

#include "platform/file.hpp"

namespace tenon { inline namespace v0_1 {
namespace {

class Hash {
 public:
  Hash() { crypto_hash_sha256_init(&state_); }

  void add(std::span<const std::byte> content) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(content.data());
    crypto_hash_sha256_update(&state_, bytes, content.size());
  }

  std::string digits() {
    constexpr char hexadecimal[] = "0123456789abcdef";
    std::array<unsigned char, crypto_hash_sha256_BYTES> hash;
    crypto_hash_sha256_final(&state_, hash.data());
    std::string text;
    for (const unsigned char byte : hash) text += {hexadecimal[byte >> 4], hexadecimal[byte & 15]};
    return text;
  }

 private:
  crypto_hash_sha256_state state_;
};

}  // namespace

std::string detail::sha256(std::span<const std::byte> content) {
  Hash hash;
  hash.add(content);
  return hash.digits();
}

Result<std::string> sha256_of_file(const std::filesystem::path& path) {
  const auto file = platform::File::open(path);
  if (!file) return file.error();
  constexpr std::size_t piece = 1 << 16;
  std::vector<std::byte> bytes(piece);
  Hash hash;
  for (std::uint64_t offset = 0;;) {
    const auto count = file->read_at(offset, bytes);
    if (!count) return count.error();
    hash.add({bytes.data(), *count});
    if (*count < piece) return hash.digits();
    offset += *count;
  }
}

}}  // namespace tenon::v0_1
