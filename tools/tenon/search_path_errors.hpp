// SPDX-License-Identifier: BSL-1.0
//
// Errors of the folders and files of the plugin path itself, rather than of one module.
#pragma once

#include <tenon/result.hpp>

#include <vector>

namespace tenon::command {

/// Returns whether the error is that of an entry of the plugin path that could not be read.
bool is_search_path_error(const Error& error);
/// Returns whether an entry of the plugin path could not be read.
bool has_search_path_errors(const std::vector<Error>& skipped);

/// Returns the problems of modules whose package is installed but cannot be used.
std::vector<Error> broken_module_errors(const std::vector<Error>& skipped);

/// Removes the errors of the plugin path from `skipped` and returns them.
std::vector<Error> take_search_path_errors(std::vector<Error>& skipped);

}  // namespace tenon::command
