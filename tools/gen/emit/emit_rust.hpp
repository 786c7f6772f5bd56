// SPDX-License-Identifier: BSL-1.0
//
// Generates the bindings for plugins in Rust: one file, with a module for each domain. It uses the
// crate of sdk/rust.
#pragma once

#include <string>

#include "gen/model/model.hpp"

namespace tenon::gen {

/// Returns the text of the file.
std::string emit_rust(const Model& model);

/// Returns a name of a spec, or of the module of a domain, as an identifier in Rust.
std::string rust_identifier(const std::string& name);

}  // namespace tenon::gen
