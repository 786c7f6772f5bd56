// SPDX-License-Identifier: BSL-1.0
//
// tenon/instance.hpp: how generated code enters a plugin. A host author uses Handle<K> instead.
//
// A call has to find the generation of its module that serves now and to keep it loaded until the
// call is over, without a lock and without a count that threads share. So each thread owns a record
// with a slot for each level of nesting, and writes into it which generation it is in. A restart
// publishes the new generation, makes all threads see that (a memory barrier on all processors,
// paid by the restart alone), and then waits until no slot holds the old one.
#pragma once

#include <tenon/call.hpp>
#include <tenon/export.hpp>
#include <tenon/kind.hpp>
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

/// The table and the object that a call goes to.
struct Bound {
  const void* table;
  void* self;
};

/// What calls see of a generation, or of the gate that is closed while none serves.
struct Serving {
  /// One entry per instance of the module, by its index; nullptr while the gate is closed. Before
  /// the first one stands another whose `self` is this.
  std::atomic<const Bound*> bounds{nullptr};
};

/// The deadline of a call that has none.
inline constexpr std::int64_t no_deadline = INT64_MAX;

/// What calls see of a module.
struct ServingModule {
  std::atomic<Serving*> current{nullptr};
  /// Calls that found no free slot in the record of their thread, whichever generation they are in.
  std::atomic<std::int64_t> overflow{0};
  /// When calls are looked at next that may have missed their deadline.
  std::atomic<std::int64_t> next_deadline{no_deadline};
  /// Whether a restart cancels the calls that block.
  std::atomic<bool> interrupting{false};
};

/// A call under way that has a deadline: what can be told of it when it misses that.
struct TimedCall {
  /// no_deadline while there is no such call.
  std::atomic<std::int64_t> deadline{no_deadline};
  std::atomic<std::uint32_t> instance{0};
  /// Ends with NUL: a name and a length of their own could be those of two calls.
  std::atomic<const char*> method{""};
};

/// Which generations a thread is in, innermost last. Read by restarts, written by its thread.
struct ThreadRecord {
  static constexpr std::uint32_t levels = 14;
  std::atomic<Serving*> slots[levels]{};
  /// By the place of the slot: the call that may block there, see Blocking.
  std::atomic<Call*> blocking[levels]{};
  /// By the place of the slot.
  TimedCall timed[levels]{};
  /// Only for the thread itself, by the place of the slot: the plugin whose function runs; nullptr:
  /// a function of the module.
  const std::string* plugins[levels]{};
  /// Only for the thread itself: the innermost scope.
  const AskerScope* asker = nullptr;
  std::uint32_t depth = 0;
  /// Whether the reader must order its slots, since the system offers no barrier. Set by a restart
  /// when the system begins to refuse it.
  std::atomic<bool> ordered{TENON_ORDERED_SLOTS};
  ThreadRecord* next = nullptr;
  ThreadRecord* next_free = nullptr;
};

#if defined(__GNUC__) && !defined(_WIN32)
// A record is found with one load where the thread-local is at a fixed offset.
#define TENON_TLS_AT_FIXED_OFFSET __attribute__((tls_model("initial-exec")))
#else
#define TENON_TLS_AT_FIXED_OFFSET
#endif
extern TENON_API constinit thread_local ThreadRecord* thread_record TENON_TLS_AT_FIXED_OFFSET;

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

  /// The registered name of the plugin, which lives as long as the instance.
  const std::string* plugin_ = nullptr;
  /// Set by a restart of a session kind: the plugin is back in its configured state.
  std::atomic<bool> stale_{false};
  /// The generation that has the instance as a client; nullptr: the host has it.
  const Serving* asker_ = nullptr;

 private:
  friend class AskerScope;
  friend class Blocking;
  friend class Entry;

  ServingModule& serving_;
  std::uint32_t index_;
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
/// Its members are handed out by value only, so that they can live in registers.
class Entry {
 public:
  /// `fresh`: the method is legal in an instance that was just configured; others are refused after
  /// a restart of a session kind until one that begins the session succeeded.
  Entry(Instance& instance, bool fresh) noexcept
      : instance_(instance),
        place_(enter(instance)),
        allowed_(place_.bound->table != nullptr &&
                 (fresh || !instance.stale_.load(std::memory_order_relaxed))) {}
  ~Entry() {
    if (place_.slot != nullptr) [[likely]] {
      place_.slot->store(nullptr, std::memory_order_release);
      thread_record->depth--;
    } else {
      instance_.serving_.overflow.fetch_sub(1, std::memory_order_release);
    }
  }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;

