// SPDX-License-Identifier: BSL-1.0
#include "nested_fields.hpp"

#include <tenon/sdk/config.hpp>
#include <tenon/sdk/record_processor.hpp>

#include <charconv>
#include <cstddef>
#include <optional>

#include "json_members.hpp"
#include "json_text.hpp"

namespace tenon::builtin {
namespace {

/// A part of a text.
struct Part {
  std::size_t begin = 0;
  std::size_t end = 0;
};

Part part_of(const std::string& text, std::string_view piece) {
  const auto begin = static_cast<std::size_t>(piece.data() - text.data());
  return {begin, begin + piece.size()};
}

/// Returns the value of the last member with this name, or of this element; nothing if there is
/// none.
std::optional<std::string_view> find_value(std::string_view json, const std::string& name) {
  if (json.front() == '[') {
    std::size_t index = 0;
    const auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), index);
    const bool is_index = failed == std::errc() && end == name.data() + name.size() &&
                          (name.size() == 1 || name[0] != '0');
    const auto elements = elements_of(json);
    return is_index && index < elements.size() ? std::optional(elements[index]) : std::nullopt;
  }
  JsonMembers members;
  if (json.front() != '{' || !members.read(json)) return std::nullopt;
  std::optional<std::string_view> found;
  for (const auto& member : members.all()) {
    if (member.name == name) found = member.value();
  }
  return found;
}

/// Returns the value that contains the last name of a path; nothing if something before is missing.
std::optional<Part> find_parent(const std::string& json, const FieldPath& path) {
  std::string_view value = json;
  value.remove_prefix(value.find_first_not_of(" \t\r\n"));
  for (std::size_t i = 0; i + 1 < path.names().size(); ++i) {
    const auto next = find_value(value, path.names()[i]);
    if (!next) return std::nullopt;
    value = *next;
  }
  return part_of(json, value);
}

/// Writes members as an object.
std::string object_of(const std::vector<JsonMembers::Member>& members) {
  std::string text = "{";
  for (const auto& member : members) {
    if (text.size() > 1) text += ',';
    text.append(member.key).append(member.rest);
  }
  return text + "}";
}

void replace(std::string& json, const Part& part, std::string_view by) {
  json.replace(part.begin, part.end - part.begin, by);
}

std::string_view text_of(const std::string& json, const Part& part) {
  return std::string_view(json).substr(part.begin, part.end - part.begin);
}

[[noreturn]] void refuse(const FieldPath& path) {
  throw sdk::Refusal("wrong-type", "\"", path.text(),
                     "\" cannot be set: a field before it is not an object, or the list has no "
                     "such element");
}

}  // namespace

FieldPath::FieldPath(std::string_view field) : text_(field) {
  if (!is_path(field)) {
    names_.emplace_back(field);
    return;
  }
  std::string_view pointer = field;
  for (pointer.remove_prefix(1);;) {
    std::string& name = names_.emplace_back();
    while (!pointer.empty() && pointer.front() != '/') {
      const bool escape = pointer.front() == '~';
      const char code = escape && pointer.size() > 1 ? pointer[1] : '\0';
      if (escape && code != '0' && code != '1') {
        throw sdk::Failure(TENON_INVALID_ARGUMENT, "the path \"", text_,
                           "\" has a ~ that is not part of ~0 (a ~) or ~1 (a /)");
      }
      name += escape ? (code == '0' ? '~' : '/') : pointer.front();
      pointer.remove_prefix(escape ? 2 : 1);
    }
    if (pointer.empty()) return;
    pointer.remove_prefix(1);
  }
}

std::optional<std::string_view> find_field(std::string_view json, const FieldPath& path) {
  json.remove_prefix(json.find_first_not_of(" \t\r\n"));
  std::optional<std::string_view> found = json;
  for (const std::string& name : path.names()) {
    found = find_value(*found, name);
    if (!found) break;
  }
  return found;
}

bool remove_field(std::string& json, const FieldPath& path) {
  const auto parent = find_parent(json, path);
  if (!parent) return false;
  const std::string_view text = text_of(json, *parent);
  const std::string& name = path.names().back();
  if (text.front() == '[') {
    const auto found = find_value(text, name);
    if (!found) return false;
    std::string list = "[";
    for (const std::string_view element : elements_of(text)) {
      if (element.data() == found->data()) continue;
      if (list.size() > 1) list += ',';
      list += element;
    }
    replace(json, *parent, list + "]");
    return true;
  }
  JsonMembers members;
  if (text.front() != '{' || !members.read(text)) return false;
  std::vector<JsonMembers::Member> kept;
  for (const auto& member : members.all()) {
    if (member.name != name) kept.push_back(member);
  }
  if (kept.size() == members.all().size()) return false;
  replace(json, *parent, object_of(kept));
  return true;
}

bool rename_field(std::string& json, const FieldPath& path, std::string_view name) {
  const auto parent = find_parent(json, path);
  JsonMembers members;
  if (!parent || text_of(json, *parent).front() != '{' || !members.read(text_of(json, *parent))) {
    return false;
  }
  const std::string key = json_string(name);
  std::vector<JsonMembers::Member> renamed = members.all();
  bool found = false;
  bool exists = false;
  for (auto& member : renamed) {
    exists = exists || member.name == name;
    if (member.name != path.names().back()) continue;
    found = true;
    member.key = key;
  }
  if (!found) return false;
  if (exists && name != path.names().back()) {
    throw sdk::Refusal("field-exists", "\"", path.text(), "\" is renamed to \"", name,
                       "\", but its object already has that field");
  }
  replace(json, *parent, object_of(renamed));
  return true;
}

void set_field(std::string& json, const FieldPath& path, std::string_view value) {
  std::string_view at = json;
  at.remove_prefix(at.find_first_not_of(" \t\r\n"));
  for (std::size_t i = 0; i < path.names().size(); ++i) {
    const auto next = find_value(at, path.names()[i]);
    if (next && i + 1 == path.names().size()) return replace(json, part_of(json, *next), value);
    if (next) {
      at = *next;
      continue;
    }
    JsonMembers members;
    if (at.front() != '{' || !members.read(at)) refuse(path);
    std::string added(value);
    for (std::size_t name = path.names().size() - 1; name > i; --name) {
      added = "{" + json_string(path.names()[name]) + ":" + added + "}";
    }
    const std::string key = json_string(path.names()[i]);
    const std::string rest = ":" + added;
    std::vector<JsonMembers::Member> all = members.all();
    all.push_back({path.names()[i], key, rest});
    return replace(json, part_of(json, at), object_of(all));
  }
}

}  // namespace tenon::builtin
