// SPDX-License-Identifier: BSL-1.0
//
// Where in a JSON document a reader is. Costs nothing until somebody asks for the text.
#pragma once

#include "base/quote.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace tenon {

/// A member or an element on the way from the root, eg: provides[0].version. Lives on the stack of
/// the reader, below its parent's.
class Place {
 public:
  Place() = default;
  Place(const Place& parent, std::string_view key) : parent_(&parent), key_(key) {}
  Place(const Place& parent, std::size_t index) : parent_(&parent), index_(index) {}

  std::string to_string() const {
    if (parent_ == nullptr) return {};
    auto text = parent_->to_string();
    if (key_.data() == nullptr) return text + "[" + std::to_string(index_) + "]";
    if (!is_word(key_)) return text + "[" + in_quotes(key_) + "]";
    if (!text.empty()) text += '.';
    return text.append(key_);
  }

 private:
  static bool is_word(std::string_view key) {
    return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
  }

  const Place* parent_ = nullptr;
  std::string_view key_;
  std::size_t index_ = 0;
};

}  // namespace tenon
