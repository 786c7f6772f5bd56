// SPDX-License-Identifier: BSL-1.0
//
// The objects of a generation by the index of their instances, and the targets of calls to them.
#pragma once

#include <tenon/detail/guard.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/lock_order.hpp"
#include "base/module_lock.hpp"
#include "call/call_counters.hpp"
#include "call/thread_records.hpp"
#include "code/plugin_object.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Thread-safe. The lock of the module guards the objects, so that an instance and its object are
/// listed in one step. `pin` keeps an object: `extract` then leaves its end to the last pin.
class ObjectTable {
 public:
  /// `owner`: the generation, which calls enter by the targets. `mutex`: that of its module.
  /// `counters`: those of the module.
  ObjectTable(CallTargets& owner, Mutex& mutex, std::shared_ptr<CallCounters> counters);
  ObjectTable(const ObjectTable&) = delete;
  ObjectTable& operator=(const ObjectTable&) = delete;

  /// Makes an object callable at `index`, which must be unused. If an allocation fails, the caller
  /// still owns the object.
  void insert(std::uint32_t index, PluginObject& object) TENON_REQUIRES(module_lock);
  /// Removes the object at `index`. The caller destroys it without the lock. Returns no object if
  /// there is none, or if it is destroyed later: by the last pin, or with the generation if a call
  /// stays in one of its streams. REQUIRED: no method of the object is in progress.
  PluginObject extract(std::uint32_t index, bool streams_ended) noexcept
      TENON_REQUIRES(module_lock);
  /// Removes all objects: by index, then those that were extracted and not destroyed.
  struct All {
    std::vector<PluginObject> listed;
    std::vector<PluginObject> extracted;
  };
  All extract_all() noexcept;
  /// Adds a target without an object at `index`, which must be unused.
  void reserve(std::uint32_t index) TENON_REQUIRES(module_lock);
  /// Returns the plugin of the object at `index`; nullptr if there is none.
  const ValidatedPlugin* plugin_of(std::uint32_t index) const noexcept TENON_REQUIRES(module_lock) {
    return index < objects_.size() ? objects_[index].plugin : nullptr;
  }

  /// Return whether the plugin of the object at `index` implements save_state and restore_state.
  bool saves_state(std::uint32_t index) const;
  bool restores_state(std::uint32_t index) const;

  /// Begins or ends the counting of calls. Calls in progress are not affected.
  void count_calls(bool on) TENON_REQUIRES(module_lock);

  /// Directs the calls of a module to the objects.
  void serve(CallSwitch& module) noexcept TENON_REQUIRES(module_lock);
  /// Returns the call targets by index.
  const CallTarget* targets() const noexcept { return newest_targets_.load(); }

 private:
  friend class ObjectPin;

  ObjectRef pin(std::uint32_t index);
  void unpin(std::uint32_t index, const ObjectRef& object) noexcept;
  void ensure_capacity(std::size_t needed) TENON_REQUIRES(module_lock);
  void add_counted(std::uint32_t index, PluginObject& object) TENON_REQUIRES(module_lock);
  void publish_instead_of(const CallTarget* earlier) noexcept TENON_REQUIRES(module_lock);
  /// Returns the targets that calls use.
  const CallTarget* called() const noexcept TENON_REQUIRES(module_lock) {
    return targets_.back().get() + (counts_calls_ ? capacity_ : 0);
  }

  CallTargets& owner_;
  Mutex& mutex_;
  const std::shared_ptr<CallCounters> counters_;
  bool counts_calls_ TENON_GUARDED_BY(module_lock) = false;
  // The number of objects so far.
  std::uint64_t inserted_ TENON_GUARDED_BY(module_lock) = 0;
  std::vector<PluginObject> objects_ TENON_GUARDED_BY(module_lock);  // by index
  // Pins or streams of theirs are in use.
  std::vector<PluginObject> extracted_ TENON_GUARDED_BY(module_lock);
  // The module whose calls it gets.
  CallSwitch* serves_ TENON_GUARDED_BY(module_lock) = nullptr;
  // Targets of the objects, by index: those of direct calls, then those of counted ones, which are
  // set once calls were counted. Smaller arrays are kept: calls may use them.
  std::size_t capacity_ TENON_GUARDED_BY(module_lock) = 8;
  std::vector<std::unique_ptr<CallTarget[]>> targets_ TENON_GUARDED_BY(module_lock);
  std::atomic<const CallTarget*> newest_targets_{nullptr};
};

/// Keeps the calling thread in a generation, and the object at an index undestroyed.
class ObjectPin {
 public:
  ObjectPin(Generation& generation, std::uint32_t index);
  ~ObjectPin() { table_.unpin(index_, object_); }
  ObjectPin(const ObjectPin&) = delete;
  ObjectPin& operator=(const ObjectPin&) = delete;

  /// Returns whether there is an object at that index.
  explicit operator bool() const noexcept { return static_cast<bool>(object_); }
  const ObjectRef* operator->() const noexcept { return &object_; }

 private:
  const GenerationGuard guard_;
  ObjectTable& table_;
  const std::uint32_t index_;
  const ObjectRef object_;
};

}}}  // namespace tenon::v0_1::detail
