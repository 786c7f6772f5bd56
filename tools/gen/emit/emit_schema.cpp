// SPDX-License-Identifier: BSL-1.0
#include "gen/emit/emit_schema.hpp"

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tenon::gen {
namespace {

using Members = std::initializer_list<std::pair<std::string_view, JsonValue>>;

JsonValue text(std::string_view value) {
  return {std::string(value)};
}

JsonValue list(std::initializer_list<JsonValue> elements) {
  return {JsonValue::Array(elements)};
}

void add(JsonValue& object, std::string_view key, JsonValue value) {
  std::get<JsonValue::Object>(object.data).push_back({std::string(key), {}, std::move(value)});
}

void append(JsonValue& array, JsonValue element) {
  std::get<JsonValue::Array>(array.data).push_back(std::move(element));
}

void add_all(JsonValue& object, const JsonValue& members) {
  for (const JsonMember& member : *members.object()) add(object, member.key, member.value);
}

JsonValue object(Members members) {
  JsonValue made{JsonValue::Object()};
  for (const auto& [key, value] : members) add(made, key, value);
  return made;
}

/// Returns a schema that begins with a description, unless that is empty.
JsonValue described(std::string_view description, const JsonValue& schema) {
  JsonValue made{JsonValue::Object()};
  if (!description.empty()) add(made, "description", text(description));
  add_all(made, schema);
  return made;
}

JsonValue of_type(std::string_view type) {
  return object({{"type", text(type)}});
}

JsonValue reference(std::string_view definition) {
  return object({{"$ref", text("#/$defs/" + std::string(definition))}});
}

/// The name of the definition of property bags. All other names contain a version.
constexpr std::string_view bag = "bag";

template <class Number>
JsonValue number(std::string_view type, Number least, Number most) {
  return object({{"type", text(type)}, {"minimum", {least}}, {"maximum", {most}}});
}

template <class Integer>
JsonValue integer() {
  using Limits = std::numeric_limits<Integer>;
  if constexpr (std::is_same_v<Integer, std::uint64_t>) {
    return object(
        {{"type", text("integer")}, {"minimum", {std::int64_t{0}}}, {"maximum", {Limits::max()}}});
  } else {
    return number<std::int64_t>("integer", Limits::min(), Limits::max());
  }
}

JsonValue nanoseconds(std::string_view title) {
  JsonValue schema = integer<std::int64_t>();
  add(schema, "title", text(title));
  return schema;
}

/// `most` is the largest number that is read as a finite value.
JsonValue real(double most) {
  JsonValue schema = number("number", -most, most);
  *schema.find("type") = list({text("number"), text("string")});
  add(schema, "pattern", text("^(NaN|-?Infinity)$"));
  return schema;
}

JsonValue bytes() {
  // The bits of the last digit that encode no byte are 0.
  return object({{"type", text("string")},
                 {"contentEncoding", text("base64")},
                 {"pattern", text("^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/][AQgw]==|"
                                  "[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$")}});
}

/// Returns the schema that accepts null in addition.
JsonValue nullable(JsonValue schema) {
  JsonValue* type = schema.find("type");
  if (type == nullptr) return object({{"anyOf", list({std::move(schema), of_type("null")})}});
  if (type->text() != nullptr) *type = list({*type});
  append(*type, text("null"));
  return schema;
}

JsonValue value_schema(const Type& type);

/// In a list, null is an object without fields.
JsonValue element_schema(const Type& type) {
  const bool is_object = type.shape == Shape::structure || type.shape == Shape::document;
  return is_object ? nullable(value_schema(type)) : value_schema(type);
}

JsonValue value_schema(const Type& type) {
  switch (type.shape) {
    case Shape::boolean:
      return of_type("boolean");
    case Shape::int8:
      return integer<std::int8_t>();
    case Shape::int16:
      return integer<std::int16_t>();
    case Shape::int32:
      return integer<std::int32_t>();
    case Shape::int64:
      return integer<std::int64_t>();
    case Shape::uint8:
      return integer<std::uint8_t>();
    case Shape::uint16:
      return integer<std::uint16_t>();
    case Shape::uint32:
      return integer<std::uint32_t>();
    case Shape::uint64:
      return integer<std::uint64_t>();
    case Shape::float32:
      return real(0x1.ffffffp127);  // halfway between the largest float and the next power of 2
    case Shape::float64:
      return real(std::numeric_limits<double>::max());
    case Shape::string:
      return of_type("string");
    case Shape::bytes:
      return bytes();
    case Shape::duration:
      return nanoseconds("nanoseconds");
    case Shape::timestamp:
      return nanoseconds("nanoseconds since 1970");
    case Shape::list:
      return object({{"type", text("array")}, {"items", element_schema(*type.element)}});
    case Shape::map:
      return object(
          {{"type", text("object")}, {"additionalProperties", value_schema(*type.element)}});
    case Shape::optional:
      return value_schema(*type.element);
    case Shape::enumeration:
      return reference(type.enumeration->c_name);
    case Shape::structure:
      return reference(type.structure->c_name);
    case Shape::document:
      return reference(type.document->c_name);
    case Shape::json:
    case Shape::buffer:  // documents contain no buffers and streams
    case Shape::reader:
    case Shape::writer:
      break;
  }
  return object({});
}

/// Every field may be absent, and null means absent, except in a field of type json.
JsonValue field_schema(const Field& field) {
  const bool any = without_optional(field.type).shape == Shape::json;
  const JsonValue schema = value_schema(field.type);
  return described(field.doc, any ? schema : nullable(schema));
}

JsonValue object_schema(const std::vector<Field>& fields) {
  JsonValue properties{JsonValue::Object()};
  for (const Field& field : fields) add(properties, field.name, field_schema(field));
  add(properties, "bag", reference(bag));
  return object({{"type", text("object")},
                 {"properties", std::move(properties)},
                 {"additionalProperties", {false}}});
}

/// Readers keep values that they do not know. Editors suggest the others.
JsonValue enum_schema(const Enum& enumeration) {
  JsonValue values{JsonValue::Array()};
  for (const std::string& value : enumeration.values) append(values, text(value));
  return described(
      enumeration.doc,
      object({{"anyOf", list({object({{"enum", std::move(values)}}), of_type("string")})}}));
}

JsonValue bag_schema() {
  return described(
      "Values that other versions have and this one does not.",
      object({{"type", text("object")},
              {"patternProperties",
               object({{"@[^@]+$", object({{"type", text("object")},
                                           {"properties", object({{"type", of_type("string")},
                                                                  {"value", object({})}})},
                                           {"required", list({text("type"), text("value")})},
                                           {"additionalProperties", {false}}})}})},
              {"additionalProperties", {false}}}));
}

JsonValue version_schema(const DocumentVersion& version) {
  const bool in_use = version.life.message.empty();
  const std::string fate = version.removed() ? "Removed: " : "Deprecated: ";
  JsonValue schema = object({{"title", text(version.document->id + "@" + version.label)}});
  add(schema, "description",
      text(in_use ? version.doc : version.doc + "\n\n" + fate + version.life.message));
  if (!in_use) add(schema, "deprecated", {true});
  add_all(schema, object_schema(version.fields));
  return schema;
}

/// Adds the definitions that the fields of a version refer to.
void define_parts(const DocumentVersion& version, JsonValue& definitions) {
  for (const auto& enumeration : version.enums) {
    add(definitions, enumeration->c_name, enum_schema(*enumeration));
  }
  for (const auto& structure : version.structs) {
    add(definitions, structure->c_name,
        described(structure->doc, object_schema(structure->fields)));
  }
  for (const DocumentVersion* used : version.documents) {
    if (definitions.find(used->c_name) != nullptr) continue;
    add(definitions, used->c_name, version_schema(*used));
    define_parts(*used, definitions);
  }
}

JsonValue head(const std::string& path) {
  return object({{"$schema", text("https://json-schema.org/draft/2020-12/schema")},
                 {"$id", text("https://" + path)}});
}

/// Returns the forms of the version in a document. Readers accept a number as a text, too.
JsonValue forms_of(const DocumentVersion& version) {
  if (version.is_preview()) return list({text(version.label)});
  return list({{std::int64_t{version.number}}, text(version.label)});
}

/// Returns the rule that documents of a version have its fields.
JsonValue value_rule(const DocumentVersion& version) {
  return object(
      {{"if", object({{"properties", object({{"version", object({{"enum", forms_of(version)}})}})},
                      {"required", list({text("version")})}})},
       {"then", object({{"properties", object({{"value", reference(version.c_name)}})}})}});
}

/// Returns the schema of the version in stored documents, the hub first.
JsonValue version_choice(const Document& document) {
  JsonValue forms = forms_of(document.hub());
  for (auto version = document.versions.rbegin(); version != document.versions.rend(); ++version) {
    if (version->get() == &document.hub()) continue;
    const JsonValue more = forms_of(**version);
    for (const JsonValue& form : *more.array()) append(forms, form);
  }
  return described("The version of the type.", object({{"enum", std::move(forms)}}));
}

}  // namespace

std::string schema_path(const Document& document) {
  return document.id + ".schema.json";
}

std::string schema_path(const DocumentVersion& version) {
  return version.document->id + "/v" + version.label + ".schema.json";
}

std::string emit_schema(const Document& document) {
  JsonValue rules{JsonValue::Array()};
  JsonValue definitions = object({{bag, bag_schema()}});
  for (const auto& version : document.versions) {
    append(rules, value_rule(*version));
    if (definitions.find(version->c_name) != nullptr) continue;
    add(definitions, version->c_name, version_schema(*version));
    define_parts(*version, definitions);
  }
  const JsonValue properties =
      object({{"type", object({{"const", text(document.id)}})},
              {"version", version_choice(document)},
              {"writer", described("The package that wrote the document, with its version.",
                                   of_type("string"))},
              {"value", of_type("object")}});
  JsonValue schema = head(schema_path(document));
  add(schema, "title", text(document.id));
  add(schema, "description", text(document.hub().doc));
  add(schema, "type", text("object"));
  add(schema, "properties", properties);
  add(schema, "required", list({text("type"), text("version"), text("value")}));
  add(schema, "additionalProperties", {false});
  add(schema, "allOf", std::move(rules));
  add(schema, "$defs", std::move(definitions));
  return to_pretty_json(schema);
}

std::string emit_schema(const DocumentVersion& version) {
  JsonValue definitions = object({{bag, bag_schema()}});
  define_parts(version, definitions);
  JsonValue schema = head(schema_path(version));
  add_all(schema, version_schema(version));
  add(schema, "$defs", std::move(definitions));
  return to_pretty_json(schema);
}

}  // namespace tenon::gen
