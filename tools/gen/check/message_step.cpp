// SPDX-License-Identifier: BSL-1.0
#include "gen/check/message_step.hpp"

#include "gen/check/evolution_steps.hpp"
#include "gen/check/field_pairs.hpp"
#include "gen/check/value_checker.hpp"

#include <algorithm>
#include <unordered_map>

namespace tenon::gen {
namespace {

const Field* find(const std::vector<Field>& fields, const std::string& name) {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&name](const Field& field) { return field.name == name; });
  return found != fields.end() ? &*found : nullptr;
}

std::vector<std::string> names_of(const std::vector<Field>& fields) {
  std::vector<std::string> names;
  for (const Field& field : fields) names.push_back(field.name);
  return names;
}

void add_unknown_field(const JsonMember& member, const std::string& of,
                       const std::vector<std::string>& known, Diagnostics& diagnostics) {
  diagnostics.add({.location = member.location,
                   .code = "unknown-field",
                   .message = of + " has no field '" + member.key + "'",
                   .needed = known.empty() ? "no field" : enumerate(known),
                   .fix = did_you_mean(member.key, known, "remove it")});
}

/// Returns the field names of one version.
StepVersion parts_of(const std::string& of, const std::string& version,
                     const std::vector<Field>& fields) {
  StepVersion parts(of + " in " + version, "field");
  for (const Field& field : fields) parts.add(field.name);
  return parts;
}

/// Reads metadata, pairs the fields of both versions, and fills the targets.
class FillReader {
 public:
  FillReader(const MessageStep& step, const JsonValue* metadata, Diagnostics& diagnostics)
      : step_(step),
        up_(step.gives == "added"),
        older_(up_ ? step.sources : step.targets),
        newer_(up_ ? step.targets : step.sources),
        of_("the " + step.message + " of '" + step.method + "'"),
        metadata_(metadata),
        diagnostics_(diagnostics),
        pairs_(older_, newer_, metadata) {}

  std::vector<FieldFill> read() {
    if (metadata_ != nullptr) check_metadata();
    for (const Field& field : newer_) {
      const Field* before = pairs_.continued(field);
      if (before == nullptr) continue;
      counterparts_.emplace(&field, before);
      counterparts_.emplace(before, &field);
    }
    std::vector<FieldFill> fills;
    for (const Field& target : step_.targets) {
      if (auto fill = read_target(target)) fills.push_back(std::move(*fill));
    }
    for (const Field& source : step_.sources) check_source(source);
    return fills;
  }

 private:
  void check_metadata() {
    if (metadata_->object() == nullptr) {
      add_wrong_type(*metadata_, of_, "an object of fields", diagnostics_);
      return;
    }
    if (metadata_->object()->empty()) {
      add_unused(metadata_->location, of_ + " has no changes here", "remove it", diagnostics_);
    }
    const StepVersion older =
        parts_of(of_, up_ ? step_.source_version : step_.target_version, older_);
    const StepVersion newer =
        parts_of(of_, up_ ? step_.target_version : step_.source_version, newer_);
    for (const JsonMember& member : *metadata_->object()) {
      read_rename(member, older, newer, "remove \"renamed_from\" here", pairs_.renamed,
                  diagnostics_);
    }
    for (const JsonMember& member : *metadata_->object()) check_change(member);
  }

  void check_change(const JsonMember& member) {
    const ObjectReader change(member.value, "a change of a field",
                              {"added", "removed", "renamed_from"}, diagnostics_);
    if (member.value.object() == nullptr) return;
    change.flag(step_.drops);
    const std::string& name = member.key;
    const bool in_older = pairs_.older(name) != nullptr;
    const bool in_newer = pairs_.newer(name) != nullptr;
    const bool added = pairs_.has_key(name, "added");
    const bool removed = pairs_.has_key(name, "removed");
    const bool renamed = pairs_.has_key(name, "renamed_from");
    const auto goes_on = pairs_.renamed.find(name);
    if (!in_older && !in_newer) {
      add_unknown_field(member, of_, known_names(), diagnostics_);
    } else if (added && renamed) {
      add_contradiction(member.location, "'" + name + "' cannot be both added and renamed",
                        "keep one: \"added\" or \"renamed_from\"", diagnostics_);
    } else if (added && removed && !in_both(name)) {
      add_contradiction(member.location, "'" + name + "' cannot be both added and removed",
                        "keep one: \"added\" or \"removed\"", diagnostics_);
    } else if (removed && goes_on != pairs_.renamed.end()) {
      add_contradiction(
          member.location,
          "'" + name + "' was not removed: it was renamed to '" + goes_on->second + "'",
          "remove \"removed\" here", diagnostics_);
    } else {
      check_use(member, in_older, in_newer);
    }
  }

