// SPDX-License-Identifier: BSL-1.0
//
// Reads how the fields of a request or response convert between two versions of a method.
#pragma once

#include "gen/model/model.hpp"

#include <string>

namespace tenon::gen {

/// The request or response of a forwarded method: values are copied from `sources` to `targets`.
struct MessageStep {
  const std::vector<Field>& targets;
  const std::vector<Field>& sources;
  std::string target_version;  // eg: "version 1"
  std::string source_version;
  std::string message;  // "request" or "response"
  std::string method;   // eg: "apply"
  /// The keys for a field that only one version has. In a request, `{"removed": value}` is the
  /// value of a target, which is older, and `{"added": true}` drops a source. In a response,
  /// `{"added": value}` is the value of a target, which is newer, and `{"removed": true}` drops a
  /// source.
  std::string gives;
  std::string drops;
  /// The remedy if the type of a field changed.
  std::string otherwise;
  /// The location of diagnostics about unexplained differences.
  SourceLocation location;
};

/// Returns the fills of all targets. `metadata` is the object {field: change}, or nullptr. Reports
/// differences without metadata, and metadata without a difference.
std::vector<FieldFill> read_fills(const MessageStep& step, const JsonValue* metadata,
                                  Diagnostics& diagnostics);

/// Returns the fills of a response that has a fixed value for each field.
std::vector<FieldFill> read_fixed(const Method& method, const JsonValue& values,
                                  Diagnostics& diagnostics);

}  // namespace tenon::gen
