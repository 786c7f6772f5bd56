// SPDX-License-Identifier: BSL-1.0
//
// Checks a config against the parameters that a plugin says it takes, all of them at once: unknown
// keys, types, validations. A parameter whose type does not fit is not validated further.
#pragma once

#include "pipeline_file.hpp"

#include <tenon/parameter.hpp>

#include <functional>
#include <map>
#include <string>

namespace pipeline {

/// By name; a `*` in a name stands for exactly one part between two dots.
using Parameters = std::map<std::string, tenon::Parameter, std::less<>>;

/// Adds what does not fit.
void check_config(const Parameters& parameters, const PluginUse& use, Findings& findings);

}  // namespace pipeline
