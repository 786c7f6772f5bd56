// SPDX-License-Identifier: BSL-1.0
//
// How the fields of a request or response pass between two versions of a method.
#pragma once

#include "gen/model/model.hpp"

#include <string>

namespace tenon::gen {

/// One side of a forwarded method: values go from the fields of `sources` to those of `targets`.
struct MessageStep {
  const std::vector<Field>& targets;
  const std::vector<Field>& sources;
  std::string target_version;  // eg: "version 1"
  std::string source_version;
  std::string message;  // "request" or "response"
  std::string method;   // eg: "apply"
  /// What metadata says of a field that only one side has. In a request `{"removed": value}` gives
  /// the value of a target, which is older, and `{"added": true}` drops a source; in a response
  /// `{"added": value}` gives the value of a target, which is newer, and `{"removed": true}` drops
  /// a source.
  std::string gives;
  std::string drops;
  /// The remedy where the type of a field changed.
  std::string otherwise;
  /// Where a difference is reported that metadata does not explain.
  Place place;
};

/// The fills of all targets. `metadata` is the object {field: change}, or nullptr. Each difference
/// without metadata, and metadata without a difference, is a finding.
std::vector<FieldFill> read_fills(const MessageStep& step, const JsonValue* metadata,
                                  Findings& findings);

/// The fills of a response that has a fixed value for each field.
std::vector<FieldFill> read_fixed(const Method& method, const JsonValue& values,
                                  Findings& findings);

}  // namespace tenon::gen
