// SPDX-License-Identifier: BSL-1.0
#include "host/host_rules.hpp"

#include <algorithm>
#include <utility>

#include "catalog/locked_content.hpp"
#include "catalog/scan.hpp"
#include "package/lock.hpp"
#include "platform/file.hpp"

namespace tenon::inline v0_1::detail {

void HostRules::read(const HostOptions& options, std::vector<Error>& problems) {
  rules_.host = options.app.empty() ? "the host" : options.app;
  rules_.lock_file = options.lock_file;
  read_requirements(options, problems);
  read_lock(problems);
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

void HostRules::read_lock(std::vector<Error>& problems) {
  if (rules_.lock_file.empty()) return;
  auto read = read_lock_file(rules_.lock_file);
  if (read) {
    rules_.lock = std::move(*read);
  } else {
    problems.push_back(read.error());
    broken_lock_ = std::move(read).error();
  }
}

Result<void> HostRules::check_loadable(const Catalog& catalog, const Manifest& before,
                                       const Manifest& fresh, const Bundle& bundle,
                                       FileComparison& files) const {
  if (broken_lock_) return *broken_lock_;
  const std::filesystem::path& file = bundle[0].path;
  auto content =
      check_locked_content(rules_.lock, rules_.lock_file, fresh.name, fresh.version, bundle);
  if (!content) return content;
  if (auto placed = check_version_folder(file, fresh); !placed) return placed;
  if (auto unique = catalog.registry().check_replacement(file, before, fresh, files); !unique)
    return unique;
  const bool same =
      total_order(before.version, fresh.version) == 0 && before.requirements == fresh.requirements;
  if (same) return {};  // it was checked when it was found
  std::vector<Package> users;
  for (const auto& module : catalog.modules()) {
    if (module->origin().file != file && module->in_use()) {
      users.push_back(package_of(*module->manifest()));
    }
  }
  return catalog.bindings().check_restart(package_of(before), package_of(fresh), users,
                                          file.string());
}

Result<void> HostRules::check_lock(const PackageInfo& package) const {
  const auto& lock = rules_.lock;
  const bool listed = std::ranges::find(lock, package.name, &LockedPackage::name) != lock.end();
  if (!listed || package.builtin()) return {};
  const auto version = Version::parse(package.version);
  if (!version) return version.error();
  const auto file = platform::File::open(package.file);
  if (!file) return file.error();
  const auto bundle = read_bundle(*file);
  if (!bundle) return bundle.error();
  return check_locked_content(lock, rules_.lock_file, package.name, *version, *bundle);
}

}  // namespace tenon::inline v0_1::detail
