// SPDX-License-Identifier: BSL-1.0
//
// Owners of file descriptors.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <span>
#include <utility>

namespace tenon::inline v0_1::platform {

/// Owns a file descriptor. After writing, call `close` and check its result.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  int get() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  bool close() { return number_ < 0 || ::close(release()) == 0; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

/// Writes all of `content`. Returns false, with the reason in errno, on failure.
inline bool write_all(int descriptor, std::span<const std::byte> content) {
  while (!content.empty()) {
    const auto count = ::write(descriptor, content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    content = content.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace tenon::inline v0_1::platform
