// SPDX-License-Identifier: BSL-1.0
#include "image/host_state.hpp"

#include <new>

namespace tenon { inline namespace v0_1 { namespace detail {

void HostStateReport::float_modes(std::string_view function) noexcept {
  report(reported_float_modes_, function, "the floating-point mode of the thread");
}

void HostStateReport::signals(std::string_view function,
                              platform::SignalState::Changed changed) noexcept {
  if (changed.mask) report(reported_mask_, function, "the signal mask of the thread");
  if (changed.alternate_stack) {
    report(reported_stack_, function, "the alternate signal stack of the thread");
  }
}

/// Writes eg "me.example/blur: start changed the signal mask of the thread, which was restored".
void HostStateReport::report(std::atomic<bool>& reported, std::string_view function,
                             std::string_view change) noexcept try {
  if (reported.exchange(true)) return;
  std::string line = package_ + ": ";
  line.append(function).append(" changed ").append(change).append(", which was restored");
  log_->write(LogLevel::warn, line);
} catch (const std::bad_alloc&) {
}

/// Writes a line for each signal that is not in `reported`.
template <class Text>
void HostStateReport::report_each(std::atomic<platform::SignalSet>& reported,
                                  platform::SignalSet signals, Text text) noexcept try {
  signals &= ~reported.fetch_or(signals);
  for (int signal = 1; signals != 0; ++signal, signals >>= 1) {
    if ((signals & 1) == 0) continue;
    log_->write(LogLevel::warn, package_ + ": " + text(platform::signal_name(signal)));
  }
} catch (const std::bad_alloc&) {
}

void HostStateReport::ignored(std::string_view function, platform::SignalSet signals) noexcept {
  report_each(reported_ignored_, signals, [&](const std::string& signal) {
    return std::string(function) + " made the process ignore " + signal;
  });
}

void HostStateReport::replaced(const platform::ImageHandlers::Replaced& handlers) noexcept {
  const auto text_with = [](const char* action) {
    return [action](const std::string& signal) {
      return "the handler of " + signal + " was in code that is unloaded; it was replaced by " +
             action;
    };
  };
  report_each(reported_handlers_, handlers.by_previous, text_with("the previous action"));
  report_each(reported_handlers_, handlers.by_default, text_with("the default action"));
}

}}}  // namespace tenon::v0_1::detail
