// SPDX-License-Identifier: BSL-1.0
#include "gen/read/field_reader.hpp"

#include "gen/model/dependency_order.hpp"
#include "gen/model/naming.hpp"

#include <algorithm>

namespace tenon::gen {
namespace {

/// Whether `text` is written as `form`, where each 0 stands for a digit.
bool has_form(std::string_view text, std::string_view form) {
  return text.size() == form.size() &&
         std::equal(text.begin(), text.end(), form.begin(),
                    [](char c, char f) { return f == '0' ? c >= '0' && c <= '9' : c == f; });
}

/// Three numbers with a dot between, without leading zeros.
bool is_package_version(std::string_view text) {
  for (int part = 0; part < 3; part++) {
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
                                Findings& findings) {
  Field field;
  field.name = member.key;
  field.place = member.place;
  const JsonValue* type = &member.value;
  if (type->text() == nullptr) {
    std::vector<std::string> keys{"type", "doc"};
    if (use == TypeUse::message) keys.emplace_back("added");
    const ObjectReader object(member.value, "a field", keys, findings);
    if (member.value.object() == nullptr) return std::nullopt;
    type = object.required("type");
    field.doc = object.optional_text("doc");
    field.added = object.optional_text("added");
    if (!field.added.empty()) check_date(field.added, object.place("added"), findings);
  }
  if (type == nullptr) return std::nullopt;
  std::optional<Type> known = read_type(*type, use, scope, findings);
  if (!known) return std::nullopt;
  field.type = std::move(*known);
  return field;
}

/// A field that joined a released version must be one that older callers can do without.
void check_added(const std::vector<Field>& fields, Findings& findings) {
  bool behind_added = false;
  for (const Field& field : fields) {
    std::string what;
    if (field.added.empty() && behind_added) {
      what = "'" + field.name + "' stands behind a field that was added later";
    } else if (!field.added.empty() && field.type.shape != Shape::optional) {
      what = "'" + field.name + "' was added later and is not optional";
    } else if (!field.added.empty() && is_stream(field.type)) {
      what = "'" + field.name + "' was added later, and who was built before would not release it";
    }
    behind_added = behind_added || !field.added.empty();
    if (what.empty()) continue;
    findings.add(
        {.place = field.place,
         .code = "bad-added",
         .what = std::move(what),
         .needed = "fields that were added later are optional, no streams, and stand at the end",
         .fix = "make it optional, move it to the end, or write a new version"});
  }
}

Enum read_enum(const JsonMember& member, const Version& version, Findings& findings) {
  Enum enumeration{.name = member.key,
                   .c_name = version.c_name + "_" + member.key,
                   .cpp_name = inner_name(version, member.key),
                   .place = member.place};
  const JsonValue::Array* values = member.value.array();
  if (values == nullptr) {
    const ObjectReader object(member.value, "an enum", {"doc", "values"}, findings);
    enumeration.doc = object.optional_text("doc");
    values = object.array("values");
  }
  if (values == nullptr) return enumeration;
  Names names("value", NameUse::part, {}, findings);
  for (const JsonValue& value : *values) {
    const std::string name = read_text(value, "a value of an enum", findings);
    if (name.empty()) continue;
    names.add(name, value.place);
    enumeration.values.push_back(name);
  }
  if (values->empty()) {
    findings.add({.place = member.place,
                  .code = "empty-definition",
                  .what = "the enum '" + member.key + "' has no values",
                  .fix = "add values, or remove the enum"});
  }
  return enumeration;
}

/// What the header gives to something else where the fields of a struct stand.
std::vector<std::string> reserved_in(const Struct& structure) {
  return structure.bag ? std::vector<std::string>{"bag", "raw"} : std::vector<std::string>{"raw"};
}

void read_struct(const JsonMember& member, Struct& structure, const TypeScope& scope,
                 Findings& findings) {
  const ObjectReader object(member.value, "a struct", {"doc", "fields"}, findings);
  structure.doc = object.optional_text("doc");
  object.required("fields");
  if (const JsonValue::Object* fields = object.optional_object("fields")) {
    structure.fields =
        read_fields(*fields, TypeUse::value, reserved_in(structure), scope, findings);
    if (fields->empty()) {
      findings.add({.place = member.place,
                    .code = "empty-definition",
                    .what = "the struct '" + member.key + "' has no fields",
                    .fix = "add fields, or remove the struct"});
    }
  }
}

/// That a version may be removed, and says nothing else of its end.
void check_removal(const ObjectReader& life, bool removable, Findings& findings) {
  if (!removable) {
    findings.add({.place = life.place("removed"),
                  .code = "bad-life",
                  .what = "a version of a kind is never removed",
                  .needed = "a deprecation, or steps that are not adaptable",
                  .fix = "say \"deprecated\" instead"});
  } else if (life.optional("deprecated") != nullptr) {
    findings.add({.place = life.place("deprecated"),
                  .code = "bad-life",
                  .what = "the version is deprecated and removed at once",
                  .needed = "what it is now",
                  .fix = "keep \"removed\" alone, with what to use instead in its text"});
  }
}

std::vector<const Struct*> structs_in(const Struct& structure) {
  std::vector<const Struct*> held;
  for (const Field& field : structure.fields) {
    const Type& type = innermost(field.type);
    if (type.shape == Shape::structure) held.push_back(type.structure);
  }
  return held;
}

/// Puts each struct behind those that it holds.
void sort_structs(std::vector<std::unique_ptr<Struct>>& structs, Findings& findings) {
  std::vector<const Struct*> all;
  for (const auto& structure : structs) all.push_back(structure.get());
  const auto on_cycle = [&findings](const Struct& structure, const Struct& held) {
    findings.add({.place = structure.place,
                  .code = "recursive-type",
                  .what = "the struct '" + structure.name + "' holds itself",
                  .found = "a field of type '" + held.name + "'",
                  .needed = "values of a known depth",
                  .fix = "refer to other values by a name or number, or use json"});
  };
  const DependencyOrder order(all, structs_in, on_cycle);
  std::sort(structs.begin(), structs.end(),
            [&order](const auto& a, const auto& b) { return order.rank(*a) < order.rank(*b); });
}

}  // namespace

bool check_date(const std::string& date, const Place& place, Findings& findings) {
  const bool good = has_form(date, "0000-00-00") && date.substr(5, 2) >= "01" &&
                    date.substr(5, 2) <= "12" && date.substr(8) >= "01" && date.substr(8) <= "31";
  if (!good) {
    findings.add({.place = place,
                  .code = "bad-date",
                  .what = "'" + date + "' is no date",
                  .needed = "year, month and day as in 2026-11-21",
                  .fix = "write the date in that form"});
  }
  return good;
}

std::vector<Field> read_fields(const JsonValue::Object& object, TypeUse use,
                               std::vector<std::string> reserved, const TypeScope& scope,
                               Findings& findings) {
  std::vector<Field> fields;
  Names names("field", NameUse::member, std::move(reserved), findings);
  for (const JsonMember& member : object) {
    names.add(member.key, member.place);
    if (auto field = read_field(member, use, scope, findings)) fields.push_back(std::move(*field));
  }
  check_added(fields, findings);
  return fields;
}

void read_local_types(const ObjectReader& spec, const TypeScope& scope, bool bags,
                      Findings& findings) {
  Version& version = scope.version;
  Names names("type", NameUse::part, {}, findings);
  const auto add_name = [&](const JsonMember& member) {
    names.add(member.key, member.place);
    if (!is_type_name(member.key)) return;
    findings.add({.place = member.place,
                  .code = "name-taken",
                  .what = "every spec has a type '" + member.key + "' already",
                  .fix = "choose another name"});
  };
  if (const JsonValue::Object* enums = spec.optional_object("enums")) {
    for (const JsonMember& member : *enums) {
      add_name(member);
      version.enums.push_back(std::make_unique<Enum>(read_enum(member, version, findings)));
    }
  }
  const JsonValue::Object* structs = spec.optional_object("structs");
  if (structs == nullptr) return;
  // All names first: a struct may hold one that stands further down.
  for (const JsonMember& member : *structs) {
    add_name(member);
    version.structs.push_back(
        std::make_unique<Struct>(Struct{.name = member.key,
                                        .c_name = version.c_name + "_" + member.key,
                                        .cpp_name = inner_name(version, member.key),
                                        .bag = bags,
                                        .place = member.place}));
  }
  for (std::size_t i = 0; i < structs->size(); i++) {
    read_struct((*structs)[i], *version.structs[i], scope, findings);
  }
  sort_structs(version.structs, findings);
}

Life read_life(const ObjectReader& spec, bool removable, Findings& findings) {
  Life life;
  const JsonValue* value = spec.optional("life");
  if (value == nullptr) return life;
  if (value->text() != nullptr) {
    spec.word("life", {"draft"});
    return life;
  }
  const ObjectReader object(*value, "a life cycle", {"released", "deprecated", "removed"},
                            findings);
  const JsonValue* release = object.required("released");
  if (release == nullptr) return life;
  life.stage = Life::Stage::released;
  const ObjectReader released(*release, "a release", {"version", "date"}, findings);
  life.version = released.text("version");
  life.date = released.text("date");
  if (!life.date.empty()) check_date(life.date, released.place("date"), findings);
  if (!life.version.empty() && !is_package_version(life.version)) {
    findings.add({.place = released.place("version"),
                  .code = "bad-version",
                  .what = "'" + life.version + "' is no version of a package",
                  .needed = "three numbers as in 0.1.0",
                  .fix = "write the version of the package that brought this file first"});
  }
  if (object.optional("deprecated") != nullptr) {
    life.stage = Life::Stage::deprecated;
    life.message = object.text("deprecated");
  }
  if (object.optional("removed") != nullptr) {
    check_removal(object, removable, findings);
    life.stage = Life::Stage::removed;
    life.message = object.text("removed");
  }
  return life;
}

}  // namespace tenon::gen
