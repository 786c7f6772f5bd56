// SPDX-License-Identifier: BSL-1.0
//
// An instance of a plugin, as the loader sees it.
#pragma once

#include <tenon/detail/guard.hpp>
#include <tenon/detail/kind.hpp>
#include <tenon/values.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/module_lock.hpp"
#include "call/revocable_stream.hpp"
#include "code/generation.hpp"
#include "code/generation_owner.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// A copy of the data for creating the object of an instance again. The instance may end meanwhile.
struct InstanceRecord {
  std::uint64_t serial = 0;  // 0 if there is no instance
  std::uint64_t configured = 0;
  const InstanceSpec* spec = nullptr;  // owned by the module
  std::shared_ptr<const TextMap> config;
};

/// An Instance with the data for creating its object again. It keeps the module alive; see
/// ModuleCore::self_.
class LiveInstance : public Instance {
 public:
  /// `spec` must live as long as the module.
  LiveInstance(CallSwitch& serving, std::uint32_t index, const InstanceSpec& spec, Owner owner,
               std::uint64_t serial) noexcept
      : Instance(serving, index), owner_(owner), serial_(serial), spec_(spec) {}

  /// Returns the calls of its module.
  CallSwitch& serving() const noexcept { return serving_; }
  std::uint32_t index() const noexcept { return index_; }
  const InstanceSpec& spec() const noexcept { return spec_; }
  Owner owner() const noexcept { return owner_; }
  std::uint64_t serial() const noexcept { return serial_; }
  /// Makes methods of its session fail until the session is opened again.
  void make_stale() noexcept { session_unopened_.store(true); }
  /// Sets the generation whose module owns it, by the streams of that generation.
  void make_client_of(RevocableStreams& streams) noexcept {
    caller_ = &streams.generation();
    caller_streams_ = &streams;
  }
  RevocableStreams& client_of() const noexcept { return *caller_streams_; }

  /// Returns the generation that has created it and does not serve yet; nullptr if there is none.
  /// The instance is released before that generation ends.
  Generation* builder() const noexcept { return builder_.load(); }

  /// Stores the configuration that its plugin accepted last.
  void set_config(std::shared_ptr<const TextMap> config) noexcept TENON_REQUIRES(module_lock) {
    config_ = std::move(config);
    ++configured_;
  }
  InstanceRecord record() const TENON_REQUIRES(module_lock) {
    return {serial_, configured_, &spec_, config_};
  }
  /// The methods of its plugin in the code that serves, or that served last. Owned by the module.
  const PluginMethods* methods() const noexcept TENON_REQUIRES(module_lock) { return methods_; }
  /// The same in a forked child, where no thread changes them.
  const PluginMethods* last_methods() const noexcept TENON_NO_THREAD_SAFETY_ANALYSIS {
    return methods_;
  }
  void set_methods(const PluginMethods* methods) noexcept TENON_REQUIRES(module_lock) {
    methods_ = methods;
  }
  /// Sets the generation that has its object but does not serve yet; nullptr once it does.
  void set_builder(Generation* generation) noexcept TENON_REQUIRES(module_lock) {
    builder_.store(generation);
  }

 private:
  RevocableStreams* caller_streams_ = nullptr;
  const Owner owner_;
  const std::uint64_t serial_;
  const InstanceSpec& spec_;
  std::shared_ptr<const TextMap> config_ TENON_GUARDED_BY(module_lock);
  // The number of configurations so far.
  std::uint64_t configured_ TENON_GUARDED_BY(module_lock) = 0;
  const PluginMethods* methods_ TENON_GUARDED_BY(module_lock) = nullptr;
  std::atomic<Generation*> builder_{nullptr};
};

}}}  // namespace tenon::v0_1::detail
