// SPDX-License-Identifier: BSL-1.0
//
// tenon/detail/guard.hpp: the guard around each call of a plugin, for generated code. Host authors
// use Handle<K> instead.
//
// A call finds the generation of its module that serves now and keeps it loaded until the call
// ends, without locks and shared reference counts. Each thread owns a record with one hazard slot
// for each level of nesting and stores the target of its call in a slot. A restart publishes the
// targets of the new generation, issues a memory barrier on all processors, so that only restarts
// pay for it, and waits until no slot holds a target of the old generation. On Windows each call
// orders its own accesses instead (TENON_CALLS_ORDER_SLOTS).
#pragma once

#include <tenon/call.hpp>
#include <tenon/detail/call_switch.hpp>
#include <tenon/detail/export.hpp>
#include <tenon/detail/instance.hpp>
#include <tenon/detail/lent_stream.hpp>
#include <tenon/detail/steps.hpp>
#include <tenon/detail/thread_record.hpp>
#include <tenon/result.hpp>

#include <atomic>
#include <cstdint>
#include <string>
#include <type_traits>

namespace tenon { inline namespace v0_1 { namespace detail {

/// Surrounds a create or a configure method of a module: finds plugins that create each other
/// without end, and restores the floating-point modes of the thread. Scopes of one thread nest.
class TENON_API SetupScope {
 public:
  explicit SetupScope(const CallSwitch& module) noexcept;
  ~SetupScope();
  SetupScope(const SetupScope&) = delete;
  SetupScope& operator=(const SetupScope&) = delete;

  /// Returns how many scopes of the module the calling thread is in.
  static int depth(const CallSwitch& module) noexcept;

 private:
  const CallSwitch& module_;
  const SetupScope* const outer_;
  std::uint64_t float_modes_ = 0;  // a platform::FloatModes
};

/// Keeps the generation that one call found loaded from construction to destruction. The code that
/// every call runs is inline. Refusals, failures and deadlines are functions of the library, so
/// that the code of a call stays small. They get the members by value: a guard whose address is
/// taken would be in memory instead of registers.
class CallGuard {
 public:
  /// `allowed_before_open`: whether the method may be called right after configure. After a restart
  /// of a session kind, other methods are refused until one that begins the session has succeeded,
  /// or the plugin does not implement it. `call`: it waits at a closed gate until its deadline, or
  /// until it is cancelled.
  TENON_ALWAYS_INLINE CallGuard(Instance& instance, bool allowed_before_open,
                                tenon_call* call) noexcept
      : instance_(instance), slot_(next_free_slot()) {
    if (ThreadRecord::is_slot(slot_)) [[likely]] {
      // A signal handler that calls a plugin between these lines takes the next slot.
      take_slot(slot_);
      const CallSwitch& module = instance.serving_;
      const CallTarget* targets = module.current_.load(std::memory_order_acquire);
      target_ = targets + instance.index_;
      slot_->store(target_, slot_store_order);
      // The load comes after the store: a thread that is stopped here has stored its slot.
      std::atomic_signal_fence(std::memory_order_seq_cst);
      if (module.current_.load(slot_load_order) != targets || target_->table == nullptr)
          [[unlikely]] {
        leave();
        enter_slowly(call);
      }
    } else {
      enter_slowly(call);
    }
    allowed_ = target_->table != nullptr &&
               (allowed_before_open || !instance.session_unopened_.load(std::memory_order_relaxed));
  }
  TENON_ALWAYS_INLINE ~CallGuard() {
    if (slot_ != nullptr) [[likely]]
      leave();
    else
      leave_counted(instance_);
  }
  CallGuard(const CallGuard&) = delete;
  CallGuard& operator=(const CallGuard&) = delete;

  /// Returns whether the call is allowed.
  explicit operator bool() const noexcept { return allowed_; }
  void* self() const noexcept { return target_->self; }
  /// Returns the scope for a configure method.
  SetupScope setup() const noexcept { return SetupScope(instance_.serving_); }

