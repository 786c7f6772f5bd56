// SPDX-License-Identifier: BSL-1.0
//
// The live instances of a module, and their changes since a restart has looked at them.
#pragma once

#include <tenon/detail/guard.hpp>
#include <tenon/detail/kind.hpp>
#include <tenon/values.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/module_lock.hpp"
#include "code/live_instance.hpp"
#include "state/instance_count.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// The arguments of a create.
struct CreateRequest {
  const Kind& kind;
  std::int32_t target;
  std::string_view name;
  const std::optional<TextMap>& config;
  Owner owner;
  std::uint64_t serial;  // unique in the module
};

/// Guarded by the lock of its module.
class LiveInstances {
 public:
  /// An instance that was created, configured or released: its index and its present data.
  using Change = std::pair<std::uint32_t, InstanceRecord>;

  /// `serving`: the calls of the module.
  explicit LiveInstances(CallSwitch& serving) noexcept : serving_(serving) {}
  LiveInstances(const LiveInstances&) = delete;
  LiveInstances& operator=(const LiveInstances&) = delete;

  std::size_t count() const noexcept { return instances_.size() - free_.size(); }
  /// Returns the instance at an index, or nullptr if there is none.
  const LiveInstance* find(std::uint32_t index) const noexcept {
    return index < instances_.size() ? instances_[index] : nullptr;
  }
  /// Visits all instances, by index.
  template <class Visit>
  void visit(const Visit& visit) const TENON_REQUIRES(module_lock) {
    for (LiveInstance* instance : instances_) {
      if (instance != nullptr) visit(*instance);
    }
  }

  /// Creates an instance, which may be discarded. It uses an index that no other instance has.
  std::unique_ptr<LiveInstance> prepare(const CreateRequest& request,
                                        std::shared_ptr<const TextMap> config)
      TENON_REQUIRES(module_lock) {
    if (free_.empty()) add_index();
    const std::uint32_t index = free_.back();
    if (last_spec_ == nullptr || !matches(*last_spec_, request)) add_spec(request);
    auto instance =
        std::make_unique<LiveInstance>(serving_, index, *last_spec_, request.owner, request.serial);
    if (config != nullptr) instance->set_config(std::move(config));
    touch(index);
    return instance;
  }
  /// Lists the instance that was prepared last.
  InstancePtr add(std::unique_ptr<LiveInstance> prepared) noexcept {
    LiveInstance*& place = instances_[prepared->index()];
    free_.pop_back();
    return InstancePtr(place = prepared.release());
  }
  /// Removes an instance. Its index stays in use until `reuse`, since its object exists.
  void remove(std::uint32_t index) {
    instances_[index] = nullptr;
    touch(index);
  }
  void reuse(std::uint32_t index) noexcept { free_.push_back(index); }

  /// Begins to record changes for a restart. All instances are the first changes.
  void record_changes() TENON_REQUIRES(module_lock);
  /// Ends that.
  void ignore_changes() noexcept;
  /// Records a change of an instance, if changes are recorded.
  void touch(std::uint32_t index) {
    if (recording_) touched_.push_back(index);
  }
  /// The same for several instances.
  void touch(const std::vector<std::uint32_t>& indexes);
  bool has_changes() const noexcept { return !touched_.empty(); }
  /// Returns the changes since the last time.
  std::vector<Change> take_changes() TENON_REQUIRES(module_lock);

 private:
  static bool matches(const InstanceSpec& spec, const CreateRequest& request) noexcept {
    return spec.kind == &request.kind && spec.target == request.target && spec.name == request.name;
  }
  void add_index();
  void add_spec(const CreateRequest& request);

  CallSwitch& serving_;
  std::set<InstanceSpec> specs_;             // of all instances so far
  const InstanceSpec* last_spec_ = nullptr;  // used by the last create
  std::vector<LiveInstance*> instances_;     // by index; nullptr if unused
  std::vector<std::uint32_t> free_;          // unused indices; has capacity for all
  std::vector<std::uint32_t> touched_;       // the changes
  bool recording_ = false;
};

}}}  // namespace tenon::v0_1::detail
