// SPDX-License-Identifier: BSL-1.0
#include "trust/sha256.hpp"

#include <tenon/file_hash.hpp>

#include <vector>

#include "platform/file.hpp"
#include "platform/sha256.hpp"

namespace tenon { inline namespace v0_1 {
namespace {

std::string digits_of(platform::Sha256& hash) {
  constexpr char hexadecimal[] = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : hash.finish()) {
    text += {hexadecimal[byte >> 4], hexadecimal[byte & 15]};
  }
  return text;
}

}  // namespace

std::string detail::sha256(std::span<const std::byte> content) {
  platform::Sha256 hash;
  hash.add(content);
  return digits_of(hash);
}

Result<std::string> sha256_of_file(const std::filesystem::path& path) {
  const auto file = platform::File::open(path);
  if (!file) return file.error();
  constexpr std::size_t piece = 1 << 16;
  std::vector<std::byte> bytes(piece);
  platform::Sha256 hash;
  for (std::uint64_t offset = 0;;) {
    const auto count = file->read_at(offset, bytes);
    if (!count) return count.error();
    hash.add({bytes.data(), *count});
    if (*count < piece) return digits_of(hash);
    offset += *count;
  }
}

}}  // namespace tenon::v0_1
