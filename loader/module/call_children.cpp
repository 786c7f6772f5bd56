// SPDX-License-Identifier: BSL-1.0
#include "module/call_children.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

#include "platform/fork.hpp"

namespace tenon::detail {
namespace {

// Recursive, since a child that is cancelled looks for children of its own.
std::recursive_mutex mutex;
const platform::UnlockedInChildren<mutex> unlocked;
std::vector<ChildCall*>& children() {
  static auto& all = *new std::vector<ChildCall*>;  // outlives every thread
  return all;
}
std::atomic<std::size_t> count{0};

}  // namespace

ChildCall::ChildCall(Call* parent) : parent_(parent) {
  if (parent_ == nullptr) return;
  raw()->deadline = parent_->raw()->deadline;
  {
    std::lock_guard lock(mutex);
    children().push_back(this);
    count.fetch_add(1);
  }
  if (parent_->cancelled() != CancelReason::none) cancel(parent_->cancelled());
}

ChildCall::~ChildCall() {
  if (parent_ == nullptr) return;
  std::lock_guard lock(mutex);
  std::erase(children(), this);
  count.fetch_sub(1);
  // Whichever thread it was on, it was inside of its parent.
  if (failed_inside_ == nullptr) return;
  failed_inside_->depth = UINT32_MAX;
  parent_->failed_inside_ = std::move(failed_inside_);
}

void cancel_children(Call& parent) noexcept {
  if (count.load() == 0) return;
  std::lock_guard lock(mutex);
  for (ChildCall* child : children()) {
    if (child->parent_ == &parent) child->cancel(parent.cancelled());
  }
}

}  // namespace tenon::detail
