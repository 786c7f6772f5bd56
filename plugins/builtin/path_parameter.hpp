// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tenon/sdk/config.hpp>

#include <string>
#include <string_view>

namespace tenon::builtin {

/// Returns a required parameter that is a path. Throws sdk::Failure, also for a path with a NUL
/// character, after which the system would ignore the rest.
std::string path_parameter(const sdk::Config& config, std::string_view name);

}  // namespace tenon::builtin