  /// Calls a method of the plugin. `name` is a literal. An exception is caught here, while its code
  /// is still loaded: it is reported to the module, and its text becomes the message of the call.
  template <class Table, class... Arguments>
  TENON_ALWAYS_INLINE tenon_status call(tenon_status (*Table::*method)(tenon_call*, void*,
                                                                       Arguments...),
                                        const char* name, tenon_call* call,
                                        std::type_identity_t<Arguments>... arguments) const {
#if defined(__cpp_exceptions)
    try {
      return call_uncaught(method, name, call, arguments...);
    } catch (...) {
      return thrown(instance_, *target_, call, name);
    }
#else
    // This host cannot catch, so the library does.
    const auto body = [&] { return call_uncaught(method, name, call, arguments...); };
    return call_caught(
        instance_, *target_, call, name,
        [](const void* context) { return (*static_cast<const decltype(body)*>(context))(); },
        &body);
#endif
  }

  /// Returns a revocable stream around one that the call returned, which keeps the generation
  /// loaded; nullptr for nullptr.
  template <class Raw>
  TENON_ALWAYS_INLINE Raw* revocable(Raw* stream) const {
    return revocable(*target_, instance_.index_, stream);
  }

  /// Records the status of a method that begins a session. A plugin without the method has no
  /// session that would have to begin.
  void session_begins(tenon_status status) noexcept {
    if (status == TENON_OK || status == TENON_UNIMPLEMENTED) {
      instance_.session_unopened_.store(false, std::memory_order_relaxed);
    }
  }

  /// Returns the error of a call that is not allowed.
  TENON_ALWAYS_INLINE Error refusal(const char* method) const {
    return refusal(instance_, method, *target_);
  }
  /// Reports that error to a calling plugin.
  TENON_ALWAYS_INLINE tenon_status refuse(tenon_call* call, const char* method) const noexcept {
    return refuse(instance_, call, method, *target_);
  }
  /// Returns the error of a call that failed with `status`. Reports a fatal status to the module.
  TENON_ALWAYS_INLINE Error failure(Call& call, tenon_status status, const char* method) const {
    return failure(instance_, *target_, call, status, method);
  }
  /// Returns the status of a failed call for a calling plugin, without the flag for a restart.
  TENON_ALWAYS_INLINE tenon_status failure(tenon_call* call, tenon_status status,
                                           const char* method) const {
    return failure_inside(instance_, *target_, call, status, method);
  }
  /// Returns the error of a call that succeeded without a response.
  TENON_ALWAYS_INLINE Error no_answer(const char* method) const {
    return no_answer(instance_, method);
  }
  /// The same for a response without one of its streams. Releases the others.
  template <class... Raw>
  TENON_COLD Error no_stream(const char* method, const char* name, Raw*... others) const {
    (discard(revocable(others)), ...);
    return no_stream(instance_, method, name);
  }
  /// The same for a response whose field `name` has a size without data. Releases the streams.
  template <class... Raw>
  TENON_COLD Error no_data(const char* method, const char* name, Raw*... streams) const {
    (discard(revocable(streams)), ...);
    return no_data(instance_, method, name);
  }
  /// Reports that error to a calling plugin.
  template <class... Raw>
  TENON_COLD tenon_status no_data(tenon_call* call, const char* name, Raw*... streams) const {
    (discard(revocable(streams)), ...);
    return fail_without_data(call, name);
  }

 private:
  friend class Blocking;

  /// The target of a call that took the slow path, and its slot; nullptr if the call is counted.
  struct Entered {
    const CallTarget* target;
    Slot* slot;
  };

  /// The members of the guard of a call with a deadline. As separate arguments they would be passed
  /// on the stack, and every call would need a frame pointer.
  struct TimedEntry {
    Instance& instance;
    const CallTarget& target;
    Slot* slot;
    const char* method;
  };

  /// Makes a call with a deadline visible to the host.
  class Timed {
   public:
    Timed(Instance& instance, Slot* slot, std::int64_t deadline, const char* method) noexcept
        : timed_(slot == nullptr ? nullptr : begin(instance, *slot, deadline, method)) {}
    ~Timed() {
      if (timed_ != nullptr) timed_->deadline.store(no_deadline);
    }
    Timed(const Timed&) = delete;
    Timed& operator=(const Timed&) = delete;

