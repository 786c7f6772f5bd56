// SPDX-License-Identifier: BSL-1.0
//
// Owners of file descriptors.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <ctime>
#include <span>
#include <string_view>
#include <utility>

namespace tenon { inline namespace v0_1 { namespace platform {

/// Owns a file descriptor; -1 is none. After writing, call `close` and check its result.
class Descriptor {
 public:
  explicit Descriptor(int number) noexcept : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  int get() const noexcept { return number_; }
  explicit operator bool() const noexcept { return number_ >= 0; }
  bool close() noexcept { return number_ < 0 || ::close(release()) == 0; }
  int release() noexcept { return std::exchange(number_, -1); }
  void reset(int number) noexcept {
    close();
    number_ = number;
  }

 private:
  int number_;
};

/// Blocks SIGXFSZ, which ends the process if a file exceeds RLIMIT_FSIZE, in the calling thread.
class NoFileSizeSignal {
 public:
  NoFileSizeSignal() noexcept {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  /// Discards the signal that a write raised.
  ~NoFileSizeSignal() {
    if (sigismember(&before_, SIGXFSZ) != 0) return;
    const int error = errno;
    const timespec no_time{};
    while (sigtimedwait(&signal_, nullptr, &no_time) < 0 && errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }
  NoFileSizeSignal(const NoFileSizeSignal&) = delete;
  NoFileSizeSignal& operator=(const NoFileSizeSignal&) = delete;

 private:
  sigset_t signal_;
  sigset_t before_;
};

/// Writes all of `content`. Returns false, with the reason in errno, on failure.
inline bool write_all(int descriptor, std::string_view content) {
  const NoFileSizeSignal no_signal;
  while (!content.empty()) {
    const auto count = ::write(descriptor, content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    content.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}
inline bool write_all(int descriptor, std::span<const std::byte> content) {
  return write_all(descriptor,
                   std::string_view(reinterpret_cast<const char*>(content.data()), content.size()));
}

}}}  // namespace tenon::v0_1::platform
