// SPDX-License-Identifier: BSL-1.0
//
// The locks of the loader and their order, see loader/concurrency.md. Builds with assertions check
// that no thread takes a lock out of order and that none is held while a plugin runs.
#pragma once

#include <cstdint>
#include <mutex>

namespace tenon::detail {

/// A thread that holds a lock takes only locks that come later in this list.
enum class LockRank : std::uint8_t {
  scanning,    // rescans, and the watcher of files
  publishing,  // writers of the catalog
  module,      // what serves, which instances live, and their objects
  catalog,     // the pointer to the current catalog
  clients,     // the instances that a module holds of others
  streams,     // which streams of a generation are held
  operation,   // what a worker is doing
  workers,     // threads that run restarts
  timers,      // tasks that are not yet due
  events,      // who is being notified
  images,      // private copies
  counters,    // call counts
};

namespace lock_order {
#ifdef NDEBUG
inline void take(LockRank) noexcept {}
inline void give_back(LockRank) noexcept {}
inline void expect_none() noexcept {}
#else
/// Ends the process with a message when the calling thread holds a lock that comes later.
void take(LockRank rank) noexcept;
void give_back(LockRank rank) noexcept;
/// Ends the process with a message when the calling thread holds any lock. Called wherever foreign
/// code is about to run: a plugin, a callback of the program, the system's loader.
void expect_none() noexcept;
#endif
}  // namespace lock_order

/// A mutex with a place in the order.
class Mutex {
 public:
  explicit Mutex(LockRank rank) noexcept : rank_(rank) {}

  void lock() {
    lock_order::take(rank_);
    mutex_.lock();
  }
  void unlock() {
    const LockRank rank = rank_;  // whoever gets the mutex next may destroy it
    mutex_.unlock();
    lock_order::give_back(rank);
  }

 private:
  std::mutex mutex_;
  const LockRank rank_;
};

}  // namespace tenon::detail
