// SPDX-License-Identifier: BSL-1.0
//
// A module of a host, as its catalogs list it.
#pragma once

#include <tenon/events.hpp>
#include <tenon/module_info.hpp>
#include <tenon/result.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string_view>

#include "base/lock_order.hpp"
#include "code/generation_owner.hpp"
#include "manifest/manifest.hpp"
#include "module/module_core.hpp"
#include "platform/file.hpp"
#include "restart/restart_step.hpp"
#include "restart/restarts.hpp"
#include "state/module_state.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Makes its core when the module is first used: a host uses few of the modules that it finds.
/// Thread-safe.
class Module final : public GenerationOwner {
 public:
  using Clock = ModuleCore::Clock;

  Module(ModuleOrigin origin, std::shared_ptr<const Manifest> manifest,
         std::shared_ptr<const ModuleContext> context);

  const ModuleOrigin& origin() const noexcept override { return origin_; }
  std::shared_ptr<const Manifest> manifest() const override;
  bool has_manifest(const Manifest& manifest) const override;
  std::optional<Event> take_manifest(std::shared_ptr<const Manifest> found,
                                     const platform::FileIdentity& identity) override;
  bool in_use() const override;
  bool idle() const override;
  Result<InstancePtr> create(const Kind& kind, std::int32_t target, std::string_view name,
                             const std::optional<TextMap>& config, Owner owner,
                             Generation* caller = nullptr) override;
  bool builds(const Generation* caller) const noexcept override;
  void fault(Generation& generation, RestartReason why, const Error& error) noexcept override;

  // See ModuleCore.
  ModuleInfo info() const;
  void apply_count_calls() noexcept;
  std::optional<RestartStep> restart_step() const;
  std::shared_ptr<Restarts> restarts() { return core().restarts(); }
  void restart_soon(RestartReason reason) { core().restart_soon(reason); }
  bool changed() const;
  void begin_shut_down() noexcept;
  void shut_down(Clock::time_point deadline) noexcept;

 private:
  /// Returns nullptr if the module was never used.
  ModuleCore* existing() const noexcept { return made_.load(std::memory_order_acquire); }
  ModuleCore& core();

  const ModuleOrigin origin_;
  const std::shared_ptr<const ModuleContext> context_;
  mutable LeafMutex mutex_;  // not used once the core exists
  std::shared_ptr<const Manifest> manifest_ TENON_GUARDED_BY(mutex_);
  bool has_ended_ TENON_GUARDED_BY(mutex_) = false;
  std::unique_ptr<ModuleCore> core_ TENON_GUARDED_BY(mutex_);
  std::atomic<ModuleCore*> made_{nullptr};  // the core
};

}}}  // namespace tenon::v0_1::detail
