// SPDX-License-Identifier: BSL-1.0
#include "platform/image_map.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {

bool ImageMap::contains(const void* address, std::size_t size) const noexcept {
  const char* begin = static_cast<const char*>(address);
  for (const Segment& segment : segments_) {
    if (segment.readable && begin >= segment.begin && begin <= segment.end &&
        size <= static_cast<std::size_t>(segment.end - begin)) {
      return true;
    }
  }
  return false;
}

bool ImageMap::contains_code(const void* address) const noexcept {
  const char* at = static_cast<const char*>(address);
  for (const Segment& segment : segments_) {
    if (segment.code && at >= segment.begin && at < segment.end) return true;
  }
  return false;
}

}}}  // namespace tenon::v0_1::platform
