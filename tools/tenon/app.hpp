// SPDX-License-Identifier: BSL-1.0
//
// An app as its description says. The folder `tenon` among the data of the app (for app "photo"
// ~/.local/share/photo/tenon, then the same below /usr/local and /usr) holds
//
//   app.json        {"app": "photo", "program": "../../../bin/photo", "standard": ["source@2"]}
//   specs/          its kinds and document types, as tenon-gen reads them
//   builtins.json   the manifests of its builtins, as tenon::manifests_of writes them
//
// Everything but app.json may be left out; a relative program begins at the folder. The description
// of the app "tenon", the host tenon-pipeline, is compiled into the command.
#pragma once

#include <tenon/host.hpp>

#include <algorithm>
#include <iterator>
#include <vector>

#include "commands.hpp"

namespace tenon::command {

/// Fills in what the description of the app says. The kinds and document types of the process are
/// then those of the app; without a description they are the standard ones. What is wrong is
/// printed.
Exit describe_app(Options& options);

/// What every command makes its host with.
inline HostOptions host_options(const Options& options) {
  return {.app = options.app,
          .plugin_path = options.plugin_path,
          .builtins = options.builtins,
          .lock_file = options.lock_file};
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
