// SPDX-License-Identifier: BSL-1.0
//
// Reads the kind and the name of a document.
#pragma once

#include <tenon/result.hpp>

#include <boost/json/value.hpp>

#include <string>
#include <string_view>

#include "document_scanner.hpp"

namespace backup {

struct DocumentHeader {
  std::string api_version;  // empty if it is absent
  std::string kind;         // empty if it is absent
  std::string in_namespace;
  std::string name;
};

/// Returns `file:line:column`.
std::string place_text(std::string_view file, const Position& place);

/// Returns the error for a document that is not a resource.
tenon::Error not_a_resource(std::string where, std::string found, std::string needed);

/// Reads the header of a document. `begin`: where the text begins in the file. Errors: not-json,
/// not-a-resource.
tenon::Result<DocumentHeader> read_header(std::string_view text, std::string_view file,
                                          const Position& begin);

/// Parses any document. Error: not-json, without `where`.
tenon::Result<boost::json::value> parse_document(std::string_view text);

}  // namespace backup
