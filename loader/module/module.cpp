// SPDX-License-Identifier: BSL-1.0
#include "module/module.hpp"

#include <utility>

namespace tenon { inline namespace v0_1 { namespace detail {

Module::Module(ModuleOrigin origin, std::shared_ptr<const Manifest> manifest,
               std::shared_ptr<const ModuleContext> context)
    : origin_(std::move(origin)), context_(std::move(context)), manifest_(std::move(manifest)) {}

ModuleCore& Module::core() {
  if (ModuleCore* made = existing()) return *made;
  const sync::Lock lock(mutex_);
  if (core_ == nullptr) {
    core_ = std::make_unique<ModuleCore>(origin_, manifest_, context_, *this, has_ended_);
    made_.store(core_.get(), std::memory_order_release);
  }
  return *core_;
}

std::shared_ptr<const Manifest> Module::manifest() const {
  if (const ModuleCore* made = existing()) return made->manifest();
  const sync::Lock lock(mutex_);
  return manifest_;
}

bool Module::has_manifest(const Manifest& manifest) const {
  const auto own = this->manifest();
  return own.get() == &manifest || same_manifest(*own, manifest);
}

std::optional<Event> Module::take_manifest(std::shared_ptr<const Manifest> found,
                                           const platform::FileIdentity& identity) {
  {
    const sync::Lock lock(mutex_);
    if (core_ == nullptr) {
      manifest_ = std::move(found);
      return std::nullopt;
    }
  }
  return core().take_manifest(std::move(found), identity);
}

bool Module::in_use() const {
  const ModuleCore* made = existing();
  return made != nullptr && made->in_use();
}

bool Module::idle() const {
  const ModuleCore* made = existing();
  return made == nullptr || made->idle();
}

Result<InstancePtr> Module::create(const Kind& kind, std::int32_t target, std::string_view name,
                                   const std::optional<TextMap>& config, Owner owner,
                                   Generation* caller) {
  return core().create(kind, target, name, config, owner, caller);
}

bool Module::builds(const Generation* caller) const noexcept {
  const ModuleCore* made = existing();
  return made != nullptr && made->builds(caller);
}

/// A generation has a core.
void Module::fault(Generation& generation, RestartReason why, const Error& error) noexcept {
  existing()->fault(generation, why, error);
}

ModuleInfo Module::info() const {
  if (const ModuleCore* made = existing()) return made->info();
  const auto manifest = this->manifest();
  return {.package = manifest->name,
          .package_version = manifest->version.to_string(),
          .file = origin_.file};
}

void Module::apply_count_calls() noexcept {
  if (ModuleCore* made = existing()) made->apply_count_calls();
}

std::optional<RestartStep> Module::restart_step() const {
  const ModuleCore* made = existing();
  return made != nullptr ? made->restart_step() : std::nullopt;
}

bool Module::changed() const {
  const ModuleCore* made = existing();
  return made != nullptr && made->changed();
}

void Module::begin_shut_down() noexcept {
  {
    const sync::Lock lock(mutex_);
    if (core_ == nullptr) {
      has_ended_ = true;
      return;
    }
  }
  existing()->begin_shut_down();
}

void Module::shut_down(Clock::time_point deadline) noexcept {
  if (ModuleCore* made = existing()) made->shut_down(deadline);
}

}}}  // namespace tenon::v0_1::detail
