// SPDX-License-Identifier: BSL-1.0
//
// tenon/detail/guard.hpp: the guard around each call of a plugin, for generated code. Host authors
// use Handle<K> instead.
//
// A call finds the generation of its module that serves now and keeps it loaded until the call
// ends, without locks and shared reference counts. Each thread owns a record with one hazard slot
// for each level of nesting and stores the target of its call in a slot. A restart publishes the
// targets of the new generation, issues a memory barrier on all processors, so that only restarts
// pay for it, and waits until no slot holds a target of the old generation.
#pragma once

#include <tenon/call.hpp>
#include <tenon/detail/export.hpp>
#include <tenon/detail/kind.hpp>
#include <tenon/detail/nested_call.hpp>
#include <tenon/detail/steps.hpp>
#include <tenon/result.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#if defined(__SANITIZE_THREAD__)
#define TENON_ORDERED_SLOTS 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TENON_ORDERED_SLOTS 1
#endif
#endif
#ifndef TENON_ORDERED_SLOTS
#define TENON_ORDERED_SLOTS 0
#endif

namespace tenon { inline namespace v0_1 {
class PluginInfo;
}}  // namespace tenon::v0_1

namespace tenon { inline namespace v0_1 { namespace detail {

class CallerScope;
class RevocableStream;
class CallTargets;

/// The target of the calls of one instance in one generation.
struct CallTarget {
  /// The vtable; nullptr if the gate is closed.
  const void* table = nullptr;
  void* self = nullptr;
  CallTargets* generation = nullptr;
  /// The registered name of the plugin; nullptr for the functions of the module.
  const std::string* plugin = nullptr;
};

/// The deadline of a call without one.
inline constexpr std::int64_t no_deadline = INT64_MAX;

/// The call targets of a module: an array with one target per instance, by index. While the gate is
/// closed, it is an array whose targets have no vtable.
///
/// Thread-safe. The lock is a leaf, and calls do not take it.
class TENON_API CallSwitch {
 public:
  /// Starts with a closed gate.
  CallSwitch();
  ~CallSwitch();
  CallSwitch(const CallSwitch&) = delete;
  CallSwitch& operator=(const CallSwitch&) = delete;

  /// Directs new calls to these targets. The array must live until no call can use it.
  void publish(const CallTarget* targets) noexcept;
  /// Replaces `outgrown` by `targets`, a larger array of the same generation, if it is published.
  void replace(const CallTarget* outgrown, const CallTarget* targets) noexcept;
  /// Closes the gate.
  void close() noexcept;
  bool closed() const noexcept;
  /// Returns whether a published target belongs to the closed gate.
  static bool is_gate(const CallTarget& target) noexcept;
  /// Reserves targets of the closed gate for `count` instances. Throws std::bad_alloc.
  void reserve(std::size_t count);
  /// Makes calls order their slots themselves. Returns whether they did not do so before.
  bool let_readers_order() noexcept;

  /// The number of calls, in any generation, that found no free slot in the record of their thread.
  std::atomic<std::int64_t> overflow{0};
  /// When calls are next checked for missed deadlines.
  std::atomic<std::int64_t> next_deadline{no_deadline};
  /// True while a restart is cancelling blocking calls.
  std::atomic<bool> interrupting{false};

 private:
  friend class CallGuard;

  /// The published array, for calls that rely on the barrier of the restart. If calls order their
  /// slots themselves, it is always the closed gate: calls then take the slow path, which does
  /// that.
  std::atomic<const CallTarget*> current_;
  /// The published array.
  std::atomic<const CallTarget*> published_;

  struct Writers;  // with their lock
  const std::unique_ptr<Writers> writers_;
};

/// A call in progress that has a deadline, as reported when it misses the deadline.
struct TimedCall {
  /// no_deadline if there is no such call.
  std::atomic<std::int64_t> deadline{no_deadline};
  std::atomic<std::uint32_t> instance{0};
  /// NUL-terminated: a separate length could belong to another call.
  std::atomic<const char*> method{""};
};

using Slot = std::atomic<const CallTarget*>;

/// The generations that a thread is in, innermost last. Written by its thread, read by restarts.
///
/// The slots fill a block that is aligned to its size, and the first one is never used. So one test
/// of the address covers both a thread without a free slot (the address after the last slot) and a
/// thread without a record (nullptr).
struct alignas(128) ThreadRecord {
  static constexpr std::uint32_t levels = 15;
  static constexpr std::uintptr_t block = (levels + 1) * sizeof(Slot);
  Slot slots[levels + 1]{};
  /// The call that may block, by index of the slot; see Blocking.
  std::atomic<Call*> blocking[levels + 1]{};
  /// The call with a deadline, by index of the slot.
  TimedCall timed[levels + 1]{};
  /// The innermost scope. Used only by the thread itself.
  const CallerScope* caller = nullptr;
  ThreadRecord* next = nullptr;
  ThreadRecord* next_free = nullptr;
  /// The position of the record in the order of creation, from 0.
  std::uint32_t number = 0;

