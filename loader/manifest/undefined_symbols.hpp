// SPDX-License-Identifier: BSL-1.0
//
// Symbols that the system's loader would not find. Nothing is loaded.
#pragma once

#include <string>
#include <vector>

#include "manifest/bundle.hpp"

namespace tenon {

/// The symbols that files of the bundle need and that neither this process nor any library that is
/// loaded with them exports, by name and each once. Empty where a needed library cannot be read: it
/// may have them. Versions of symbols are not compared.
std::vector<std::string> undefined_symbols(const Bundle& bundle);

}  // namespace tenon
