// SPDX-License-Identifier: BSL-1.0
#include "restart/retired_generations.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "base/test_point.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

// The first and the longest delay between two attempts to unload a generation that is in use.
constexpr auto min_reclaim_delay = std::chrono::milliseconds(1);
constexpr auto max_reclaim_delay = std::chrono::milliseconds(100);

/// Returns why code stays mapped, and what holds it.
std::string reason_of(const ReloadSafety& reload) {
  std::string text = "its code stays mapped: ";
  if (!reload.symbol.empty()) text += reload.symbol + " in ";
  text += reload.file.string() + ": ";
  if (!reload.library.empty()) text += reload.library + ": ";
  return text + reload.reason + "; " + reload.fix;
}

/// The same after a crash. `when`: eg " while it ended".
std::string crash_reason(const std::filesystem::path& file, std::string_view when) {
  return std::string("its code stays mapped: it crashed").append(when) +
         ", so that threads and objects of " + file.string() + " may be left";
}

}  // namespace

RetiredGenerations::~RetiredGenerations() {
  for (const Ptr& old : retired_) leave_loaded(std::move(old->generation));
}

RetiredGenerations::Ptr RetiredGenerations::retire(GenerationPtr& generation,
                                                   std::optional<Event> event) {
  if (generation == nullptr) return nullptr;
  return retire(generation, prepare(*generation, std::move(event)));
}

RetiredGenerations::Place RetiredGenerations::prepare(const Generation& generation,
                                                      std::optional<Event> event) const {
  Place place;
  place.push_back(std::make_shared<Retired>(generation, std::move(event),
                                            state_.context->restart.step_timeout));
  return place;
}

RetiredGenerations::Ptr RetiredGenerations::retire_serving(Event::Type type) {
  return retire(state_.generation, state_.event(type));
}

RetiredGenerations::Place RetiredGenerations::prepare_to_retire(Event::Type type) const {
  if (state_.generation == nullptr) return {};
  return prepare(*state_.generation, state_.event(type));
}

RetiredGenerations::Ptr RetiredGenerations::retire_serving(Place place) noexcept {
  if (state_.generation == nullptr) return nullptr;
  return retire(state_.generation, std::move(place));
}

RetiredGenerations::Ptr RetiredGenerations::retire(GenerationPtr& generation,
                                                   Place place) noexcept {
  Ptr old = place.front();
  old->since = Clock::now();
  old->generation = std::move(generation);
  retired_.splice(retired_.end(), place);
  return old;
}

RetiredGenerations::Ptr RetiredGenerations::never_served(GenerationPtr& generation) const {
  Ptr old = prepare(*generation, std::nullopt).front();
  old->since = Clock::now();
  old->generation = std::move(generation);
  return old;
}

// -- Draining -----------------------------------------------------------------

bool RetiredGenerations::drain(const Ptr& old, Clock::time_point deadline) noexcept {
  const Drain threads = occupancy_of(*old, deadline);
  TENON_TEST_POINT("drain: empty");
  if (threads == Drain::empty) return unload(old);
  if (threads == Drain::unknown) {
    keep_mapped(old);
  } else {
    postpone(old);
  }
  return false;
}

void RetiredGenerations::drain_on_worker(const Ptr& old) noexcept {
  const auto run = [retired = state_.keep(this), old] {
    {
      const ModuleLock lock(retired->state_.mutex);
      old->claim_by_this_thread();
    }
    return retired->drain(old);
  };
  try {
    if (state_.context->workers->run_reusing_thread(run)) return;
  } catch (const std::bad_alloc&) {
  }
  run();
}

/// Returns the occupancy of a generation. One whose streams are still held is occupied.
Drain RetiredGenerations::occupancy_of(Retired& old, Clock::time_point deadline) noexcept {
  RevocableStreams& streams = old.generation->streams();
  const bool ends = [&] {
    const ModuleLock lock(state_.mutex);
    return state_.shut_down;
  }();
  if (ends || Clock::now() >= old.since + state_.context->restart.drain_timeout) {
    streams.revoke_all();
  }
  // Does not wait for streams: their holder may be the thread that requested the restart.
  if (streams.count() != 0) deadline = Clock::now();
  const Drain threads = wait_until_empty(state_.calls, *old.generation, deadline);
  return threads == Drain::empty && streams.count() != 0 ? Drain::occupied : threads;
}

