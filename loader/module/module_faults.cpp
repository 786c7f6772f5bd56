// SPDX-License-Identifier: BSL-1.0
#include "module/module_faults.hpp"

#include <atomic>
#include <optional>
#include <random>
#include <utility>

#include "call/thread_records.hpp"
#include "module/module.hpp"

namespace tenon::inline v0_1::detail {
namespace {

/// Returns the generator for the delays of one module. Seeds it from the system once in a process,
/// because that takes as long as reading a few manifests.
std::minstd_rand next_random() {
  static std::atomic<std::uint32_t> seed{std::random_device{}()};
  return std::minstd_rand(seed.fetch_add(0x9e3779b9));
}

}  // namespace

ModuleFaults::ModuleFaults(Module& module, ModuleShared& shared)
    : module_(module),
      shared_(shared),
      failures_(shared.context->restart.failures, next_random()) {}

void ModuleFaults::report(Generation& generation, RestartReason why, const Error& error) noexcept {
  if (why == RestartReason::crash) generation.mark_broken();
  if (module_.inherited()) return;  // nothing is restarted
  exclude_failed_call(generation);
  ModuleLock lock(shared_.mutex);
  const bool serves = &generation == module_.serving();
  const bool first = module_.serving() == nullptr && module_.instances().count() == 0;
  if (!serves && !(first && why == RestartReason::crash)) return;  // its creator gets the error
  const bool crashed = serves && why == RestartReason::crash;
  if (crashed) module_.retire_crashed();
  // Failures of many calls at once count as one.
  const std::uint64_t number = module_.generation_number();
  const bool known = serves && std::exchange(faulted_, number) == number;
  Event faulted = module_.event(Event::Type::faulted);
  lock.unlock();
  // Its sessions have ended, so nothing else wakes the calls that block in them. The call that
  // crashed reports the crash.
  if (crashed) interrupt_calls(module_, generation, thread_record);
  if (known) return;
  faulted.reason = why;
  faulted.message = in_one_line(error);
  shared_.report(faulted);
  count(why, faulted.message);
}

void ModuleFaults::count(RestartReason why, const std::string& text) {
  ModuleLock lock(shared_.mutex);
  if (quarantined()) return;
  const auto now = Clock::now();
  const Failures::Verdict verdict = failures_.record(now, text);
  if (verdict.quarantined) return quarantine(lock);
  const auto when = now + verdict.pause;
  if (module_.serving() == nullptr && verdict.pause.count() > 0) not_before_ = when;
  module_.schedule().plan(why, {}, when);
  shared_.changed.notify_all();
}

/// Closes the gate for good, releases the lock and reports the failures. The listener may destroy
/// the module.
void ModuleFaults::quarantine(ModuleLock& lock) {
  module_.close();
  module_.open_to_creates();
  shared_.changed.notify_all();
  Event quarantined = module_.event(Event::Type::quarantined);
  quarantined.message = reasons();
  // No restart will wake the calls that block in it. The call that failed reports its own failure.
  std::optional<GenerationGuard> guard;
  const Serving* serving = module_.serving();
  if (serving != nullptr) {
    module_.interrupting.store(true);
    guard.emplace(*serving, module_);  // keeps it loaded
  }
  lock.unlock();
  if (serving != nullptr) interrupt_calls(module_, *serving, thread_record);
  guard.reset();
  shared_.report(quarantined);
}

bool ModuleFaults::release() noexcept {
  const bool was_quarantined = quarantined();
  failures_.release();
  return was_quarantined;
}

std::string ModuleFaults::reasons() const {
  std::string text;
  for (const Failures::Reason& reason : failures_.reasons()) {
    text += (text.empty() ? "" : "; ") + reason.text;
  }
  return text;
}

Error ModuleFaults::unavailable(std::string_view plugin, std::string_view method) const {
  if (shared_.shut_down) {
    return Error({.code = "host-ended",
                  .status = TENON_UNAVAILABLE,
                  .message = "the host of the module has ended",
                  .where = shared_.where,
                  .plugin = std::string(plugin),
                  .method = std::string(method)});
  }
  if (quarantined()) {
    return Error({.code = "module-quarantined",
                  .status = TENON_UNAVAILABLE,
                  .message = "the module has failed too often and is no longer used: " + reasons(),
                  .where = shared_.where,
                  .fix = "replace its file, or restart it by hand",
                  .plugin = std::string(plugin),
                  .method = std::string(method)});
  }
  return Error({.code = "module-restarting",
                .status = TENON_UNAVAILABLE | TENON_RETRYABLE,
                .message = "the module has failed and waits for its restart",
                .where = shared_.where,
                .plugin = std::string(plugin),
                .method = std::string(method)});
}

}  // namespace tenon::inline v0_1::detail
