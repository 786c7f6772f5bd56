// SPDX-License-Identifier: BSL-1.0
#include "supervise/module_faults.hpp"

#include <optional>
#include <utility>

#include "base/test_point.hpp"
#include "call/thread_records.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

void ModuleFaults::report(Generation& generation, RestartReason why, const Error& error,
                          AfterFault& after) noexcept {
  if (why == RestartReason::crash) generation.mark_broken();
  if (state_.inherited()) return;  // nothing is restarted
  exclude_failed_call(generation);
  Event faulted;
  bool crashed = false;
  bool known = false;
  {
    const ModuleLock lock(state_.mutex);
    const bool serves = &generation == state_.generation.get();
    const bool first = state_.generation == nullptr && state_.instances.count() == 0;
    // Otherwise its creator gets the error.
    if (!serves && !(first && why == RestartReason::crash)) return;
    crashed = serves && why == RestartReason::crash;
    if (crashed) after.retire_crashed();
    // Failures of many calls at once count as one.
    const std::uint64_t number = state_.generation_number;
    known = serves && std::exchange(faulted_, number) == number;
    faulted = state_.event(Event::Type::faulted);
  }
  // Its sessions have ended, so nothing else wakes the calls that block in them. The call that
  // crashed reports the crash.
  if (crashed) interrupt_calls(state_.calls, generation, this_thread_record());
  if (known) return;
  faulted.reason = why;
  faulted.message = in_one_line(error);
  state_.report(faulted);
  count(why, faulted.message, after);
}

void ModuleFaults::count(RestartReason why, const std::string& text, AfterFault& after) {
  const Generation* serving = nullptr;
  std::optional<GenerationGuard> guard;
  Event quarantined;
  platform::FileIdentity identity;
  std::shared_ptr<const Manifest> manifest;
  {
    const ModuleLock lock(state_.mutex);
    if (state_.quarantined()) return;
    const auto now = Clock::now();
    const Failures::Verdict verdict = state_.failures.record(now, text);
    if (!verdict.quarantined) {
      const auto when = now + verdict.pause;
      if (state_.generation == nullptr && verdict.pause.count() > 0) state_.paused_until = when;
      after.plan_restart(why, when);
      return state_.changed.notify_all();
    }
    quarantined = quarantine();
    identity = state_.identity;
    manifest = state_.manifest;
    serving = state_.generation.get();
    if (serving != nullptr) guard.emplace(*serving, state_.calls);  // keeps it loaded
  }
  // No restart will wake the calls that block in it. The call that failed reports its own failure.
  if (serving != nullptr) interrupt_calls(state_.calls, *serving, this_thread_record());
  guard.reset();
  TENON_TEST_POINT("quarantine: closed");
  if (state_.context->crash_records != nullptr && state_.origin.builtin == nullptr) {
    CrashRecords& records = *state_.context->crash_records;
    records.quarantine(*manifest, state_.origin.file, identity, quarantined.message);
    // A restart that released the module before this found no record to remove.
    if (!is_quarantined()) records.release(state_.origin.file);
  }
  state_.report(quarantined);  // the listener may destroy the module
}

/// Closes the gate for good. Returns the event with the failures.
Event ModuleFaults::quarantine() {
  state_.calls.close();
  state_.open_to_creates();
  state_.changed.notify_all();
  if (state_.generation != nullptr) state_.calls.interrupting.store(true);
  Event quarantined = state_.event(Event::Type::quarantined);
  quarantined.message = reasons();
  return quarantined;
}

bool ModuleFaults::is_quarantined() const {
  const ModuleLock lock(state_.mutex);
  return state_.quarantined();
}

bool ModuleFaults::release() noexcept {
  const bool was_quarantined = state_.quarantined();
  state_.failures.release();
  return was_quarantined;
}

std::string ModuleFaults::reasons() const {
  std::string text;
  for (const Failures::Reason& reason : state_.failures.reasons()) {
    text += (text.empty() ? "" : "; ") + reason.text;
  }
  return text;
}

Error ModuleFaults::unavailable(std::string_view plugin, std::string_view method) const {
  if (state_.shut_down) {
    return Error({.code = "host-ended",
                  .status = TENON_UNAVAILABLE,
                  .message = "the host of the module has ended",
                  .where = state_.where,
                  .plugin = std::string(plugin),
                  .method = std::string(method)});
  }
  if (state_.quarantined()) {
    return Error({.code = "module-quarantined",
                  .status = TENON_UNAVAILABLE,
                  .message = "the module has failed too often and is no longer used: " + reasons(),
                  .where = state_.where,
                  .fix = "replace its file, or restart it by hand",
                  .plugin = std::string(plugin),
                  .method = std::string(method)});
  }
  return Error({.code = "module-restarting",
                .status = TENON_UNAVAILABLE | TENON_RETRYABLE,
                .message = "the module has failed and waits for its restart",
                .where = state_.where,
                .plugin = std::string(plugin),
                .method = std::string(method)});
}

}}}  // namespace tenon::v0_1::detail
