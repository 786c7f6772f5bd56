// SPDX-License-Identifier: BSL-1.0
//
// Generations of a module that no longer serve: drains them, unloads them, and reports those that
// cannot be unloaded.
#pragma once

#include <tenon/events.hpp>

#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "call/supervised_work.hpp"
#include "call/thread_records.hpp"
#include "code/generation.hpp"
#include "image/image.hpp"
#include "state/module_state.hpp"
#include "supervise/call_deadlines.hpp"
#include "supervise/hang_watch.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// A generation that no longer serves, until it is unloaded. The operation is its unloading.
struct Retired : SupervisedWork {
  Retired(const Generation& generation, std::optional<Event> event, Clock::duration step_limit)
      : SupervisedWork(step_limit), package(generation.package()), event(std::move(event)) {}

  const std::string package;
  const std::optional<Event> event;  // to report at the end, if any
  Clock::time_point since;
  GenerationPtr generation;
  // Drains or unloads it; std::thread::id() if none does.
  std::thread::id worker TENON_GUARDED_BY(module_lock);
  bool reported TENON_GUARDED_BY(module_lock) = false;  // as overdue
  bool finished TENON_GUARDED_BY(module_lock) = false;  // unloaded or abandoned

  /// Makes the calling thread its worker.
  void claim_by_this_thread() noexcept TENON_REQUIRES(module_lock) {
    worker = std::this_thread::get_id();
  }
  /// Return whether some thread, or the calling thread, is its worker.
  bool taken() const noexcept TENON_REQUIRES(module_lock) { return worker != std::thread::id(); }
  bool taken_here() const noexcept TENON_REQUIRES(module_lock) {
    return worker == std::this_thread::get_id();
  }
};

/// Thread-safe.
class RetiredGenerations final : public DrainingGenerations, public Supervised {
 public:
  using Clock = SupervisedWork::Clock;
  using Ptr = std::shared_ptr<Retired>;

  RetiredGenerations(ModuleState& state, HangWatch& hangs) noexcept : state_(state), hangs_(hangs) {
    hangs.supervise(*this);
  }
  /// Leaves the code of all of them loaded.
  ~RetiredGenerations();
  RetiredGenerations(const RetiredGenerations&) = delete;
  RetiredGenerations& operator=(const RetiredGenerations&) = delete;

  /// A place for a generation that will be retired.
  using Place = std::list<Ptr>;

  /// Retires a generation, if there is one. `event`: reported at its end. If memory is exhausted,
  /// throws and leaves it in place.
  Ptr retire(GenerationPtr& generation, std::optional<Event> event) TENON_REQUIRES(module_lock);
  /// Retires the generation that serves, with an event of this type for its end.
  Ptr retire_serving(Event::Type type) TENON_REQUIRES(module_lock);
  /// The same in two steps, of which the second cannot fail; it does nothing if that generation no
  /// longer serves.
  Place prepare_to_retire(Event::Type type) const TENON_REQUIRES(module_lock);
  Ptr retire_serving(Place place) noexcept TENON_REQUIRES(module_lock);
  /// Creates the record of a generation that never served, for `unload`.
  Ptr never_served(GenerationPtr& generation) const;

  /// Unloads a generation after all threads have left it, or leaves that until later. Returns
  /// whether its image is gone. REQUIRED: the caller is its worker.
  bool drain(const Ptr& old) noexcept {
    return drain(old, Clock::now() + state_.context->restart.drain_timeout);
  }
  /// The same on another worker. REQUIRED: the caller is its current worker.
  void drain_on_worker(const Ptr& old) noexcept;
  /// Drains those that no worker drains, without waiting for threads that are in them.
  void drain_all() noexcept;
  /// Plans `drain_all`, unless that is planned already.
  void schedule_reclaim() noexcept TENON_REQUIRES(module_lock);
  /// Stops and unloads a generation that all threads have left. Returns whether its image is gone.
  bool unload(const Ptr& old) noexcept;

  /// Revokes the streams of an instance in all of them. Does not wait for calls in the streams.
  void revoke_streams(std::uint32_t index) noexcept;

  /// Waits for the end of a generation while a worker drains or unloads it.
  void wait_for_end(const Ptr& old) noexcept;
  /// Drains all of them on workers, and waits for other workers until the deadline.
  void drain_before_shut_down(Clock::time_point deadline);
  /// Returns the events of those that the host ends without.
  std::vector<Event> left_at_shut_down() const TENON_REQUIRES(module_lock);

  /// Abandons those whose last functions hang, with their workers.
  void abandon_overdue(Clock::time_point now) noexcept TENON_REQUIRES(module_lock) override;
  /// Returns whether it is unloading this one.
  bool is_in_progress(const SupervisedWork& old) const noexcept
      TENON_REQUIRES(module_lock) override;
  /// Returns whether another thread unloads one.
  bool others_unload() const noexcept TENON_REQUIRES(module_lock);

  /// Count code that a function which hangs keeps mapped, until the function returns.
  void add_mapped() noexcept TENON_REQUIRES(module_lock) { ++still_mapped_; }
  void remove_mapped() noexcept TENON_REQUIRES(module_lock) { --still_mapped_; }

  /// Return the number of those that are not unloaded yet, of images that could not be unloaded,
  /// and whether none is left.
  std::size_t draining() const noexcept TENON_REQUIRES(module_lock) { return retired_.size(); }
  std::size_t still_mapped() const noexcept TENON_REQUIRES(module_lock) { return still_mapped_; }
  bool empty() const noexcept TENON_REQUIRES(module_lock) {
    return retired_.empty() && unloading_.empty();
  }
  void visit(const Visit& visit) const TENON_REQUIRES(module_lock) override {
    for (const Ptr& old : retired_) {
      if (old->event) visit(*old->generation, *old->event);
    }
  }

 private:
  Place prepare(const Generation& generation, std::optional<Event> event) const;
  Ptr retire(GenerationPtr& generation, Place place) noexcept TENON_REQUIRES(module_lock);
  std::vector<Ptr> drain_each(const std::vector<Ptr>& list, Clock::time_point deadline)
      TENON_REQUIRES(module_lock);
  bool drain(const Ptr& old, Clock::time_point deadline) noexcept;
  Drain occupancy_of(Retired& old, Clock::time_point deadline) noexcept;
  void postpone(const Ptr& old) noexcept;
  void keep_mapped(const Ptr& old) noexcept;
  template <class Message>
  void report_still_mapped(const Retired& old, Message message) noexcept;
  template <class Message>
  void report_of(const Retired& old, Event::Type type, Message message) const noexcept;
  void abandon(const Ptr& old, const SupervisedWork::Overdue& hang) noexcept
      TENON_REQUIRES(module_lock);
  void plan_reclaim() TENON_REQUIRES(module_lock);
  bool others_drain() const noexcept TENON_REQUIRES(module_lock);

  ModuleState& state_;
  HangWatch& hangs_;
  // Calls or streams may be in them.
  std::list<Ptr> retired_ TENON_GUARDED_BY(module_lock);
  std::list<Ptr> unloading_ TENON_GUARDED_BY(module_lock);
  // Images that could not be unloaded.
  std::size_t still_mapped_ TENON_GUARDED_BY(module_lock) = 0;
  // The delay of the planned one; zero if none is.
  Clock::duration next_reclaim_ TENON_GUARDED_BY(module_lock){};
};

}}}  // namespace tenon::v0_1::detail
