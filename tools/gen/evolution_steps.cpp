// SPDX-License-Identifier: BSL-1.0
#include "gen/evolution_steps.hpp"

#include <algorithm>

namespace tenon::gen {
namespace {

bool has_version(const SpecFolder& folder, int number) {
  return std::any_of(folder.versions.begin(), folder.versions.end(),
                     [number](const SpecFile& file) { return file.number == number; });
}

/// The version that a step leads from; nothing when it is no step between neighbours.
std::optional<int> check_step(const SpecFolder& folder, const ObjectReader& step,
                              Findings& findings) {
  const std::optional<int> from = step.number("from");
  const std::optional<int> to = step.number("to");
  if (!from || !to) return std::nullopt;
  const std::string words = std::to_string(*from) + " to " + std::to_string(*to);
  if (*to != *from + 1) {
    findings.add({.place = step.place("from"),
                  .code = "step-unknown",
                  .what = "the step from " + words + " does not lead to the next version",
                  .needed = "steps between neighbours",
                  .fix = "write one step for each version between"});
    return std::nullopt;
  }
  for (const int number : {*from, *to}) {
    if (has_version(folder, number)) continue;
    findings.add({.place = step.place(number == *from ? "from" : "to"),
                  .code = "step-unknown",
                  .what = "the step from " + words + " is about a version that does not exist",
                  .needed = "the file v" + std::to_string(number) + ".json",
                  .fix = "remove the step, or add the file"});
    return std::nullopt;
  }
  return from;
}

void add_missing_step(const SpecFolder& folder, int from, Findings& findings) {
  const std::string words = std::to_string(from) + " to " + std::to_string(from + 1);
  const auto newer = std::find_if(folder.versions.begin(), folder.versions.end(),
                                  [from](const SpecFile& file) { return file.number == from + 1; });
  const JsonValue* steps = folder.evolution ? folder.evolution->json.find("steps") : nullptr;
  findings.add({.place = steps != nullptr ? steps->place : newer->json.place,
                .code = "step-missing",
                .what = "nothing says how version " + words + " came about",
                .needed = "a step from " + words + " in evolution.json",
                .fix = "add {\"from\": " + std::to_string(from) +
                       ", \"to\": " + std::to_string(from + 1) + ", ...}"});
}

}  // namespace

std::map<int, ObjectReader> find_steps(const SpecFolder& folder, const std::string& key,
                                       const std::string& id, std::vector<std::string> keys,
                                       Findings& findings) {
  std::map<int, ObjectReader> steps;
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
        const std::optional<int> from = check_step(folder, step, findings);
        if (!from || steps.emplace(*from, step).second) continue;
        findings.add({.place = value.place,
                      .code = "duplicate",
                      .what = "the step from " + std::to_string(*from) + " stands twice",
                      .fix = "make one of the two"});
      }
    }
  }
  for (const SpecFile& file : folder.versions) {
    const bool has_next = has_version(folder, file.number + 1);
    if (has_next && steps.count(file.number) == 0) add_missing_step(folder, file.number, findings);
  }
  return steps;
}

bool StepVersion::has(const std::string& name) const {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void add_unknown_part(const std::string& name, const Place& place, const StepVersion& version,
                      Findings& findings) {
  findings.add({.place = place,
                .code = "unknown-" + version.part,
                .what = version.words() + " has no " + version.part + " '" + name + "'",
                .needed = enumerate(version.names),
                .fix = did_you_mean(name, version.names, "remove it, or correct the name")});
}

void Renames::add(const std::string& name, const JsonValue& value) {
  const std::string older = read_text(value, "'renamed_from'", findings_);
  if (older.empty()) return;
  if (!older_.has(older)) {
    add_unknown_part(older, value.place, older_, findings_);
  } else if (newer_.has(older)) {
    add_contradiction(value.place,
                      "'" + older + "' was not renamed: " + newer_.words() + " has it too",
                      "say \"added\" of '" + name + "' instead", findings_);
  } else if (!renamed_.insert(older).second) {
    add_contradiction(value.place, "'" + older + "' was renamed twice", "keep one of the two",
                      findings_);
  }
}

void add_unexplained(const Place& place, const std::string& what, const std::string& fix,
                     Findings& findings) {
  findings.add({.place = place,
                .code = "unexplained",
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
  findings.add({.place = place, .code = "contradiction", .what = what, .fix = fix});
}

}  // namespace tenon::gen
