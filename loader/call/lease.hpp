// SPDX-License-Identifier: BSL-1.0
//
// What readers and writers hold of the generation that made them. A stream outlives its call, so
// the code behind it stays loaded until its holder releases it, or until it is revoked: because its
// instance ends, or because a restart has waited long enough for it. A revoked stream stays valid
// for its holder and only answers that it is over.
//
// A call of a stream enters with one atomic exchange and leaves with a store. A revocation pays for
// the rest.
//
// - Entering: the call exchanges itself into `inside_`, then loads `state_`. A revocation sets
//   `over` in `state_`, then loads `inside_`. All four are sequentially consistent, so at least one
//   sees the other: the call is refused, or the revocation finds it. A second call finds the first
//   one in `inside_` and is refused.
// - Leaving: the call stores nullptr in `inside_`, then loads `revoking`, with no barrier between
//   them. A revocation that finds a call sets `revoking`, asks the system for a barrier on all
//   threads, and loads `inside_` again. If the store came before the barrier, the revocation sees
//   that the call has left. Otherwise the load comes after the barrier as well and sees `revoking`:
//   the call waits until the revocation has marked and cancelled it, and does not end meanwhile.
//   Where the system has no such barrier, calls leave with an exchange.
// - The end: a call that finds its mark ends the stream. Other calls do not touch the lease after
//   they have stored nullptr, since a release by another thread may free it then. For this reason
//   `revoking` is shared by all leases, and the mark is in the call.
#pragma once

#include <tenon/abi.h>
#include <tenon/gen/instance.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fork.hpp"
#include "base/lock_order.hpp"
#include "call/thread_records.hpp"
#include "manifest/manifest.hpp"

namespace tenon::detail {

class Lease;

/// What stands around the functions of the streams of a generation. Thread-safe.
class StreamRunner {
 public:
  /// A function of a stream with its arguments, which outlive this.
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
  /// The same for one that threw. Inside a catch clause.
  virtual tenon_status stream_threw(std::string_view function, tenon_call* call) = 0;

 protected:
  ~StreamRunner() = default;
};

/// The streams of one generation that others hold. Thread-safe; no lock of it is held while a
/// plugin runs.
class LeaseList {
 public:
  using Clock = std::chrono::steady_clock;
  /// In the place of an index: the stream belongs to no instance.
  static constexpr std::uint32_t no_instance = UINT32_MAX;

  /// `abi`: what the module of the generation asks for. `contained`: whether all functions
  /// must be called by `runner`, because crashes are contained.
  LeaseList(Serving& generation, AbiVersion abi, StreamRunner& runner, bool contained)
      : generation_(generation), abi_(abi), runner_(runner), contained_(contained) {}
  /// REQUIRED: none is left.
  ~LeaseList() = default;
  LeaseList(const LeaseList&) = delete;
  LeaseList& operator=(const LeaseList&) = delete;

  /// A stream that stands for `inner`, made by the instance under `index`. Its holder releases it
  /// instead of `inner`.
  tenon_reader* lease(std::uint32_t index, tenon_reader* inner);
  tenon_writer* lease(std::uint32_t index, tenon_writer* inner);
  /// The same for a stream that is passed to a method, which puts the lease into its place; see
  /// Lease::lend. nullptr where there is none, or one that is leased already.
  std::shared_ptr<Lease> lend(tenon_reader*& stream);
  std::shared_ptr<Lease> lend(tenon_writer*& stream);

  /// Those that have not ended. One that was revoked ends when no call is inside it any more.
  std::size_t count() const;
  /// Returns whether there is none. Takes no lock: another thread may still remove the last one.
  bool empty() const noexcept { return count_.load() == 0; }
  /// Until none of the instance is left. False when the deadline passed before.
  bool wait(std::uint32_t index, Clock::time_point deadline);
  /// Cancels the calls that are inside, with the reason `restart`; refuses those that come.
  void revoke(std::uint32_t index) noexcept;
  void revoke_all() noexcept;

  /// The one whose code is behind the streams.
  const Serving& generation() const noexcept { return generation_; }

  /// The code has broken down: no function of a stream is called any more, not even to release it.
  void break_down() noexcept { broken_.store(true); }
  bool broken() const noexcept { return broken_.load(); }

 private:
  friend class Lease;

  using Leases = std::vector<std::shared_ptr<Lease>>;

  template <class Raw>
  std::shared_ptr<Lease> add(std::uint32_t index, bool lent, Raw*& stream);
  /// Those of an instance, or those of none. REQUIRED: the lock.
  Leases& of(std::uint32_t index);
  bool has(std::uint32_t index) const noexcept;
  void remove(const Lease& lease) noexcept;

  Serving& generation_;
  const AbiVersion abi_;
  StreamRunner& runner_;
  const bool contained_;
  // In a forked child streams are not listed: nothing there waits for them or revokes them.
  const platform::ProcessMark process_;
  std::atomic<bool> broken_{false};
  mutable Mutex mutex_{LockRank::leases};
  std::condition_variable_any changed_;
  std::atomic<std::size_t> count_{0};  // changes under the lock
  Leases of_none_;
  std::vector<Leases> of_instance_;  // by index
};

/// One stream. Kept by its holder and, until it has ended, by the list.
class Lease : public std::enable_shared_from_this<Lease> {
 public:
  Lease(LeaseList& list, std::uint32_t index, bool is_lent);
  virtual ~Lease() = default;
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  std::uint32_t index() const noexcept { return index_; }

  /// The stream was lent to a method: whatever happens meanwhile, the stream behind is not released
  /// before it is passed on. `pass`: the method has succeeded and owns it. `take_back`: it has not,
  /// and the lease ends.
  void pass() noexcept;
  void take_back() noexcept;

  void revoke() noexcept;

 protected:
  /// Calls a function of the plugin's stream, unless the lease is over.
  template <class Body>
  tenon_status visit(const char* function, tenon_call* call, Body body);
  /// Gives the stream to its holder, who releases it.
  void hand_out() { held_ = shared_from_this(); }
  void release() noexcept;

 private:
  friend class LeaseList;
  class Visit;
  class Stay;

  virtual void release_inner() = 0;
  enum class Entered { yes, over, busy };
  Entered enter(Visit& visit) noexcept;
  void leave(Visit& visit) noexcept;
  [[gnu::cold]] static tenon_status refuse(tenon_call* call, Entered entered) noexcept;
  [[gnu::cold]] tenon_status failed(const char* function, Call& call, tenon_status status);
  template <class Body>
  tenon_status run(const char* function, Call& call, Body body);
  bool interrupt() noexcept;
  void drop(std::uint32_t hold) noexcept;
  void end() noexcept;

  // The state: whether the stream is over, and what still keeps it from its end.
  static constexpr std::uint32_t over = 1;
  static constexpr std::uint32_t lent = 2;
  static constexpr std::uint32_t visited = 4;  // by a call, or the revocation is finding that out

  LeaseList& list_;           // not used after the end: the generation may be gone
  std::size_t position_ = 0;  // in the list; under its lock
  const std::uint32_t index_;
  const CallTarget& target_;  // of its functions; only its address is used after the end
  std::atomic<std::uint32_t> state_;
  std::atomic<Visit*> inside_{nullptr};
  std::shared_ptr<Lease> held_;  // until the holder releases it
};

}  // namespace tenon::detail