/// Leaves a generation that is still occupied until later. Reports it once if it is overdue.
void RetiredGenerations::postpone(const Ptr& old) noexcept {
  bool report = false;
  {
    const ModuleLock lock(state_.mutex);
    old->worker = {};
    const bool overdue = Clock::now() >= old->since + state_.context->restart.drain_timeout;
    report = overdue && !std::exchange(old->reported, true) && old->event.has_value();
    state_.done.notify_all();
  }
  if (report) {
    report_of(*old, Event::Type::drain_overdue,
              [] { return "a call does not end; the code stays loaded until it has"; });
  }
  const ModuleLock lock(state_.mutex);
  schedule_reclaim();
}

/// Keeps the objects and the code of a generation for ever, because a thread may still be in it.
void RetiredGenerations::keep_mapped(const Ptr& old) noexcept {
  old->generation->mark_broken();
  GenerationPtr kept;
  {
    const ModuleLock lock(state_.mutex);
    retired_.remove(old);
    kept = std::move(old->generation);
  }
  leave_loaded(std::move(kept));
  report_of(*old, Event::Type::unload_prevented, [this] {
    return "its code stays mapped: a thread may still be in " + state_.where +
           "; the system refused the memory barrier (membarrier) that shows whether calls have "
           "ended";
  });
  const ModuleLock lock(state_.mutex);
  ++still_mapped_;
  old->finished = true;
  state_.done.notify_all();
}

/// Reports an event of a generation, unless it reports none or memory is exhausted.
template <class Message>
void RetiredGenerations::report_of(const Retired& old, Event::Type type,
                                   Message message) const noexcept try {
  if (!old.event) return;
  Event what = *old.event;
  what.type = type;
  what.drain_time = Clock::now() - old.since;
  what.message = message();
  state_.report(what);
} catch (const std::bad_alloc&) {
}

void RetiredGenerations::schedule_reclaim() noexcept {
  if (next_reclaim_ != Clock::duration::zero() || state_.shut_down) return;
  next_reclaim_ = min_reclaim_delay;
  try {
    plan_reclaim();
  } catch (const std::bad_alloc&) {
    next_reclaim_ = {};  // a later call may have memory
  }
}

void RetiredGenerations::plan_reclaim() {
  state_.context->timers->at(Clock::now() + next_reclaim_, [weak = state_.observe(this)] {
    const auto retired = weak.lock();
    if (retired == nullptr) return true;
    const auto& workers = retired->state_.context->workers;
    return workers->run([retired] { retired->drain_all(); }).has_value();
  });
}

void RetiredGenerations::drain_all() noexcept {
  std::vector<Ptr> retired;
  {
    const ModuleLock lock(state_.mutex);
    const Clock::duration delay = std::exchange(next_reclaim_, Clock::duration::zero());
    try {
      retired.assign(retired_.begin(), retired_.end());
      if (!retired.empty() && !state_.shut_down) {
        // Planned before code of one of them runs, which may hang.
        next_reclaim_ = std::min<Clock::duration>(2 * delay, max_reclaim_delay);
        plan_reclaim();
      }
    } catch (const std::bad_alloc&) {
      next_reclaim_ = {};  // a later call may have memory
    }
  }
  for (const Ptr& old : retired) {
    {
      const ModuleLock lock(state_.mutex);
      if (old->finished || old->taken()) continue;
      old->claim_by_this_thread();
    }
    drain(old, Clock::now());
  }
}

void RetiredGenerations::revoke_streams(std::uint32_t index) noexcept {
  RevocableStreams::Streams those;
  {
    const ModuleLock lock(state_.mutex);
    for (const Ptr& old : retired_) old->generation->streams().list(index, those);
  }
  for (const auto& stream : those) stream->revoke();
}

// -- Unloading ----------------------------------------------------------------

/// Counts a generation whose code stays mapped, and reports why.
template <class Message>
void RetiredGenerations::report_still_mapped(const Retired& old, Message message) noexcept {
  {
    const ModuleLock lock(state_.mutex);
    ++still_mapped_;
  }
  report_of(old, Event::Type::unload_prevented, message);
}

bool RetiredGenerations::unload(const Ptr& old) noexcept {
  {
    const ModuleLock lock(state_.mutex);
    const auto place = std::ranges::find(retired_, old);
    if (place != retired_.end()) {
      unloading_.splice(unloading_.end(), retired_, place);
    } else {
      unloading_.push_back(old);
    }
  }
  hangs_.watch(old, Clock::now() + state_.context->restart.step_timeout);
  std::optional<ReloadSafety> unsafe;
  std::optional<std::string_view> crash;
  bool gone = false;
  {
    const SupervisedWork::Scope performance(*old);
    if (old->generation->broken()) crash = "";
    std::optional<Image> image = old->generation->stop();
    if (!crash && old->generation->broken()) crash = " while it ended";
    old->generation = nullptr;
    const SupervisedWork::Step step(old->package, "unload");
    gone = image && image->unload();
    if (image && !gone) unsafe = image->reload();
  }
  if (unsafe) {
    report_still_mapped(*old, [&] { return reason_of(*unsafe); });
    state_.context->reaper->schedule();
  } else if (crash) {
    report_still_mapped(*old, [&] { return crash_reason(state_.origin.file, *crash); });
  } else if (old->event) {
    report_of(*old, old->event->type, [] { return ""; });
  }
  {
    const ModuleLock lock(state_.mutex);
    unloading_.remove(old);
    if (std::exchange(old->finished, true)) --still_mapped_;  // it had been abandoned
  }
  state_.done.notify_all();  // without the lock, which waiting threads need immediately
  return gone;
}

