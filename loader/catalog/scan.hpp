// SPDX-License-Identifier: BSL-1.0
//
// The look through the search path: reads the manifest of each module file, loads none.
#pragma once

#include <tenon/result.hpp>

#include <filesystem>
#include <vector>

#include "catalog/search_path.hpp"
#include "manifest/manifest.hpp"

namespace tenon::detail {

struct FoundModule {
  std::filesystem::path file;
  Manifest manifest;
};

struct Scan {
  std::vector<FoundModule> modules;  // in the order of the places, then of the names
  std::vector<Error> skipped;        // each with its rule
};

/// Files are those that end as modules do. One that is no good module harms no other.
Scan scan(const std::vector<SearchPlace>& places);

}  // namespace tenon::detail
