// SPDX-License-Identifier: BSL-1.0
//
// Which plugins wrote something that is stored, and whether those that are installed now are older
// or others.
#pragma once

#include <tenon/host.hpp>
#include <tenon/result.hpp>

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace tenon::tools {

/// A plugin as a record names it.
struct PluginOrigin {
  std::string name;
  std::string package;
  std::string package_version;
  std::string sha256;  // of the module's file; empty for a builtin, or if it is unknown
};

/// Belongs to one thread. Reads each file once.
class PluginOrigins {
 public:
  /// Returns what a record says about a plugin.
  PluginOrigin of(const tenon::PluginInfo& plugin);

  /// Returns the warning other-plugin if the plugin is missing, if only older versions of it are
  /// installed, or if its version is installed with another file. `where` names the record.
  std::optional<tenon::Error> compare(const tenon::Host& host, const PluginOrigin& origin,
                                      const std::string& where);

 private:
  std::map<std::filesystem::path, std::string> hashes_;
};

}  // namespace tenon::tools
