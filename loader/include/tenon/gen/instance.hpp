// SPDX-License-Identifier: BSL-1.0
//
// tenon/gen/instance.hpp: how generated code enters a plugin. A host author uses Handle<K> instead.
//
// A call has to find the generation of its module that serves now and to keep it loaded until the
// call is over, without a lock and without a count that threads share. So each thread owns a record
// with a slot for each level of nesting, and writes into it where its call goes. A restart
// publishes the targets of the new generation, makes all threads see that (a memory barrier on all
// processors, paid by the restart alone), and then waits until no slot holds a target of the old
// generation.
#pragma once

#include <tenon/call.hpp>
#include <tenon/export.hpp>
#include <tenon/gen/kind.hpp>
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

namespace tenon::detail {

class AskerScope;
class Lease;
class Serving;

/// Where the calls of one instance go while one generation serves.
struct CallTarget {
  /// The vtable; nullptr: the gate is closed.
  const void* table = nullptr;
  void* self = nullptr;
  Serving* generation = nullptr;
  /// The registered name of the plugin; nullptr: the functions of the module.
  const std::string* plugin = nullptr;
};

/// The deadline of a call that has none.
inline constexpr std::int64_t no_deadline = INT64_MAX;

/// What calls see of a module: an array with a target for each instance, by its index. While the
/// gate is closed, it is an array whose targets have no table.
///
/// Thread-safe. The lock is a leaf; calls do not take it.
class TENON_API ServingModule {
 public:
  /// The gate is closed.
  ServingModule();
  ~ServingModule();
  ServingModule(const ServingModule&) = delete;
  ServingModule& operator=(const ServingModule&) = delete;

  /// Calls go to these targets from now on. The array lives until no call can be in it any more.
  void publish(const CallTarget* targets) noexcept;
  /// Publishes `targets`, a larger array of the same generation, where `outgrown` is published.
  void replace(const CallTarget* outgrown, const CallTarget* targets) noexcept;
  /// Closes the gate.
  void close() noexcept;
  bool closed() const noexcept;
  /// Returns whether a target that was published belongs to the closed gate.
  static bool is_gate(const CallTarget& target) noexcept;
  /// Makes room at the closed gate for `count` instances. Throws std::bad_alloc.
  void make_room(std::size_t count);
  /// From now on calls order their slots themselves. Returns whether they did not do so before.
  bool let_readers_order() noexcept;

  /// Calls that found no free slot in the record of their thread, whichever generation they are in.
  std::atomic<std::int64_t> overflow{0};
  /// When calls are looked at next that may have missed their deadline.
  std::atomic<std::int64_t> next_deadline{no_deadline};
  /// Whether a restart cancels the calls that block.
  std::atomic<bool> interrupting{false};

 private:
  friend class CallGuard;

  /// What is published, for calls that rely on the barrier of the restart. Where calls order their
  /// slots themselves, it is always the closed gate: calls then take the way on which they do that.
  std::atomic<const CallTarget*> current_;
  /// What is published.
  std::atomic<const CallTarget*> published_;

  struct Writers;  // with their lock
  const std::unique_ptr<Writers> writers_;
};

/// A call under way that has a deadline: what can be told of it when it misses that.
struct TimedCall {
  /// no_deadline while there is no such call.
  std::atomic<std::int64_t> deadline{no_deadline};
  std::atomic<std::uint32_t> instance{0};
  /// Ends with NUL: a name and a length of their own could be those of two calls.
  std::atomic<const char*> method{""};
};

using Slot = std::atomic<const CallTarget*>;

/// Which generations a thread is in, innermost last. Read by restarts, written by its thread.
///
/// The slots fill a block of memory that is aligned to its size, and the first one is never used.
/// So the address behind the last slot and the address of no slot (nullptr) look alike: one test
/// covers a thread that has no free slot and one that has no record.
struct alignas(128) ThreadRecord {
  static constexpr std::uint32_t levels = 15;
  static constexpr std::uintptr_t block = (levels + 1) * sizeof(Slot);
  Slot slots[levels + 1]{};
  /// By the index of the slot: the call that may block there, see Blocking.
  std::atomic<Call*> blocking[levels + 1]{};
  /// By the index of the slot.
  TimedCall timed[levels + 1]{};
  /// Only for the thread itself: the innermost scope.
  const AskerScope* asker = nullptr;
  ThreadRecord* next = nullptr;
  ThreadRecord* next_free = nullptr;
  /// How many records there were before it.
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

#if defined(__GNUC__) && !defined(_WIN32)
// A record is found with one load where the thread-local is at a fixed offset.
#define TENON_TLS_AT_FIXED_OFFSET __attribute__((tls_model("initial-exec")))
#else
#define TENON_TLS_AT_FIXED_OFFSET
#endif
extern TENON_API constinit thread_local ThreadRecord* thread_record TENON_TLS_AT_FIXED_OFFSET;
/// Of the record of the thread: the next free slot; where there is none, no slot (is_slot).
extern TENON_API constinit thread_local Slot* free_slot TENON_TLS_AT_FIXED_OFFSET;

/// Whether calls order their slots and what they write beside them themselves, since the system
/// offers no barrier. Set once, by a restart to which the system refuses it.
extern TENON_API constinit std::atomic<bool> readers_order;

/// Whether a restart is cancelling calls that it found in the records of their threads.
extern TENON_API constinit std::atomic<bool> cancelling_calls;

/// Gives the calling thread a record, until the thread ends.
TENON_API ThreadRecord* attach_thread() noexcept;

/// One live instance of a plugin as its owner holds it; the objects behind it change with each
/// restart.
class TENON_API Instance {
 public:
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  /// The registered name of the plugin.
  std::string_view plugin() const noexcept;
  /// Whether a method of the latest interface is one of the plugin's own, see Handle::supports.
  bool supports(std::string_view method) const;
  /// Keeps what the plugin was configured with, for replay after a restart.
  void remember_config(const tenon_map& config);

