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

/// Returns an implementation that does nothing, indented as a part of an `impl` in another crate
/// than that of the bindings, `crate`. It fails if the method returns streams.
std::string rust_override(const KindVersion& version, const Method& method,
                          const std::string& crate);

/// Returns a name of a spec, or of the module of a domain, as an identifier in Rust.
std::string rust_identifier(const std::string& name);

}  // namespace tenon::gen
