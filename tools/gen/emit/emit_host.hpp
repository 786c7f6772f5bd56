// SPDX-License-Identifier: BSL-1.0
//
// Writes what a host in C++ needs of its kinds: headers, and the one source that belongs to them.
#pragma once

#include "gen/model/model.hpp"

#include <string>
#include <vector>

namespace tenon::gen {

struct GeneratedHeader {
  std::string path;  // as it is included, eg: "photo/filter.hpp"
  std::string text;
};

/// The headers of all document types and kinds, without those of the SDK.
std::vector<GeneratedHeader> emit_host_headers(const Model& model);

/// The source that defines what these headers declare, but for what is written by hand.
std::string emit_host_source(const Model& model);

}  // namespace tenon::gen
