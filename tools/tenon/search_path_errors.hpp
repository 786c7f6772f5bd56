// SPDX-License-Identifier: BSL-1.0
//
// Errors of files and directories that cannot be opened, and of the plugin path itself rather than
// of one module.
#pragma once

#include <tenon/result.hpp>

#include <vector>

#include "commands.hpp"

namespace tenon::command {

/// Returns whether the error is that of a file or directory that cannot be opened.
bool is_unreadable(const Error& error);

/// Returns whether the error is that of a directory, or of a file that the options name, which
/// could not be read. Other files are single modules.
bool is_search_path_error(const Options& options, const Error& error);
/// Returns whether there is such an error.
bool has_search_path_errors(const Options& options, const std::vector<Error>& skipped);

/// Returns the problems of modules whose package is installed but cannot be used, without those of
/// the packages that require them.
std::vector<Error> broken_module_errors(const std::vector<Error>& skipped);

/// Removes the errors of the plugin path from `skipped` and returns them.
std::vector<Error> take_search_path_errors(const Options& options, std::vector<Error>& skipped);

}  // namespace tenon::command
