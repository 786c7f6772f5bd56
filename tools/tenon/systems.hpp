// SPDX-License-Identifier: BSL-1.0
//
// Systems on which a module can be meant to run, and the versions of their libraries.
#pragma once

#include <tenon/inspect.hpp>
#include <tenon/system_version.hpp>

#include <string>
#include <vector>

namespace tenon::command {

/// Returns the versions that a system has, eg: of "bookworm", "debian-12", "glibc-2.31" or
/// "libstdc++-3.4.28". Error: unknown-word.
Result<std::vector<SystemVersion>> versions_of_system(const std::string& system);

/// Adds an error if a module needs a higher version of a library than the system has, or an
/// executable stack that it refuses. Libraries that are not in `offered` are not compared.
void add_needs_of_system(ModuleReport& report, const std::string& system,
                         const std::vector<SystemVersion>& offered);

}  // namespace tenon::command
