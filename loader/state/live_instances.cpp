// SPDX-License-Identifier: BSL-1.0
#include "state/live_instances.hpp"

#include <string>

namespace tenon { inline namespace v0_1 { namespace detail {

/// Adds an unused index.
void LiveInstances::add_index() {
  const std::size_t count = instances_.size() + 1;
  serving_.reserve(count);
  if (free_.capacity() < count) free_.reserve(2 * count);
  instances_.push_back(nullptr);
  free_.push_back(static_cast<std::uint32_t>(count - 1));
}

/// Sets `last_spec_` to the spec of a request.
void LiveInstances::add_spec(const CreateRequest& request) {
  last_spec_ =
      &*specs_.insert(InstanceSpec{&request.kind, request.target, std::string(request.name)}).first;
}

// -- Changes ------------------------------------------------------------------

void LiveInstances::record_changes() {
  touched_.clear();
  visit([this](const LiveInstance& instance) { touched_.push_back(instance.index()); });
  recording_ = true;
}

void LiveInstances::ignore_changes() noexcept {
  recording_ = false;
  touched_.clear();
}

void LiveInstances::touch(const std::vector<std::uint32_t>& indexes) {
  touched_.insert(touched_.end(), indexes.begin(), indexes.end());
}

std::vector<LiveInstances::Change> LiveInstances::take_changes() {
  std::vector<Change> changes;
  changes.reserve(touched_.size());
  for (const std::uint32_t index : std::exchange(touched_, {})) {
    const LiveInstance* instance = instances_[index];
    changes.emplace_back(index, instance != nullptr ? instance->record() : InstanceRecord{});
  }
  return changes;
}

}}}  // namespace tenon::v0_1::detail
