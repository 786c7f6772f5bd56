// SPDX-License-Identifier: BSL-1.0
//
// Reads how the fields of a request or response convert between two versions of a method.
#pragma once

#include <string>
#include <vector>

#include "gen/model/model.hpp"

namespace tenon::gen {

/// A method that calls are forwarded to, in two versions, and its entries in evolution.json.
struct ForwardedMethod {
  const Method& older;
  const Method& newer;
  std::string older_version;  // eg: "version 1"
  std::string newer_version;
  const JsonValue* request;        // its entries, by field; nullptr: none
  const JsonValue* response;       // the same
  const SourceLocation& location;  // of the object that should contain them
  std::string otherwise;           // the remedy if a field cannot be copied or given
};

/// Returns the fills of all fields of the older request. `{"removed": value}` is the value of a
/// field that only the older version has. Reports differences without an entry, and entries without
/// a difference.
std::vector<FieldFill> read_request(const ForwardedMethod& method, Diagnostics& diagnostics);

/// Returns the fills of all fields of the newer response. `{"added": value}` is the value of a
/// field that only the newer version has. Reports the same problems.
std::vector<FieldFill> read_response(const ForwardedMethod& method, Diagnostics& diagnostics);

/// Returns the fills of a response that has a fixed value for each field.
std::vector<FieldFill> read_fixed(const Method& method, const JsonValue& values,
                                  Diagnostics& diagnostics);

}  // namespace tenon::gen
