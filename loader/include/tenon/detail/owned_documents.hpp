// SPDX-License-Identifier: BSL-1.0
//
// tenon/detail/owned_documents.hpp: converts documents that are ordinary C++ values to JSON and
// back, for generated code. Not for direct use.
#pragma once

#include <tenon/detail/arena.hpp>
#include <tenon/detail/storage.hpp>
#include <tenon/document.hpp>
#include <tenon/values.hpp>

#include <string>
#include <string_view>

namespace tenon { inline namespace v0_1 { namespace detail {

inline Error bad_document(const Conversion& conversion) {
  return Error({.code = "wrong-value", .message = conversion.error()});
}

/// Calls `use` with the storage form of a value. It returns false if a conversion has failed.
template <class Storage, class Owned, class Use>
Result<std::string> with_stored(const Owned& value, Use&& use) {
  Arena arena;
  Conversion conversion(arena.raw());
  const auto raw = Value<Owned>::template raw<Copy::shallow>(arena.raw(), value);
  Storage stored;
  if (!Stored<Storage>::load(conversion, raw, stored)) return bad_document(conversion);
  json::Writer out;
  if (!use(conversion, out, stored)) return bad_document(conversion);
  if (!out.problem().empty()) {
    conversion.fail("", out.problem());
    return bad_document(conversion);
  }
  return out.take();
}

template <class Storage, class Owned>
Result<std::string> to_json(const Owned& value) {
  return with_stored<Storage>(value, [](Conversion&, json::Writer& out, const Storage& stored) {
    write_stored(out, stored);
    return true;
  });
}

/// Returns the stored form of a document, converted to the hub. Errors: unknown-type if the types
/// of the program are not registered, eg: because their library was unloaded; wrong-value.
template <class Storage, class Hub, class Owned>
Result<std::string> store(std::string_view type, const Owned& value, std::string_view writer) {
  const DocumentType* found = find_document_type(type);
  if (found == nullptr) {
    return Error({.code = "unknown-type",
                  .message = "the document cannot be stored",
                  .where = "type",
                  .found = std::string(type),
                  .needed = "a type that is registered in this process",
                  .fix = "link the program with the types, and keep their library loaded"});
  }
  return with_stored<Storage>(
      value, [&](Conversion& conversion, json::Writer& out, const Storage& stored) {
        Hub hub;
        if (!convert_element(conversion, stored, hub)) return false;
        write_document(out, *found, *found->find(found->hub), &hub, writer);
        return true;
      });
}

template <class Owned, class Storage>
Result<Owned> own(Conversion& conversion, const Storage& stored) {
  typename Stored<Storage>::Raw raw;
  if (!Stored<Storage>::save(conversion, stored, raw)) return bad_document(conversion);
  return Value<Owned>::own(raw);
}

template <class Storage, class Owned>
Result<Owned> from_json(std::string_view text) {
  Arena arena;
  Conversion conversion(arena.raw());
  json::Parser parser;
  const Result<json::Reader> root = parser.parse(text);
  if (!root) return root.error();
  Storage stored;
  if (!read_stored(conversion, *root, stored)) return parser.take_error();
  return own<Owned>(conversion, stored);
}

/// Reads a stored document of any version and converts it to the version `to`.
template <class Storage, class Owned>
Result<Owned> read(std::string_view type, std::string_view to, std::string_view text) {
  Arena arena;
  Conversion conversion(arena.raw());
  json::Parser parser;
  const Result<ReadDocument> document =
      read_document(conversion, parser, text, {.type = type, .to = to});
  if (!document) return document.error();
  return own<Owned>(conversion, *static_cast<const Storage*>(document->stored));
}

}}}  // namespace tenon::v0_1::detail
