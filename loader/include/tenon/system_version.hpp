// SPDX-License-Identifier: BSL-1.0
//
// tenon/system_version.hpp: versions of the libraries of a system, as symbols state them.
#pragma once

#include <tenon/detail/export.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenon { inline namespace v0_1 {

/// A version of a system library, eg: of "glibc" {2, 38}
struct SystemVersion {
  /// "glibc", "libstdc++", or "libstdc++ ABI" for the versions CXXABI_1.3 and later, which the same
  /// library has beside its own.
  std::string library;
  /// Numbers compare from the first to the last; a version that has more of them is higher.
  std::vector<std::uint32_t> numbers;
};

/// Returns a text such as "2.38".
TENON_API std::string to_string(const std::vector<std::uint32_t>& numbers);
/// Returns a text such as "glibc 2.38, libstdc++ 3.4.32".
TENON_API std::string to_string(const std::vector<SystemVersion>& versions);

/// Returns the version that the name of a symbol version states, eg: of "GLIBCXX_3.4.32". Returns a
/// version without library for other names, such as "GLIBC_PRIVATE". Thread-safe.
TENON_API SystemVersion parse_system_version(std::string_view name);

}}  // namespace tenon::v0_1
