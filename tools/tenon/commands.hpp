// SPDX-License-Identifier: BSL-1.0
//
// The commands. Each prints its answer to standard output and messages to standard error, and
// answers the exit status.
#pragma once

#include <tenon/abi.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace tenon::command {

/// What every program of the project answers to its caller.
enum Exit { yes = 0, finding = 1, wrong_usage = 2, environment_failed = 3 };

/// The app of this project's own hosts.
inline constexpr const char* own_app = "tenon";

/// What all commands are told.
struct Options {
  std::string app = own_app;
  std::vector<std::filesystem::path> plugin_path;
  /// Spec files that take the place of those of the app; empty: those of the app.
  std::filesystem::path specs;
  /// That the host keeps to; empty: none.
  std::filesystem::path lock_file;
  bool json = false;

  // What `describe_app` fills in.

  /// Whether the kinds are those of the app, as specs describe them.
  bool described = false;
  std::vector<const tenon_module*> builtins = {};
  /// The executable of the app; empty: not known.
  std::filesystem::path program = {};
  /// The program with the hand-written steps of the app's document types; empty: there is none.
  std::filesystem::path converter = {};
};

/// The arguments of `tenon convert`; empty if not given.
struct Conversions {
  std::string type;
  std::string from;
  std::string to;
  std::string file;
  bool in_place = false;
  bool lenient = false;
};

/// The plugins that a host would find, and the files that it would skip. `kind`, where it is not
/// empty, leaves out the plugins of others.
Exit list(const Options& options, const std::string& kind);

/// What can be known of one module; `subject` is a file or a reference.
Exit inspect(const Options& options, const std::string& subject);

/// The document types of the app.
Exit types(const Options& options);

/// Prints the meaning of an error code, its usual cause and the remedy. Lists all codes if `code` is
/// empty.
Exit explain(const Options& options, const std::string& code);

/// How `tenon graph` draws.
enum class GraphFormat { dot, svg, mermaid };

/// The packages that references to plugins or packages come to, with all that these require;
/// `explain` adds who requires each of them, and why it is no newer one.
Exit resolve(const Options& options, const std::vector<std::string>& references, bool explain);

/// Writes the lock of what a host would use.
Exit lock(const Options& options, const std::string& file);

/// Draws the packages and what they require of each other.
Exit graph(const Options& options, GraphFormat format);

/// The arguments of `tenon verify`.
struct Verification {
  std::filesystem::path file;
  /// JSON files with the configurations of its plugins.
  std::vector<std::string> configs;
  std::chrono::milliseconds timeout{10'000};
};

/// Runs the conformance kit on a module. The only command that runs code of a plugin.
Exit verify(const Options& options, const Verification& what);

/// Documents as another version of their type: to standard output, or each file in its place.
Exit convert(const Options& options, const Conversions& how);

}  // namespace tenon::command
