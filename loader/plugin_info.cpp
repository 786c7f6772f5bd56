// SPDX-License-Identifier: BSL-1.0
#include "plugin_info.hpp"

#include "module/kinds.hpp"
#include "registry/fit.hpp"

namespace tenon {

std::string PluginInfo::property(std::string_view name) const {
  const auto found = properties_.find(name);
  return found != properties_.end() ? found->second : "";
}

bool PluginInfo::offers(std::string_view method) const {
  const Kind* kind = detail::find_kind(kind_);
  const KindVersion* version = kind != nullptr ? kind->find(version_) : nullptr;
  if (version == nullptr || version->fingerprint != fingerprint_) return false;
  return version->own_method(kind->latest().version, method) != nullptr;
}

namespace detail {

PluginInfo PluginDescription::of(const Provided& provided, const Manifest& manifest,
                                 const std::filesystem::path& file) {
  PluginInfo info;
  info.name_ = provided.name;
  info.kind_ = provided.kind;
  info.version_ = provided.version;
  info.fingerprint_ = provided.fingerprint;
  info.package_ = manifest.name;
  info.package_version_ = manifest.version.to_string();
  info.summary_ = manifest.summary;
  info.file_ = file;
  info.fit_ = fit_of(provided);
  if (const auto found = manifest.properties.find(provided.name);
      found != manifest.properties.end()) {
    info.properties_ = found->second;
  }
  return info;
}

}  // namespace detail
}  // namespace tenon
