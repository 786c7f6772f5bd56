// SPDX-License-Identifier: BSL-1.0
#include "gen/check/renames.hpp"

#include <map>

namespace tenon::gen {

std::string Renames::older_name(const JsonValue& value, const char* key) {
  std::string older = read_text(value, "'" + std::string(key) + "'", diagnostics_);
  if (older.empty() || older_.has(older)) return older;
  add_unknown_part(older, value.location, older_, diagnostics_);
  return {};
}

void Renames::check_new(const std::string& name, const SourceLocation& location) {
  if (!older_.has(name)) return;
  add_contradiction(location, "'" + name + "' is not new: " + older_.words + " has it too",
                    "give it another name", diagnostics_);
}

void Renames::add(const std::string& name, const JsonValue& value) {
  const std::string older = older_name(value, "renamed_from");
  if (older.empty()) return;
  if (newer_.has(older)) {
    const std::string unless = splits_ ? "use \"split_from\" instead, or " : "";
    add_contradiction(value.location,
                      "'" + older + "' was not renamed: " + newer_.words + " has it too",
                      unless + "remove it: '" + name + "' is new and needs no entry", diagnostics_);
  } else if (!renamed_.insert(older).second) {
    add_contradiction(value.location, "'" + older + "' was renamed twice",
                      splits_ ? "use \"split_from\" in both" : "keep one of the two", diagnostics_);
  } else {
    check_new(name, value.location);
  }
}

void Renames::add_split(const std::string& name, const JsonValue& value) {
  std::string older = older_name(value, "split_from");
  if (older.empty()) return;
  check_new(name, value.location);
  split_.push_back({name, std::move(older), value.location});
}

void Renames::check_splits() {
  std::map<std::string, int> parts;
  for (const Split& split : split_) ++parts[split.older];
  for (const Split& split : split_) {
    if (renamed_.contains(split.older)) {
      add_contradiction(split.location, "'" + split.older + "' was renamed and split",
                        "use \"split_from\" in both", diagnostics_);
    } else if (parts[split.older] == 1 && !newer_.has(split.older)) {
      add_contradiction(split.location,
                        "only '" + split.name + "' comes from '" + split.older + "'",
                        "use \"renamed_from\" instead", diagnostics_);
    }
  }
}

}  // namespace tenon::gen
