// SPDX-License-Identifier: BSL-1.0
#include <tenon/host.hpp>

#include <utility>

#include "host_core.hpp"

namespace tenon {

Host::Host(HostOptions options) : core_(std::make_shared<detail::HostCore>(std::move(options))) {}
Host::~Host() = default;

std::vector<PluginInfo> Host::plugins(const Kind& kind) const {
  return core_->plugins(kind);
}
std::vector<PluginInfo> Host::registered() const {
  return core_->registered();
}
std::vector<Error> Host::skipped() const {
  return core_->skipped();
}

Result<PluginInfo> Host::find(const Kind& kind, std::string_view reference) const {
  return core_->find(kind, reference);
}

Result<std::vector<PluginInfo>> Host::find_all(std::string_view reference) const {
  return core_->find_all(reference);
}

Result<detail::InstancePtr> Host::create(const Kind& kind, std::string_view reference,
                                         const std::optional<TextMap>& config) {
  return core_->create(kind, reference, config);
}

void Host::rescan() {
  core_->rescan();
}
std::vector<ModuleInfo> Host::modules() const {
  return core_->modules();
}
std::vector<PackageInfo> Host::packages() const {
  return core_->packages();
}
Resolved Host::resolve(const std::vector<std::string>& references) const {
  return core_->resolve(references);
}
Result<void> Host::write_lock(const std::filesystem::path& file) const {
  return core_->write_lock(file);
}
Result<Restarted> Host::restart(std::string_view package, const RestartHow& how) {
  return core_->restart(package, how);
}
Host::Restarts Host::restart_changed() {
  return core_->restart_changed();
}

}  // namespace tenon
