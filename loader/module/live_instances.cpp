// SPDX-License-Identifier: BSL-1.0
#include "module/live_instances.hpp"

#include <string>

#include "module/module.hpp"

namespace tenon::inline v0_1::detail {

LiveInstance::LiveInstance(Module& module, std::uint32_t index, const InstanceSpec& spec,
                           Owner owner, std::uint64_t serial)
    : Instance(module, index),
      module_(module),
      index_(index),
      owner_(owner),
      serial_(serial),
      spec_(spec) {}

std::unique_ptr<LiveInstance> LiveInstances::prepare(const CreateRequest& request,
                                                     std::shared_ptr<const TextMap> config) {
  const std::uint32_t index = free_index();
  auto instance = std::make_unique<LiveInstance>(module_, index, spec_of(request), request.owner,
                                                 request.serial);
  if (config != nullptr) instance->set_config(std::move(config));
  touch(index);
  return instance;
}

/// Returns the index for the next instance, without taking it.
std::uint32_t LiveInstances::free_index() {
  if (free_.empty()) {
    const std::size_t count = instances_.size() + 1;
    module_.reserve(count);
    if (free_.capacity() < count) free_.reserve(2 * count);
    instances_.push_back(nullptr);
    free_.push_back(static_cast<std::uint32_t>(count - 1));
  }
  return free_.back();
}

const InstanceSpec& LiveInstances::spec_of(const CreateRequest& request) {
  const auto matches = [&request](const InstanceSpec& one) {
    return one.kind == &request.kind && one.target == request.target && one.name == request.name;
  };
  if (last_spec_ == nullptr || !matches(*last_spec_)) {
    last_spec_ =
        &*specs_.insert(InstanceSpec{&request.kind, request.target, std::string(request.name)})
              .first;
  }
  return *last_spec_;
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

}  // namespace tenon::inline v0_1::detail
