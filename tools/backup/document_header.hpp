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
  std::string name;      // empty if it is a list
  bool is_list = false;  // it has items, and its kind ends with list_suffix
};

/// The end of the kinds of lists, eg: PodList.
constexpr std::string_view list_suffix = "List";

/// Returns `file:line:column`.
std::string place_text(std::string_view file, const Position& place);

/// Returns the error for a document that is not a resource.
tenon::Error not_a_resource(std::string where, std::string found, std::string needed);

/// Reads the header of a resource or of a list. `begin`: where the text begins in the file. Errors:
/// not-json, not-a-resource.
tenon::Result<DocumentHeader> read_header(std::string_view text, std::string_view file,
                                          const Position& begin);

/// Parses any document. Error: not-json, without `where`.
tenon::Result<boost::json::value> parse_document(std::string_view text);

}  // namespace backup
