// SPDX-License-Identifier: BSL-1.0
#include "gen/message_step.hpp"

#include "gen/evolution_steps.hpp"
#include "gen/value_checker.hpp"

#include <algorithm>

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
                       const std::vector<std::string>& known, Findings& findings) {
  findings.add({.place = member.place,
                .code = "unknown-field",
                .what = of + " has no field '" + member.key + "'",
                .needed = known.empty() ? "no field" : enumerate(known),
                .fix = did_you_mean(member.key, known, "remove it")});
}

class FillReader {
 public:
  FillReader(const MessageStep& step, const JsonValue* metadata, Findings& findings)
      : step_(step),
        of_("the " + step.message + " of '" + step.method + "'"),
        metadata_(metadata),
        findings_(findings) {}

  std::vector<FieldFill> read() {
    if (metadata_ != nullptr) check_metadata();
    std::vector<FieldFill> fills;
    for (const Field& target : step_.targets) {
      if (auto fill = read_target(target)) fills.push_back(std::move(*fill));
    }
    for (const Field& source : step_.sources) check_source(source);
    return fills;
  }

 private:
  const JsonValue* change(const Field& field) const {
    return metadata_ != nullptr ? metadata_->find(field.name) : nullptr;
  }

  void check_metadata() {
    if (metadata_->object() == nullptr) {
      add_wrong_type(*metadata_, of_, "an object of fields", findings_);
      return;
    }
    if (metadata_->object()->empty()) {
      add_unused(metadata_->place, of_ + " has no changes here", "remove it", findings_);
    }
    for (const JsonMember& member : *metadata_->object()) check_change(member);
  }

  void check_change(const JsonMember& member) {
    const ObjectReader change(member.value, "a change of a field", {"added", "removed"}, findings_);
    const bool gives = change.optional(step_.gives) != nullptr;
    const bool drops = change.mark(step_.drops);
    if (gives && drops) {
      add_contradiction(member.place, "'" + member.key + "' cannot be added and removed at once",
                        "keep one: \"added\" or \"removed\"", findings_);
      return;
    }
    const Field* target = find(step_.targets, member.key);
    const Field* source = find(step_.sources, member.key);
    if (target == nullptr && source == nullptr) {
      std::vector<std::string> known = names_of(step_.targets);
      for (const std::string& name : names_of(step_.sources)) known.push_back(name);
      add_unknown_field(member, of_, known, findings_);
    } else if ((target != nullptr && source != nullptr) || (gives && target == nullptr) ||
               (drops && source == nullptr) || (!gives && !drops)) {
      const std::string where = target == nullptr   ? "only " + step_.source_version + " has it"
                                : source == nullptr ? "only " + step_.target_version + " has it"
                                                    : "both versions have it";
      add_unused(member.place, "this explains nothing about '" + member.key + "': " + where,
                 target != nullptr && source != nullptr ? "remove it"
                                                        : "write " + entry_of(member.key, target),
                 findings_);
    }
  }

  /// What explains a field that only one side has.
  std::string entry_of(const std::string& name, const Field* target) const {
    return "\"" + name + "\": {\"" +
           (target != nullptr ? step_.gives + "\": <value>}" : step_.drops + "\": true}");
  }

  std::string added(const std::string& name, const Field* target) const {
    return "add " + entry_of(name, target) + " to the \"" + step_.message + "\" of '" +
           step_.method + "'";
  }

  std::optional<FieldFill> read_target(const Field& target) {
    const Field* source = find(step_.sources, target.name);
    if (source != nullptr) {
      const Passing how = passing(source->type, target.type);
      if (how != Passing::different) return FieldFill{&target, source, how};
      add_unexplained(step_.place,
                      "'" + target.name + "' in " + of_ + " changed its type from " +
                          to_text(source->type) + " in " + step_.source_version + " to " +
                          to_text(target.type) + " in " + step_.target_version,
                      step_.otherwise, findings_);
      return std::nullopt;
    }
    const JsonValue* given = change(target);
    if (given == nullptr) {
      add_unexplained(step_.place,
                      of_ + " has '" + target.name + "' only in " + step_.target_version,
                      added(target.name, &target), findings_);
      return std::nullopt;
    }
    const JsonValue* value = given->find(step_.gives);
    if (value == nullptr || !check_value(*value, target.type, findings_)) return std::nullopt;
    return FieldFill{&target, nullptr, Passing::same, *value};
  }

  void check_source(const Field& source) {
    if (find(step_.targets, source.name) != nullptr || change(source) != nullptr) return;
    add_unexplained(step_.place, of_ + " has '" + source.name + "' only in " + step_.source_version,
                    added(source.name, nullptr), findings_);
  }

  const MessageStep& step_;
  const std::string of_;
  const JsonValue* metadata_;
  Findings& findings_;
};

}  // namespace

std::vector<FieldFill> read_fills(const MessageStep& step, const JsonValue* metadata,
                                  Findings& findings) {
  return FillReader(step, metadata, findings).read();
}

std::vector<FieldFill> read_fixed(const Method& method, const JsonValue& values,
                                  Findings& findings) {
  std::vector<FieldFill> fills;
  const std::string of = "the response of '" + method.name + "'";
  if (values.object() == nullptr) {
    add_wrong_type(values, of, "an object of fields", findings);
    return fills;
  }
  for (const JsonMember& member : *values.object()) {
    if (find(method.response, member.key) != nullptr) continue;
    add_unknown_field(member, of, names_of(method.response), findings);
  }
  for (const Field& field : method.response) {
    const JsonValue* value = values.find(field.name);
    if (value == nullptr) {
      findings.add({.place = values.place,
                    .code = "missing-key",
                    .what = of + " has no value for '" + field.name + "'",
                    .needed = "a value for each field",
                    .fix = "add \"" + field.name + "\": <value>"});
    } else if (check_value(*value, field.type, findings)) {
      fills.push_back({&field, nullptr, Passing::same, *value});
    }
  }
  return fills;
}

}  // namespace tenon::gen
