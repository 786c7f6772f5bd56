// SPDX-License-Identifier: BSL-1.0
#include "host/host_rules.hpp"

#include <algorithm>
#include <utility>

#include "catalog/scan.hpp"
#include "platform/file.hpp"
#include "trust/locked_content.hpp"
#include "trust/outside_libraries.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

void HostRules::read(const HostOptions& options, std::vector<Error>& problems) {
  rules_.host = options.app.empty() ? "the host" : options.app;
  read_requirements(options, problems);
  read_trust(options, problems);
}

void HostRules::read_requirements(const HostOptions& options, std::vector<Error>& problems) {
  for (const auto& [name, text] : options.requirements) {
    auto versions = Requirement::parse(text);
    if (versions) {
      rules_.requirements.emplace(name, std::move(*versions));
    } else {
      problems.push_back(Error({.code = "bad-requirement",
                                .where = "HostOptions::requirements: " + name,
                                .found = std::string(versions.error().found()),
                                .needed = std::string(versions.error().needed()),
                                .fix = std::string(versions.error().fix())}));
    }
  }
}

void HostRules::read_trust(const HostOptions& options, std::vector<Error>& problems) {
  TrustPolicy& trust = rules_.trust;
  trust.level = options.trust;
  trust.lock_file = options.lock_file;
  auto read = read_lock(problems);
  if (read && !options.trust_rules.empty()) read = add_trust_rules(options.trust_rules, trust);
  if (read && trust.level == Trust::pinned && trust.lock_file.empty()) {
    read = Error({.code = "not-pinned",
                  .where = "HostOptions::trust",
                  .found = "no lock file",
                  .needed = "HostOptions::lock_file, which lists what may be loaded",
                  .fix = "write a lock with tenon lock, and name it"});
  }
  if (read) return;
  problems.push_back(read.error());
  broken_ = std::move(read).error();
}

Result<void> HostRules::read_lock(std::vector<Error>& problems) {
  TrustPolicy& trust = rules_.trust;
  if (trust.lock_file.empty()) return {};
  auto read = read_lock_file(trust.lock_file);
  if (!read) return std::move(read).error();
  if (auto exposed = check_owner(trust.lock_file); exposed && trust.level != Trust::any) {
    if (exposed->severity() == Severity::error) return std::move(*exposed);
    problems.push_back(std::move(*exposed));
  }
  trust.lock = std::move(*read);
  return {};
}

Result<void> HostRules::check_loadable(const Catalog& catalog, const Manifest& before,
                                       const Manifest& fresh, const Bundle& bundle,
                                       FileComparison& files, std::vector<Error>& warnings) const {
  if (broken_) return *broken_;
  const std::filesystem::path& file = bundle[0].path;
  auto trusted = check_trust(rules_.trust, fresh.name, fresh.version, bundle, warnings);
  if (!trusted) return trusted;
  if (auto placed = check_version_directory(file, fresh); !placed) return placed;
  if (auto unique = catalog.registry().check_replacement(file, before, fresh, files); !unique)
    return unique;
  const bool same =
      total_order(before.version, fresh.version) == 0 && before.requirements == fresh.requirements;
  if (same) return {};  // it was checked when it was found
  std::vector<Package> users;
  for (const auto& module : catalog.modules()) {
    if (module->origin().file != file.native() && module->in_use()) {
      users.push_back(package_of(*module->manifest()));
    }
  }
  return catalog.bindings().check_restart(package_of(before), package_of(fresh), users,
                                          file.string());
}

Result<void> HostRules::check_lock(const PackageInfo& package) const {
  const auto& lock = rules_.trust.lock;
  const bool listed = std::ranges::find(lock, package.name, &LockedPackage::name) != lock.end();
  if (!listed || package.builtin()) return {};
  const auto version = Version::parse(package.version);
  if (!version) return version.error();
  const auto file = platform::File::open(package.file);
  if (!file) return file.error();
  const auto bundle = read_bundle(*file);
  if (!bundle) return bundle.error();
  const auto outside = outside_libraries(*bundle);
  if (!outside) return outside.error();
  return check_locked_content(lock, rules_.trust.lock_file, package.name, *version, *bundle,
                              *outside);
}

}}}  // namespace tenon::v0_1::detail
