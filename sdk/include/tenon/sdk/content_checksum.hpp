// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/content_checksum.hpp: tells a source whether a stored position still belongs to the
// data that it was read from. A source stores a checksum of what it has read in each position, and
// compares it in `open`:
//
//   auto sum = ContentChecksum::before(offset, [&](auto at, auto size) { return read(at, size); });
//   if (sum.value() != stored) throw data_changed(path);
//
// A name and an inode cannot tell that: files are truncated, refilled, rotated and replaced.
#pragma once

#include <tenon/sdk/failure.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace tenon::sdk {
namespace detail {

constexpr std::uint64_t mixed(std::uint64_t bits) {
  for (int round = 0; round < 2; ++round) {
    bits ^= bits >> 32;
    bits *= 0xD6E8FEB86659FD93u;
  }
  return bits ^ (bits >> 32);
}

constexpr std::uint64_t power(std::uint64_t base, std::size_t exponent) {
  std::uint64_t product = 1;
  for (std::size_t i = 0; i < exponent; ++i) product *= base;
  return product;
}

}  // namespace detail

/// Returns a checksum of a text, such as a row. It finds changes, but no forgeries.
inline std::uint64_t checksum(std::string_view text) {
  std::uint64_t sum = text.size();
  for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  return detail::mixed(sum);
}

/// A checksum of the content before an offset: of its first and its last 64 KiB, so that it can be
/// computed again without reading everything. It finds changes, but no forgeries.
class ContentChecksum {
 public:
  /// The size of each of both parts.
  static constexpr std::size_t part = 65536;

  /// Returns the checksum of the content before `offset`. `read(offset, size)` returns a part of
  /// the content as a text; fewer bytes if the content ends there.
  template <class Read>
  static ContentChecksum before(std::uint64_t offset, Read read) {
    ContentChecksum sum;
    sum.add(read(std::uint64_t{0}, std::min<std::uint64_t>(offset, part)));
    if (offset <= part || sum.size_ < part) return sum;
    const std::uint64_t begin = std::max<std::uint64_t>(offset / word * word - part, part);
    if (begin != part) {
      sum.last_ = 0;
      std::fill(sum.last_words_.begin(), sum.last_words_.end(), 0);
    }
    sum.size_ = begin;
    sum.add(read(begin, offset - begin));
    return sum;
  }

  /// Adds content that follows.
  void add(std::string_view bytes) {
    if (size_ % word != 0) bytes = add_part(bytes);
    for (; bytes.size() >= word; bytes.remove_prefix(word)) {
      std::memcpy(&tail_, bytes.data(), word);
      size_ += word;
      add_word();
    }
    if (!bytes.empty()) add_part(bytes);
  }

  /// Returns the checksum of the content that was added.
  std::uint64_t value() const {
    using detail::mixed;
    return mixed(first_ + mixed(last_ + mixed(tail_ + mixed(size_))));
  }

 private:
  static constexpr std::size_t word = 8;
  static constexpr std::size_t words = part / word;
  static constexpr std::uint64_t base = 0x9E3779B97F4A7C15u;
  static constexpr std::uint64_t base_to_words = detail::power(base, words);

  /// Adds bytes up to the end of a word, and returns the others.
  std::string_view add_part(std::string_view bytes) {
    const std::size_t used = size_ % word;
    const std::size_t count = std::min(word - used, bytes.size());
    std::memcpy(reinterpret_cast<char*>(&tail_) + used, bytes.data(), count);
    size_ += count;
    if (size_ % word == 0) add_word();
    return bytes.substr(count);
  }

  /// Adds the word in `tail_` to the rolling checksum, and removes the one 64 KiB before it.
  void add_word() {
    std::uint64_t& oldest = last_words_[(size_ / word - 1) % words];
    const std::uint64_t added = detail::mixed(tail_);
    last_ = last_ * base + added - oldest * base_to_words;
    oldest = added;
    tail_ = 0;
    if (size_ == part) first_ = last_;
  }

  std::uint64_t size_ = 0;
  std::uint64_t tail_ = 0;   // the bytes after the last complete word
  std::uint64_t last_ = 0;   // of the words in `last_words_`
  std::uint64_t first_ = 0;  // of the first 64 KiB, if there are as many
  std::vector<std::uint64_t> last_words_ = std::vector<std::uint64_t>(words);
};

/// Returns the failure of `open` for a position of data that is not configured any more:
/// TENON_OUT_OF_RANGE. `found` and `needed` name the data of the position and of the configuration.
inline Failure wrong_position(std::string_view found, std::string_view needed) {
  return Failure(
      TENON_OUT_OF_RANGE, "the position is of ", found, ", but ", needed,
      " is configured; fix: restore the configuration, or delete the pipeline, and run it "
      "again to read everything");
}

/// Returns the failure of `open` for data that is not what was read before the position:
/// TENON_DATA_LOSS. `data` names it.
inline Failure data_changed(std::string_view data) {
  return Failure(
      TENON_DATA_LOSS, data,
      " does not contain what was read from it, so it was truncated, replaced or changed, "
      "and records may be lost; fix: delete the pipeline, and run it again to read "
      "everything");
}

}  // namespace tenon::sdk
