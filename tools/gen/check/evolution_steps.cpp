// SPDX-License-Identifier: BSL-1.0
#include "gen/check/evolution_steps.hpp"

namespace tenon::gen {
namespace {

/// Returns the version that a step leads to. Reports a step that is not between neighbours, and
/// returns nothing.
std::optional<VersionName> check_step(const SpecDirectory& directory, const ObjectReader& step,
                                      Diagnostics& diagnostics) {
  const auto read = [&](const char* key) {
    const JsonValue* value = step.required(key);
    if (value == nullptr) return std::optional<VersionName>();
    return read_version(*value, "'" + std::string(key) + "'", diagnostics);
  };
  const std::optional<VersionName> from = read("from");
  const std::optional<VersionName> to = read("to");
  if (!from || !to) return std::nullopt;
  const std::string words = from->label() + " to " + to->label();
  const bool skips = from->preview + to->preview == 0 && to->number > from->number + 1;
  const std::optional<VersionName> neighbour = neighbour_of(*to, directory.names());
  if (skips || neighbour != from) {
    diagnostics.add({.location = step.location("from"),
                     .code = "unknown-step",
                     .message = "the step from " + words + " is not between neighbouring versions",
                     .needed = "steps between neighbours",
                     .fix = skips       ? "write one step for each version between them"
                            : neighbour ? "write \"from\": " + neighbour->json()
                                        : "remove it: " + to->label() + " is the first version"});
    return std::nullopt;
  }
  if (directory.find(*to) == nullptr) {
    diagnostics.add(
        {.location = step.location("to"),
         .code = "unknown-step",
         .message = "the step from " + words + " leads to a version that does not exist",
         .needed = "the file v" + to->label() + ".json",
         .fix = "remove the step, or add the file"});
    return std::nullopt;
  }
  return to;
}

void add_missing_step(const SpecDirectory& directory, const VersionName& from,
                      const SpecFile& newer, Diagnostics& diagnostics) {
  const std::string words = from.label() + " to " + newer.version.label();
  const JsonValue* steps = directory.evolution ? directory.evolution->json.find("steps") : nullptr;
  diagnostics.add(
      {.location = steps != nullptr ? steps->location : newer.json.location,
       .code = "missing-step",
       .message = "the step from version " + words + " is missing",
       .needed = "a step from " + words + " in evolution.json",
       .fix = "add {\"from\": " + from.json() + ", \"to\": " + newer.version.json() + ", ...}"});
}

/// Returns the code. Codes are complete strings here, so that they can be searched.
std::string unknown(const std::string& part) {
  if (part == "enum") return "unknown-enum";
  if (part == "field") return "unknown-field";
  if (part == "method") return "unknown-method";
  return part == "struct" ? "unknown-struct" : "unknown-value";
}

}  // namespace

std::map<VersionName, ObjectReader> find_steps(const SpecDirectory& directory,
                                               const std::string& key, const std::string& id,
                                               std::vector<std::string> keys,
                                               Diagnostics& diagnostics) {
  std::map<VersionName, ObjectReader> steps;
  keys.insert(keys.begin(), {"from", "to", "notes"});
  if (directory.evolution) {
    const ObjectReader evolution(directory.evolution->json, "an evolution", {key, "steps"},
                                 diagnostics);
    const std::string named = evolution.text(key);
    if (!named.empty() && named != id) {
      diagnostics.add({.location = evolution.location(key),
                       .code = "wrong-kind",
                       .message = "the versions in this directory are not of '" + named + "'",
                       .needed = id,
                       .fix = "write '" + id + "'"});
    }
    if (const JsonValue::Array* array = evolution.array("steps")) {
      for (const JsonValue& value : *array) {
        const ObjectReader step(value, "a step", keys, diagnostics);
        const std::optional<VersionName> to = check_step(directory, step, diagnostics);
        if (!to || steps.emplace(*to, step).second) continue;
        diagnostics.add({.location = value.location,
                         .code = "duplicate-step",
                         .message = "the step to " + to->label() + " occurs twice",
                         .fix = "merge the two"});
      }
    }
  }
  for (const SpecFile& file : directory.versions) {
    const auto from = neighbour_of(file.version, directory.names());
    if (from && steps.count(file.version) == 0)
      add_missing_step(directory, *from, file, diagnostics);
  }
  return steps;
}

void StepVersion::add(const std::string& name) {
  index_.emplace(name, names_.size());
  names_.push_back(name);
}

std::optional<std::size_t> StepVersion::find(const std::string& name) const {
  const auto found = index_.find(name);
  return found != index_.end() ? std::optional(found->second) : std::nullopt;
}

void add_unknown_part(const std::string& name, const SourceLocation& location,
                      const StepVersion& version, Diagnostics& diagnostics) {
  diagnostics.add({.location = location,
                   .code = unknown(version.part),
                   .message = version.words + " has no " + version.part + " '" + name + "'",
                   .needed = enumerate(version.names()),
                   .fix = did_you_mean(name, version.names(), "remove it, or correct the name")});
}

const JsonValue* entries_under(const JsonValue* value, const std::string& key,
                               const std::string& owner, Diagnostics& diagnostics) {
  if (value == nullptr) return nullptr;
  if (value->object() == nullptr) {
    add_wrong_type(*value, "'" + key + "'", "an object", diagnostics);
    return nullptr;
  }
  if (value->object()->empty()) {
    add_unused(value->location, owner + " has no changes here", "remove it", diagnostics);
  }
  return value;
}

bool reject_empty(const JsonMember& entry, Diagnostics& diagnostics) {
  if (!entry.value.object()->empty()) return false;
  add_unused(entry.location, "the entry of '" + entry.key + "' is empty", "remove it", diagnostics);
  return true;
}

bool reject_both(const JsonMember& entry, const std::string& key, const std::string& other,
                 Diagnostics& diagnostics) {
  if (entry.value.find(key) == nullptr || entry.value.find(other) == nullptr) return false;
  add_contradiction(entry.location,
                    "'" + entry.key + "' cannot have both \"" + key + "\" and \"" + other + "\"",
                    "remove \"" + other + "\" here", diagnostics);
  return true;
}

void add_unexplained(const SourceLocation& location, const std::string& message,
                     const std::string& fix, Diagnostics& diagnostics) {
  diagnostics.add({.location = location,
                   .code = "unexplained-change",
                   .message = message,
                   .needed = "an entry in evolution.json for each difference",
                   .fix = fix});
}

void add_unused(const SourceLocation& location, const std::string& message, const std::string& fix,
                Diagnostics& diagnostics) {
  diagnostics.add(
      {.location = location, .code = "unused-metadata", .message = message, .fix = fix});
}

void add_contradiction(const SourceLocation& location, const std::string& message,
                       const std::string& fix, Diagnostics& diagnostics) {
  diagnostics.add(
      {.location = location, .code = "contradictory-metadata", .message = message, .fix = fix});
}

}  // namespace tenon::gen
