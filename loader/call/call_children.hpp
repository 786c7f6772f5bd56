// SPDX-License-Identifier: BSL-1.0
//
// Calls that modules begin inside other calls, perhaps on threads of their own: cancelled together
// with these.
#pragma once

#include <tenon/call.hpp>

#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace tenon::detail {

class ChildCall;

/// The children of one call and of its parts (NestedCall). Made by the first child; the call and
/// the children share it, since either side may end first. Thread-safe.
class CallChildren {
 public:
  /// Those of `call`, which must not end meanwhile. To be given back with `release`.
  static CallChildren& acquire(Call& call);
  void release() noexcept;

  void add(ChildCall& child);
  /// A child ends. `failure`: what failed inside of it, see Error::behind; may be empty.
  void remove(ChildCall& child, std::string failure);

  /// Cancels the children that began inside `call`, for its reason.
  void cancel_those_of(Call& call) noexcept;
  /// What failed last in a child of exactly this call; forgotten with that. By its thread.
  std::string take_failure_in(Call& call) noexcept;
  /// `part` of `outer` ends: its children are those of `outer`.
  void move_to(Call& outer, Call& part) noexcept;
  /// The call ends; its children go on without a parent.
  void abandon() noexcept;

 private:
  CallChildren() = default;
  ~CallChildren() = default;

  std::atomic<std::size_t> users_{1};  // the call, then the children
  std::mutex mutex_;                   // guards what follows; held while children are cancelled
  std::vector<ChildCall*> children_;
  std::map<const Call*, std::string> failures_;  // by parent, each the last one
};

/// A call of the module of `owner`, on behalf of another one or of nobody (nullptr). Takes over its
/// deadline; cancelled when the parent is. Belongs to one thread, which need not be that of the
/// parent; the parent may end before it.
class ChildCall : public Call {
 public:
  explicit ChildCall(Call* parent, const Serving* owner = nullptr);
  ~ChildCall();

 private:
  friend class CallChildren;
  /// Whether it began inside `call`.
  bool is_inside(const Call& call) const noexcept;

  CallChildren* siblings_ = nullptr;  // nullptr: it never had a parent
  Call* parent_;                      // guarded by `siblings_`; nullptr: it has ended
};

}  // namespace tenon::detail
