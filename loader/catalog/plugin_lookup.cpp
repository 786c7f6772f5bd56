// SPDX-License-Identifier: BSL-1.0
#include "catalog/plugin_lookup.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "catalog/description.hpp"
#include "catalog/kinds.hpp"
#include "catalog/reference.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

PluginInfo describe(const Registration& registration) {
  const ModuleDescriptionPtr& module = registration.owner->description();
  // A library with kinds may have been loaded since.
  const bool is_recent = module->kinds == kinds_revision();
  return PluginInfos::of(is_recent ? module : describe(module->manifest, module->file),
                         registration.index);
}

/// Returns the domain for names without one.
std::string_view PluginLookup::domain_for(const Kind& kind) const noexcept {
  return default_domain().value_or(kind.id.substr(0, kind.id.find('/')));
}

/// Finds the plugin of a reference that is only a name, which is the most common form. Returns
/// nullptr for others: see find.
const Registration* PluginLookup::find_plain(const Catalog& catalog, const Kind& kind,
                                             std::int32_t target,
                                             std::string_view reference) const noexcept {
  // Names have no ':' before the '/', so a reference with a prefix is not found.
  if (reference.find('/') != std::string_view::npos) {
    return catalog.registry().find_plain(kind, target, reference);
  }
  if (reference.find(':') != std::string_view::npos) return nullptr;  // it has a prefix
  const std::string_view domain = domain_for(kind);
  std::array<char, 512> whole;
  if (domain.size() + 1 + reference.size() > whole.size()) return nullptr;
  char* end = std::ranges::copy(domain, whole.data()).out;
  *end++ = '/';
  end = std::ranges::copy(reference, end).out;
  return catalog.registry().find_plain(kind, target, {whole.data(), end});
}

Result<const Registration*> PluginLookup::find(const Catalog& catalog, const Kind& kind,
                                               std::int32_t target, std::string_view reference,
                                               const Package* requester) const {
  if (requester == nullptr) {
    if (const auto* plain = find_plain(catalog, kind, target, reference)) return plain;
  }
  auto parsed = Reference::parse(reference, domain_for(kind));
  if (!parsed) return std::move(parsed).error();
  auto found = catalog.registry().find(kind, target, *parsed, requester);
  if (!found && found.error().code() == "not-found") {
    if (const Error* file = catalog.bindings().broken(parsed->name)) return *file;
  }
  if (found && *parsed->match((*found)->package_version()) != Match::exact) {
    log_->write(LogLevel::warn, parsed->name + " " + parsed->version->to_string() +
                                    " is not available; " +
                                    (*found)->package_version().to_string() + " is used instead");
  }
  return found;
}

Result<std::vector<const Registration*>> PluginLookup::find_all(const Catalog& catalog,
                                                                std::string_view reference) const {
  auto found = catalog.registry().find_all(reference, default_domain());
  if (!found && found.error().code() == "not-found") {
    if (const Error* file = broken(catalog, reference)) return *file;
  }
  return found;
}

const Error* PluginLookup::broken(const Catalog& catalog, std::string_view reference) const {
  const auto wanted = Reference::parse(reference, default_domain());
  return wanted ? catalog.bindings().broken(wanted->name) : nullptr;
}

}}}  // namespace tenon::v0_1::detail
