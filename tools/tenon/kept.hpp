// SPDX-License-Identifier: BSL-1.0
//
// What tables that are made at run time point at. They live as long as the process.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon::command {

class Kept {
 public:
  template <class T>
  const T& keep(T value) {
    auto kept = std::make_shared<const T>(std::move(value));
    all_.push_back(kept);
    return *kept;
  }
  template <class T>
  std::span<const T> list(std::vector<T> values) {
    return keep(std::move(values));
  }
  std::string_view text(std::string value) { return keep(std::move(value)); }

 private:
  std::vector<std::shared_ptr<const void>> all_;
};

}  // namespace tenon::command
