// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sys/stat.h>

#include "platform/file.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {

inline FileAccess access_of(const struct stat& status) {
  return {.owner = status.st_uid,
          .group = status.st_gid,
          .mode = status.st_mode & 07777U,
          .is_directory = S_ISDIR(status.st_mode)};
}

}}}  // namespace tenon::v0_1::platform
