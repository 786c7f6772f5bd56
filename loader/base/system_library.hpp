// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <filesystem>
#include <system_error>

namespace tenon { inline namespace v0_1 {

/// Returns whether a path is below /lib or /usr/lib, or one of their variants (/usr/lib64).
inline bool is_of_system(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto full = std::filesystem::absolute(path, ignored).lexically_normal();
  auto part = ++full.begin();
  if (part != full.end() && *part == "usr") ++part;
  return part != full.end() && part->string().starts_with("lib");
}

}}  // namespace tenon::v0_1
