// SPDX-License-Identifier: BSL-1.0
//
// Counts the calls of the methods of a module's plugins, and how long they take.
#pragma once

#include <tenon/detail/intercept.hpp>
#include <tenon/detail/kind.hpp>
#include <tenon/module_info.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/lock_order.hpp"
#include "call/call_trace.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// The counters of a module, over all of its generations. Thread-safe.
class CallCounters {
 public:
  explicit CallCounters(std::shared_ptr<CallTrace> trace) noexcept : trace_(std::move(trace)) {}

  /// Returns the counters of the methods of one plugin, in the order of the version of the kind.
  /// Their address does not change.
  MethodCounter* of(const std::string& plugin, const KindVersion& version);

  /// Has the next call of each method timed, so that a trace that begins has it and all later ones.
  void time_next() noexcept;

  /// Returns the methods that were called, by plugin and name.
  std::vector<MethodCalls> read() const;

 private:
  /// Copies the names, because the library with the kind may be unloaded before the host ends.
  struct Counted {
    std::string plugin;
    std::uint64_t fingerprint;  // of the version of the kind
    std::vector<std::string> names;
    std::unique_ptr<MethodCounter[]> methods;
  };

  const std::shared_ptr<CallTrace> trace_;
  mutable Mutex mutex_{LockRank::counters};
  std::vector<Counted> counted_ TENON_GUARDED_BY(mutex_);
};

}}}  // namespace tenon::v0_1::detail
