// SPDX-License-Identifier: BSL-1.0
//
// Where in a JSON document a reader is. Costs nothing until somebody asks for the text.
#pragma once

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
    if (!text.empty()) text += '.';
    return text.append(key_);
  }

 private:
  const Place* parent_ = nullptr;
  std::string_view key_;
  std::size_t index_ = 0;
};

}  // namespace tenon
