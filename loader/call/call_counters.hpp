// SPDX-License-Identifier: BSL-1.0
//
// How often the methods of a module's plugins are called.
#pragma once

#include <tenon/gen/kind.hpp>
#include <tenon/gen/supervised.hpp>
#include <tenon/host.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/lock_order.hpp"

namespace tenon::detail {

/// Of a module, over all of its generations. Thread-safe.
class CallCounters {
 public:
  /// Of the methods of one plugin, in the order of the kind's version; stay where they are.
  std::span<MethodCounter> of(const std::string& plugin, const KindVersion& version);

  /// Methods that were called, by plugin and name.
  std::vector<MethodCalls> read() const;

 private:
  struct Counted {
    std::string plugin;
    const KindVersion* version;
    std::unique_ptr<MethodCounter[]> methods;
  };

  mutable Mutex mutex_{LockRank::counters};
  std::vector<Counted> counted_;
};

}  // namespace tenon::detail