 protected:
  Instance(ServingModule& serving, std::uint32_t index) noexcept
      : serving_(serving), index_(index) {}
  ~Instance() = default;

  /// Set by a restart of a session kind: the plugin is back in its configured state.
  std::atomic<bool> stale_{false};
  /// The generation that has the instance as a client; nullptr: the host has it.
  const Serving* asker_ = nullptr;

 private:
  friend class AskerScope;
  friend class Blocking;
  friend class CallGuard;

  ServingModule& serving_;
  const std::uint32_t index_;
};

/// The calling thread runs on behalf of `asker` from construction to destruction: code of that
/// generation has called the host or another plugin, perhaps on a thread of its own. What must not
/// run inside that code, such as its restart, is left to another thread meanwhile; see
/// this_thread_is_in. It does not keep the generation loaded. Scopes of one thread nest.
class AskerScope {
 public:
  explicit AskerScope(const Serving* asker) noexcept
      : record_(thread_record != nullptr ? *thread_record : *attach_thread()),
        asker_(asker),
        outer_(std::exchange(record_.asker, this)) {}
  /// A call of a client: on behalf of the generation that has it.
  explicit AskerScope(const Instance& client) noexcept : AskerScope(client.asker_) {}
  ~AskerScope() { record_.asker = outer_; }
  AskerScope(const AskerScope&) = delete;
  AskerScope& operator=(const AskerScope&) = delete;

  const Serving* asker() const noexcept { return asker_; }
  /// The scope around this one; nullptr where there is none.
  const AskerScope* outer() const noexcept { return outer_; }

 private:
  ThreadRecord& record_;
  const Serving* const asker_;
  const AskerScope* const outer_;
};

/// Stands for one call: from construction to destruction the generation that it found stays loaded.
/// The code that each call runs is inline; refusals, failures and deadlines are functions of the
/// library, so that the code at the place of the call stays small. They get the members by value:
/// a guard whose address is taken would lie in memory instead of registers.
class CallGuard {
 public:
  /// `fresh`: the method is legal in an instance that was just configured; others are refused after
  /// a restart of a session kind until one that begins the session succeeded.
  TENON_ALWAYS_INLINE CallGuard(Instance& instance, bool fresh) noexcept
      : instance_(instance), slot_(free_slot) {
    if (ThreadRecord::is_slot(slot_)) [[likely]] {
      // A signal handler that calls a plugin between these lines takes the next slot.
      free_slot = slot_ + 1;
      const ServingModule& module = instance.serving_;
      const CallTarget* targets = module.current_.load(std::memory_order_acquire);
      target_ = targets + instance.index_;
      slot_->store(target_, std::memory_order_release);
      // The load comes after the store: a thread that is stopped here has stored its slot.
      std::atomic_signal_fence(std::memory_order_seq_cst);
      if (module.current_.load(std::memory_order_acquire) != targets || target_->table == nullptr)
          [[unlikely]] {
        leave();
        enter_slowly();
      }
    } else {
      enter_slowly();
    }
    allowed_ =
        target_->table != nullptr && (fresh || !instance.stale_.load(std::memory_order_relaxed));
  }
  TENON_ALWAYS_INLINE ~CallGuard() {
    if (slot_ != nullptr) [[likely]]
      leave();
    else
      leave_counted(instance_);
  }
  CallGuard(const CallGuard&) = delete;
  CallGuard& operator=(const CallGuard&) = delete;

