// SPDX-License-Identifier: BSL-1.0
//
// In a forked child the core of the parent is not used, because other threads of the parent may
// have held its locks.
#include <tenon/host.hpp>

#include <utility>

#include "base/keep_until_exit.hpp"
#include "host/host_core.hpp"
#include "module/forked.hpp"

namespace tenon::inline v0_1 {
namespace {

/// Keeps the core alive until the call returns, because a listener may destroy the host.
std::shared_ptr<detail::HostCore> keep(const std::shared_ptr<detail::HostCore>& core) {
  return core;
}

}  // namespace

using detail::forked_error;

Host::Host(HostOptions options) : core_(detail::HostCore::make(std::move(options))) {}

Host::~Host() {
  if (core_->inherited()) {
    detail::keep_until_exit(std::move(core_));
    return;
  }
  core_->stop_watching();
  const auto events = core_->events();
  const auto log = core_->log();
  const auto shutdown_timeout = core_->shutdown_timeout();
  core_ = nullptr;  // unloads all modules, unless a handle exists
  const auto deadline = std::chrono::steady_clock::now() + shutdown_timeout;
  events->close(deadline);
  log->close(deadline);
}

std::vector<PluginInfo> Host::plugins(const Kind& kind) const {
  if (core_->inherited()) return {};
  return keep(core_)->plugins(kind);
}

std::vector<PluginInfo> Host::registered() const {
  if (core_->inherited()) return {};
  return keep(core_)->registered();
}

std::vector<Error> Host::skipped() const {
  if (core_->inherited()) return {forked_error()};
  return keep(core_)->skipped();
}

Result<PluginInfo> Host::find(const Kind& kind, std::string_view reference) const {
  if (core_->inherited()) return forked_error(std::string(reference));
  return core_->find(kind, reference);  // calls no listener, only the log's sink
}

Result<std::vector<PluginInfo>> Host::find_all(std::string_view reference) const {
  if (core_->inherited()) return forked_error(std::string(reference));
  return keep(core_)->find_all(reference);
}

Result<detail::InstancePtr> Host::create(const Kind& kind, std::string_view reference,
                                         const std::optional<TextMap>& config) {
  if (core_->inherited()) return forked_error(std::string(reference));
  return keep(core_)->create(kind, reference, config);
}

void Host::rescan() {
  if (core_->inherited()) return;
  keep(core_)->rescan();
}

std::vector<ModuleInfo> Host::modules() const {
  if (core_->inherited()) return {};
  return keep(core_)->modules();
}

std::vector<PackageInfo> Host::packages() const {
  if (core_->inherited()) return {};
  return keep(core_)->packages();
}

ResolvedPackages Host::resolve(const std::vector<std::string>& references) const {
  if (core_->inherited()) {
    ResolvedPackages none;
    none.errors.push_back(forked_error());
    return none;
  }
  return keep(core_)->resolve(references);
}

Result<void> Host::write_lock(const std::filesystem::path& file) const {
  if (core_->inherited()) return forked_error(file.string());
  return keep(core_)->write_lock(file);
}

Result<RestartOutcome> Host::restart(std::string_view package, const RestartOptions& options) {
  if (core_->inherited()) return forked_error(std::string(package));
  return keep(core_)->restart(package, options);
}

Host::ChangedRestarts Host::restart_changed() {
  if (core_->inherited()) return {.restarted = {}, .failed = {forked_error()}};
  return keep(core_)->restart_changed();
}

}  // namespace tenon::inline v0_1
