// SPDX-License-Identifier: BSL-1.0
//
// Revocable streams around the readers and writers of plugins. A stream outlives the call that
// returned it, so its code stays loaded until its holder releases it or the host revokes it. The
// host revokes the streams of an instance that is destroyed, and those that a restart has waited
// for long enough. A revoked stream stays valid for its holder, and its functions return an error.
//
// A call of a stream enters with one atomic exchange and leaves with a store. Only revocations pay
// for barriers.
//
// - Entering: the call exchanges itself into the StreamCall, then loads `state_`. A revocation sets
//   `closed` in `state_`, then loads the call. All four are sequentially consistent, so at least
//   one sees the other: the call is refused, or the revocation finds it. A second call finds the
//   first one and is refused.
// - Leaving: the call stores nullptr in its place, then loads `revoking`, with no barrier between
//   them. A revocation that finds a call sets `revoking`, issues a barrier on all threads, and
//   loads the call again. If the store came before the barrier, the revocation sees that the call
//   has left. Otherwise the load comes after the barrier as well and sees `revoking`: the call
//   waits until the revocation has marked and cancelled it, and does not end meanwhile. If the
//   system has no such barrier, calls leave with an exchange.
// - Ending: a call that finds itself marked ends the stream. Other calls do not touch the stream
//   after they have stored nullptr, because a release by another thread may free it then. For this
//   reason `revoking` is shared by all streams, and the mark is in the caller's call.
#pragma once

#include <tenon/abi.h>
#include <tenon/call.hpp>
#include <tenon/detail/guard.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fork.hpp"
#include "base/lock_order.hpp"
#include "call/thread_records.hpp"
#include "manifest/manifest.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

class RevocableStream;

/// Runs functions of the streams of a generation and handles their failures. Thread-safe.
class StreamRunner {
 public:
  /// A function of a stream with its arguments, which must outlive this.
  class Body {
   public:
    template <class Function>
    explicit Body(Function& function) noexcept
        : function_(&function),
          call_([](void* data) { return (*static_cast<Function*>(data))(); }) {}
    tenon_status operator()() const { return call_(function_); }

   private:
    void* function_;
    tenon_status (*call_)(void*);
  };

  /// Calls a function and handles its failure. Returns the status for its caller.
  virtual tenon_status run_stream(std::string_view function, tenon_call* call,
                                  const Body& body) = 0;
  /// Handles the failure of a function that was called directly.
  virtual tenon_status stream_failed(std::string_view function, tenon_call* call,
                                     tenon_status status) = 0;
  /// Handles the exception of a function that was called directly. Called inside a catch clause.
  virtual tenon_status stream_threw(std::string_view function, tenon_call* call) = 0;

 protected:
  ~StreamRunner() = default;
};

/// The call that the functions of one stream get: a part of the caller's call, which a revocation
/// cancels alone. It serves all calls of the stream, one after the other, because creating one for
/// each call would take longer than the rest.
class StreamCall : public Call {
 public:
  StreamCall() noexcept { arena_next = arena_end; }  // the caller's call allocates everything

  /// Becomes a part of `caller`. Returns false if it is a part of another call.
  TENON_ALWAYS_INLINE bool enter(CallState& caller) noexcept {
    CallState* none = nullptr;
    if (!outer_.compare_exchange_strong(none, &caller)) [[unlikely]]
      return false;
    deadline = caller.deadline;
    return true;
  }
  /// Stops being a part of it.
  TENON_ALWAYS_INLINE void leave(bool by_exchange) noexcept {
    if (has_traces()) [[unlikely]]
      end_part();
    if (by_exchange) [[unlikely]] {
      outer_.exchange(nullptr);
    } else {
      outer_.store(nullptr, std::memory_order_release);
      std::atomic_signal_fence(std::memory_order_seq_cst);
    }
  }
  /// Returns and clears the mark of `revoke` in the caller's call, after `leave`.
  static bool was_revoked(CallState& caller) noexcept {
    if (!caller.part_revoked_.load(std::memory_order_relaxed)) [[likely]]
      return false;
    caller.part_revoked_.store(false, std::memory_order_relaxed);
    return true;
  }

  bool has_caller() const noexcept { return outer_.load() != nullptr; }
  /// Cancels the call because the stream is revoked, and marks the caller's. Returns false if there
  /// is none. REQUIRED: the caller's call does not end meanwhile, and no other one enters.
  bool revoke() noexcept {
    CallState* const caller = outer_.load();
    if (caller == nullptr) return false;
    caller->part_revoked_.store(true, std::memory_order_relaxed);
    cancel(CancelReason::restart);
    return true;
  }
};

/// The streams of one generation that others hold. Thread-safe. No lock is held while a plugin
/// runs.
class RevocableStreams {
 public:
  using Clock = std::chrono::steady_clock;
  using Streams = std::vector<std::shared_ptr<RevocableStream>>;
  /// The index of a stream that belongs to no instance.
  static constexpr std::uint32_t no_instance = UINT32_MAX;

  /// `abi`: the version that the module requires. `contained`: whether `runner` must call all
  /// functions because crashes are contained.
  RevocableStreams(CallTargets& generation, AbiVersion abi, StreamRunner& runner, bool contained)
      : generation_(generation), abi_(abi), runner_(runner), marks_(contained ? is_contained : 0) {}
  /// REQUIRED: empty.
  ~RevocableStreams() = default;
  RevocableStreams(const RevocableStreams&) = delete;
  RevocableStreams& operator=(const RevocableStreams&) = delete;

