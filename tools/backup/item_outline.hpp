// SPDX-License-Identifier: BSL-1.0
//
// Reads the members of a document that the host uses. The rest is checked, but not stored.
#pragma once

#include <boost/json/error.hpp>
#include <boost/json/parse_options.hpp>

#include <string>
#include <string_view>

#include "selection/label_selector.hpp"

namespace backup {

using tenon::selection::Labels;

struct ItemOutline {
  /// A member that should be a text. Empty if it is absent or null.
  struct Text {
    std::string value;
    bool is_other = false;  // the member is not a text
  };

  bool is_object = false;
  Text api_version;
  Text kind;
  bool has_metadata = false;  // "metadata" is an object; it contains the members below
  Text in_namespace;
  Text name;
  bool has_items = false;   // "items" is an array
  Labels labels;            // labels that are not texts are ignored
  std::string annotations;  // the keys of all annotations, each followed by a NUL
};

/// Returns the options for parsing documents, which limit their levels to `deepest_document`.
boost::json::parse_options document_options();

/// Reads a JSON text, which may be any value. If it is not JSON, sets `error` and returns the
/// members before the error.
ItemOutline read_outline(std::string_view text, boost::system::error_code& error);

}  // namespace backup
