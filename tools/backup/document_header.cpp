// SPDX-License-Identifier: BSL-1.0
#include "document_header.hpp"

#include "documents.hpp"

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/stream_parser.hpp>
#include <boost/json/value.hpp>

#include <optional>
#include <utility>

namespace backup {
namespace {

namespace json = boost::json;

json::parse_options options() {
  json::parse_options options;
  options.max_depth = deepest_document;
  return options;
}

/// Returns the place of a syntax error. The parser does not report it, so it gets the text byte by
/// byte.
Position place_of_flaw(std::string_view text, Position place) {
  json::stream_parser parser({}, options());
  json::error_code status;
  for (const char c : text) {
    parser.write_some(&c, 1, status);
    if (status) break;
    place.pass({&c, 1});
  }
  return place;
}

tenon::Error not_json(std::string where, const json::error_code& status) {
  const bool is_deep = status == json::error::too_deep;
  return tenon::Error({.code = "not-json",
                       .message = "the document is not JSON",
                       .where = std::move(where),
                       .found = status.message(),
                       .needed = is_deep
                                     ? "at most " + std::to_string(deepest_document) + " levels"
                                     : "JSON without comments and without a comma before } or ]",
                       .fix = "correct the text at this place or just before it"});
}

/// Returns the text of a member: empty if it is absent or null, nothing if it is another value.
std::optional<std::string> text_member(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  if (value == nullptr || value->is_null()) return std::string();
  if (!value->is_string()) return std::nullopt;
  return std::string(value->get_string());
}

tenon::Result<DocumentHeader> header_of(const json::value& document, const std::string& where) {
  const json::object* object = document.if_object();
  if (object == nullptr) return not_a_resource(where, "another value", "an object");
  const json::value* metadata = object->if_contains("metadata");
  if (metadata == nullptr || !metadata->is_object()) {
    return not_a_resource(where, "no metadata", "an object \"metadata\" with a name");
  }
  DocumentHeader header;
  const auto take = [&](const json::object& from, std::string_view key, std::string& into) {
    auto text = text_member(from, key);
    if (text) into = std::move(*text);
    return text.has_value();
  };
  std::string_view wrong;
  if (!take(*object, "apiVersion", header.api_version)) wrong = "apiVersion";
  if (!take(*object, "kind", header.kind)) wrong = "kind";
  if (!take(metadata->get_object(), "namespace", header.in_namespace)) wrong = "metadata.namespace";
  if (!take(metadata->get_object(), "name", header.name)) wrong = "metadata.name";
  if (!wrong.empty()) {
    return not_a_resource(where, std::string(wrong) + " is not a text", "a text");
  }
  if (header.name.empty()) return not_a_resource(where, "no metadata.name", "a name");
  return header;
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

DocumentParser::DocumentParser() : parser_({}, options()), memory_(std::size_t{64} << 10) {}

tenon::Result<DocumentHeader> DocumentParser::header(std::string_view text, std::string_view file,
                                                     const Position& begin) {
  json::monotonic_resource memory(memory_.data(), memory_.size());
  parser_.reset(&memory);
  json::error_code status;
  parser_.write(text, status);
  if (!status) return header_of(parser_.release(), place_text(file, begin));
  parser_.reset();
  return not_json(place_text(file, place_of_flaw(text, begin)), status);
}

tenon::Result<json::value> parse_document(std::string_view text) {
  json::error_code status;
  json::value value = json::parse(text, status, {}, options());
  if (status) return not_json({}, status);
  return value;
}

}  // namespace backup
