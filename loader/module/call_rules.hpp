// SPDX-License-Identifier: BSL-1.0
//
// When and on which threads the methods of an object may be called: HostOptions::check_calls.
#pragma once

#include <tenon/gen/kind.hpp>

#include <atomic>
#include <string>
#include <string_view>

#include "module/admission.hpp"

namespace tenon::detail {

/// Of one object of a plugin. Threads: any.
class CallRules {
 public:
  explicit CallRules(const AdmittedPlugin& plugin) noexcept;

  /// A call of a method, from before it enters the plugin until it has left.
  class Turn {
   public:
    Turn(CallRules& rules, const MethodInfo& method);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    /// Why the method may not be called now; empty: it may.
    const std::string& problem() const noexcept { return problem_; }
    /// The plugin has answered.
    void ended(bool succeeded) noexcept;

   private:
    CallRules& rules_;
    const MethodInfo& method_;
    const std::string problem_;
  };

 private:
  std::string begin(const MethodInfo& method);

  const AdmittedPlugin& plugin_;
  std::atomic<const std::string_view*> state_;
  std::atomic<const MethodInfo*> serial_{nullptr};  // the call that is under way
};

}  // namespace tenon::detail
