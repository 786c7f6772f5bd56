// SPDX-License-Identifier: BSL-1.0
#include "catalog/catalog_store.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/test_point.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

using ModulePtr = std::shared_ptr<PluginModule>;

/// Returns all standalone modules of a catalog that still exist.
std::vector<ModulePtr> existing_modules(const CatalogContent& content) {
  std::vector<ModulePtr> existing;
  for (const ListedModule& listed : content.modules) {
    if (!listed.builtin()) existing.push_back(listed.module);
  }
  for (const auto& weak : content.unlisted) {
    if (auto module = weak.lock()) existing.push_back(std::move(module));
  }
  return existing;
}

/// Calls a function with the listed modules that serve another manifest, and updates that.
template <class Function>
void for_each_outdated(std::vector<ListedModule>& modules, const Function& function) {
  for (ListedModule& listed : modules) {
    if (listed.builtin() || listed.module->has_manifest(*listed.manifest)) continue;
    function(listed);
    listed.manifest = listed.module->manifest();
  }
}

auto is_of(const PluginModule& module) {
  return [&module](const ListedModule& listed) { return listed.module.get() == &module; };
}

/// Updates the manifests of modules after restarts. Returns whether any has changed.
bool refresh(CatalogContent& content) {
  bool changed = false;
  for_each_outdated(content.modules, [&](const ListedModule& listed) {
    std::erase_if(content.replaced, is_of(*listed.module));
    changed = true;
  });
  return changed;
}

}  // namespace

/// Returns whether catalogs of both contents are equal. Unusable files always count as changed,
/// since the content does not show their changes.
bool same_content(const CatalogContent& a, const CatalogContent& b) {
  const auto is_clean = [](const CatalogContent& content) {
    return content.unlisted.empty() && content.unreadable.empty() && content.broken.empty();
  };
  const auto same = [](const ListedModule& one, const ListedModule& other) {
    return one.module == other.module && one.manifest == other.manifest;
  };
  return is_clean(a) && is_clean(b) && std::ranges::equal(a.modules, b.modules, same) &&
         std::ranges::equal(a.replaced, b.replaced, same);
}

/// Shares ownership of the store, so that it may outlive the host.
class CatalogStore::Change final : public CatalogChange {
 public:
  /// `next` is nullptr if the module is not listed.
  Change(std::shared_ptr<CatalogStore> store, CatalogPtr base, CatalogPtr next)
      : store_(std::move(store)), base_(std::move(base)), next_(std::move(next)) {}

  void publish() noexcept override {
    CatalogPtr replaced;  // destroyed after the lock is released
    try {
      const sync::Lock lock(store_->publishing_);
      replaced = store_->current();
      if (replaced == base_) {
        if (next_ != nullptr) store_->set(std::move(next_));
        return;
      }
      CatalogContent content = replaced->content();
      if (refresh(content)) store_->set(store_->build(std::move(content)));
    } catch (...) {
      // Without memory, the catalog keeps the previous manifest until the next one is built.
    }
  }

 private:
  const std::shared_ptr<CatalogStore> store_;
  const CatalogPtr base_;
  CatalogPtr next_;
};

CatalogStore::CatalogStore() : current_(build({})) {}

void CatalogStore::begin(CatalogRules rules, std::vector<ListedModule> builtins) {
  rules_ = std::move(rules);
  builtins_ = std::move(builtins);
  set(build({}));
}

CatalogStore::CatalogPtr CatalogStore::current() const {
  const sync::Lock lock(mutex_);
  return current_;
}

void CatalogStore::set(CatalogPtr next) {
  const sync::Lock lock(mutex_);
  current_.swap(next);
}

CatalogStore::CatalogPtr CatalogStore::build(CatalogContent content) {
  return std::make_shared<const Catalog>(rules_, std::move(content), files_);
}

std::vector<Event> CatalogStore::list(std::vector<FoundModule> found, std::vector<Error> unreadable,
                                      const MakeModule& make, BrokenNames broken,
                                      const IsExcluded& is_excluded) {
  const CatalogPtr base = current();
  std::vector<Event> released;
  CatalogContent content = content_of(*base, std::move(found), make, is_excluded, released);
  content.unreadable = std::move(unreadable);
  content.broken = std::move(broken);
  for_each_outdated(content.modules,
                    [&](const ListedModule& listed) { content.replaced.push_back(listed); });
  if (same_content(content, base->content())) return released;
  CatalogPtr next = build(std::move(content));
  TENON_TEST_POINT("catalog: built");
  CatalogPtr replaced;  // destroyed after the lock is released
  const sync::Lock lock(publishing_);
  replaced = current();
  // A restart may have changed the manifest of a module in the meantime.
  if (replaced != base) {
    CatalogContent changed = next->content();
    if (refresh(changed)) next = build(std::move(changed));
  }
  set(std::move(next));
  return released;
}

CatalogContent CatalogStore::content_of(const Catalog& base, std::vector<FoundModule> found,
                                        const MakeModule& make, const IsExcluded& is_excluded,
                                        std::vector<Event>& released) const {
  const std::vector<ModulePtr> existing = existing_modules(base.content());
  std::unordered_map<std::basic_string_view<std::filesystem::path::value_type>, ModulePtr> by_file;
  for (const ModulePtr& module : existing) by_file.emplace(module->origin().file, module);
  CatalogContent content{.modules = builtins_};
  content.modules.reserve(builtins_.size() + found.size());
  std::unordered_set<const PluginModule*> listed;
  for (FoundModule& standalone : found) {
    const auto known = by_file.find(standalone.file);
    ModulePtr module = known != by_file.end() ? known->second : nullptr;
    if (module == nullptr) {
      module = make(ModuleOrigin{std::move(standalone.file), nullptr}, standalone.manifest);
    } else {
      if (auto event = module->take_manifest(standalone.manifest, standalone.identity)) {
        released.push_back(*std::move(event));
      }
      listed.insert(module.get());
    }
    content.modules.push_back({std::move(module), std::move(standalone.manifest)});
  }
  for (const ModulePtr& module : existing) {
    if (listed.contains(module.get())) continue;
    if (module->idle() || (is_excluded && is_excluded(*module))) {
      content.unlisted.push_back(module);
    } else {
      content.modules.push_back({module, module->manifest()});
    }
  }
  return content;
}

std::unique_ptr<CatalogChange> CatalogStore::prepare(const PluginModule& module,
                                                     std::shared_ptr<const Manifest> fresh) {
  CatalogPtr base = current();
  const bool was_replaced = std::ranges::any_of(base->content().replaced, is_of(module));
  if (!was_replaced && module.has_manifest(*fresh)) return nullptr;
  CatalogPtr next;
  if (const ListedModule* listed = base->find(module)) {
    CatalogContent content = base->content();
    std::erase_if(content.replaced, is_of(module));
    const auto index = static_cast<std::size_t>(listed - base->content().modules.data());
    content.modules[index].manifest = std::move(fresh);
    next = build(std::move(content));
  }
  return std::make_unique<Change>(shared_from_this(), std::move(base), std::move(next));
}

}}}  // namespace tenon::v0_1::detail
