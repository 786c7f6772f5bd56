// SPDX-License-Identifier: BSL-1.0
//
// Finds the plugins of references in a catalog.
#pragma once

#include <tenon/detail/kind.hpp>
#include <tenon/plugin_info.hpp>
#include <tenon/result.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.hpp"
#include "catalog/catalog.hpp"
#include "catalog/registry.hpp"
#include "package/repository.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Returns the description of a plugin for the public API.
PluginInfo describe(const Registration& registration);

/// Immutable. Returned pointers are valid as long as the catalog.
class PluginLookup {
 public:
  /// `default_domain`: for names without a domain; if it is empty, they get that of the kind.
  PluginLookup(std::string default_domain, std::shared_ptr<Log> log)
      : default_domain_(std::move(default_domain)), log_(std::move(log)) {}

  /// Returns the domain for names without one; absent if that depends on the kind.
  std::optional<std::string_view> default_domain() const noexcept {
    return default_domain_.empty() ? std::nullopt
                                   : std::optional<std::string_view>(default_domain_);
  }

  /// Returns the plugin of a reference, for use as version `target` of the kind. `requester`: see
  /// Registry. Logs that another version is used than the named one. Errors: bad-reference, those
  /// of Registry::find, and that of an unusable file with this name.
  Result<const Registration*> find(const Catalog& catalog, const Kind& kind, std::int32_t target,
                                   std::string_view reference,
                                   const Package* requester = nullptr) const;
  /// Returns the plugins of any kind that a reference names. Errors: those of Registry::find_all,
  /// and that of an unusable file with this name.
  Result<std::vector<const Registration*>> find_all(const Catalog& catalog,
                                                    std::string_view reference) const;
  /// Returns the error of an unusable file that has the name in a reference, or nullptr. Without a
  /// default domain, a short name matches names of all domains.
  const Error* broken(const Catalog& catalog, std::string_view reference) const;

 private:
  std::string_view domain_for(const Kind& kind) const noexcept;
  const Registration* find_plain(const Catalog& catalog, const Kind& kind, std::int32_t target,
                                 std::string_view reference) const noexcept;

  const std::string default_domain_;
  const std::shared_ptr<Log> log_;
};

}}}  // namespace tenon::v0_1::detail
