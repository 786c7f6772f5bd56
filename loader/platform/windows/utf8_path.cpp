// SPDX-License-Identifier: BSL-1.0
#include "platform/utf8_path.hpp"

#include <string>

#include "platform/windows/system.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {

std::filesystem::path path_from(std::string_view text) {
  const int size = static_cast<int>(text.size());
  std::wstring wide(text.size(), L'\0');  // a character of UTF-16 is not longer than one of UTF-8
  wide.resize(static_cast<std::size_t>(
      MultiByteToWideChar(CP_UTF8, 0, text.data(), size, wide.data(), size)));
  return wide;
}

}}}  // namespace tenon::v0_1::platform
