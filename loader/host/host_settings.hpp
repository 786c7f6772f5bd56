// SPDX-License-Identifier: BSL-1.0
//
// The log level of a host, and the settings of operators, which are read with each scan.
#pragma once

#include <tenon/log.hpp>
#include <tenon/options.hpp>
#include <tenon/result.hpp>

#include <memory>
#include <optional>
#include <string>

#include "base/lock_order.hpp"
#include "base/log.hpp"
#include "catalog/operator_settings.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Returns the log level of the environment; nothing if it sets none. Error: bad-log-level.
Result<std::optional<LogLevel>> log_level_of_environment(const std::string& app);

/// Thread-safe.
class HostSettings {
 public:
  using Ptr = std::shared_ptr<const OperatorSettings>;

  HostSettings(const HostOptions& options, std::shared_ptr<Log> log);

  /// Reads the files. If one is damaged, the previous settings stay, with its problem. Sets the log
  /// level if it is another one than in the previous settings, and the environment sets none.
  /// REQUIRED: no other thread is in this function.
  Ptr read();
  /// Returns those that were read last.
  Ptr current() const;

 private:
  const std::string app_;
  const LogLevel initial_level_;
  const bool may_set_level_;
  const std::shared_ptr<Log> log_;
  mutable LeafMutex mutex_;
  Ptr current_ TENON_GUARDED_BY(mutex_) = std::make_shared<const OperatorSettings>();
};

}}}  // namespace tenon::v0_1::detail
