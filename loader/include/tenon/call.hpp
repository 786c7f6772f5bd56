// SPDX-License-Identifier: BSL-1.0
//
// tenon/call.hpp: the context of calls into plugins: memory for results, deadline, cancellation.
#pragma once

#include <tenon/abi.h>
#include <tenon/arena.hpp>
#include <tenon/export.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace tenon {

namespace detail {
class ChildCall;
}  // namespace detail

/// Why a call is cancelled.
enum class CancelReason : std::int32_t {
  none = TENON_NOT_CANCELLED,
  caller = TENON_CANCELLED_BY_CALLER,
  deadline = TENON_CANCELLED_BY_DEADLINE,
  restart = TENON_CANCELLED_BY_RESTART,
};

/// Pass one as the first argument of a method to get results as views, to set a deadline, or to be
/// able to cancel. The views live until `reset` or until the Call ends. Reused with `reset`, a Call
/// allocates nothing in the long run: its memory is kept.
///
/// Belongs to one thread at a time; only `cancel` may come from another one.
class TENON_API Call : private Arena {
 public:
  Call() noexcept;
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  /// The moment at which the plugin is to give up. Stays over `reset`.
  void set_deadline(std::chrono::steady_clock::time_point when) noexcept;
  /// The same, from now.
  void set_timeout(std::chrono::nanoseconds timeout) noexcept;

  /// Tells the plugin to stop, now or as soon as it is called; wakes it where it waits. A call
  /// stays cancelled until `reset`. May be called from any thread while the Call exists.
  void cancel() noexcept { cancel(CancelReason::caller); }
  void cancel(CancelReason reason) noexcept;
  /// What the plugin would learn now: cancelled, or past its deadline. From any thread.
  CancelReason cancelled() const noexcept;

  /// Frees results, forgets the cancellation and the message; views of before are invalid.
  void reset() noexcept;

  /// What crosses the contract.
  tenon_call* raw() noexcept { return this; }
  /// The Call behind what crosses the contract. REQUIRED: it came from `raw`.
  static Call& of(tenon_call* raw) noexcept { return *static_cast<Call*>(raw); }

  /// The message of the last failure, empty where the plugin gave none.
  std::string_view message() const noexcept { return {message_.data, message_.size}; }

  /// For the library: what failed inside of a call of this depth, see Error::behind; and that a
  /// call of another plugin, of this depth, has failed in words.
  std::string_view failed_inside(std::uint32_t depth) const noexcept;
  void add_failed_inside(std::uint32_t depth, std::string failure);

 protected:
  /// Exchanges memory, results and message with another call of the same thread.
  void swap_results(Call& other) noexcept;

 private:
  struct Functions;
  friend struct Functions;
  friend class detail::ChildCall;

  /// A call of another plugin that failed inside of this one.
  struct Inner {
    std::uint32_t depth;  // how many calls its thread was in; more than those that it was inside of
    std::string text;     // see Error::behind
  };

  std::int32_t wait(tenon_duration timeout) noexcept;
  std::intptr_t wait_handle() noexcept;
  void clear_signal() noexcept;

  tenon_string message_{nullptr, 0};
  std::unique_ptr<Inner> failed_inside_;  // the last one
  std::atomic<std::int32_t> reason_{TENON_NOT_CANCELLED};
  std::atomic<std::intptr_t> handle_{-1};
};

}  // namespace tenon
