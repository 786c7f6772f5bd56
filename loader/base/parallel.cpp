// SPDX-License-Identifier: BSL-1.0
#include "base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/threads.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

/// Returns the number of processors, at most 8.
std::size_t max_threads() noexcept {
  static const unsigned processors = std::thread::hardware_concurrency();  // reads a file
  return std::clamp(processors, 1U, 8U);
}

/// The work, as all of its threads see it.
class Work {
 public:
  Work(std::size_t count, const std::function<void(std::size_t)>& work)
      : count_(count), work_(work) {}

  /// Does the next part until none is left.
  void run() noexcept {
    try {
      for (std::size_t i = 0; (i = next_++) < count_;) work_(i);
    } catch (...) {
      next_ = count_;
      std::call_once(failed_, [this] { exception_ = std::current_exception(); });
    }
  }

  /// Rethrows the first exception. REQUIRED: all threads have ended.
  void rethrow() {
    if (exception_) std::rethrow_exception(std::exchange(exception_, nullptr));
  }

 private:
  const std::size_t count_;
  const std::function<void(std::size_t)>& work_;
  std::atomic<std::size_t> next_ = 0;
  std::once_flag failed_;
  std::exception_ptr exception_;
};

/// Threads that are joined when this is destroyed.
class Threads {
 public:
  ~Threads() {
    for (std::thread& thread : threads_) thread.join();
  }

  /// Starts at most `count` threads.
  void start(std::size_t count, Work& work) {
    threads_.reserve(count);
    while (threads_.size() < count) {
      auto thread = start_internal_thread("parallel work", [&work] { work.run(); });
      if (!thread) return;
      threads_.push_back(std::move(*thread));
    }
  }

 private:
  std::vector<std::thread> threads_;
};

}  // namespace

void run_in_parallel(std::size_t count, const std::function<void(std::size_t)>& work) {
  Work shared(count, work);
  {
    Threads threads;
    if (count > 1) threads.start(std::min(max_threads(), count) - 1, shared);
    shared.run();
  }
  shared.rethrow();
}

}}}  // namespace tenon::v0_1::detail
