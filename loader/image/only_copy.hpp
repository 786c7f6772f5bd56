// SPDX-License-Identifier: BSL-1.0
//
// Packages of which the process can load one copy at a time, or one for ever, because of a library;
// see tenon/library_rules.hpp.
#pragma once

#include <tenon/reload_safety.hpp>
#include <tenon/result.hpp>

#include <memory>
#include <string>

namespace tenon { inline namespace v0_1 { namespace detail {

/// The only copy of a package in the process. Another one can be loaded after this object was
/// destroyed, and never after `keep`. Thread-safe.
class OnlyCopy {
 public:
  /// Returns nullptr if there may be several copies. `force`: even if it is not the only one.
  /// Errors: not-reloadable.
  static Result<std::unique_ptr<OnlyCopy>> make(const ReloadSafety& reload,
                                                const std::string& package, bool force);
  ~OnlyCopy();
  OnlyCopy(const OnlyCopy&) = delete;
  OnlyCopy& operator=(const OnlyCopy&) = delete;

  void keep() noexcept { kept_ = true; }

 private:
  explicit OnlyCopy(std::string key) : key_(std::move(key)) {}

  const std::string key_;
  bool kept_ = false;
};

}}}  // namespace tenon::v0_1::detail
