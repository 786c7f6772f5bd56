// SPDX-License-Identifier: BSL-1.0
//
// Open files as the system numbers them.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <span>
#include <utility>

namespace tenon::platform {

/// Closes what it holds. The result of close matters only after writing: `close` answers it.
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

/// False with the reason in errno.
inline bool write_all(int descriptor, std::span<const std::byte> content) {
  while (!content.empty()) {
    const auto count = ::write(descriptor, content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    content = content.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace tenon::platform
