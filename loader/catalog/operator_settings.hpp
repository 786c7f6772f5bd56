// SPDX-License-Identifier: BSL-1.0
//
// The settings of operators for an app: JSON files of the system and of the user that switch
// packages off, pin versions, and set the log level and the order of packages.
#pragma once

#include <tenon/detail/operator_settings.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "catalog/scan.hpp"
#include "package/semver.hpp"
#include "platform/process.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Reads the files that exist. A file that other users may change, or that is damaged, is left out;
/// a value that is wrong is left out alone. Problems: untrusted-owner and cannot-read, warnings;
/// broken-settings, with line and column; unknown-key, a warning.
OperatorSettings read_settings(const platform::SettingsFiles& files);

/// Adds the settings in a text, the content of `file`, to those of less important files, which they
/// replace one by one.
void add_settings(std::string_view text, const std::filesystem::path& file,
                  OperatorSettings& settings);

/// Returns why the settings exclude a version of a package, which is in `file`; nothing if they do
/// not. Errors: disabled, version-refused.
std::optional<Error> refusal_by(const OperatorSettings& settings, const std::string& app,
                                std::string_view package, const Version& version,
                                const platform::PathText& file);

/// Puts the modules of a scan into the order of the settings, and moves those that they exclude to
/// the ones that are skipped, each with a note. Adds the problems of the settings. A package of
/// which the pinned version was not found gets a warning.
void apply(const OperatorSettings& settings, const std::string& app, Scan& found);

}}}  // namespace tenon::v0_1::detail
