// SPDX-License-Identifier: BSL-1.0
#include "catalog/catalog.hpp"

#include <filesystem>
#include <string_view>
#include <utility>

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
  for (const bool builtin : {false, true}) {
    for (const ListedModule& listed : content.modules) {
      if (listed.builtin() != builtin) continue;
      packages.found.push_back(package_of(*listed.manifest));
      packages.found.back().compatible = is_compatible(*listed.manifest);
    }
  }
  return packages;
}

/// Returns the bytes of a path, whose characters are wide on some systems.
std::string_view key_of(const std::filesystem::path& path) {
  const auto& text = path.native();
  return {reinterpret_cast<const char*>(text.data()), text.size() * sizeof text[0]};
}

}  // namespace

Catalog::Catalog(const CatalogRules& rules, CatalogContent content, FileComparison& files)
    : content_(std::move(content)),
      registry_(std::make_shared<const Bindings>(packages_of(rules, content_))) {
  register_all(files);
  find_files();
}

void Catalog::register_all(FileComparison& files) {
  left_out_ = bindings().diagnostics();
  for (const ListedModule& listed : content_.modules) {
    auto left_out = registry_.add(listed, files);
    std::move(left_out.begin(), left_out.end(), std::back_inserter(left_out_));
  }
  registry_.finish();
}

// As in packages_of, the first package of a name and version wins.
void Catalog::find_files() {
  const Repository& repository = bindings().repository();
  static const std::filesystem::path of_builtin;
  files_.assign(repository.size(), &of_builtin);
  for (std::uint32_t index = 0; index < content_.modules.size(); ++index) {
    const ListedModule& listed = content_.modules[index];
    if (listed.builtin()) continue;
    const std::filesystem::path& file = listed.module->origin().file;
    by_file_.emplace(key_of(file), index);
    const PackageId id = repository.find(listed.manifest->name, listed.manifest->version);
    if (id != none && files_[id] == &of_builtin) files_[id] = &file;
  }
}

std::shared_ptr<PluginModule> Catalog::module_of(const std::filesystem::path& file) const {
  if (const auto* found = number_of(by_file_, key_of(file))) {
    return content_.modules[*found].module;
  }
  for (const auto& weak : content_.unlisted) {
    auto module = weak.lock();
    if (module != nullptr && module->origin().file == file) return module;
  }
  return nullptr;
}

const ListedModule* Catalog::find(const PluginModule& module) const {
  const auto* found = number_of(by_file_, key_of(module.origin().file));
  if (found == nullptr) return nullptr;
  const ListedModule& listed = content_.modules[*found];
  return listed.module.get() == &module ? &listed : nullptr;
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
  all.insert(all.end(), left_out_.begin(), left_out_.end());
  return all;
}

}}}  // namespace tenon::v0_1::detail
