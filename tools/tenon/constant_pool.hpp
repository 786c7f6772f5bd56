// SPDX-License-Identifier: BSL-1.0
//
// Owns the values that tables made at run time point to.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon::command {

/// The returned references live as long as the pool.
class ConstantPool {
 public:
  template <class T>
  const T& add(T value) {
    auto added = std::make_shared<const T>(std::move(value));
    all_.push_back(added);
    return *added;
  }
  template <class T>
  std::span<const T> list(std::vector<T> values) {
    return add(std::move(values));
  }
  std::string_view text(std::string value) { return add(std::move(value)); }

 private:
  std::vector<std::shared_ptr<const void>> all_;
};

}  // namespace tenon::command
