// SPDX-License-Identifier: BSL-1.0
//
// The path of a value in a JSON document, which is formatted only if an error needs it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/quote.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// A member or an element and its parents, eg: provides[0].version. The parent must outlive it.
class JsonPath {
 public:
  JsonPath() = default;
  JsonPath(const JsonPath& parent, std::string_view key) : parent_(&parent), key_(key) {}
  JsonPath(const JsonPath& parent, std::size_t index) : parent_(&parent), index_(index) {}

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

  const JsonPath* parent_ = nullptr;
  std::string_view key_;
  std::size_t index_ = 0;
};

}}}  // namespace tenon::v0_1::detail
