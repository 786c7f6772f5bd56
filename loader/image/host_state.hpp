// SPDX-License-Identifier: BSL-1.0
//
// Restores the state of a thread that code of modules must leave as it was, and reports changes.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/log.hpp"
#include "platform/float_modes.hpp"
#include "platform/signals.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Reports what the code of one module changed, each change once, as a warning in the log.
/// Thread-safe.
class HostStateReport {
 public:
  HostStateReport(std::string package, std::shared_ptr<Log> log)
      : package_(std::move(package)), log_(std::move(log)) {}

  /// Reports changes by a function, eg: "start". REQUIRED: no lock is held.
  void float_modes(std::string_view function) noexcept;
  void signals(std::string_view function, platform::SignalState::Changed changed) noexcept;
  /// Reports signals that the process ignores since the function was called.
  void ignored(std::string_view function, platform::SignalSet signals) noexcept;
  /// Reports handlers that were replaced because their code is unloaded.
  void replaced(const platform::ImageHandlers::Replaced& handlers) noexcept;

 private:
  void report(std::atomic<bool>& reported, std::string_view function,
              std::string_view change) noexcept;
  template <class Text>
  void report_each(std::atomic<platform::SignalSet>& reported, platform::SignalSet signals,
                   Text text) noexcept;

  const std::string package_;
  const std::shared_ptr<Log> log_;
  std::atomic<bool> reported_float_modes_{false};
  std::atomic<bool> reported_mask_{false};
  std::atomic<bool> reported_stack_{false};
  std::atomic<platform::SignalSet> reported_ignored_{0};
  std::atomic<platform::SignalSet> reported_handlers_{0};
};

/// The state that is preserved during a function.
enum class Preserved {
  float_modes,
  float_modes_and_signals,
  /// The same; signals that became ignored are reported, but stay ignored.
  all
};

/// Restores the state of the current thread at the end of a scope. Exceptions and the end of the
/// thread count as an end.
class PreservedState {
 public:
  /// `report`: nullptr if changes are not reported. REQUIRED: no lock is held at the end.
  PreservedState(HostStateReport* report, std::string_view function, Preserved what) noexcept
      : report_(report), function_(function) {
    if (what != Preserved::float_modes) signals_.emplace();
    if (what == Preserved::all) ignored_ = platform::ignored_signals();
  }
  ~PreservedState() {
    if (modes_.restore_changed() && report_ != nullptr) report_->float_modes(function_);
    if (!signals_) return;
    const auto changed = signals_->restore_changed();
    if (report_ == nullptr) return;
    report_->signals(function_, changed);
    if (ignored_) report_->ignored(function_, platform::ignored_signals() & ~*ignored_);
  }
  PreservedState(const PreservedState&) = delete;
  PreservedState& operator=(const PreservedState&) = delete;

 private:
  HostStateReport* const report_;
  const std::string_view function_;
  const platform::FloatModes modes_;
  std::optional<platform::SignalState> signals_;
  std::optional<platform::SignalSet> ignored_;
};

}}}  // namespace tenon::v0_1::detail
