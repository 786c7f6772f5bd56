// SPDX-License-Identifier: BSL-1.0
//
// Checks a config against the parameters that a plugin says it takes, all of them at once:
// defaults, unknown keys, types, validations. A parameter whose type does not fit is not validated
// further.
#pragma once

#include "pipeline_file.hpp"

#include <tenon/parameter.hpp>

#include <functional>
#include <map>
#include <string>

namespace pipeline {

/// By name; a `*` in a name stands for exactly one part between two dots. A name without one counts
/// first, then the one whose first `*` comes latest.
using Parameters = std::map<std::string, tenon::Parameter, std::less<>>;

/// Adds what does not fit, without the values of sensitive parameters. Returns the config that the
/// plugin gets: with the defaults of parameters that are absent or blank.
tenon::TextMap check_config(const Parameters& parameters, const PluginUse& use, Findings& findings);

}  // namespace pipeline
