// SPDX-License-Identifier: BSL-1.0
#include "base/text_index.hpp"

#include <array>
#include <cstring>
#include <random>

namespace tenon { inline namespace v0_1 {
namespace {

constexpr std::size_t keys = 128;  // a power of two

/// Random numbers that are secret outside of the process.
struct Secret {
  Secret() {
    std::random_device device;
    std::seed_seq seed{device(), device(), device(), device()};
    std::mt19937_64 random(seed);
    for (auto& one : key) one = static_cast<std::uint32_t>(random() >> 32);
    factor = random() | 1;
  }

  std::array<std::uint32_t, keys> key{};
  std::uint64_t factor = 0;
};

template <class Number>
Number read(const char* from) noexcept {
  Number number;
  std::memcpy(&number, from, sizeof number);
  return number;
}

/// Reads all of a text of less than 8 bytes.
std::uint64_t read_short(const char* text, std::size_t size) noexcept {
  if (size >= 4) {
    return std::uint64_t{read<std::uint32_t>(text)} << 32 | read<std::uint32_t>(text + size - 4);
  }
  if (size == 0) return 0;
  const auto byte = [text](std::size_t at) { return std::uint64_t{read<std::uint8_t>(text + at)}; };
  return byte(0) << 16 | byte(size / 2) << 8 | byte(size - 1);
}

}  // namespace

// NH, the universal hash of UMAC: a sum of products of text and keys, where the position of a byte
// selects its key. The last 8 bytes are read as one word, which may overlap the one before. The
// last step spreads the sum over the low bits.
std::uint64_t hash_of(std::string_view text) noexcept {
  static const Secret secret;
  std::uint64_t sum = text.size();
  std::size_t key = 0;
  const auto add = [&](std::uint64_t word) {
    const std::uint32_t low = static_cast<std::uint32_t>(word) + secret.key[key];
    const std::uint32_t high = static_cast<std::uint32_t>(word >> 32) + secret.key[key + 1];
    sum += std::uint64_t{low} * high;
    key = (key + 2) % keys;
  };
  const char* at = text.data();
  if (text.size() < 8) {
    add(read_short(at, text.size()));
  } else {
    const char* last = at + text.size() - 8;
    for (; at < last; at += 8) add(read<std::uint64_t>(at));
    add(read<std::uint64_t>(last));
  }
  sum *= secret.factor;
  return sum ^ sum >> 32;
}

std::size_t TextIndex::slot_of(std::uint64_t hash, std::string_view text) const noexcept {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at].number != npos && (slots_[at].hash != hash || slots_[at].text != text)) {
    at = (at + 1) & mask;
  }
  return at;
}

std::uint32_t TextIndex::find(std::string_view text) const noexcept {
  return slots_.empty() ? npos : slots_[slot_of(hash_of(text), text)].number;
}

std::uint32_t TextIndex::add(std::string_view text, std::uint32_t number) {
  if (2 * (used_ + 1) > slots_.size()) grow();
  const std::uint64_t hash = hash_of(text);
  Slot& slot = slots_[slot_of(hash, text)];
  if (slot.number != npos) return slot.number;
  slot = {.hash = hash, .text = text, .number = number};
  ++used_;
  return number;
}

void TextIndex::grow() {
  std::vector<Slot> old(slots_.empty() ? 16 : 2 * slots_.size());
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.number != npos) slots_[slot_of(slot.hash, slot.text)] = slot;
  }
}

}}  // namespace tenon::v0_1
