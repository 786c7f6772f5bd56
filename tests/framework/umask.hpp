// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sys/stat.h>

namespace tenon::tests {

/// Sets the umask of this process, and so of the programs that it starts, until it is destroyed.
class Umask {
 public:
  explicit Umask(mode_t mask) : before_(::umask(mask)) {}
  ~Umask() { ::umask(before_); }
  Umask(const Umask&) = delete;
  Umask& operator=(const Umask&) = delete;

 private:
  const mode_t before_;
};

}  // namespace tenon::tests
