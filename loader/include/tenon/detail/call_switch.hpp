// SPDX-License-Identifier: BSL-1.0
//
// tenon/detail/call_switch.hpp: where the calls of a module go. For the loader and the guard of
// generated code.
#pragma once

#include <tenon/detail/export.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace tenon { inline namespace v0_1 { namespace detail {

class CallTargets;

/// The target of the calls of one instance in one generation.
struct CallTarget {
  /// The vtable; nullptr if the gate is closed.
  const void* table = nullptr;
  void* self = nullptr;
  CallTargets* generation = nullptr;
  /// The registered name of the plugin; nullptr for the functions of the module.
  const std::string* plugin = nullptr;
};

/// The deadline of a call without one.
inline constexpr std::int64_t no_deadline = INT64_MAX;

/// The call targets of a module: an array with one target per instance, by index. While the gate is
/// closed, it is an array whose targets have no vtable.
///
/// Thread-safe. The lock is a leaf, and calls do not take it.
class TENON_API CallSwitch {
 public:
  /// Starts with a closed gate.
  CallSwitch();
  ~CallSwitch();
  CallSwitch(const CallSwitch&) = delete;
  CallSwitch& operator=(const CallSwitch&) = delete;

  /// Directs new calls to these targets. The array must live until no call can use it.
  void publish(const CallTarget* targets) noexcept;
  /// Replaces `outgrown` by `targets`, a larger array of the same generation, if it is published.
  void replace(const CallTarget* outgrown, const CallTarget* targets) noexcept;
  /// Closes the gate.
  void close() noexcept;
  bool closed() const noexcept;
  /// Returns whether a published target belongs to the closed gate.
  static bool is_gate(const CallTarget& target) noexcept;
  /// Reserves targets of the closed gate for `count` instances. Throws std::bad_alloc.
  void reserve(std::size_t count);
  /// Makes calls order their slots themselves. Returns whether they did not do so before.
  bool let_readers_order() noexcept;

  /// The number of calls, in any generation, that found no free slot in the record of their thread.
  std::atomic<std::int64_t> overflow{0};
  /// When calls are next checked for missed deadlines.
  std::atomic<std::int64_t> next_deadline{no_deadline};
  /// True while a restart is cancelling blocking calls.
  std::atomic<bool> interrupting{false};

 private:
  friend class CallGuard;

  /// The published array. If calls order their slots in the library, it is always the closed gate:
  /// calls then take the slow path, which does that.
  std::atomic<const CallTarget*> current_;
  /// The published array.
  std::atomic<const CallTarget*> published_;

  struct Writers;  // with their lock
  const std::unique_ptr<Writers> writers_;
};

}}}  // namespace tenon::v0_1::detail
