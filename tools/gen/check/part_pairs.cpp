// SPDX-License-Identifier: BSL-1.0
#include "gen/check/part_pairs.hpp"

#include <algorithm>

namespace tenon::gen {

PartPairs::PartPairs(Comparison comparison, Diagnostics& diagnostics)
    : compared_(std::move(comparison)), diagnostics_(diagnostics) {
  if (compared_.entries == nullptr) return;
  for (const JsonMember& entry : *compared_.entries->object()) {
    entries_.emplace(entry.key, &entry);
    check_keys(entry);
  }
  for (const JsonMember* entry : valid_entries()) read_rename(*entry);
  for (const JsonMember* entry : valid_entries()) check_use(*entry);
}

std::vector<const JsonMember*> PartPairs::valid_entries() const {
  std::vector<const JsonMember*> valid;
  if (compared_.entries == nullptr) return valid;
  for (const JsonMember& entry : *compared_.entries->object()) {
    if (!reported_.contains(entry.key)) valid.push_back(&entry);
  }
  return valid;
}

const JsonValue* PartPairs::value_of(const std::string& name, std::string_view key) const {
  const auto entry = entries_.find(name);
  return entry != entries_.end() ? entry->second->value.find(key) : nullptr;
}

std::optional<std::size_t> PartPairs::continued(const std::string& newer) const {
  if (const JsonValue* from = value_of(newer, "renamed_from")) {
    return from->text() != nullptr ? older().find(*from->text()) : std::nullopt;
  }
  return loses_name(newer) ? std::nullopt : older().find(newer);
}

bool PartPairs::ends(const std::string& older) const {
  return !renamed_.contains(older) && (!newer().has(older) || loses_name(older));
}

bool PartPairs::loses_name(const std::string& name) const {
  const JsonValue* from = value_of(name, "renamed_from");
  const bool taken = from != nullptr && from->text() != nullptr && *from->text() != name;
  return renamed_.contains(name) || taken || (has_key(name, "added") && has_key(name, "removed"));
}

void PartPairs::check_keys(const JsonMember& entry) {
  std::vector<std::string> keys{"added", "removed", "renamed_from"};
  keys.insert(keys.end(), compared_.keys.begin(), compared_.keys.end());
  const ObjectReader reader(entry.value, "a change of a " + newer().part, keys, diagnostics_);
  if (entry.value.object() == nullptr) {
    reported_.insert(entry.key);
    return;
  }
  for (const std::string& flag : compared_.flags) reader.flag(flag);
  if (reject_empty(entry, diagnostics_)) {
    reported_.insert(entry.key);
  } else if (!older().has(entry.key) && !newer().has(entry.key)) {
    reported_.insert(entry.key);
    const bool goes = entry.value.find("removed") != nullptr && entry.value.object()->size() == 1;
    add_unknown_part(entry.key, entry.location, goes ? older() : newer(), diagnostics_);
  } else {
    reject(entry, "renamed_from", "added");
    for (const auto& [key, other] : compared_.exclusive) reject(entry, key, other);
  }
}

void PartPairs::reject(const JsonMember& entry, const std::string& key, const std::string& other) {
  if (reject_both(entry, key, other, diagnostics_)) reported_.insert(entry.key);
}

void PartPairs::read_rename(const JsonMember& entry) {
  const JsonValue* from = entry.value.find("renamed_from");
  if (from == nullptr || !newer().has(entry.key)) return;
  const std::string name = read_text(*from, "'renamed_from'", diagnostics_);
  if (older().has(name) && name != entry.key && renamed_.emplace(name, entry.key).second) return;
  reported_.insert(entry.key);
  if (name.empty()) return;
  if (!older().has(name)) {
    add_unknown_part(name, from->location, older(), diagnostics_);
  } else if (name == entry.key) {
    add_unused(entry.location, "'" + name + "' has the same name in both versions",
               "remove \"renamed_from\" here", diagnostics_);
  } else {
    add_contradiction(from->location, "'" + name + "' was renamed twice", "keep one of the two",
                      diagnostics_);
  }
}

void PartPairs::check_use(const JsonMember& entry) {
  const std::string& name = entry.key;
  const bool removed = has_key(name, "removed");
  const auto renamed = renamed_.find(name);
  const bool older_goes = !older().has(name) || removed || renamed != renamed_.end();
  if (removed && renamed != renamed_.end()) {
    reported_.insert(name);
    add_contradiction(entry.location,
                      "'" + name + "' was not removed: it was renamed to '" + renamed->second + "'",
                      "remove \"removed\" here", diagnostics_);
  } else if (removed && !explains_removed(name)) {
    add_unused_key(entry, "removed");
  } else if (has_key(name, "added") && !(newer().has(name) && older_goes)) {
    add_unused_key(entry, "added");
  } else if (has_key(name, "renamed_from") && !newer().has(name)) {
    add_unused_key(entry, "renamed_from");
  }
}

bool PartPairs::explains_removed(const std::string& name) const {
  const bool added = has_key(name, "added");
  if (!older().has(name)) return added && compared_.returning.contains(name);
  return !newer().has(name) || added || has_key(name, "renamed_from");
}

void PartPairs::add_unused_key(const JsonMember& entry, const std::string& key) {
  const std::string& name = entry.key;
  reported_.insert(name);
  const bool in_older = older().has(name);
  const bool in_both = in_older && newer().has(name);
  const bool is_alone = entry.value.object()->size() == 1;
  const std::string only = "only " + (in_older ? older() : newer()).words + " has '" + name + "'";
  add_unused(entry.location, in_both ? "both versions have '" + name + "'" : only,
             in_both || !is_alone ? "remove \"" + key + "\" here"
                                  : "write " + entry_text(name, in_older ? "removed" : "added"),
             diagnostics_);
}

void PartPairs::check_new(const std::string& newer, const SourceLocation& location) const {
  const bool explained = has_key(newer, "added") || has_key(newer, "renamed_from");
  if (explained || reported_.contains(newer)) return;
  const auto renamed = renamed_.find(newer);
  const std::string message = renamed != renamed_.end()
                                  ? "'" + newer + "' is a different " + older().part + " in " +
                                        compared_.newer.words + ": that of " + older().words +
                                        " was renamed to '" + renamed->second + "'"
                                  : "'" + newer + "' is new in " + compared_.newer.words;
  add_unexplained(
      location, message,
      "add " + entry_text(newer, "added") + " to " + place() + ", or " + compared_.alternatives,
      diagnostics_);
}

void PartPairs::check_removed(const std::string& older) const {
  if (has_key(older, "removed") || reported_.contains(older)) return;
  add_unexplained(compared_.location,
                  "'" + older + "' of " + compared_.older.words + " is missing in " + newer().words,
                  "add " + to_add(older, "removed") + ", or add \"renamed_from\" to the " +
                      newer().part + " that replaces it",
                  diagnostics_);
}

std::string PartPairs::to_add(const std::string& name, const std::string& key) const {
  return entries_.contains(name) ? key_text(key) + " to the entry of '" + name + "' in " + place()
                                 : entry_text(name, key) + " to " + place();
}

std::string PartPairs::key_text(const std::string& key) const {
  const auto& flags = compared_.flags;
  const bool is_flag = std::find(flags.begin(), flags.end(), key) != flags.end();
  return "\"" + key + "\": " + (is_flag ? "true" : compared_.value);
}

std::string PartPairs::entry_text(const std::string& name, const std::string& key) const {
  return "\"" + name + "\": {" + key_text(key) + "}";
}

}  // namespace tenon::gen
