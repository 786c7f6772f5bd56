// SPDX-License-Identifier: BSL-1.0
#include "common/plugin_origins.hpp"

#include <tenon/file_hash.hpp>

#include <algorithm>

namespace tenon::tools {
namespace {

std::string title_of(const PluginOrigin& origin) {
  return origin.name + " of " + origin.package + " " + origin.package_version;
}

}  // namespace

PluginOrigin PluginOrigins::of(const tenon::PluginInfo& plugin) {
  std::string hash;
  if (!plugin.builtin()) {
    const auto [entry, is_new] = hashes_.try_emplace(plugin.file());
    // The file of a plugin that was loaded may be gone.
    if (is_new) {
      if (auto read = tenon::sha256_of_file(plugin.file())) entry->second = *std::move(read);
    }
    hash = entry->second;
  }
  return {plugin.name(), plugin.package(), plugin.package_version(), std::move(hash)};
}

std::optional<tenon::Error> PluginOrigins::compare(const tenon::Host& host,
                                                   const PluginOrigin& origin,
                                                   const std::string& where) {
  const auto warning = [&](std::string message, std::string found, std::string fix) {
    return tenon::Error({.code = "other-plugin",
                         .message = std::move(message),
                         .where = where,
                         .found = std::move(found),
                         .needed = title_of(origin) + ", or a newer version",
                         .fix = std::move(fix),
                         .plugin = origin.name,
                         .severity = tenon::Severity::warning});
  };
  const auto installed = host.find_all(origin.name);
  if (!installed) {
    return warning("a plugin that wrote it is not installed", "no plugin of this name",
                   "install the package");
  }
  const auto new_enough = host.find_all(origin.name + "@>=" + origin.package_version);
  if (!new_enough) {
    return warning("an older version of a plugin that wrote it is installed",
                   title_of(of(installed->front())), "install that version or a newer one");
  }
  const auto same = std::ranges::find_if(*new_enough, [&](const tenon::PluginInfo& plugin) {
    return plugin.package_version() == origin.package_version;
  });
  if (same == new_enough->end()) return std::nullopt;
  if (origin.sha256.empty() || of(*same).sha256 == origin.sha256) return std::nullopt;
  return warning("another build of a plugin that wrote it is installed",
                 same->builtin() ? "a builtin" : same->file().string(),
                 "check where that build comes from");
}

}  // namespace tenon::tools
