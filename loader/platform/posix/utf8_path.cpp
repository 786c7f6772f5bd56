// SPDX-License-Identifier: BSL-1.0
#include "platform/utf8_path.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {

std::filesystem::path path_from(std::string_view text) {
  return text;
}

}}}  // namespace tenon::v0_1::platform
