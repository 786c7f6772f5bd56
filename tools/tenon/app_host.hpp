// SPDX-License-Identifier: BSL-1.0
//
// The host of an app, as far as its folders tell.
#pragma once

#include <tenon/builtins.hpp>
#include <tenon/host.hpp>

#include "commands.hpp"

namespace tenon::command {

/// For questions about packages. The builtins of this project are those of its own app; which ones
/// another program has, only that program knows.
inline HostOptions app_host(const Options& options) {
  HostOptions host{.app = options.app, .plugin_path = options.plugin_path};
  if (options.app == own_app) host.builtins = {builtins()};
  return host;
}

}  // namespace tenon::command
