// SPDX-License-Identifier: BSL-1.0
#include "gen/check/field_pairs.hpp"

namespace tenon::gen {

FieldPairs::FieldPairs(const std::vector<Field>& older, const std::vector<Field>& newer,
                       const JsonValue* entries) {
  for (const Field& field : older) older_.emplace(field.name, &field);
  for (const Field& field : newer) newer_.emplace(field.name, &field);
  if (entries == nullptr || entries->object() == nullptr) return;
  for (const JsonMember& member : *entries->object()) entries_.emplace(member.key, &member.value);
}

const JsonValue* FieldPairs::value_of(const std::string& name, std::string_view key) const {
  const auto entry = entries_.find(name);
  return entry != entries_.end() ? entry->second->find(key) : nullptr;
}

const Field* FieldPairs::find(const Fields& fields, const std::string& name) {
  const auto found = fields.find(name);
  return found != fields.end() ? found->second : nullptr;
}

const Field* FieldPairs::older(const std::string& name) const {
  return find(older_, name);
}

const Field* FieldPairs::newer(const std::string& name) const {
  return find(newer_, name);
}

bool FieldPairs::is_replaced(const std::string& name) const {
  if (const JsonValue* from = value_of(name, "renamed_from")) {
    return from->text() != nullptr && *from->text() != name;
  }
  return has_key(name, "added") && has_key(name, "removed");
}

const Field* FieldPairs::continued(const Field& newer) const {
  if (const JsonValue* from = value_of(newer.name, "renamed_from")) {
    return from->text() != nullptr ? older(*from->text()) : nullptr;
  }
  const bool is_new = renamed.contains(newer.name) || is_replaced(newer.name);
  return is_new ? nullptr : older(newer.name);
}

}  // namespace tenon::gen
