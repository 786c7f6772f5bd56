// SPDX-License-Identifier: BSL-1.0
//
// Loads the description of an app. It is in the directory `tenon` of the app's data (for app
// "photo" ~/.local/share/photo/tenon, /usr/local/share/photo/tenon, /usr/share/photo/tenon, or as
// $XDG_DATA_HOME and $XDG_DATA_DIRS say), or in the directory of the option --description:
//
//   app.json        {"app": "photo", "program": "../../../bin/photo", "standard": ["source@2"]}
//   specs/          its kinds and document types, in the format of tenon-gen
//   builtins.json   the manifests of its builtins, as tenon::manifests_of writes them
//
// Only app.json is required. A relative `program` is relative to the directory. The description of
// the app "tenon", whose host is tenon-pipeline, is compiled into the command.
#pragma once

#include <tenon/host.hpp>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "commands.hpp"

namespace tenon::gen {
struct Model;
}

namespace tenon::command {

/// Loads the description of the app into `options`. Without a description the standard kinds and
/// document types are used. Prints errors. REQUIRED: `use_app` was not called yet.
Exit load_app(Options& options);

/// Replaces the kinds and document types of the process by those of the app.
void use_app(const Options& options);

/// Returns the directory of tenon's own specs in its installation. It may be missing.
std::string standard_specs();

/// Reads the specs of the kinds and document types of the app: its own ones, and the standard ones
/// that it uses; without a description all standard ones. Prints errors.
Exit read_specs(const Options& options, gen::Model& model);

/// Returns the options with which every command creates its host. Modules that the hosts of the app
/// leave out are left out.
HostOptions host_options(const Options& options);

/// Returns a command of tenon with the options that select the same host again, eg:
/// "tenon resolve me.example/blur -a photo". `words` are quoted for a shell.
std::string command_line(const Options& options, const std::string& words);

/// Returns the errors in `skipped` that concern the lock file.
inline std::vector<Error> lock_errors(const Options& options, const std::vector<Error>& skipped) {
  std::vector<Error> errors;
  if (options.lock_file.empty()) return errors;
  const std::string lock = options.lock_file.string();
  std::copy_if(skipped.begin(), skipped.end(), std::back_inserter(errors),
               [&lock](const Error& error) {
                 return error.where() == lock || error.where().starts_with(lock + ":");
               });
  return errors;
}

}  // namespace tenon::command
