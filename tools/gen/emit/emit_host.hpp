// SPDX-License-Identifier: BSL-1.0
//
// Generates headers and the source for hosts in C++.
#pragma once

#include <string>
#include <vector>

#include "gen/model/model.hpp"

namespace tenon::gen {

struct GeneratedHeader {
  std::string path;  // for #include, eg: "photo/filter.hpp"
  std::string text;
};

/// Returns the headers of all document types and kinds, except those of the SDK.
std::vector<GeneratedHeader> emit_host_headers(const Model& model);

/// Returns the source that defines what these headers declare, except hand-written parts.
std::string emit_host_source(const Model& model);

}  // namespace tenon::gen