   private:
    TENON_API static TimedCall* begin(Instance& instance, Slot& slot, std::int64_t deadline,
                                      const char* method) noexcept;

    TimedCall* const timed_;
  };

  template <class Table, class... Arguments>
  TENON_ALWAYS_INLINE tenon_status
  call_uncaught(tenon_status (*Table::*method)(tenon_call*, void*, Arguments...), const char* name,
                tenon_call* call, std::type_identity_t<Arguments>... arguments) const {
    if (call->deadline != no_deadline) [[unlikely]]
      return call_timed(TimedEntry{instance_, *target_, slot_, name}, method, call, arguments...);
    const auto* table = static_cast<const Table*>(target_->table);
    return (table->*method)(call, target_->self, arguments...);
  }

  template <class Table, class... Arguments>
  TENON_COLD static tenon_status call_timed(
      const TimedEntry& entry, tenon_status (*Table::*method)(tenon_call*, void*, Arguments...),
      tenon_call* call, std::type_identity_t<Arguments>... arguments) {
    const Timed timed(entry.instance, entry.slot, call->deadline, entry.method);
    const auto* table = static_cast<const Table*>(entry.target.table);
    return (table->*method)(call, entry.target.self, arguments...);
  }

  TENON_ALWAYS_INLINE void leave() const noexcept {
    slot_->store(nullptr, std::memory_order_release);
    release_slot(slot_);
  }
  TENON_ALWAYS_INLINE void enter_slowly(tenon_call* call) noexcept {
    const Entered entered = enter_slowly(instance_, call);
    target_ = entered.target;
    slot_ = entered.slot;
  }
  /// Enters if the thread has no record yet or no free slot, if calls order their slots themselves,
  /// or if another generation was published between the two loads. Waits at a closed gate, unless
  /// the thread is already inside the generation that the gate closes. The target has no vtable if
  /// no generation serves after the wait, or if the call does not wait any longer.
  TENON_API TENON_COLD static Entered enter_slowly(Instance& instance, tenon_call* call) noexcept;
  TENON_API TENON_COLD static void leave_counted(Instance& instance) noexcept;

  TENON_API TENON_COLD static Error refusal(const Instance& instance, const char* method,
                                            const CallTarget& target);
  TENON_API TENON_COLD static tenon_status refuse(const Instance& instance, tenon_call* call,
                                                  const char* method,
                                                  const CallTarget& target) noexcept;
  // These two are not cold: gcc 12 would move the code behind them, which every call runs, as well.
  TENON_API static Error failure(Instance& instance, const CallTarget& target, Call& call,
                                 tenon_status status, const char* method);
  TENON_API static tenon_status failure_inside(Instance& instance, const CallTarget& target,
                                               tenon_call* call, tenon_status status,
                                               const char* method);
  /// Called inside a catch clause.
  TENON_API TENON_COLD static tenon_status thrown(Instance& instance, const CallTarget& target,
                                                  tenon_call* call, const char* method);
  /// Runs `body` with `context`, and handles an exception as above.
  TENON_API static tenon_status call_caught(Instance& instance, const CallTarget& target,
                                            tenon_call* call, const char* method,
                                            tenon_status (*body)(const void* context),
                                            const void* context);
  TENON_API TENON_COLD static Error no_answer(const Instance& instance, const char* method);
  TENON_API TENON_COLD static Error no_stream(const Instance& instance, const char* method,
                                              const char* name);
  TENON_API TENON_COLD static Error no_data(const Instance& instance, const char* method,
                                            const char* name);

  TENON_API static tenon_reader* revocable(const CallTarget& target, std::uint32_t index,
                                           tenon_reader* stream);
  TENON_API static tenon_writer* revocable(const CallTarget& target, std::uint32_t index,
                                           tenon_writer* stream);

  // For a counted call:
  static Entered enter_counted(Instance& instance, tenon_call* call) noexcept;
  static Entered enter_at_gate(Instance& instance, tenon_call* call) noexcept;

  Instance& instance_;
  Slot* slot_;
  const CallTarget* target_;
  bool allowed_;
};

}}}  // namespace tenon::v0_1::detail
