// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tenon/sdk/module.hpp>

namespace tenon::builtin {

/// The properties of these plugins in the manifest: members of a JSON object, each with a comma.
extern const char* const system_properties;

/// Adds the plugins that this system has besides those of all systems.
sdk::Builtin with_system_plugins(sdk::Builtin package);

}  // namespace tenon::builtin
