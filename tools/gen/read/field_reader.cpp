// SPDX-License-Identifier: BSL-1.0
#include "gen/read/field_reader.hpp"

#include <algorithm>
#include <utility>

#include "gen/model/dependency_order.hpp"
#include "gen/model/naming.hpp"
namespace tenon::gen {
namespace {

/// Whether `text` matches `form`, where 0 is any digit.
bool has_form(std::string_view text, std::string_view form) {
  return text.size() == form.size() &&
         std::equal(text.begin(), text.end(), form.begin(),
                    [](char c, char f) { return f == '0' ? c >= '0' && c <= '9' : c == f; });
}

/// Whether the text is three numbers with dots between them, without leading zeros.
bool is_package_version(std::string_view text) {
  for (int part = 0; part < 3; ++part) {
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    if (digits == 0 || (digits > 1 && text[0] == '0')) return false;
    text.remove_prefix(digits);
    if (part < 2) {
      if (text.empty() || text[0] != '.') return false;
      text.remove_prefix(1);
    }
  }
  return text.empty();
}

std::optional<Field> read_field(const JsonMember& member, TypeUse use, const TypeScope& scope,
                                Diagnostics& diagnostics) {
  Field field;
  field.name = member.key;
  field.location = member.location;
  const JsonValue* type = &member.value;
  if (type->text() == nullptr) {
    std::vector<std::string> keys{"type", "doc"};
    if (use == TypeUse::request || use == TypeUse::response) keys.emplace_back("added");
    const ObjectReader object(member.value, "a field", keys, diagnostics);
    if (member.value.object() == nullptr) return std::nullopt;
    type = object.required("type");
    field.doc = object.optional_text("doc");
    field.added = object.optional_text("added");
    if (!field.added.empty()) check_date(field.added, object.location("added"), diagnostics);
  }
  if (type == nullptr) return std::nullopt;
  std::optional<Type> known = read_type(*type, use, scope, diagnostics);
  if (!known) return std::nullopt;
  field.type = std::move(*known);
  return field;
}

/// A field that was added to a released version must be one that older callers do not need.
void check_added(const std::vector<Field>& fields, Diagnostics& diagnostics) {
  bool after_added = false;
  for (const Field& field : fields) {
    std::string what;
    if (field.added.empty() && after_added) {
      what = "'" + field.name + "' follows a field that was added later";
    } else if (!field.added.empty() && field.type.shape != Shape::optional) {
      what = "'" + field.name + "' was added later and is not optional";
    } else if (!field.added.empty() && is_stream(field.type)) {
      what = "'" + field.name + "' was added later, and older binaries would not release it";
    }
    after_added = after_added || !field.added.empty();
    if (what.empty()) continue;
    diagnostics.add(
        {.location = field.location,
         .code = "bad-added",
         .message = std::move(what),
         .needed = "fields that were added later must be optional, not streams, and at the end",
         .fix = "make it optional, move it to the end, or write a new version"});
  }
}

Enum read_enum(const JsonMember& member, const Version& version, Diagnostics& diagnostics) {
  Enum enumeration{.name = member.key,
                   .c_name = version.c_name + "_" + member.key,
                   .cpp_name = inner_name(version, member.key),
                   .location = member.location};
  const JsonValue::Array* values = member.value.array();
  if (values == nullptr) {
    const ObjectReader object(member.value, "an enum", {"doc", "values"}, diagnostics);
    enumeration.doc = object.optional_text("doc");
    values = object.array("values");
  }
  if (values == nullptr) return enumeration;
  Names names("value", NameUse::part, {}, diagnostics);
  for (const JsonValue& value : *values) {
    const std::string name = read_text(value, "a value of an enum", diagnostics);
    if (name.empty()) continue;
    names.add(name, value.location);
    enumeration.values.push_back(name);
  }
  if (values->empty()) {
    diagnostics.add({.location = member.location,
                     .code = "empty-definition",
                     .message = "the enum '" + member.key + "' has no values",
                     .fix = "add values, or remove the enum"});
  }
  return enumeration;
}

/// Returns the names of other members in the C struct, its C++ view and its storage type.
std::vector<std::string> reserved_in(const Struct& structure) {
  if (!structure.bag) return {"raw"};
  return {"bag", "for_each_field", "raw"};
}

void read_struct(const JsonMember& member, Struct& structure, const TypeScope& scope,
                 Diagnostics& diagnostics) {
  const ObjectReader object(member.value, "a struct", {"doc", "fields"}, diagnostics);
  structure.doc = object.optional_text("doc");
  object.required("fields");
  if (const JsonValue::Object* fields = object.optional_object("fields")) {
    structure.fields =
        read_fields(*fields, TypeUse::value, reserved_in(structure), scope, diagnostics);
    if (fields->empty()) {
      diagnostics.add({.location = member.location,
                       .code = "empty-definition",
                       .message = "the struct '" + member.key + "' has no fields",
                       .fix = "add fields, or remove the struct"});
    }
  }
}

/// Checks that the version can be removed, and is not also deprecated.
void check_removal(const ObjectReader& life, bool removable, Diagnostics& diagnostics) {
  if (!removable) {
    diagnostics.add({.location = life.location("removed"),
                     .code = "bad-life",
                     .message = "a version of a kind is never removed",
                     .needed = "a deprecation, or steps that are not adaptable",
                     .fix = "use \"deprecated\" instead"});
  } else if (life.optional("deprecated") != nullptr) {
    diagnostics.add({.location = life.location("deprecated"),
                     .code = "bad-life",
                     .message = "the version is both deprecated and removed",
                     .needed = "one of the two",
                     .fix = "keep only \"removed\", and name the replacement in its text"});
  }
}

std::vector<const Struct*> structs_in(const Struct& structure) {
  std::vector<const Struct*> used;
  for (const Field& field : structure.fields) {
    const Type& type = innermost(field.type);
    if (type.shape == Shape::structure) used.push_back(type.structure);
  }
  return used;
}

/// Sorts the structs so that each comes after those that it contains.
void sort_structs(std::vector<std::unique_ptr<Struct>>& structs, Diagnostics& diagnostics) {
  std::vector<const Struct*> all;
  for (const auto& structure : structs) all.push_back(structure.get());
  const auto on_cycle = [&diagnostics](const Struct& structure, const Struct& used) {
    diagnostics.add({.location = structure.location,
                     .code = "recursive-type",
                     .message = "the struct '" + structure.name + "' contains itself",
                     .found = "a field of type '" + used.name + "'",
                     .needed = "values of a fixed depth",
                     .fix = "refer to other values by a name or number, or use json"});
  };
  const DependencyOrder order(all, structs_in, on_cycle);
  std::sort(structs.begin(), structs.end(),
            [&order](const auto& a, const auto& b) { return order.rank(*a) < order.rank(*b); });
}

}  // namespace

bool check_date(const std::string& date, const SourceLocation& location, Diagnostics& diagnostics) {
  const bool good = has_form(date, "0000-00-00") && date.substr(5, 2) >= "01" &&
                    date.substr(5, 2) <= "12" && date.substr(8) >= "01" && date.substr(8) <= "31";
  if (!good) {
    diagnostics.add({.location = location,
                     .code = "bad-date",
                     .message = "'" + date + "' is not a date",
                     .needed = "year, month and day, eg: 2026-11-21",
                     .fix = "write the date in this form"});
  }
  return good;
}

std::vector<Field> read_fields(const JsonValue::Object& object, TypeUse use,
                               std::vector<std::string> reserved, const TypeScope& scope,
                               Diagnostics& diagnostics) {
  std::vector<Field> fields;
  Names names("field", NameUse::member, std::move(reserved), diagnostics);
  for (const JsonMember& member : object) {
    names.add(member.key, member.location);
    if (auto field = read_field(member, use, scope, diagnostics))
      fields.push_back(std::move(*field));
  }
  check_added(fields, diagnostics);
  return fields;
}

void read_local_types(const ObjectReader& spec, TypeScope& scope, bool bags,
                      Diagnostics& diagnostics) {
  Version& version = scope.version;
  Names names("type", NameUse::part, {}, diagnostics);
  const auto add_name = [&](const JsonMember& member) {
    names.add(member.key, member.location);
    if (!is_type_name(member.key)) return;
    diagnostics.add({.location = member.location,
                     .code = "name-taken",
                     .message = "'" + member.key + "' is a builtin type",
                     .fix = "choose another name"});
  };
  if (const JsonValue::Object* enums = spec.optional_object("enums")) {
    for (const JsonMember& member : *enums) {
      add_name(member);
      version.enums.push_back(std::make_unique<Enum>(read_enum(member, version, diagnostics)));
      scope.local.emplace(
          member.key, Type{.shape = Shape::enumeration, .enumeration = version.enums.back().get()});
    }
  }
  const JsonValue::Object* structs = spec.optional_object("structs");
  if (structs == nullptr) return;
  // All names first: a struct may contain one that is defined further down.
  for (const JsonMember& member : *structs) {
    add_name(member);
    version.structs.push_back(
        std::make_unique<Struct>(Struct{.name = member.key,
                                        .c_name = version.c_name + "_" + member.key,
                                        .cpp_name = inner_name(version, member.key),
                                        .bag = bags,
                                        .location = member.location}));
    scope.local.emplace(member.key,
                        Type{.shape = Shape::structure, .structure = version.structs.back().get()});
  }
  for (std::size_t i = 0; i < structs->size(); ++i) {
    read_struct((*structs)[i], *version.structs[i], scope, diagnostics);
  }
  sort_structs(version.structs, diagnostics);
}

Life read_life(const ObjectReader& spec, bool removable, Diagnostics& diagnostics) {
  Life life;
  const JsonValue* value = spec.optional("life");
  if (value == nullptr) return life;
  if (value->text() != nullptr) {
    spec.word("life", {"draft"});
    return life;
  }
  const ObjectReader object(*value, "a life cycle", {"released", "deprecated", "removed"},
                            diagnostics);
  const JsonValue* release = object.required("released");
  if (release == nullptr) return life;
  life.stage = Life::Stage::released;
  const ObjectReader released(*release, "a release", {"version", "date"}, diagnostics);
  life.version = released.text("version");
  life.date = released.text("date");
  if (!life.date.empty()) check_date(life.date, released.location("date"), diagnostics);
  if (!life.version.empty() && !is_package_version(life.version)) {
    diagnostics.add({.location = released.location("version"),
                     .code = "bad-version",
                     .message = "'" + life.version + "' is not a package version",
                     .needed = "three numbers, eg: 0.1.0",
                     .fix = "write the version of the first package that contained this file"});
  }
  if (object.optional("deprecated") != nullptr) {
    life.stage = Life::Stage::deprecated;
    life.message = object.text("deprecated");
  }
  if (object.optional("removed") != nullptr) {
    check_removal(object, removable, diagnostics);
    life.stage = Life::Stage::removed;
    life.message = object.text("removed");
  }
  return life;
}

}  // namespace tenon::gen
