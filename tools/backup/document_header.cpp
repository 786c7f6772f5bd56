// SPDX-License-Identifier: BSL-1.0
#include "document_header.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/stream_parser.hpp>

#include <utility>

#include "documents.hpp"
#include "item_outline.hpp"

namespace backup {
namespace {

namespace json = boost::json;

/// Returns the position of a syntax error. The parser does not report it, so the text is parsed
/// again byte by byte.
Position find_syntax_error(std::string_view text, Position place) {
  json::stream_parser parser({}, document_options());
  boost::system::error_code status;
  for (const char c : text) {
    parser.write_some(&c, 1, status);
    if (status) break;
    place.pass({&c, 1});
  }
  return place;
}

tenon::Error not_json(std::string where, const boost::system::error_code& status) {
  const bool is_deep = status == json::error::too_deep;
  return tenon::Error({.code = "not-json",
                       .message = "the document is not JSON",
                       .where = std::move(where),
                       .found = status.message(),
                       .needed = is_deep
                                     ? "at most " + std::to_string(deepest_document) + " levels"
                                     : "JSON without comments and without a comma before } or ]",
                       .fix = "correct the text at this position or just before it"});
}

bool is_list(const ItemOutline& outline) {
  return outline.has_items && outline.kind.value.ends_with(list_suffix);
}

/// Returns what was found and what is needed if a document is not a resource, otherwise empty
/// texts.
std::pair<std::string, std::string> check_resource(const ItemOutline& outline) {
  if (!outline.is_object) return {"another value", "an object"};
  if (is_list(outline)) return {};
  if (!outline.has_metadata) return {"no metadata", "an object \"metadata\" with a name"};
  std::string_view other;
  if (outline.api_version.is_other) other = "apiVersion";
  if (outline.kind.is_other) other = "kind";
  if (outline.in_namespace.is_other) other = "metadata.namespace";
  if (outline.name.is_other) other = "metadata.name";
  if (!other.empty()) return {std::string(other) + " is not a text", "a text"};
  if (outline.name.value.empty()) return {"no metadata.name", "a name"};
  return {};
}

}  // namespace

std::string place_text(std::string_view file, const Position& place) {
  return std::string(file) + ':' + std::to_string(place.line) + ':' + std::to_string(place.column);
}

tenon::Error not_a_resource(std::string where, std::string found, std::string needed) {
  return tenon::Error({.code = "not-a-resource",
                       .message = "the document is not a Kubernetes resource",
                       .where = std::move(where),
                       .found = std::move(found),
                       .needed = std::move(needed),
                       .fix = "correct or remove the document"});
}

tenon::Result<DocumentHeader> read_header(std::string_view text, std::string_view file,
                                          const Position& begin) {
  boost::system::error_code status;
  ItemOutline outline = read_outline(text, status);
  if (status) return not_json(place_text(file, find_syntax_error(text, begin)), status);
  if (auto [found, needed] = check_resource(outline); !found.empty()) {
    return not_a_resource(place_text(file, begin), std::move(found), std::move(needed));
  }
  const bool list = is_list(outline);
  return DocumentHeader{.api_version = std::move(outline.api_version.value),
                        .kind = std::move(outline.kind.value),
                        .in_namespace = std::move(outline.in_namespace.value),
                        .name = std::move(outline.name.value),
                        .is_list = list};
}

tenon::Result<json::value> parse_document(std::string_view text) {
  boost::system::error_code status;
  json::value value = json::parse(text, status, {}, document_options());
  if (status) return not_json({}, status);
  return value;
}

}  // namespace backup