  /// Checks that an entry explains a difference.
  void check_use(const JsonMember& member, bool in_older, bool in_newer) {
    const std::string& name = member.key;
    const bool added = pairs_.has_key(name, "added");
    const bool removed = pairs_.has_key(name, "removed");
    const bool renamed = pairs_.has_key(name, "renamed_from");
    const bool older_goes = !in_older || removed || pairs_.renamed.contains(name);
    const bool newer_comes = !in_newer || added || renamed;
    const bool explains = (added || removed || renamed) && (!added || (in_newer && older_goes)) &&
                          (!removed || (in_older && newer_comes)) && (!renamed || in_newer);
    if (explains) return;
    const Field* target = up_ ? pairs_.newer(name) : pairs_.older(name);
    const Field* source = up_ ? pairs_.older(name) : pairs_.newer(name);
    const std::string where = target == nullptr   ? "only " + step_.source_version + " has it"
                              : source == nullptr ? "only " + step_.target_version + " has it"
                                                  : "both versions have it";
    add_unused(member.location, "the entry of '" + name + "' explains no difference: " + where,
               in_older && in_newer ? "remove it" : "write " + entry_of(name, target),
               diagnostics_);
  }

  std::vector<std::string> known_names() const {
    std::vector<std::string> known = names_of(step_.targets);
    for (const std::string& name : names_of(step_.sources)) known.push_back(name);
    return known;
  }

  const Field* counterpart(const Field& field) const {
    const auto found = counterparts_.find(&field);
    return found != counterparts_.end() ? found->second : nullptr;
  }

  /// Returns the entry that explains a field of only one version.
  std::string entry_of(const std::string& name, const Field* target) const {
    return "\"" + name + "\": {\"" +
           (target != nullptr ? step_.gives + "\": <value>}" : step_.drops + "\": true}");
  }

  /// Returns the remedies for such a field.
  std::string added(const Field& field, bool is_target) const {
    const bool is_new = is_target == up_;
    return "add " + entry_of(field.name, is_target ? &field : nullptr) + " to the \"" +
           step_.message + "\" of '" + step_.method + "', or " +
           (is_new ? "{\"renamed_from\": \"...\"}"
                   : "add \"renamed_from\" to the field that replaces it");
  }

  std::optional<FieldFill> read_target(const Field& target) {
    if (const Field* source = counterpart(target)) {
      const TypeMatch how = match_types(source->type, target.type);
      if (how != TypeMatch::different) return FieldFill{&target, source, how};
      add_unexplained(step_.location,
                      "'" + (up_ ? target : *source).name + "' in " + of_ +
                          " changed its type from " + to_text(source->type) + " in " +
                          step_.source_version + " to " + to_text(target.type) + " in " +
                          step_.target_version,
                      step_.otherwise, diagnostics_);
      return std::nullopt;
    }
    const JsonValue* value = pairs_.value_of(target.name, step_.gives);
    if (value == nullptr) {
      if (!is_reported(target, up_)) add_unmatched(target, step_.target_version, true);
      return std::nullopt;
    }
    if (!check_value(*value, target.type, diagnostics_)) return std::nullopt;
    return FieldFill{&target, nullptr, TypeMatch::identical, *value};
  }

  void check_source(const Field& source) {
    if (counterpart(source) != nullptr || pairs_.has_key(source.name, step_.drops)) return;
    if (!is_reported(source, !up_)) add_unmatched(source, step_.source_version, false);
  }

  bool in_both(const std::string& name) const {
    return pairs_.older(name) != nullptr && pairs_.newer(name) != nullptr;
  }

  /// Whether the entry of a field without counterpart is already reported.
  bool is_reported(const Field& field, bool is_newer) const {
    if (!pairs_.has_entry(field.name)) return false;
    return !in_both(field.name) || (is_newer && pairs_.has_key(field.name, "renamed_from"));
  }

  void add_unmatched(const Field& field, const std::string& version, bool is_target) {
    const std::string what = in_both(field.name)
                                 ? " has a different '" + field.name + "' in " + version
                                 : " has '" + field.name + "' only in " + version;
    add_unexplained(step_.location, of_ + what, added(field, is_target), diagnostics_);
  }

  const MessageStep& step_;
  const bool up_;  // the targets are those of the newer version
  const std::vector<Field>& older_;
  const std::vector<Field>& newer_;
  const std::string of_;
  const JsonValue* metadata_;
  Diagnostics& diagnostics_;
  FieldPairs pairs_;
  std::unordered_map<const Field*, const Field*> counterparts_{};
};

}  // namespace

std::vector<FieldFill> read_fills(const MessageStep& step, const JsonValue* metadata,
                                  Diagnostics& diagnostics) {
  return FillReader(step, metadata, diagnostics).read();
}

std::vector<FieldFill> read_fixed(const Method& method, const JsonValue& values,
                                  Diagnostics& diagnostics) {
  std::vector<FieldFill> fills;
  const std::string of = "the response of '" + method.name + "'";
  if (values.object() == nullptr) {
    add_wrong_type(values, of, "an object of fields", diagnostics);
    return fills;
  }
  for (const JsonMember& member : *values.object()) {
    if (find(method.response, member.key) != nullptr) continue;
    add_unknown_field(member, of, names_of(method.response), diagnostics);
  }
  for (const Field& field : method.response) {
    const JsonValue* value = values.find(field.name);
    if (value == nullptr) {
      diagnostics.add({.location = values.location,
                       .code = "missing-key",
                       .message = of + " has no value for '" + field.name + "'",
                       .needed = "a value for each field",
                       .fix = "add \"" + field.name + "\": <value>"});
    } else if (check_value(*value, field.type, diagnostics)) {
      fills.push_back({&field, nullptr, TypeMatch::identical, *value});
    }
  }
  return fills;
}

}  // namespace tenon::gen
