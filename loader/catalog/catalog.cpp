// SPDX-License-Identifier: BSL-1.0
#include "catalog/catalog.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "base/own_library.hpp"
#include "catalog/compatibility.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

// Standalone packages come first, so that they win over builtins of the same name and version.
Packages packages_of(const CatalogRules& rules, const CatalogContent& content) {
  Packages packages{.host = rules.host,
                    .requirements = rules.requirements,
                    .lock_file = rules.trust.lock_file.string(),
                    .broken = content.broken};
  for (const LockedPackage& locked : rules.trust.lock) {
    packages.lock.emplace_back(locked.name, locked.version);
  }
  CompatibilityCheck check;
  packages.found.reserve(content.modules.size());
  for (const bool builtin : {false, true}) {
    for (const ListedModule& listed : content.modules) {
      if (listed.builtin() != builtin) continue;
      packages.found.push_back(package_of(*listed.manifest));
      packages.found.back().compatible = check.is_compatible(*listed.manifest);
    }
  }
  return packages;
}

}  // namespace

Catalog::Catalog(const CatalogRules& rules, CatalogContent content, FileComparison& files)
    : content_(std::move(content)),
      registry_(std::make_shared<const Bindings>(packages_of(rules, content_))) {
  register_all(files);
  check_replaced(files);
}

void Catalog::register_all(FileComparison& files) {
  for (const ListedModule& listed : content_.modules) registry_.add(listed, files);
  registry_.finish();
}

/// Finds the files that a restart refuses because of the plugins of other files.
void Catalog::check_replaced(FileComparison& files) {
  for (const ListedModule& replaced : content_.replaced) {
    const ListedModule* serving = find(*replaced.module);
    if (serving == nullptr) continue;
    auto usable = registry_.check_replacement(replaced.module->origin().file, *serving->manifest,
                                              *replaced.manifest, files);
    if (!usable) refused_files_.push_back(std::move(usable).error());
  }
}

// The repository got the standalone packages first, in this order (packages_of), and left out those
// whose name and version it had already. So the packages need no look-up.
std::vector<const platform::PathText*> Catalog::files() const {
  const Repository& repository = bindings().repository();
  static platform::LibraryStatic<platform::PathText> of_builtin;
  std::vector<const platform::PathText*> files(repository.size(), &*of_builtin);
  PackageId next = 0;
  for (const ListedModule& listed : content_.modules) {
    if (listed.builtin() || next == repository.size()) continue;
    const Package& package = repository.package(next);
    const bool is_left_out = package.name != listed.manifest->name ||
                             total_order(package.version, listed.manifest->version) != 0;
    if (!is_left_out) files[next++] = &listed.module->origin().file;
  }
  return files;
}

std::shared_ptr<PluginModule> Catalog::module_of(const std::filesystem::path& file) const {
  const auto is_of_file = [&file](const std::shared_ptr<PluginModule>& module) {
    return module != nullptr && module->origin().file == file.native();
  };
  const auto found = std::ranges::find_if(content_.modules, is_of_file, &ListedModule::module);
  if (found != content_.modules.end()) return found->module;
  for (const auto& weak : content_.unlisted) {
    auto module = weak.lock();
    if (is_of_file(module)) return module;
  }
  return nullptr;
}

const ListedModule* Catalog::find(const PluginModule& module) const {
  const auto found = std::ranges::find_if(
      content_.modules, [&module](const auto& listed) { return listed.module.get() == &module; });
  return found != content_.modules.end() ? &*found : nullptr;
}

std::vector<std::shared_ptr<PluginModule>> Catalog::modules() const {
  std::vector<std::shared_ptr<PluginModule>> all;
  all.reserve(content_.modules.size());
  for (const ListedModule& listed : content_.modules) all.push_back(listed.module);
  for (const auto& weak : content_.unlisted) {
    auto module = weak.lock();
    if (module != nullptr && !module->idle()) all.push_back(std::move(module));
  }
  return all;
}

std::vector<Error> Catalog::problems() const {
  std::vector<Error> all = content_.unreadable;
  std::ranges::copy(bindings().diagnostics(), std::back_inserter(all));
  std::ranges::move(registry_.problems(), std::back_inserter(all));
  std::ranges::copy(refused_files_, std::back_inserter(all));
  return all;
}

}}}  // namespace tenon::v0_1::detail
