// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tenon/inspect.hpp>

#include "commands.hpp"

namespace tenon::command {

/// Adds a warning for each key of the manifest, and each property of a plugin, that tenon or the
/// kinds of the app do not define, but that resembles one that they do. Hosts ignore it.
void check_spelling(const Options& options, ModuleReport& report);

}  // namespace tenon::command
