// SPDX-License-Identifier: BSL-1.0
//
// Reads the few members of a document that the host uses. The rest is checked, but not kept.
#pragma once

#include "selection/label_selector.hpp"

#include <boost/json/error.hpp>
#include <boost/json/parse_options.hpp>

#include <string>
#include <string_view>

namespace backup {

using tenon::selection::Labels;

struct ItemOutline {
  /// A member that should be a text. Empty if it is absent or null.
  struct Text {
    std::string value;
    bool is_other = false;  // it is another value
  };

  bool is_object = false;
  Text api_version;
  Text kind;
  bool has_metadata = false;  // a member "metadata" that is an object; the following are in it
  Text in_namespace;
  Text name;
  Labels labels;  // those that are texts
};

/// Returns the options for parsing documents, which limit their levels to `deepest_document`.
boost::json::parse_options document_options();

/// Reads a JSON text, which may be any value. If it is not JSON, sets `error` and returns what came
/// before.
ItemOutline read_outline(std::string_view text, boost::json::error_code& error);

}  // namespace backup