bool RetiredGenerations::is_in_progress(const SupervisedWork& old) const noexcept {
  return std::ranges::any_of(unloading_, [&](const Ptr& one) { return one.get() == &old; });
}

bool RetiredGenerations::others_unload() const noexcept {
  return !std::ranges::all_of(
      unloading_, [](const Ptr& old) TENON_REQUIRES(module_lock) { return old->taken_here(); });
}

void RetiredGenerations::abandon_overdue(Clock::time_point now) noexcept {
  std::optional<SupervisedWork::Overdue> hang;
  const auto hangs = [&](const Ptr& old) { return (hang = old->overdue(now)).has_value(); };
  for (auto old = std::ranges::find_if(unloading_, hangs); old != unloading_.end();
       old = std::ranges::find_if(unloading_, hangs)) {
    abandon(Ptr(*old), *hang);
  }
}

/// Abandons a generation whose last functions hang, with its worker. Releases the lock
/// meanwhile.
void RetiredGenerations::abandon(const Ptr& old, const SupervisedWork::Overdue& hang) noexcept {
  unloading_.remove(old);
  old->finished = true;
  ++still_mapped_;
  state_.done.notify_all();
  Event late = old->event ? *old->event : state_.event(Event::Type::drain_overdue);
  late.type = Event::Type::drain_overdue;
  late.drain_time = Clock::now() - old->since;
  late.message = std::string(state_.hang_error(hang).message());
  const ModuleUnlock unlocked(state_.mutex);
  state_.run_on_worker([events = state_.context->events, late] { events->report(late); });
}

// -- Waiting ------------------------------------------------------------------

void RetiredGenerations::wait_for_end(const Ptr& old) noexcept {
  const auto deadline =
      Clock::now() + state_.context->restart.drain_timeout + state_.context->restart.step_timeout;
  const ModuleLock lock(state_.mutex);
  while (!old->finished && old->taken() && Clock::now() < deadline) {
    state_.done.wait_until(state_.mutex, std::min(deadline, old->next_check(Clock::now())));
    hangs_.abandon_overdue();
  }
}

/// Drains generations. Returns those that other workers were draining. Releases the lock
/// meanwhile.
std::vector<RetiredGenerations::Ptr> RetiredGenerations::drain_each(const std::vector<Ptr>& list,
                                                                    Clock::time_point deadline) {
  std::vector<Ptr> drained;
  for (const Ptr& old : list) {
    if (old->finished) continue;
    if (old->taken()) {
      drained.push_back(old);
      continue;
    }
    old->claim_by_this_thread();
    const ModuleUnlock unlocked(state_.mutex);
    drain_on_worker(old);
  }
  state_.done.wait_until(state_.mutex, deadline,
                         [this]() TENON_REQUIRES(module_lock) { return !others_drain(); });
  return drained;
}

void RetiredGenerations::drain_before_shut_down(Clock::time_point deadline) {
  const ModuleLock lock(state_.mutex);
  const auto by_others = drain_each({retired_.begin(), retired_.end()}, deadline);
  // A worker may have found a generation in use just before the host ended. Nothing else retries.
  drain_each(by_others, deadline);
}

/// Returns whether other workers drain generations.
bool RetiredGenerations::others_drain() const noexcept {
  const auto busy = [](const Ptr& old)
                        TENON_REQUIRES(module_lock) { return old->taken() && !old->taken_here(); };
  return std::ranges::any_of(retired_, busy) || std::ranges::any_of(unloading_, busy);
}

std::vector<Event> RetiredGenerations::left_at_shut_down() const {
  std::vector<Event> left;
  for (const std::list<Ptr>* list : {&unloading_, &retired_}) {
    for (const Ptr& old : *list) {
      if (old->taken_here() || !old->event) continue;
      left.push_back(overdue(*old->event, "a call, or the end of the old code,"));
    }
  }
  return left;
}

}}}  // namespace tenon::v0_1::detail
