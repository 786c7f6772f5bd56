// SPDX-License-Identifier: BSL-1.0
//
// The live instances of a module, and their changes since a restart has looked at them.
#pragma once

#include <tenon/gen/guard.hpp>
#include <tenon/gen/kind.hpp>
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

#include "call/revocable_stream.hpp"
#include "module/generation.hpp"
#include "module/instance_count.hpp"

namespace tenon::inline v0_1::detail {

class Module;

/// The arguments of a create.
struct CreateRequest {
  const Kind& kind;
  std::int32_t target;
  std::string_view name;
  const std::optional<TextMap>& config;
  Owner owner;
  std::uint64_t serial;  // unique in the module
};

/// A copy of the data for creating the object of an instance again. The instance may end meanwhile.
struct InstanceRecord {
  std::uint64_t serial = 0;  // 0 if there is no instance
  std::uint64_t configured = 0;
  const InstanceSpec* spec = nullptr;  // owned by the module
  std::shared_ptr<const TextMap> config;
};

/// An Instance with the data for creating its object again. It keeps the module alive; see
/// Module::self_.
class LiveInstance : public Instance {
 public:
  /// `spec` must live as long as the module.
  LiveInstance(Module& module, ServingModule& serving, std::uint32_t index,
               const InstanceSpec& spec, Owner owner, std::uint64_t serial) noexcept
      : Instance(serving, index),
        module_(module),
        index_(index),
        owner_(owner),
        serial_(serial),
        spec_(spec) {}

  Module& module() const noexcept { return module_; }
  std::uint32_t index() const noexcept { return index_; }
  const InstanceSpec& spec() const noexcept { return spec_; }
  Owner owner() const noexcept { return owner_; }
  std::uint64_t serial() const noexcept { return serial_; }
  /// Makes methods of its session fail until the session is opened again.
  void make_stale() noexcept { stale_.store(true); }
  /// Sets the generation whose module owns it, by the streams of that generation.
  void make_client_of(RevocableStreams& streams) noexcept {
    caller_ = &streams.generation();
    caller_streams_ = &streams;
  }
  RevocableStreams& client_of() const noexcept { return *caller_streams_; }

  /// Returns the generation that has created it and does not serve yet; nullptr if there is none.
  /// The instance is released before that generation ends.
  Generation* builder() const noexcept { return builder_.load(); }

  // REQUIRED for the functions below: the lock of the module.

  /// Stores the configuration that its plugin accepted last.
  void set_config(std::shared_ptr<const TextMap> config) noexcept {
    config_ = std::move(config);
    ++configured_;
  }
  InstanceRecord record() const { return {serial_, configured_, &spec_, config_}; }
  /// The methods of its plugin in the code that serves, or that served last. Owned by the module.
  const PluginMethods* methods() const noexcept { return methods_; }
  void set_methods(const PluginMethods* methods) noexcept { methods_ = methods; }
  /// Sets the generation that has its object but does not serve yet; nullptr once it does.
  void set_builder(Generation* generation) noexcept { builder_.store(generation); }

 private:
  RevocableStreams* caller_streams_ = nullptr;
  Module& module_;
  const std::uint32_t index_;
  const Owner owner_;
  const std::uint64_t serial_;
  const InstanceSpec& spec_;
  std::shared_ptr<const TextMap> config_;
  std::uint64_t configured_ = 0;  // the number of configurations so far
  const PluginMethods* methods_ = nullptr;
  std::atomic<Generation*> builder_{nullptr};
};

/// REQUIRED for all functions: the lock of the module.
class LiveInstances {
 public:
  /// An instance that was created, configured or released: its index and its present data.
  using Change = std::pair<std::uint32_t, InstanceRecord>;

  /// `serving`: the calls of the module.
  LiveInstances(Module& module, ServingModule& serving) noexcept
      : module_(module), serving_(serving) {}
  LiveInstances(const LiveInstances&) = delete;
  LiveInstances& operator=(const LiveInstances&) = delete;

  std::size_t count() const noexcept { return instances_.size() - free_.size(); }
  /// Returns the instance at an index, or nullptr if there is none.
  const LiveInstance* find(std::uint32_t index) const noexcept {
    return index < instances_.size() ? instances_[index] : nullptr;
  }
  /// Visits all instances, by index.
  template <class Visit>
  void visit(const Visit& visit) const {
    for (LiveInstance* instance : instances_) {
      if (instance != nullptr) visit(*instance);
    }
  }

  /// Creates an instance, which may be discarded. It uses an index that no other instance has.
  std::unique_ptr<LiveInstance> prepare(const CreateRequest& request,
                                        std::shared_ptr<const TextMap> config) {
    if (free_.empty()) add_index();
    const std::uint32_t index = free_.back();
    if (last_spec_ == nullptr || !matches(*last_spec_, request)) add_spec(request);
    auto instance = std::make_unique<LiveInstance>(module_, serving_, index, *last_spec_,
                                                   request.owner, request.serial);
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
  void record_changes();
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
  std::vector<Change> take_changes();

 private:
  static bool matches(const InstanceSpec& spec, const CreateRequest& request) noexcept {
    return spec.kind == &request.kind && spec.target == request.target && spec.name == request.name;
  }
  void add_index();
  void add_spec(const CreateRequest& request);

  Module& module_;
  ServingModule& serving_;
  std::set<InstanceSpec> specs_;             // of all instances so far
  const InstanceSpec* last_spec_ = nullptr;  // used by the last create
  std::vector<LiveInstance*> instances_;     // by index; nullptr if unused
  std::vector<std::uint32_t> free_;          // unused indices; has capacity for all
  std::vector<std::uint32_t> touched_;       // the changes
  bool recording_ = false;
};

}  // namespace tenon::inline v0_1::detail
