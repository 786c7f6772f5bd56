// SPDX-License-Identifier: BSL-1.0
//
// tenon/mutex.hpp: a mutex, a lock and a condition variable that work like those of the standard
// library, and whose use clang checks with -Wthread-safety:
//
//   int next() {
//     const sync::Lock lock(mutex_);
//     return ++number_;
//   }
//   sync::Mutex mutex_;
//   int number_ TENON_GUARDED_BY(mutex_) = 0;
#pragma once

#include <tenon/thread_annotations.hpp>

#include <condition_variable>
#include <mutex>

namespace tenon { inline namespace v0_1 { namespace sync {

/// A std::mutex. Use it through Lock.
class TENON_CAPABILITY("mutex") Mutex {
 public:
  /// Waits until no thread holds the mutex, and locks it.
  void lock() TENON_ACQUIRE() { mutex_.lock(); }
  /// Unlocks the mutex, which the calling thread holds.
  void unlock() TENON_RELEASE() { mutex_.unlock(); }

 private:
  friend class ConditionVariable;

  std::mutex mutex_;
};

/// Holds a mutex until it is destroyed, like std::unique_lock. M is a class with the annotated
/// functions `lock` and `unlock`. Belongs to one thread.
template <class M>
class TENON_SCOPED_CAPABILITY Lock {
 public:
  /// Locks the mutex, which must outlive the lock.
  explicit Lock(M& mutex) TENON_ACQUIRE(mutex) : mutex_(mutex) { mutex.lock(); }
  ~Lock() TENON_RELEASE() {
    if (held_) mutex_.unlock();
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  /// Locks the mutex again after `unlock`.
  void lock() TENON_ACQUIRE() {
    mutex_.lock();
    held_ = true;
  }
  /// Unlocks the mutex.
  void unlock() TENON_RELEASE() {
    held_ = false;
    mutex_.unlock();
  }

 private:
  friend class ConditionVariable;

  M& mutex_;
  bool held_ = true;
};

/// Unlocks a mutex that the calling thread holds, and locks it again when it is destroyed. For
/// functions that require the mutex and release it meanwhile.
template <class M>
class TENON_SCOPED_CAPABILITY Unlock {
 public:
  /// Unlocks the mutex, which must outlive this.
  explicit Unlock(M& mutex) TENON_RELEASE(mutex) : mutex_(mutex) { mutex.unlock(); }
  ~Unlock() TENON_RELEASE() { mutex_.lock(); }
  Unlock(const Unlock&) = delete;
  Unlock& operator=(const Unlock&) = delete;

 private:
  M& mutex_;
};

/// A std::condition_variable. Predicates are annotated like functions:
///
///   changed_.wait(lock, [this]() TENON_REQUIRES(mutex_) { return number_ > 0; });
class ConditionVariable {
 public:
  /// Wakes one thread, or all threads, that wait.
  void notify_one() noexcept { changed_.notify_one(); }
  void notify_all() noexcept { changed_.notify_all(); }
  /// Wait as the functions of std::condition_variable do, with the same arguments. The lock is held
  /// before and after.
  template <class... Arguments>
  void wait(Lock<Mutex>& lock, const Arguments&... arguments) {
    Adopted adopted(lock);
    changed_.wait(adopted.lock, arguments...);
  }
  template <class... Arguments>
  auto wait_until(Lock<Mutex>& lock, const Arguments&... arguments) {
    Adopted adopted(lock);
    return changed_.wait_until(adopted.lock, arguments...);
  }
  template <class... Arguments>
  auto wait_for(Lock<Mutex>& lock, const Arguments&... arguments) {
    Adopted adopted(lock);
    return changed_.wait_for(adopted.lock, arguments...);
  }

 private:
  /// The mutex of a lock as std::condition_variable takes it. It stays locked for its lock.
  struct Adopted {
    explicit Adopted(Lock<Mutex>& held) : lock(held.mutex_.mutex_, std::adopt_lock) {}
    ~Adopted() { lock.release(); }
    Adopted(const Adopted&) = delete;
    Adopted& operator=(const Adopted&) = delete;

    std::unique_lock<std::mutex> lock;
  };

  std::condition_variable changed_;
};

}}}  // namespace tenon::v0_1::sync
