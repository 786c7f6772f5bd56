// SPDX-License-Identifier: BSL-1.0
//
// The ticket of the thread that loads, restarts or unloads a module.
#pragma once

#include <cstdint>
#include <thread>

namespace tenon { inline namespace v0_1 { namespace detail {

/// Guarded by the lock of its module. Threads wait for the ticket with
/// TicketHold.
class ExclusiveTicket {
 public:
  /// Return whether a thread, or the calling thread, holds the ticket.
  bool held() const noexcept { return ticket_ != 0; }
  bool held_here() const noexcept { return held() && thread_ == std::this_thread::get_id(); }
  /// Returns whether this ticket was not released and not lost.
  bool is_valid(std::uint64_t ticket) const noexcept { return ticket != 0 && ticket == ticket_; }

  /// Issues a new ticket to the calling thread. A previous holder loses its own.
  std::uint64_t take() noexcept {
    thread_ = std::this_thread::get_id();
    return ticket_ = ++issued_;
  }
  /// Takes the ticket from its holder, and reserves it for a thread that calls `take` later.
  void reserve() noexcept {
    thread_ = {};
    ticket_ = ++issued_;
  }
  void release() noexcept {
    thread_ = {};
    ticket_ = 0;
  }

 private:
  std::uint64_t ticket_ = 0;  // 0 if free
  std::uint64_t issued_ = 0;
  std::thread::id thread_;
};

}}}  // namespace tenon::v0_1::detail
