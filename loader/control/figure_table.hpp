// SPDX-License-Identifier: BSL-1.0
//
// The figures and the health of the program, as it reports them.
#pragma once

#include <tenon/figures.hpp>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/lock_order.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Thread-safe.
class FigureTable {
 public:
  /// Returns the figure with this part, name and unit. `total` counts when it is new.
  Figure figure(const FigureInfo& info) TENON_EXCLUDES(mutex_);
  /// `problem`: empty if the part works.
  void set_health(std::string_view part, std::string_view problem) TENON_EXCLUDES(mutex_);

  struct Value {
    FigureInfo info;
    double value;
  };
  /// Returns the figures by part, name and unit.
  std::vector<Value> figures() const TENON_EXCLUDES(mutex_);
  /// Returns the parts whose health was set, and their problems.
  std::map<std::string, std::string, std::less<>> health() const TENON_EXCLUDES(mutex_);

 private:
  struct Listed {
    bool total;
    std::shared_ptr<std::atomic<double>> value;
  };

  mutable Mutex mutex_{LockRank::figures};
  std::map<std::tuple<std::string, std::string, std::string>, Listed> figures_
      TENON_GUARDED_BY(mutex_);  // by part, name and unit
  std::map<std::string, std::string, std::less<>> health_ TENON_GUARDED_BY(mutex_);
};

}}}  // namespace tenon::v0_1::detail