  static bool is_slot(const Slot* slot) noexcept {
    return (reinterpret_cast<std::uintptr_t>(slot) & (block - 1)) != 0;
  }
  /// REQUIRED: is_slot.
  static ThreadRecord& of(Slot* slot) noexcept {
    return *reinterpret_cast<ThreadRecord*>(reinterpret_cast<std::uintptr_t>(slot) & ~(block - 1));
  }
  std::ptrdiff_t index_of(const Slot* slot) const noexcept { return slot - slots; }
};
static_assert(alignof(ThreadRecord) == ThreadRecord::block);
static_assert(sizeof(Slot) == sizeof(void*));

#if defined(_WIN32)
// A DLL cannot export thread-local variables: hosts for Windows must link the library statically.
#define TENON_TLS_API
#define TENON_TLS_AT_FIXED_OFFSET
#elif defined(__GNUC__)
#define TENON_TLS_API TENON_API
// With a thread-local at a fixed offset, one load finds the record.
#define TENON_TLS_AT_FIXED_OFFSET __attribute__((tls_model("initial-exec")))
#else
#define TENON_TLS_API TENON_API
#define TENON_TLS_AT_FIXED_OFFSET
#endif
extern TENON_TLS_API constinit thread_local ThreadRecord* thread_record TENON_TLS_AT_FIXED_OFFSET;
/// The next free slot in the record of the thread. Not a slot (is_slot) if there is none.
extern TENON_TLS_API constinit thread_local Slot* free_slot TENON_TLS_AT_FIXED_OFFSET;

/// True if calls order their slots and related stores themselves because the system has no barrier
/// on all processors. Set once, by the first restart to which the system refuses the barrier.
extern TENON_API constinit std::atomic<bool> readers_order;

/// True while a restart is cancelling calls that it found in thread records.
extern TENON_API constinit std::atomic<bool> cancelling_calls;

/// Gives the calling thread a record until the thread ends.
TENON_API ThreadRecord* attach_thread() noexcept;

/// One live instance of a plugin, as its owner holds it. Each restart replaces its object.
class TENON_API Instance {
 public:
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  /// The registered name of the plugin.
  std::string_view plugin() const noexcept;
  /// Returns whether the plugin itself implements a method of the latest interface; see
  /// Handle::supports.
  bool supports(std::string_view method) const;
  /// Returns the plugin in the manifest of the code that serves; see Handle::info.
  PluginInfo info() const;
  /// Stores the configuration of the plugin for replay after a restart.
  void remember_config(const tenon_map& config);

 protected:
  Instance(CallSwitch& serving, std::uint32_t index) noexcept : serving_(serving), index_(index) {}
  ~Instance() = default;

  /// Set by a restart of a session kind: the plugin is back in the state after configure.
  std::atomic<bool> session_unopened_{false};
  /// The generation whose module owns the instance; nullptr if the host owns it.
  const CallTargets* caller_ = nullptr;
  CallSwitch& serving_;
  const std::uint32_t index_;

 private:
  friend class CallerScope;
  friend class Blocking;
  friend class CallGuard;
};

/// Releases an instance through its module.
struct InstanceDeleter {
  TENON_API void operator()(Instance* instance) const noexcept;
};
using InstancePtr = std::unique_ptr<Instance, InstanceDeleter>;

/// Marks that the calling thread runs on behalf of `caller`: code of that generation has called the
/// host or another plugin, perhaps on a thread of its own. Work that must not run inside that code,
/// such as its restart, is then left to another thread; see this_thread_is_in. The scope does not
/// keep the generation loaded. Scopes of one thread nest.
class CallerScope {
 public:
  explicit CallerScope(const CallTargets* caller) noexcept
      : record_(thread_record != nullptr ? *thread_record : *attach_thread()),
        caller_(caller),
        outer_(std::exchange(record_.caller, this)) {}
  /// Marks a call of an instance that another module owns: on behalf of that module's generation.
  explicit CallerScope(const Instance& client) noexcept : CallerScope(client.caller_) {}
  ~CallerScope() { record_.caller = outer_; }
  CallerScope(const CallerScope&) = delete;
  CallerScope& operator=(const CallerScope&) = delete;

  const CallTargets* caller() const noexcept { return caller_; }
  /// Returns the enclosing scope; nullptr if there is none.
  const CallerScope* outer() const noexcept { return outer_; }

