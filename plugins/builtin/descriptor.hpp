// SPDX-License-Identifier: BSL-1.0
//
// Owns a file descriptor.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <utility>

namespace tenon::builtin {

/// Closes its file descriptor. A moved-from object owns none.
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
  /// Returns the descriptor, which the caller must close.
  [[nodiscard]] int release() noexcept { return std::exchange(number_, -1); }

 private:
  int number_;
};

/// Repeats a system call while a signal interrupts it.
template <class Function>
auto retry(Function function) {
  auto result = function();
  while (result == -1 && errno == EINTR) result = function();
  return result;
}

}  // namespace tenon::builtin
