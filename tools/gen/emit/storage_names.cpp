// SPDX-License-Identifier: BSL-1.0
#include "gen/emit/storage_names.hpp"

#include "gen/emit/cpp_names.hpp"

namespace tenon::gen {
namespace {

/// The stored forms of builtin types, in the order of Shape. Documents contain no streams or
/// buffers.
constexpr std::string_view plain_forms[] = {
    "bool",
    "std::int8_t",
    "std::int16_t",
    "std::int32_t",
    "std::int64_t",
    "std::uint8_t",
    "std::uint16_t",
    "std::uint32_t",
    "std::uint64_t",
    "float",
    "double",
    "tenon_string",
    "tenon_bytes",
    "tenon_buffer",
    "tenon_duration",
    "tenon_timestamp",
    "tenon::StoredJson",
};

}  // namespace

std::string stored_form(const Type& type) {
  switch (type.shape) {
    case Shape::list:
      return "tenon::StoredList<" + stored_form(*type.element) + ">";
    case Shape::map:
      return "tenon::StoredMap<" + stored_form(*type.element) + ">";
    case Shape::optional:
      return stored_form(*type.element);
    case Shape::enumeration:
      return storage_of(type.enumeration->cpp_name);
    case Shape::structure:
      return storage_of(type.structure->cpp_name);
    case Shape::document:
      return storage_name(*type.document);
    default:
      return std::string(plain_forms[static_cast<std::size_t>(type.shape)]);
  }
}

std::string storage_of(const std::string& cpp_name) {
  return cpp_name + "Storage";
}

std::string storage_name(const DocumentVersion& version) {
  return storage_of(cpp_name(version));
}

std::string local_storage_name(const DocumentVersion& version) {
  return local_name(storage_name(version));
}

StoredObject::StoredObject(const DocumentVersion& version)
    : c_name(version.c_name),
      doc(version.doc + "\nVersion " + version.label + " of " + version.document->id + "."),
      storage(storage_name(version)),
      fields(version.fields) {}

StoredObject::StoredObject(const Struct& structure)
    : c_name(structure.c_name),
      doc(structure.doc),
      storage(storage_of(structure.cpp_name)),
      fields(structure.fields) {}

std::string StoredObject::name() const {
  return local_name(storage);
}

std::vector<StoredObject> stored_objects(const DocumentVersion& version) {
  std::vector<StoredObject> objects;
  for (const auto& structure : version.structs) objects.emplace_back(*structure);
  objects.emplace_back(version);
  return objects;
}

std::string bag_type(const Field& field) {
  return to_text(without_optional(field.type));
}

std::string bag_field(const Field& field, const DocumentVersion& version) {
  return "{" + string_literal(field.name) + ", " + string_literal(version.label) + ", " +
         string_literal(bag_type(field)) + "}";
}

std::string storage_header(const Document& document) {
  return document.space + "/" + document.name + "_storage.hpp";
}

}  // namespace tenon::gen
