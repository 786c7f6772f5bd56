// SPDX-License-Identifier: BSL-1.0
//
// Checks the config of a plugin in a pipeline file, and reports all problems with their locations.
#pragma once

#include "config/config_check.hpp"
#include "pipeline_file.hpp"

namespace pipeline {

using tenon::config::Parameters;

/// Checks a config, and adds problems to the diagnostics, without the values of sensitive
/// parameters. Returns the config that the plugin gets, with the defaults of parameters that are
/// absent or blank, and the keys of its secrets.
tenon::config::Checked check_config(const Parameters& parameters, const PluginUse& use,
                                    Diagnostics& diagnostics);

}  // namespace pipeline
