// SPDX-License-Identifier: BSL-1.0
//
// Which of several plugins of one name and kind is preferred.
#pragma once

#include "catalog/reference.hpp"
#include "catalog/registration.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Returns whether `a` is newer than `b`: a release than a prerelease, then by the version of the
/// package, then by that of the kind. Standalone plugins are newer than builtins.
bool is_newer(const Registration& a, const Registration& b);

/// The order of preference: standalone before builtin, then the nearest match of the reference,
/// preferred versions before others, newer before older.
class PreferenceOrder {
 public:
  /// The reference must outlive the object, and match the plugins that are compared.
  explicit PreferenceOrder(const Reference& reference) noexcept : reference_(reference) {}

  /// Returns whether `a` comes before `b`.
  bool operator()(const Registration& a, const Registration& b) const;

 private:
  const Reference& reference_;
};

}}}  // namespace tenon::v0_1::detail