  /// Whether the call may go on.
  explicit operator bool() const noexcept { return allowed_; }
  void* self() const noexcept { return place_.bound->self; }

  /// Calls a method of the plugin. `name` is a literal. An exception that it throws ends here,
  /// while its code is still loaded: it is told to the module, and its text is the message of the
  /// call.
  template <class Table, class... Arguments>
  tenon_status call(tenon_status (*Table::*method)(tenon_call*, void*, Arguments...),
                    std::string_view name, tenon_call* call,
                    std::type_identity_t<Arguments>... arguments) const {
    const Timed timed(*this, call->deadline, name);
    try {
      const auto* table = static_cast<const Table*>(place_.bound->table);
      return (table->*method)(call, place_.bound->self, arguments...);
    } catch (...) {
      return thrown(instance_, generation(), call, name);
    }
  }

  /// A stream that the call answered, as the caller gets it: it keeps the generation. nullptr where
  /// there is none.
  template <class Raw>
  Raw* lease(Raw* answered) const {
    return lease(before_bounds(), instance_.index_, answered);
  }

  /// A method that begins a session succeeded.
  void session_begins() noexcept { instance_.stale_.store(false, std::memory_order_relaxed); }

  /// The error of a call that may not go on.
  Error refusal(std::string_view method) const {
    return refusal(instance_, method, place_.bound->table != nullptr);
  }
  /// The same for a caller on the other side of the contract.
  tenon_status refuse(tenon_call* call, std::string_view method) const noexcept {
    return refuse(instance_, call, method, place_.bound->table != nullptr);
  }
  /// The error of a call that failed with `status`. One that is fatal is told to the module.
  Error failure(Call& call, tenon_status status, std::string_view method) const {
    return failure(instance_, generation(), call, status, method);
  }
  /// The same for a caller on the other side of the contract, who has nothing to restart.
  tenon_status failure(tenon_call* call, tenon_status status, std::string_view method) const {
    return failure_inside(instance_, generation(), call, status, method);
  }
  /// The error of a call that succeeded without an answer.
  Error no_answer(std::string_view method) const { return no_answer(instance_, method); }

 private:
  friend class Blocking;

  /// Where the call goes, and what marks that it is under way: a slot, or where there was none the
  /// count of the module.
  struct Place {
    const Bound* bound;
    std::atomic<Serving*>* slot;
  };

  /// Lets the host see a call that has a deadline.
  class Timed {
   public:
    Timed(const Entry& entry, std::int64_t deadline, std::string_view method) noexcept
        : timed_(deadline == no_deadline || entry.place_.slot == nullptr
                     ? nullptr
                     : begin(entry.instance_, *entry.place_.slot, deadline, method)) {}
    ~Timed() {
      if (timed_ != nullptr) [[unlikely]]
        timed_->deadline.store(no_deadline);
    }
    Timed(const Timed&) = delete;
    Timed& operator=(const Timed&) = delete;

   private:
    TENON_API static TimedCall* begin(Instance& instance, const std::atomic<Serving*>& slot,
                                      std::int64_t deadline, std::string_view method) noexcept;

    TimedCall* const timed_;
  };

  /// What stands before the first entry of the instances, see Serving. REQUIRED: the call may go
  /// on.
  const Bound* before_bounds() const noexcept { return place_.bound - instance_.index_ - 1; }
  /// The generation that the call is in. REQUIRED: the call may go on.
  Serving* generation() const noexcept { return static_cast<Serving*>(before_bounds()->self); }

