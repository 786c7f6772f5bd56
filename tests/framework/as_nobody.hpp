// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sys/fsuid.h>

namespace tenon::tests {

/// Until it is destroyed, the calling thread and threads that it starts access files as a user
/// without rights, in case the tests run as root.
class AsNobody {
 public:
  AsNobody() noexcept : own_(::setfsuid(65534)) {}
  ~AsNobody() { ::setfsuid(static_cast<uid_t>(own_)); }
  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;

 private:
  const int own_;
};

}  // namespace tenon::tests
