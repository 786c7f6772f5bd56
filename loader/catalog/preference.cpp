// SPDX-License-Identifier: BSL-1.0
#include "catalog/preference.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

bool is_newer(const Registration& a, const Registration& b) {
  if (a.builtin != b.builtin) return b.builtin;
  const bool a_release = a.package_version().prerelease.empty();
  const bool b_release = b.package_version().prerelease.empty();
  if (a_release != b_release) return a_release;
  const auto order = total_order(a.package_version(), b.package_version());
  return order != 0 ? order > 0 : a.version > b.version;
}

bool PreferenceOrder::operator()(const Registration& a, const Registration& b) const {
  if (a.builtin != b.builtin) return b.builtin;
  const Match a_match = *reference_.match(a.package_version());
  const Match b_match = *reference_.match(b.package_version());
  if (a_match != b_match) return a_match < b_match;
  if (a.is_preferred != b.is_preferred) return a.is_preferred;
  return is_newer(a, b);
}

}}}  // namespace tenon::v0_1::detail