  static Place enter(Instance& instance) noexcept {
    ThreadRecord* record = thread_record;
    if (record == nullptr) [[unlikely]]
      record = attach_thread();
    const std::uint32_t depth = record->depth;
    if (depth >= ThreadRecord::levels) [[unlikely]]
      return enter_counted(instance);
    // A signal handler that calls a plugin between these lines takes the next slot.
    record->depth = depth + 1;
    record->plugins[depth] = instance.plugin_;
    std::atomic<Serving*>& slot = record->slots[depth];
    const ServingModule& module = instance.serving_;
    Serving* serving = module.current.load(std::memory_order_acquire);
    for (;;) {
      Serving* again;
      slot.store(serving, std::memory_order_release);
      std::atomic_signal_fence(std::memory_order_seq_cst);
      // Read after the store: a thread that is stopped here has stored its slot.
      if (record->ordered.load(std::memory_order_relaxed)) [[unlikely]] {
        slot.store(serving, std::memory_order_seq_cst);
        again = module.current.load(std::memory_order_seq_cst);
      } else {
        again = module.current.load(std::memory_order_acquire);
      }
      if (again == serving) [[likely]]
        break;
      serving = again;
    }
    const Bound* bounds = serving->bounds.load(std::memory_order_acquire);
    if (bounds == nullptr) [[unlikely]] {
      slot.store(nullptr, std::memory_order_release);
      record->depth = depth;
      return enter_at_gate(instance);
    }
    return {bounds + instance.index_, &slot};
  }
  /// All slots of the thread are taken.
  TENON_API static Place enter_counted(Instance& instance) noexcept;
  /// The gate is closed: waits for it, unless the thread is behind it already. Where nobody serves
  /// in the end, the place has no table.
  TENON_API static Place enter_at_gate(Instance& instance) noexcept;

  TENON_API static Error refusal(const Instance& instance, std::string_view method, bool served);
  TENON_API static tenon_status refuse(const Instance& instance, tenon_call* call,
                                       std::string_view method, bool served) noexcept;
  TENON_API static Error failure(Instance& instance, Serving* generation, Call& call,
                                 tenon_status status, std::string_view method);
  TENON_API static tenon_status failure_inside(Instance& instance, Serving* generation,
                                               tenon_call* call, tenon_status status,
                                               std::string_view method);
  /// Inside a catch clause.
  TENON_API static tenon_status thrown(Instance& instance, Serving* generation, tenon_call* call,
                                       std::string_view method);
  TENON_API static Error no_answer(const Instance& instance, std::string_view method);

  TENON_API static tenon_reader* lease(const Bound* generation, std::uint32_t index,
                                       tenon_reader* answered);
  TENON_API static tenon_writer* lease(const Bound* generation, std::uint32_t index,
                                       tenon_writer* answered);

  Instance& instance_;
  const Place place_;
  const bool allowed_;
};

/// Around a method that may block: a restart of a module with a session cancels the call.
///
/// The call is put into the record of its thread, beside the slot of the entry. The thread stores
/// it and then loads `interrupting`; a restart stores that and then looks through the records, so
/// at least one sees the other. In the same way the thread clears it and then loads
/// `cancelling_calls`: the call does not end while a restart is cancelling it.
class Blocking {
 public:
  /// `entry` must outlive this.
  Blocking(const Entry& entry, Call& call) noexcept
      : module_(entry.instance_.serving_), call_(call), place_(place_of(entry)) {
    if (place_ == nullptr) [[unlikely]] {
      begin_counted();
    } else if (store_then_load(&call, module_.interrupting)) [[unlikely]] {
      call.cancel(CancelReason::restart);
    }
  }
  ~Blocking() {
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
  static std::atomic<Call*>* place_of(const Entry& entry) noexcept {
    if (entry.place_.slot == nullptr) return nullptr;
    return &thread_record->blocking[entry.place_.slot - thread_record->slots];
  }
  /// Ordered by the other side with a barrier on all processors, see ThreadRecord::ordered.
  bool store_then_load(Call* call, const std::atomic<bool>& flag) const noexcept {
    if (thread_record->ordered) [[unlikely]] {
      place_->store(call, std::memory_order_seq_cst);
      return flag.load(std::memory_order_seq_cst);
    }
    place_->store(call, std::memory_order_release);
    std::atomic_signal_fence(std::memory_order_seq_cst);
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
  BlockingClient(const Entry& entry, tenon_call* call) noexcept
      : nested_(Call::of(call)), blocking_(entry, nested_) {}
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
