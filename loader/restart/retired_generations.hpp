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

#include "call/operation.hpp"
#include "call/thread_records.hpp"
#include "code/generation.hpp"
#include "image/image.hpp"
#include "state/module_state.hpp"
#include "supervise/call_deadlines.hpp"
#include "supervise/hang_watch.hpp"

namespace tenon::inline v0_1::detail {

/// A generation that no longer serves, until it is unloaded. The operation is its unloading.
struct Retired : Operation {
  Retired(const Generation& generation, std::optional<Event> event, Clock::duration step_limit)
      : Operation(step_limit), package(generation.package()), event(std::move(event)) {}

  const std::string package;
  const std::optional<Event> event;  // to report at the end, if any
  Clock::time_point since;
  GenerationPtr generation;
  // Guarded by the module.
  std::thread::id worker;  // drains or unloads it; std::thread::id() if none does
  bool reported = false;   // as overdue
  bool over = false;       // unloaded or abandoned

  /// Makes the calling thread its worker. REQUIRED, as below: the lock.
  void take() noexcept { worker = std::this_thread::get_id(); }
  /// Return whether some thread, or the calling thread, is its worker.
  bool taken() const noexcept { return worker != std::thread::id(); }
  bool taken_here() const noexcept { return worker == std::this_thread::get_id(); }
};

/// Thread-safe. REQUIRED, except where a comment says otherwise: the lock is not held.
class RetiredGenerations final : public DrainingGenerations, public Supervised {
 public:
  using Clock = Operation::Clock;
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
  /// throws and leaves it in place. REQUIRED: the lock.
  Ptr retire(GenerationPtr& generation, std::optional<Event> event);
  /// Retires the generation that serves, with an event of this type for its end. REQUIRED: the
  /// lock.
  Ptr retire_serving(Event::Type type);
  /// The same in two steps, of which the second cannot fail; it does nothing if that generation no
  /// longer serves. REQUIRED: the lock.
  Place prepare_to_retire(Event::Type type) const;
  Ptr retire_serving(Place place) noexcept;
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
  /// Plans `drain_all`, unless that is planned already. REQUIRED: the lock.
  void schedule_reclaim() noexcept;
  /// Stops and unloads a generation that all threads have left. Returns whether its image is gone.
  bool unload(const Ptr& old) noexcept;

  /// Revokes the streams of an instance in all of them. Does not wait for calls in the streams.
  void revoke_streams(std::uint32_t index) noexcept;

  /// Waits for the end of a generation while a worker drains or unloads it.
  void wait_for_end(const Ptr& old) noexcept;
  /// Drains all of them on workers, and waits for other workers until the deadline.
  void drain_before_shut_down(Clock::time_point deadline);
  /// Returns the events of those that the host ends without. REQUIRED: the lock.
  std::vector<Event> left_at_shut_down() const;

  /// Abandons those whose last functions hang, with their workers.
  void abandon_overdue(Clock::time_point now) noexcept override;
  /// Returns whether it is unloading this one. REQUIRED: the lock.
  bool is_in_progress(const Operation& old) const noexcept override;
  /// Returns whether another thread unloads one. REQUIRED: the lock.
  bool others_unload() const noexcept;

  /// Count code that a function which hangs keeps mapped, until the function returns. REQUIRED: the
  /// lock.
  void add_mapped() noexcept { ++still_mapped_; }
  void remove_mapped() noexcept { --still_mapped_; }

  /// Return the number of those that are not unloaded yet, of images that could not be unloaded,
  /// and whether none is left. REQUIRED: the lock.
  std::size_t draining() const noexcept { return retired_.size(); }
  std::size_t still_mapped() const noexcept { return still_mapped_; }
  bool empty() const noexcept { return retired_.empty() && unloading_.empty(); }
  void visit(const Visit& visit) const override {
    for (const Ptr& old : retired_) {
      if (old->event) visit(*old->generation, *old->event);
    }
  }

 private:
  Place prepare(const Generation& generation, std::optional<Event> event) const;
  Ptr retire(GenerationPtr& generation, Place place) noexcept;
  std::vector<Ptr> drain_each(const std::vector<Ptr>& list, Clock::time_point deadline);
  bool drain(const Ptr& old, Clock::time_point deadline) noexcept;
  Occupancy occupancy_of(Retired& old, Clock::time_point deadline) noexcept;
  void postpone(const Ptr& old) noexcept;
  void keep_mapped(const Ptr& old) noexcept;
  template <class Message>
  void report_still_mapped(const Retired& old, Message message) noexcept;
  template <class Message>
  void report_of(const Retired& old, Event::Type type, Message message) const noexcept;
  void abandon(const Ptr& old, const Operation::Hang& hang) noexcept;
  void plan_reclaim();
  bool others_drain() const noexcept;

  ModuleState& state_;
  HangWatch& hangs_;
  // Guarded by the lock.
  std::list<Ptr> retired_;          // calls or streams may be in them
  std::list<Ptr> unloading_;        // being unloaded
  std::size_t still_mapped_ = 0;    // images that could not be unloaded
  Clock::duration next_reclaim_{};  // the delay of the planned one; zero if none is
};

}  // namespace tenon::inline v0_1::detail
