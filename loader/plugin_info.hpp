// SPDX-License-Identifier: BSL-1.0
//
// Descriptions of plugins for the host's face.
#pragma once

#include <tenon/host.hpp>

#include <filesystem>

#include "manifest/manifest.hpp"

namespace tenon::detail {

class PluginDescription {
 public:
  /// `provided` is one of the manifest's; `file` is empty for a builtin.
  static PluginInfo of(const Provided& provided, const Manifest& manifest,
                       const std::filesystem::path& file);
};

}  // namespace tenon::detail
