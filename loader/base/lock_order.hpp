// SPDX-License-Identifier: BSL-1.0
//
// The locks of the loader and their order, see loader/concurrency.md. Builds with assertions check
// that no thread takes a lock out of order and that none is held while a plugin runs.
#pragma once

#include <tenon/mutex.hpp>

#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "base/threads.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// A thread that holds a lock takes only locks that come later in this list.
enum class LockRank : std::uint8_t {
  scanning,    // rescans
  watching,    // the pointer to the watcher of files
  publishing,  // writers of the catalog
  module,      // the serving generation, the instances and their objects
  restarting,  // how far the members of a group of restarts are
  catalog,     // the pointer to the current catalog
  clients,     // instances of other modules that a module holds
  streams,     // streams of a generation that are held
  operation,   // the current step of a worker
  workers,     // threads that run restarts
  timers,      // tasks that are not yet due
  events,      // threads inside callbacks
  images,      // private copies
  counters,    // call counts
  traces,      // names of methods and events of a trace
  figures,     // figures of the program
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

/// The number of InLoader scopes of the calling thread. A signal handler reads it.
extern constinit thread_local volatile std::uint32_t loader_depth;

/// Marks that the calling thread holds or takes a lock of the loader, or waits in the loader. No
/// code of plugins runs in the scope. A signal handler that interrupts it must not wait: others may
/// wait for the thread.
class InLoader {
 public:
  InLoader() noexcept { enter(); }
  ~InLoader() { leave(); }
  InLoader(const InLoader&) = delete;
  InLoader& operator=(const InLoader&) = delete;

  static void enter() noexcept { loader_depth = loader_depth + 1; }
  static void leave() noexcept { loader_depth = loader_depth - 1; }
  /// Returns whether the calling thread is in such a scope.
  static bool is_here() noexcept { return loader_depth != 0; }
};

/// A mutex with a rank in the lock order.
class TENON_CAPABILITY("mutex") Mutex {
 public:
  explicit Mutex(LockRank rank) noexcept : rank_(rank) {}

  void lock() TENON_ACQUIRE() {
    lock_order::acquire(rank_);
    InLoader::enter();
    mutex_.lock();
  }
  void unlock() TENON_RELEASE() {
    const LockRank rank = rank_;  // the next owner may destroy this mutex
    mutex_.unlock();
    InLoader::leave();
    lock_order::release(rank);
  }

 private:
  friend class Condition;

  std::mutex mutex_;
  const LockRank rank_;
};

/// A mutex that is a leaf of the lock order.
class TENON_CAPABILITY("mutex") LeafMutex {
 public:
  void lock() TENON_ACQUIRE() {
    InLoader::enter();
    mutex_.lock();
  }
  bool try_lock() TENON_TRY_ACQUIRE(true) {
    InLoader::enter();
    if (mutex_.try_lock()) return true;
    InLoader::leave();
    return false;
  }
  void unlock() TENON_RELEASE() {
    mutex_.unlock();
    InLoader::leave();
  }

 private:
  std::mutex mutex_;
};

/// A condition variable for threads that hold a Mutex. Its waits are no cancellation points:
/// functions that wait may not throw, and the end of a thread (pthread_cancel) unwinds like an
/// exception. A thread that is cancelled ends at the next cancellation point of its program or of a
/// plugin.
class Condition {
 public:
  void notify_one() noexcept {
    const InLoader inside;
    changed_.notify_one();
  }
  void notify_all() noexcept {
    const InLoader inside;
    changed_.notify_all();
  }
  /// Wait as the functions of std::condition_variable do. REQUIRED: the calling thread holds the
  /// mutex.
  template <class... Arguments>
  void wait(Mutex& mutex, const Arguments&... arguments) {
    Waiting waiting(mutex);
    changed_.wait(waiting.lock, arguments...);
  }
  template <class... Arguments>
  auto wait_until(Mutex& mutex, const Arguments&... arguments) {
    Waiting waiting(mutex);
    return changed_.wait_until(waiting.lock, arguments...);
  }

 private:
  /// The mutex as std::condition_variable takes it. It stays locked for its lock.
  struct Waiting {
    explicit Waiting(Mutex& held) : lock(held.mutex_, std::adopt_lock) {}
    ~Waiting() { lock.release(); }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

    const InLoader inside;
    const platform::NoCancellation none;
    std::unique_lock<std::mutex> lock;
  };

  std::condition_variable changed_;
};

}}}  // namespace tenon::v0_1::detail
