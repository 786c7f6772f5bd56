// SPDX-License-Identifier: BSL-1.0
#include "gen/check/message_step.hpp"

#include <algorithm>

#include "gen/check/field_pairs.hpp"
#include "gen/check/value_checker.hpp"

namespace tenon::gen {
namespace {

/// A form of messages.
struct Message {
  const char* name;
  std::vector<Field> Method::*fields;
  const JsonValue* ForwardedMethod::*entries;
  bool to_newer;  // values are copied from the older to the newer version

  /// Returns the key with the value of a field that only the target has.
  std::string given() const { return to_newer ? "added" : "removed"; }
  /// Returns the key of a field that only the source has.
  std::string dropped() const { return to_newer ? "removed" : "added"; }
  std::string words(const Method& method) const {
    return "the " + std::string(name) + " of '" + method.name + "'";
  }
};

constexpr Message request{"request", &Method::request, &ForwardedMethod::request, false};
constexpr Message response{"response", &Method::response, &ForwardedMethod::response, true};

std::vector<FieldFill> read_fills(const Message& message, const ForwardedMethod& method,
                                  Diagnostics& diagnostics) {
  const StepFields older{message.words(method.older) + " in " + method.older_version,
                         method.older.*message.fields};
  const StepFields newer{message.words(method.newer) + " in " + method.newer_version,
                         method.newer.*message.fields};
  const JsonValue* entries = entries_under(method.*message.entries, message.name,
                                           message.words(method.newer), diagnostics);
  const PartPairs pairs(
      {.older = older.names(),
       .newer = newer.names(),
       .entries = entries,
       .location = entries != nullptr ? entries->location : method.location,
       .place = "the \"" + std::string(message.name) + "\" of '" + method.newer.name + "'",
       .flags = {message.dropped()}},
      diagnostics);
  std::vector<FieldFill> fills;
  for (const FieldPair& pair : pair_fields(older, newer, pairs)) {
    const Field* target = message.to_newer ? pair.newer : pair.older;
    const Field* source = message.to_newer ? pair.older : pair.newer;
    if (target == nullptr) continue;
    if (source != nullptr) {
      const TypeMatch match = match_types(source->type, target->type);
      if (match == TypeMatch::different) {
        add_retyped(pair, pairs, "", method.otherwise, diagnostics);
      }
      fills.push_back({target, source, match});
    } else if (const JsonValue* value = pairs.value_of(target->name, message.given())) {
      check_value(*value, target->type, method.otherwise, diagnostics);
      fills.push_back({target, nullptr, TypeMatch::identical, *value});
    }
  }
  // The targets are elements of one vector, in the order of the struct.
  std::sort(fills.begin(), fills.end(),
            [](const FieldFill& a, const FieldFill& b) { return a.target < b.target; });
  return fills;
}

}  // namespace

std::vector<FieldFill> read_request(const ForwardedMethod& method, Diagnostics& diagnostics) {
  return read_fills(request, method, diagnostics);
}

std::vector<FieldFill> read_response(const ForwardedMethod& method, Diagnostics& diagnostics) {
  return read_fills(response, method, diagnostics);
}

std::vector<FieldFill> read_fixed(const Method& method, const JsonValue& values,
                                  Diagnostics& diagnostics) {
  std::vector<FieldFill> fills;
  const std::string of = response.words(method);
  if (values.object() == nullptr) {
    add_wrong_type(values, of, "an object of fields", diagnostics);
    return fills;
  }
  const StepVersion fields(of, "field", method.response);
  const std::string otherwise =
      "use \"" + method.name + "\": {\"added\": \"hook\"} instead of a value";
  for (const JsonMember& member : *values.object()) {
    if (fields.has(member.key)) continue;
    add_unknown_part(member.key, member.location, fields, diagnostics);
  }
  for (const Field& field : method.response) {
    const JsonValue* value = values.find(field.name);
    if (value == nullptr) {
      diagnostics.add({.location = values.location,
                       .code = "missing-key",
                       .message = of + " has no value for '" + field.name + "'",
                       .needed = "a value for each field",
                       .fix = "add \"" + field.name + "\": <value>"});
    } else if (check_value(*value, field.type, otherwise, diagnostics)) {
      fills.push_back({&field, nullptr, TypeMatch::identical, *value});
    }
  }
  return fills;
}

}  // namespace tenon::gen
