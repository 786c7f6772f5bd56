// SPDX-License-Identifier: BSL-1.0
//
// An open file as the system numbers it.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <utility>

namespace tenon::builtin {

/// Closes what it holds. Moved from, it holds nothing.
class Descriptor {
 public:
  explicit Descriptor(int number) noexcept : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (is_open()) ::close(number_);
  }

  bool is_open() const noexcept { return number_ >= 0; }
  int get() const noexcept { return number_; }
  /// The same, owned by the caller from now on.
  [[nodiscard]] int release() noexcept { return std::exchange(number_, -1); }

 private:
  int number_;
};

/// Calls a function of the system again as long as a signal interrupts it.
template <class Function>
auto retry(Function function) {
  auto result = function();
  while (result == -1 && errno == EINTR) result = function();
  return result;
}

}  // namespace tenon::builtin
