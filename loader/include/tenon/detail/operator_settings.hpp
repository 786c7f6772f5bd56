// SPDX-License-Identifier: BSL-1.0
//
// tenon/detail/operator_settings.hpp: for the command `tenon`, which shows and changes the settings
// of operators; see loader/guide/operator.md.
#pragma once

#include <tenon/detail/export.hpp>
#include <tenon/log.hpp>
#include <tenon/result.hpp>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tenon { inline namespace v0_1 { namespace detail {

/// What the files of operators say about a package, and which of them says so.
struct PackageSettings {
  /// False: the package is switched off.
  std::optional<bool> enabled;
  std::filesystem::path enabled_by;
  /// The only version that is used; empty: any.
  std::optional<std::string> version;
  std::filesystem::path version_by;

  bool is_disabled() const noexcept { return enabled && !*enabled; }
  bool is_pinned() const noexcept { return version && !version->empty(); }
};

/// The settings of operators for the hosts of an app.
struct OperatorSettings {
  std::optional<LogLevel> log_level;
  /// Packages that are preferred to all others, the most preferred first.
  std::vector<std::string> order;
  std::map<std::string, PackageSettings, std::less<>> packages;
  /// The files that were read, the most important first.
  std::vector<std::filesystem::path> files;
  /// Problems of files and of what is ignored in them.
  std::vector<Error> problems;
  /// False if a file was left out, because it is damaged or cannot be read.
  bool complete = true;
};

/// Returns the settings for an app: those of the user's file, and those of the system where the
/// user's says nothing. Thread-safe.
TENON_API OperatorSettings operator_settings(const std::string& app);
/// Returns those of the system alone. Thread-safe.
TENON_API OperatorSettings system_settings(const std::string& app);
/// Returns the path of the user's file, which may not exist. Empty if there is none: see
/// platform::settings_files. Thread-safe.
TENON_API std::filesystem::path user_settings_file(const std::string& app);

}}}  // namespace tenon::v0_1::detail
