// SPDX-License-Identifier: BSL-1.0
//
// tenon/detail/instance.hpp: what a handle holds.
#pragma once

#include <tenon/abi.h>
#include <tenon/detail/export.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

namespace tenon { inline namespace v0_1 {
class PluginInfo;
}}  // namespace tenon::v0_1

namespace tenon { inline namespace v0_1 { namespace detail {

class CallSwitch;
class CallTargets;

/// One live instance of a plugin, as its owner holds it. Each restart replaces its object.
class TENON_API Instance {
 public:
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  /// The registered name of the plugin.
  std::string_view plugin() const noexcept;
  /// Returns whether the plugin itself implements a method of the latest interface; see
  /// Handle::supports.
  bool supports(std::string_view method) const;
  /// Returns the plugin in the manifest of the code that serves; see Handle::info.
  PluginInfo info() const;
  /// Stores the configuration of the plugin for replay after a restart.
  void remember_config(const tenon_map& config);

 protected:
  Instance(CallSwitch& serving, std::uint32_t index) noexcept : serving_(serving), index_(index) {}
  ~Instance() = default;

  /// Set by a restart of a session kind: the plugin is back in the state after configure.
  std::atomic<bool> session_unopened_{false};
  /// The generation whose module owns the instance; nullptr if the host owns it.
  const CallTargets* caller_ = nullptr;
  CallSwitch& serving_;
  const std::uint32_t index_;

 private:
  friend class CallerScope;
  friend class Blocking;
  friend class CallGuard;
};

/// Releases an instance through its module.
struct InstanceDeleter {
  TENON_API void operator()(Instance* instance) const noexcept;
};
using InstancePtr = std::unique_ptr<Instance, InstanceDeleter>;

}}}  // namespace tenon::v0_1::detail