  /// Whether the call may go on.
  explicit operator bool() const noexcept { return allowed_; }
  void* self() const noexcept { return target_->self; }

  /// Calls a method of the plugin. `name` is a literal. An exception that it throws ends here,
  /// while its code is still loaded: it is reported to the module, and its text is the message of
  /// the call.
  template <class Table, class... Arguments>
  TENON_ALWAYS_INLINE tenon_status call(tenon_status (*Table::*method)(tenon_call*, void*,
                                                                       Arguments...),
                                        const char* name, tenon_call* call,
                                        std::type_identity_t<Arguments>... arguments) const {
    try {
      if (call->deadline != no_deadline) [[unlikely]]
        return call_timed(instance_, *target_, slot_, method, name, call, arguments...);
      const auto* table = static_cast<const Table*>(target_->table);
      return (table->*method)(call, target_->self, arguments...);
    } catch (...) {
      return thrown(instance_, *target_, call, name);
    }
  }

  /// A stream that the call returned, as the caller gets it: it keeps the generation. nullptr where
  /// there is none.
  template <class Raw>
  TENON_ALWAYS_INLINE Raw* lease(Raw* stream) const {
    return lease(*target_, instance_.index_, stream);
  }

  /// A method that begins a session succeeded.
  void session_begins() noexcept { instance_.stale_.store(false, std::memory_order_relaxed); }

  /// The error of a call that may not go on.
  TENON_ALWAYS_INLINE Error refusal(const char* method) const {
    return refusal(instance_, method, target_->table != nullptr);
  }
  /// The same for a caller on the other side of the ABI.
  TENON_ALWAYS_INLINE tenon_status refuse(tenon_call* call, const char* method) const noexcept {
    return refuse(instance_, call, method, target_->table != nullptr);
  }
  /// The error of a call that failed with `status`. One that is fatal is reported to the module.
  TENON_ALWAYS_INLINE Error failure(Call& call, tenon_status status, const char* method) const {
    return failure(instance_, *target_, call, status, method);
  }
  /// The same for a caller on the other side of the ABI, who has nothing to restart.
  TENON_ALWAYS_INLINE tenon_status failure(tenon_call* call, tenon_status status,
                                           const char* method) const {
    return failure_inside(instance_, *target_, call, status, method);
  }
  /// The error of a call that succeeded without a response.
  TENON_ALWAYS_INLINE Error no_answer(const char* method) const {
    return no_answer(instance_, method);
  }

 private:
  friend class Blocking;

  /// Where a call goes that took the slow way, and its slot; nullptr: the call is counted.
  struct Place {
    const CallTarget* target;
    Slot* slot;
  };

  /// Lets the host see a call that has a deadline.
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
  TENON_COLD static tenon_status call_timed(
      Instance& instance, const CallTarget& target, Slot* slot,
      tenon_status (*Table::*method)(tenon_call*, void*, Arguments...), const char* name,
      tenon_call* call, std::type_identity_t<Arguments>... arguments) {
    const Timed timed(instance, slot, call->deadline, name);
    const auto* table = static_cast<const Table*>(target.table);
    return (table->*method)(call, target.self, arguments...);
  }

  TENON_ALWAYS_INLINE void leave() const noexcept {
    slot_->store(nullptr, std::memory_order_release);
    free_slot = slot_;
  }
  TENON_ALWAYS_INLINE void enter_slowly() noexcept {
    const Place place = enter_slowly(instance_);
    target_ = place.target;
    slot_ = place.slot;
  }
  /// Enters if the thread has no record yet or no free slot, if calls order their slots themselves,
  /// or if another generation was published between the two loads. Waits at a closed gate, unless
  /// the thread is already inside the generation that the gate closes. The target has no vtable if
  /// no generation serves after the wait.
  TENON_API TENON_COLD static Place enter_slowly(Instance& instance) noexcept;
  TENON_API TENON_COLD static void leave_counted(Instance& instance) noexcept;

