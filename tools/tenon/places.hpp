// SPDX-License-Identifier: BSL-1.0
//
// What a host found wrong with places of the plugin path themselves, rather than with one module.
#pragma once

#include <tenon/result.hpp>

#include <vector>

namespace tenon::command {

/// Whether a place could not be looked at.
bool places_failed(const std::vector<Error>& skipped);

/// Those of the problems that are of a module whose package is there and cannot be used.
std::vector<Error> broken_modules(const std::vector<Error>& skipped);

/// Tells of such places on standard error and takes them out. Answers whether there were any.
bool report_places(std::vector<Error>& skipped);

}  // namespace tenon::command
