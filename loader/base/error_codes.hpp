// SPDX-License-Identifier: BSL-1.0
//
// The stable codes of errors. A released code never changes its meaning. This table lists every
// code that the library, the SDK, the tools and the plugins of this repository use; abi/errors.md
// is generated from it.
#pragma once

#include <tenon/result.hpp>

#include <span>
#include <string_view>

namespace tenon { inline namespace v0_1 {

struct ErrorCode {
  std::string_view code;  // eg: "kind-too-new"
  /// The usual severity. An error becomes a warning if the module, or the rest of it, is used
  /// nevertheless.
  Severity severity;
  std::string_view area;     // heading in abi/errors.md
  std::string_view meaning;  // one sentence each
  std::string_view cause;    // the usual one
  std::string_view remedy;
};

/// Returns all codes, ordered by area and code.
std::span<const ErrorCode> error_codes() noexcept;

/// Returns the entry of a code; nullptr if it does not exist.
const ErrorCode* find_error_code(std::string_view code) noexcept;

}}  // namespace tenon::v0_1