  /// Returns a revocable stream around `inner`, which the instance at `index` returned. Its holder
  /// releases it instead of `inner`. Returns nullptr for nullptr.
  tenon_reader* add(std::uint32_t index, tenon_reader* inner);
  tenon_writer* add(std::uint32_t index, tenon_writer* inner);
  /// Replaces a stream that is passed to a method by a revocable one; see RevocableStream::pass.
  /// Returns nullptr if there is no stream or if it is revocable already.
  std::shared_ptr<RevocableStream> lend(tenon_reader*& stream);
  std::shared_ptr<RevocableStream> lend(tenon_writer*& stream);

  /// Returns the number of streams that have not ended. A revoked one ends when no call is in it.
  std::size_t count() const;
  /// Returns whether there is none. Takes no lock: another thread may still remove the last one.
  bool empty() const noexcept { return count_.load() == 0; }
  /// Waits until the instance has no streams. Returns false if the deadline passes before.
  bool wait(std::uint32_t index, Clock::time_point deadline);
  /// Adds the streams of an instance to `those`. A stream may be revoked even if its generation has
  /// been unloaded meanwhile, because it has then ended.
  void list(std::uint32_t index, Streams& those) const;
  /// Cancels the calls in these streams with the reason `restart`, and refuses new ones.
  void revoke(std::uint32_t index) noexcept TENON_EXCLUDES(mutex_);
  void revoke_all() noexcept TENON_EXCLUDES(mutex_);

  /// Returns the generation that the streams belong to.
  CallTargets& generation() const noexcept { return generation_; }

  /// Records that the code has crashed: no function of a stream is called any more, not even to
  /// release it.
  void mark_broken() noexcept { marks_.fetch_or(is_broken); }
  bool broken() const noexcept { return (marks_.load() & is_broken) != 0; }

 private:
  friend class RevocableStream;

  template <class Raw>
  std::shared_ptr<RevocableStream> add(std::uint32_t index, bool borrowed, Raw*& stream);
  /// Returns the streams of an instance, or those without an instance.
  Streams& of(std::uint32_t index) TENON_REQUIRES(mutex_);
  bool has(std::uint32_t index) const noexcept TENON_REQUIRES(mutex_);
  void remove(const RevocableStream& stream) noexcept;

  CallTargets& generation_;
  const AbiVersion abi_;
  StreamRunner& runner_;
  static constexpr std::uint32_t is_contained = 1;
  static constexpr std::uint32_t is_broken = 2;
  std::atomic<std::uint32_t> marks_;
  // Streams of a forked child are not listed: nothing there waits for them or revokes them.
  const platform::ProcessMark process_;
  mutable Mutex mutex_{LockRank::streams};
  Condition changed_;
  std::atomic<std::size_t> count_{0};  // written under the lock
  Streams of_none_ TENON_GUARDED_BY(mutex_);
  std::vector<Streams> of_instance_ TENON_GUARDED_BY(mutex_);  // by index
};

/// One stream. Owned by its holder and, until it has ended, by the list.
class RevocableStream : public std::enable_shared_from_this<RevocableStream> {
 public:
  /// `is_passed_on`: the module got the stream from another one, so its functions are the host's.
  RevocableStream(RevocableStreams& list, std::uint32_t index, bool is_borrowed, bool is_passed_on);
  virtual ~RevocableStream() = default;
  RevocableStream(const RevocableStream&) = delete;
  RevocableStream& operator=(const RevocableStream&) = delete;

  std::uint32_t index() const noexcept { return index_; }

  // A stream that was passed to a method is not released before the method has returned.
  /// The method has succeeded and owns the stream.
  void pass() noexcept;
  /// The method has failed: ends this and leaves the stream to the caller.
  void take_back() noexcept;

  void revoke() noexcept;

 protected:
  /// Calls a function of the plugin's stream, unless it was revoked.
  template <class Body>
  tenon_status visit(const char* function, tenon_call* call, Body body);
  /// Gives the stream to its holder, which must release it.
  void hand_out() { held_ = shared_from_this(); }
  void release() noexcept;

 private:
  friend class RevocableStreams;
  class LeaveOnExit;

  virtual void release_inner() = 0;
  enum class Entered { direct, through_runner, closed, busy };
  Entered enter(Call& caller) noexcept;
  void leave(Call& caller) noexcept;
  [[gnu::cold]] static tenon_status refuse(tenon_call* call, Entered entered) noexcept;
  [[gnu::cold]] tenon_status failed(const char* function, tenon_status status);
  template <class Body>
  tenon_status run(const char* function, Body body);
  bool interrupt() noexcept;
  void drop(std::uint32_t hold) noexcept;
  void end() noexcept;

  // The state: whether the stream was released or revoked, and what still keeps it from ending.
  static constexpr std::uint32_t closed = 1;
  static constexpr std::uint32_t borrowed = 2;
  static constexpr std::uint32_t call_inside = 4;  // by a call, or the revocation does not know yet

  RevocableStreams& list_;    // not used after the end: the generation may be gone
  std::size_t position_ = 0;  // in the list; guarded by its lock
  const std::uint32_t index_;
  const bool is_passed_on_;
  const CallTarget& target_;  // only its address is used after the end
  std::atomic<std::uint32_t> state_;
  StreamCall call_;
  std::shared_ptr<RevocableStream> held_;  // until the holder releases it
};

}}}  // namespace tenon::v0_1::detail