 private:
  ThreadRecord& record_;
  const CallTargets* const caller_;
  const CallerScope* const outer_;
};

/// Releases a stream that nobody gets; has no effect for nullptr.
template <class Raw>
void discard(Raw* stream) noexcept {
  if (stream != nullptr) stream->release(stream);
}

/// Returns a revocable stream around one that a plugin returned to the method that the calling
/// thread is in, for adapters; nullptr for nullptr.
TENON_API tenon_reader* revocable(tenon_reader* stream);
TENON_API tenon_writer* revocable(tenon_writer* stream);

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
      : instance_(instance), slot_(free_slot) {
    if (ThreadRecord::is_slot(slot_)) [[likely]] {
      // A signal handler that calls a plugin between these lines takes the next slot.
      free_slot = slot_ + 1;
      const CallSwitch& module = instance.serving_;
      const CallTarget* targets = module.current_.load(std::memory_order_acquire);
      target_ = targets + instance.index_;
      slot_->store(target_, std::memory_order_release);
      // The load comes after the store: a thread that is stopped here has stored its slot.
      std::atomic_signal_fence(std::memory_order_seq_cst);
      if (module.current_.load(std::memory_order_acquire) != targets || target_->table == nullptr)
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
    free_slot = slot_;
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

/// Surrounds a method that may block, so that a restart of a module with a session can cancel the
/// call.
///
/// The call is stored in the record of its thread, beside the slot of the guard. The thread stores
/// it and then loads `interrupting`. A restart stores that flag and then reads the records, so at
/// least one sees the other. In the same way the thread clears the record and then loads
/// `cancelling_calls`: the call does not end while a restart is cancelling it.
class Blocking {
 public:
  /// `guard` must outlive this.
  TENON_ALWAYS_INLINE Blocking(const CallGuard& guard, Call& call) noexcept
      : module_(guard.instance_.serving_), call_(call), place_(place_of(guard)) {
    if (place_ == nullptr) [[unlikely]] {
      begin_counted();
    } else if (store_then_load(&call, module_.interrupting)) [[unlikely]] {
      call.cancel(CancelReason::restart);
    }
  }
  TENON_ALWAYS_INLINE ~Blocking() {
    if (place_ == nullptr) [[unlikely]] {
      end_counted();
    } else if (store_then_load(nullptr, cancelling_calls)) [[unlikely]] {
      wait_for_cancelling();
    }
  }
  Blocking(const Blocking&) = delete;
  Blocking& operator=(const Blocking&) = delete;

 private:
  /// Returns nullptr if the call has no slot; see CallSwitch::overflow.
  static std::atomic<Call*>* place_of(const CallGuard& guard) noexcept {
    if (guard.slot_ == nullptr) [[unlikely]]
      return nullptr;
    ThreadRecord& record = ThreadRecord::of(guard.slot_);
    return &record.blocking[record.index_of(guard.slot_)];
  }
  /// The other side orders this with a barrier on all processors; see readers_order.
  bool store_then_load(Call* call, const std::atomic<bool>& flag) const noexcept {
    place_->store(call, std::memory_order_release);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    // The load comes after the store: a thread that is stopped here has stored its call.
    if (readers_order.load(std::memory_order_acquire)) [[unlikely]] {
      place_->store(call, std::memory_order_seq_cst);
      return flag.load(std::memory_order_seq_cst);
    }
    return flag.load(std::memory_order_acquire);
  }
  TENON_API void begin_counted() noexcept;
  TENON_API void end_counted() noexcept;
  TENON_API static void wait_for_cancelling() noexcept;

  const CallSwitch& module_;
  Call& call_;
  std::atomic<Call*>* const place_;
};

/// Blocking for a calling plugin, whose own call must not be cancelled: the method gets a nested
/// call.
class BlockingClient {
 public:
  BlockingClient(const CallGuard& guard, tenon_call* call) noexcept
      : nested_(Call::of(call)), blocking_(guard, nested_) {}
  BlockingClient(const BlockingClient&) = delete;
  BlockingClient& operator=(const BlockingClient&) = delete;

  /// Returns the nested call, valid as long as this.
  tenon_call* call() noexcept { return nested_.raw(); }
  /// Returns the status for the calling plugin after the method failed with `status`.
  TENON_API tenon_status failure(tenon_status status) noexcept;

 private:
  NestedCall nested_;
  Blocking blocking_;
};

/// A stream that a plugin passes to a method of another one. It is revocable during the call, and
/// the other plugin owns it once the method has succeeded.
class TENON_API LentStream {
 public:
  /// Replaces the stream by a revocable one. `instance` is the one that the caller calls.
  LentStream(Instance& instance, tenon_reader*& stream);
  LentStream(Instance& instance, tenon_writer*& stream);
  ~LentStream();
  LentStream(const LentStream&) = delete;
  LentStream& operator=(const LentStream&) = delete;

  void passed() noexcept;

 private:
  std::shared_ptr<RevocableStream> stream_;
};

/// Returns a copy of a request or response in the arena of the call, at least as large as this side
/// knows it, so that it can be changed.
template <class Message>
Message* copied(tenon_call* call, const Message* message) {
  const std::size_t size =
      message->struct_size > sizeof(Message) ? message->struct_size : sizeof(Message);
  void* copy = tenon_allocate_zeroed(call, size);
  return static_cast<Message*>(memcpy(copy, message, message->struct_size));
}

/// Returns a response that is at least as large as this side knows it: `out` itself, or a copy in
/// the arena of the call, filled with zeros.
template <class Response>
const Response* complete(tenon_call* call, const Response* out) {
  if (out->struct_size >= sizeof(Response)) [[likely]]
    return out;
  void* copy = tenon_allocate_zeroed(call, sizeof(Response));
  return static_cast<const Response*>(memcpy(copy, out, out->struct_size));
}

}}}  // namespace tenon::v0_1::detail
