// SPDX-License-Identifier: BSL-1.0
//
// Calls that modules make inside other calls, perhaps on threads of their own, and that are
// cancelled together with these.
#pragma once

#include <tenon/call.hpp>

#include <atomic>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "base/fork.hpp"
#include "base/lock_order.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

class ChildCall;

/// The children of one call and of its parts (NestedCall). Created by the first child. The call and
/// the children share it, because either side may end first. Thread-safe. Has no effect in a forked
/// process, where another thread may have held the mutex: children that began before the fork are
/// not cancelled there, and the first one that begins later creates the object again.
class CallChildren {
 public:
  /// `before`: the children in the parent process, or nullptr.
  explicit CallChildren(CallChildren* before) noexcept : before_(before) {}
  CallChildren(const CallChildren&) = delete;
  CallChildren& operator=(const CallChildren&) = delete;

  bool inherited() const noexcept { return process_.inherited(); }

  /// Returns the children of `call`, which must not end meanwhile. The caller calls `release`.
  static CallChildren& acquire(CallState& call);
  void release() noexcept;

  void add(ChildCall& child);
  /// Removes a child that ends. `failure`: what failed inside it (Error::cause); may be empty.
  void remove(ChildCall& child, std::string failure);

  /// Cancels the children that began inside `call`, with its reason.
  void cancel_children_of(Call& call) noexcept;
  /// Returns and clears the last failure in a child of exactly this call. Called by its thread.
  std::string take_failure_in(CallState& call) noexcept;
  /// Moves the children of `part`, which ends, to `outer`.
  void move_to(CallState& outer, CallState& part) noexcept;
  /// Detaches the children from the call, which ends.
  void abandon() noexcept;

 private:
  ~CallChildren() = default;

  template <class Object>
  friend Object& platform::of_this_process(std::atomic<Object*>& shared);

  const platform::ProcessMark process_;
  CallChildren* const before_;
  std::atomic<std::size_t> users_{1};  // the call, then the children
  LeafMutex mutex_;                    // held while children are cancelled
  std::vector<ChildCall*> children_ TENON_GUARDED_BY(mutex_);
  // The last failure, by parent.
  std::map<const CallState*, std::string> failures_ TENON_GUARDED_BY(mutex_);
};

/// A call that the module of `owner` makes inside `parent`, or on its own (nullptr). It inherits
/// the deadline and is cancelled with the parent. It belongs to one thread, which need not be that
/// of the parent. The parent may end before it.
class ChildCall : public Call {
 public:
  explicit ChildCall(Call* parent, const ModuleHost* owner = nullptr);
  ~ChildCall();

 private:
  friend class CallChildren;
  /// Returns whether it began inside `call`.
  bool is_inside(const CallState& call) const noexcept;

  CallChildren* siblings_ = nullptr;  // nullptr if it never had a parent
  CallState* parent_;  // guarded by the mutex of `siblings_`; nullptr if it has ended
};

}}}  // namespace tenon::v0_1::detail
