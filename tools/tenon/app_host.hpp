// SPDX-License-Identifier: BSL-1.0
//
// The host of an app, as far as its folders tell.
#pragma once

#include <tenon/builtins.hpp>
#include <tenon/host.hpp>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "commands.hpp"

namespace tenon::command {

/// For questions about packages. The builtins of this project are those of its own app; which ones
/// another program has, only that program knows.
inline HostOptions app_host(const Options& options) {
  HostOptions host{
      .app = options.app, .plugin_path = options.plugin_path, .lock_file = options.lock_file};
  if (options.app == own_app) host.builtins = {builtins()};
  return host;
}

/// What is wrong with the lock, of all that the host skipped.
inline std::vector<Error> flaws_of_lock(const Options& options, const std::vector<Error>& skipped) {
  std::vector<Error> flaws;
  if (options.lock_file.empty()) return flaws;
  const std::string lock = options.lock_file.string();
  std::copy_if(skipped.begin(), skipped.end(), std::back_inserter(flaws),
               [&lock](const Error& error) {
                 return error.where() == lock || error.where().starts_with(lock + ":");
               });
  return flaws;
}

}  // namespace tenon::command
