// SPDX-License-Identifier: BSL-1.0
#include "gen/check/evolution_steps.hpp"

#include <algorithm>

namespace tenon::gen {
namespace {

/// The version that a step leads to; nothing when it is no step between neighbours.
std::optional<VersionName> check_step(const SpecFolder& folder, const ObjectReader& step,
                                      Findings& findings) {
  const auto read = [&](const char* key) {
    const JsonValue* value = step.required(key);
    if (value == nullptr) return std::optional<VersionName>();
    return read_version(*value, "'" + std::string(key) + "'", findings);
  };
  const std::optional<VersionName> from = read("from");
  const std::optional<VersionName> to = read("to");
  if (!from || !to) return std::nullopt;
  const std::string words = from->label() + " to " + to->label();
  const bool skips = from->preview + to->preview == 0 && to->number > from->number + 1;
  const std::optional<VersionName> neighbour = neighbour_of(*to, folder.names());
  if (skips || neighbour != from) {
    findings.add({.place = step.place("from"),
                  .code = "unknown-step",
                  .what = "the step from " + words + " does not lead from one version to the next",
                  .needed = "steps between neighbours",
                  .fix = skips       ? "write one step for each version between"
                         : neighbour ? "write \"from\": " + neighbour->json()
                                     : "remove it: " + to->label() + " is the first version"});
    return std::nullopt;
  }
  if (folder.find(*to) == nullptr) {
    findings.add({.place = step.place("to"),
                  .code = "unknown-step",
                  .what = "the step from " + words + " is about a version that does not exist",
                  .needed = "the file v" + to->label() + ".json",
                  .fix = "remove the step, or add the file"});
    return std::nullopt;
  }
  return to;
}

void add_missing_step(const SpecFolder& folder, const VersionName& from, const SpecFile& newer,
                      Findings& findings) {
  const std::string words = from.label() + " to " + newer.version.label();
  const JsonValue* steps = folder.evolution ? folder.evolution->json.find("steps") : nullptr;
  findings.add(
      {.place = steps != nullptr ? steps->place : newer.json.place,
       .code = "missing-step",
       .what = "nothing says how version " + words + " came about",
       .needed = "a step from " + words + " in evolution.json",
       .fix = "add {\"from\": " + from.json() + ", \"to\": " + newer.version.json() + ", ...}"});
}

/// The codes as whole words, so that a search finds them.
std::string unknown(const std::string& part) {
  if (part == "enum") return "unknown-enum";
  if (part == "field") return "unknown-field";
  if (part == "method") return "unknown-method";
  return part == "struct" ? "unknown-struct" : "unknown-value";
}

}  // namespace

std::map<VersionName, ObjectReader> find_steps(const SpecFolder& folder, const std::string& key,
                                               const std::string& id, std::vector<std::string> keys,
                                               Findings& findings) {
  std::map<VersionName, ObjectReader> steps;
  keys.insert(keys.begin(), {"from", "to", "notes"});
  if (folder.evolution) {
    const ObjectReader evolution(folder.evolution->json, "an evolution", {key, "steps"}, findings);
    const std::string named = evolution.text(key);
    if (!named.empty() && named != id) {
      findings.add({.place = evolution.place(key),
                    .code = "wrong-kind",
                    .what = "the versions in this folder are not of '" + named + "'",
                    .needed = id,
                    .fix = "write '" + id + "'"});
    }
    if (const JsonValue::Array* array = evolution.array("steps")) {
      for (const JsonValue& value : *array) {
        const ObjectReader step(value, "a step", keys, findings);
        const std::optional<VersionName> to = check_step(folder, step, findings);
        if (!to || steps.emplace(*to, step).second) continue;
        findings.add({.place = value.place,
                      .code = "duplicate-step",
                      .what = "the step to " + to->label() + " stands twice",
                      .fix = "make one of the two"});
      }
    }
  }
  for (const SpecFile& file : folder.versions) {
    const auto from = neighbour_of(file.version, folder.names());
    if (from && steps.count(file.version) == 0) add_missing_step(folder, *from, file, findings);
  }
  return steps;
}

void StepVersion::add(const std::string& name) {
  names_.push_back(name);
  known_.insert(name);
}

void add_unknown_part(const std::string& name, const Place& place, const StepVersion& version,
                      Findings& findings) {
  findings.add({.place = place,
                .code = unknown(version.part),
                .what = version.words + " has no " + version.part + " '" + name + "'",
                .needed = enumerate(version.names()),
                .fix = did_you_mean(name, version.names(), "remove it, or correct the name")});
}

std::string Renames::older_name(const JsonValue& value, const char* key) {
  std::string older = read_text(value, "'" + std::string(key) + "'", findings_);
  if (older.empty() || older_.has(older)) return older;
  add_unknown_part(older, value.place, older_, findings_);
  return {};
}

void Renames::check_place(const std::string& name, const Place& place) {
  if (!older_.has(name)) return;
  add_contradiction(place, "'" + name + "' took no place: " + older_.words + " has it already",
                    "give it another name", findings_);
}

void Renames::add(const std::string& name, const JsonValue& value) {
  const std::string older = older_name(value, "renamed_from");
  if (older.empty()) return;
  if (newer_.has(older)) {
    const std::string unless = splits_ ? "say \"split_from\" instead, or " : "";
    add_contradiction(value.place,
                      "'" + older + "' was not renamed: " + newer_.words + " has it too",
                      unless + "remove it: '" + name + "' is new and needs no entry", findings_);
  } else if (!renamed_.insert(older).second) {
    add_contradiction(value.place, "'" + older + "' was renamed twice",
                      splits_ ? "say \"split_from\" in both" : "keep one of the two", findings_);
  } else {
    check_place(name, value.place);
  }
}

void Renames::add_split(const std::string& name, const JsonValue& value) {
  std::string older = older_name(value, "split_from");
  if (older.empty()) return;
  check_place(name, value.place);
  split_.push_back({name, std::move(older), value.place});
}

void Renames::check_splits() {
  std::map<std::string, int> parts;
  for (const Split& split : split_) parts[split.older]++;
  for (const Split& split : split_) {
    if (renamed_.contains(split.older)) {
      add_contradiction(split.place, "'" + split.older + "' was renamed and split",
                        "say \"split_from\" in both", findings_);
    } else if (parts[split.older] == 1 && !newer_.has(split.older)) {
      add_contradiction(split.place, "only '" + split.name + "' comes from '" + split.older + "'",
                        "say \"renamed_from\" instead", findings_);
    }
  }
}

void read_rename(const JsonMember& entry, const StepVersion& older, const StepVersion& newer,
                 const std::string& fix, NewNames& names, Findings& findings) {
  const JsonValue* from = entry.value.find("renamed_from");
  if (from == nullptr) return;
  const std::string name = read_text(*from, "'renamed_from'", findings);
  if (name.empty() || !newer.has(entry.key)) return;
  if (!older.has(name)) {
    add_unknown_part(name, from->place, older, findings);
  } else if (name == entry.key) {
    add_unused(entry.place, "'" + name + "' has the same name in both versions", fix, findings);
  } else if (!names.emplace(name, entry.key).second) {
    add_contradiction(from->place, "'" + name + "' was renamed twice", "keep one of the two",
                      findings);
  }
}

void add_unexplained(const Place& place, const std::string& what, const std::string& fix,
                     Findings& findings) {
  findings.add({.place = place,
                .code = "unexplained-change",
                .what = what,
                .needed = "an entry in evolution.json for each difference",
                .fix = fix});
}

void add_unused(const Place& place, const std::string& what, const std::string& fix,
                Findings& findings) {
  findings.add({.place = place, .code = "unused-metadata", .what = what, .fix = fix});
}

void add_contradiction(const Place& place, const std::string& what, const std::string& fix,
                       Findings& findings) {
  findings.add({.place = place, .code = "contradictory-metadata", .what = what, .fix = fix});
}

}  // namespace tenon::gen
