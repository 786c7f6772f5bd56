// SPDX-License-Identifier: BSL-1.0
#include "call/call_children.hpp"

#include <algorithm>
#include <utility>

namespace tenon { inline namespace v0_1 { namespace detail {

CallChildren& CallChildren::acquire(CallState& call) {
  CallChildren& children = platform::of_this_process(call.whole().children_);
  children.users_.fetch_add(1);
  call.leave_trace();
  return children;
}

void CallChildren::release() noexcept {
  if (users_.fetch_sub(1) == 1) delete this;
}

void CallChildren::add(ChildCall& child) {
  if (inherited()) return;
  sync::Lock lock(mutex_);
  children_.push_back(&child);
}

void CallChildren::remove(ChildCall& child, std::string failure) {
  if (inherited()) return;
  sync::Lock lock(mutex_);
  std::erase(children_, &child);
  if (child.parent_ != nullptr && !failure.empty()) {
    failures_.insert_or_assign(child.parent_, std::move(failure));
  }
}

void CallChildren::cancel_children_of(Call& call) noexcept {
  if (inherited()) return;
  sync::Lock lock(mutex_);
  for (ChildCall* child : children_) {
    if (child->is_inside(call)) child->cancel(call.cancel_reason());
  }
}

std::string CallChildren::take_failure_in(CallState& call) noexcept {
  if (inherited()) return {};
  sync::Lock lock(mutex_);
  const auto failure = failures_.extract(&call);
  return failure.empty() ? std::string() : std::move(failure.mapped());
}

void CallChildren::move_to(CallState& outer, CallState& part) noexcept {
  if (inherited()) return;
  sync::Lock lock(mutex_);
  for (ChildCall* child : children_) {
    if (child->parent_ == &part) child->parent_ = &outer;
  }
  if (auto failure = failures_.extract(&part); !failure.empty()) {
    failures_.erase(&outer);
    failure.key() = &outer;
    failures_.insert(std::move(failure));
  }
}

void CallChildren::abandon() noexcept {
  if (!inherited()) {
    sync::Lock lock(mutex_);
    for (ChildCall* child : children_) child->parent_ = nullptr;
  }
  if (before_ != nullptr) before_->abandon();
  release();
}

ChildCall::ChildCall(Call* parent, const ModuleHost* owner) : parent_(parent) {
  owner_ = owner;
  if (parent == nullptr) return;
  raw()->deadline = parent->raw()->deadline;
  siblings_ = &CallChildren::acquire(*parent);
  siblings_->add(*this);
  // Both sides store, then load, so at least one sees the other.
  if (parent->cancelled()) cancel(parent->cancel_reason());
}

ChildCall::~ChildCall() {
  if (siblings_ == nullptr) return;
  siblings_->remove(*this, std::string(failed_inside(0)));
  siblings_->release();
}

bool ChildCall::is_inside(const CallState& call) const noexcept {
  return parent_ != nullptr && parent_->is_part_of(call);
}

}}}  // namespace tenon::v0_1::detail
