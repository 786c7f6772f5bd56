#pragma once

#include <tenon/abi.h>

#include <vector>

/// Returns the plugins that are linked into the program.
std::vector<const tenon_module*> builtins();
