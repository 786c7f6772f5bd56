// SPDX-License-Identifier: BSL-1.0
//
// Hash tables of texts that resist collision attacks: names in manifests are untrusted.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tenon { inline namespace v0_1 {

/// Hashes texts with a key that differs in each process and is secret outside of it, so that
/// colliding texts cannot be chosen.
struct TextHash {
  using is_avalanching = void;  // all bits of the hash depend on all of the text

  std::size_t operator()(std::string_view text) const noexcept;
};

/// Maps texts to numbers. The texts must live as long as the index. Const functions may be called
/// from any thread.
using TextIndex = boost::unordered_flat_map<std::string_view, std::uint32_t, TextHash>;

/// Returns the number of a text; nullptr if it has none. Valid until the index changes.
inline const std::uint32_t* number_of(const TextIndex& index, std::string_view text) noexcept {
  const auto found = index.find(text);
  return found != index.end() ? &found->second : nullptr;
}

}}  // namespace tenon::v0_1
