// SPDX-License-Identifier: BSL-1.0
//
// The locks of the loader and their order, see loader/concurrency.md. Builds with assertions check
// that no thread takes a lock out of order and that none is held while a plugin runs.
#pragma once

#include <cstdint>
#include <mutex>

namespace tenon::inline v0_1::detail {

/// A thread that holds a lock takes only locks that come later in this list.
enum class LockRank : std::uint8_t {
  scanning,    // rescans
  watching,    // the pointer to the watcher of files
  publishing,  // writers of the catalog
  module,      // the serving generation, the instances and their objects
  catalog,     // the pointer to the current catalog
  clients,     // instances of other modules that a module holds
  streams,     // streams of a generation that are held
  operation,   // the current step of a worker
  workers,     // threads that run restarts
  timers,      // tasks that are not yet due
  events,      // threads inside callbacks
  images,      // private copies
  counters,    // call counts
};

namespace lock_order {
#ifdef NDEBUG
inline void acquire(LockRank) noexcept {}
inline void release(LockRank) noexcept {}
inline void expect_none() noexcept {}
#else
/// Aborts the process with a message if the calling thread holds a lock of this or a later rank.
void acquire(LockRank rank) noexcept;
void release(LockRank rank) noexcept;
/// Aborts the process with a message if the calling thread holds any lock. Called before foreign
/// code runs: a plugin, a callback of the program, the dynamic loader.
void expect_none() noexcept;
#endif
}  // namespace lock_order

/// A mutex with a rank in the lock order.
class Mutex {
 public:
  explicit Mutex(LockRank rank) noexcept : rank_(rank) {}

  void lock() {
    lock_order::acquire(rank_);
    mutex_.lock();
  }
  void unlock() {
    const LockRank rank = rank_;  // the next owner may destroy this mutex
    mutex_.unlock();
    lock_order::release(rank);
  }

 private:
  std::mutex mutex_;
  const LockRank rank_;
};

}  // namespace tenon::inline v0_1::detail
