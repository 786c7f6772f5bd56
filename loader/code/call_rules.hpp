// SPDX-License-Identifier: BSL-1.0
//
// Checks when and on which threads methods are called; see HostOptions::check_calls.
#pragma once

#include <tenon/detail/kind.hpp>

#include <atomic>
#include <string>
#include <string_view>

#include "code/validation.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// The rules for one object of a plugin. Thread-safe.
class CallRules {
 public:
  explicit CallRules(const ValidatedPlugin& plugin) noexcept;

  /// A call of a method, from before it enters the plugin until after it has left.
  class Turn {
   public:
    Turn(CallRules& rules, const MethodInfo& method);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    /// Returns why the method may not be called now; empty if it may.
    const std::string& problem() const noexcept { return problem_; }
    /// Records the result of the plugin.
    void ended(bool succeeded) noexcept;

   private:
    CallRules& rules_;
    const MethodInfo& method_;
    const std::string problem_;
  };

 private:
  std::string begin(const MethodInfo& method);

  const ValidatedPlugin& plugin_;
  std::atomic<const std::string_view*> state_;
  std::atomic<const MethodInfo*> serial_{nullptr};  // the call in progress
};

}}}  // namespace tenon::v0_1::detail
