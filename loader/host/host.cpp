// SPDX-License-Identifier: BSL-1.0
//
// In a forked child the core of the parent is not used, because other threads of the parent may
// have held its locks.
#include <tenon/host.hpp>

#include <utility>

#include "base/forked.hpp"
#include "base/keep_until_exit.hpp"
#include "host/host_core.hpp"

namespace tenon { inline namespace v0_1 {
namespace {

/// Returns why a host cannot be used.
Error refusal(const detail::HostCore& core, std::string where = {}) {
  if (core.inherited()) return detail::forked_error(std::move(where));
  return Error({.code = "host-ended",
                .status = TENON_UNAVAILABLE,
                .message = "the host is being destroyed",
                .where = std::move(where)});
}

}  // namespace

Host::Host(HostOptions options) : core_(detail::HostCore::make(std::move(options))) {}

// The core lives until callbacks have ended, because they may use the host.
Host::~Host() {
  if (core_->inherited()) {
    detail::keep_until_exit(std::move(core_));
    return;
  }
  const auto deadline = std::chrono::steady_clock::now() + core_->shutdown_timeout();
  core_->stop_listening(deadline);
  core_->end(deadline);  // unloads all modules, unless a handle exists
  core_->events()->close(deadline);
  core_->log()->close(deadline);
}

std::vector<PluginInfo> Host::plugins(const Kind& kind) const {
  if (const auto core = core_->pin()) return core->plugins(kind);
  return {};
}

std::vector<PluginInfo> Host::registered() const {
  if (const auto core = core_->pin()) return core->registered();
  return {};
}

std::vector<Error> Host::problems() const {
  if (const auto core = core_->pin()) return core->problems();
  return {refusal(*core_)};
}

Result<PluginInfo> Host::find(const Kind& kind, std::string_view reference) const {
  if (core_->inherited()) return refusal(*core_, std::string(reference));
  return core_->find(kind, reference);  // calls no listener, only the log's sink
}

Result<std::vector<PluginInfo>> Host::find_all(std::string_view reference) const {
  if (const auto core = core_->pin()) return core->find_all(reference);
  return refusal(*core_, std::string(reference));
}

Result<detail::InstancePtr> Host::create(const Kind& kind, std::string_view reference,
                                         const std::optional<TextMap>& config) {
  if (const auto core = core_->pin()) return core->create(kind, reference, config);
  return refusal(*core_, std::string(reference));
}

void Host::count_calls(bool on) {
  if (const auto core = core_->pin()) core->count_calls(on);
}

Figure Host::figure(const FigureInfo& info) {
  if (const auto core = core_->pin()) return core->figures().figure(info);
  return {};
}

void Host::set_health(std::string_view part, std::string_view problem) {
  if (const auto core = core_->pin()) core->figures().set_health(part, problem);
}

void Host::rescan() {
  if (const auto core = core_->pin()) core->rescan();
}

std::vector<ModuleInfo> Host::modules() const {
  if (const auto core = core_->pin()) return core->modules();
  return {};
}

std::vector<PackageInfo> Host::packages() const {
  if (const auto core = core_->pin()) return core->packages();
  return {};
}

ResolvedPackages Host::resolve(const std::vector<std::string>& references) const {
  if (const auto core = core_->pin()) return core->resolve(references);
  ResolvedPackages none;
  none.errors.push_back(refusal(*core_));
  return none;
}

Result<void> Host::write_lock(const std::filesystem::path& file) const {
  if (const auto core = core_->pin()) return core->write_lock(file);
  return refusal(*core_, file.string());
}

Result<void> Host::check_lock(const PackageInfo& package) const {
  if (const auto core = core_->pin()) return core->check_lock(package);
  return refusal(*core_, package.file.string());
}

Result<RestartOutcome> Host::restart(std::string_view package, const RestartOptions& options) {
  if (const auto core = core_->pin()) return core->restart(package, options);
  return refusal(*core_, std::string(package));
}

Host::ChangedRestarts Host::restart_changed() {
  if (const auto core = core_->pin()) return core->restart_changed();
  return {.restarted = {}, .scheduled = {}, .failed = {refusal(*core_)}};
}

}}  // namespace tenon::v0_1