  TENON_API TENON_COLD static Error refusal(const Instance& instance, const char* method,
                                            bool served);
  TENON_API TENON_COLD static tenon_status refuse(const Instance& instance, tenon_call* call,
                                                  const char* method, bool served) noexcept;
  TENON_API TENON_COLD static Error failure(Instance& instance, const CallTarget& target,
                                            Call& call, tenon_status status, const char* method);
  TENON_API TENON_COLD static tenon_status failure_inside(Instance& instance,
                                                          const CallTarget& target,
                                                          tenon_call* call, tenon_status status,
                                                          const char* method);
  /// Inside a catch clause.
  TENON_API TENON_COLD static tenon_status thrown(Instance& instance, const CallTarget& target,
                                                  tenon_call* call, const char* method);
  TENON_API TENON_COLD static Error no_answer(const Instance& instance, const char* method);

  TENON_API static tenon_reader* lease(const CallTarget& target, std::uint32_t index,
                                       tenon_reader* stream);
  TENON_API static tenon_writer* lease(const CallTarget& target, std::uint32_t index,
                                       tenon_writer* stream);

  // The functions of a counted call.
  static Place enter_counted(Instance& instance) noexcept;
  static Place enter_at_gate(Instance& instance) noexcept;

  Instance& instance_;
  Slot* slot_;
  const CallTarget* target_;
  bool allowed_;
};

/// Around a method that may block: a restart of a module with a session cancels the call.
///
/// The call is put into the record of its thread, beside the slot of the guard. The thread stores
/// it and then loads `interrupting`; a restart stores that and then looks through the records, so
/// at least one sees the other. In the same way the thread clears it and then loads
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
  /// nullptr: the call has no slot, see ServingModule::overflow.
  static std::atomic<Call*>* place_of(const CallGuard& guard) noexcept {
    if (guard.slot_ == nullptr) [[unlikely]]
      return nullptr;
    ThreadRecord& record = ThreadRecord::of(guard.slot_);
    return &record.blocking[record.index_of(guard.slot_)];
  }
  /// Ordered by the other side with a barrier on all processors, see readers_order.
  bool store_then_load(Call* call, const std::atomic<bool>& flag) const noexcept {
    place_->store(call, std::memory_order_release);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    // Read after the store: a thread that is stopped here has stored its call.
    if (readers_order.load(std::memory_order_acquire)) [[unlikely]] {
      place_->store(call, std::memory_order_seq_cst);
      return flag.load(std::memory_order_seq_cst);
    }
    return flag.load(std::memory_order_acquire);
  }
  TENON_API void begin_counted() noexcept;
  TENON_API void end_counted() noexcept;
  TENON_API static void wait_for_cancelling() noexcept;

  const ServingModule& module_;
  Call& call_;
  std::atomic<Call*>* const place_;
};

/// The same for a caller that is a plugin, whose own call is not cancelled by it: the method gets
/// one that lies within that.
class BlockingClient {
 public:
  BlockingClient(const CallGuard& guard, tenon_call* call) noexcept
      : nested_(Call::of(call)), blocking_(guard, nested_) {}
  BlockingClient(const BlockingClient&) = delete;
  BlockingClient& operator=(const BlockingClient&) = delete;

  /// Stands for that of the caller until this ends.
  tenon_call* call() noexcept { return nested_.raw(); }
  /// What to answer when the method failed with `status`.
  TENON_API tenon_status failure(tenon_status status) noexcept;

 private:
  NestedCall nested_;
  Blocking blocking_;
};

/// A stream that a plugin passes to another one, leased while it is there. It changes its owner
/// when the method has succeeded.
class TENON_API LentStream {
 public:
  /// Puts a lease in the place of the stream. `instance`: of the method, as the caller has it.
  LentStream(Instance& instance, tenon_reader*& stream);
  LentStream(Instance& instance, tenon_writer*& stream);
  ~LentStream();
  LentStream(const LentStream&) = delete;
  LentStream& operator=(const LentStream&) = delete;

  void passed() noexcept;

 private:
  std::shared_ptr<Lease> lease_;
};

/// A request or response that can be changed, in the arena of the call; at least as long as this
/// side knows it.
template <class Message>
Message* copied(tenon_call* call, const Message* message) {
  const std::size_t size =
      message->struct_size > sizeof(Message) ? message->struct_size : sizeof(Message);
  void* copy = tenon_allocate_zeroed(call, size);
  return static_cast<Message*>(memcpy(copy, message, message->struct_size));
}

/// An answer as long as this side knows it: `out` itself, or a copy in the arena of the call whose
/// missing end is zero.
template <class Response>
const Response* complete(tenon_call* call, const Response* out) {
  if (out->struct_size >= sizeof(Response)) [[likely]]
    return out;
  void* copy = tenon_allocate_zeroed(call, sizeof(Response));
  return static_cast<const Response*>(memcpy(copy, out, out->struct_size));
}

}  // namespace tenon::detail
