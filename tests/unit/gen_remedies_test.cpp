// SPDX-License-Identifier: BSL-1.0
//
// Whoever does what a finding about an evolution says reaches a spec that is right: each remedy is
// applied as it is printed, and so is the one of the next finding, in every order of alternatives.
#include "gen_mistakes.hpp"

#include "gen/load.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <regex>
#include <set>

namespace {

using namespace tenon::tests;
using namespace tenon::gen;

/// Two versions of a type and the step between them.
struct Change {
  std::string name;
  std::string older;  // fields, and behind '|' enums and structs
  std::string newer;
  std::string says;  // of the step, besides from and to
};

void PrintTo(const Change& change, std::ostream* out) {
  *out << change.name;
}

JsonValue parsed(const std::string& text) {
  Findings findings;
  std::optional<JsonValue> value = read_json(text, "", findings);
  if (!value) throw std::runtime_error("no JSON: " + text);
  return std::move(*value);
}

JsonValue::Object& members(JsonValue& value) {
  return std::get<JsonValue::Object>(value.data);
}

/// The object under a key, made where it is not there.
JsonValue& inside(JsonValue& object, const std::string& key) {
  if (object.find(key) == nullptr) members(object).push_back({key, {}, {JsonValue::Object()}});
  return *object.find(key);
}

void merge(JsonValue& target, const JsonValue& fragment) {
  for (const JsonMember& member : *fragment.object()) {
    JsonValue* there = target.find(member.key);
    if (there != nullptr && there->object() != nullptr && member.value.object() != nullptr &&
        member.value.find("hook") == nullptr) {
      merge(*there, member.value);
    } else if (there != nullptr) {
      *there = member.value;
    } else {
      members(target).push_back(member);
    }
  }
}

/// Calls `change(object, index)` for the member that begins at a place.
bool at_place(JsonValue& value, const Place& place,
              const std::function<void(JsonValue&, std::size_t)>& change) {
  if (auto* array = std::get_if<JsonValue::Array>(&value.data)) {
    for (JsonValue& element : *array) {
      if (at_place(element, place, change)) return true;
    }
  }
  if (value.object() == nullptr) return false;
  const auto is_it = [&place](const Place& other) {
    return other.line == place.line && other.column == place.column;
  };
  for (std::size_t i = 0; i < members(value).size(); i++) {
    JsonMember& member = members(value)[i];
    if (is_it(member.place) || is_it(member.value.place)) {
      change(value, i);
      return true;
    }
    if (at_place(member.value, place, change)) return true;
  }
  return false;
}

/// One way to follow a remedy.
using Remedy = std::function<void(JsonValue& evolution)>;

JsonValue& step_of(JsonValue& evolution) {
  return std::get<JsonValue::Array>(evolution.find("steps")->data).front();
}

/// The JSON objects in a text, each with its key: `"a": {...}`.
std::vector<std::string> fragments_of(std::string text) {
  std::vector<std::string> fragments;
  const std::regex begin(R"re("[a-z_]+": \{)re");
  for (std::smatch match; std::regex_search(text, match, begin);) {
    std::size_t end = static_cast<std::size_t>(match.position() + match.length());
    for (int open = 1; open > 0; end++) open += text[end] == '{' ? 1 : text[end] == '}' ? -1 : 0;
    const auto at = static_cast<std::size_t>(match.position());
    fragments.push_back(text.substr(at, end - at));
    text.erase(0, end);
  }
  return fragments;
}

/// Adds `"a": {...}` where the remedy says.
Remedy add(const std::string& fragment, const std::string& fix) {
  return [=](JsonValue& evolution) {
    JsonValue* target = &step_of(evolution);
    std::smatch match;
    if (std::regex_search(fix, match, std::regex("of '([a-z_]+)' in the \"structs\""))) {
      target = &inside(inside(*target, "structs"), match[1]);
    }
    const bool of_values =
        std::regex_search(fix, match, std::regex("\"values\" of '([a-z_]+)' in the \"enums\""));
    const bool of_parts = fragment.starts_with("\"structs\"") || fragment.starts_with("\"enums\"");
    if (of_values) {
      target = &inside(inside(inside(*target, "enums"), match[1]), "values");
    } else if (!of_parts) {
      target = &inside(*target, "fields");
    }
    merge(*target, parsed("{" + fragment + "}"));
  };
}

Remedy change_at(const Place& place, std::function<void(JsonValue&, std::size_t)> change) {
  return [=](JsonValue& evolution) { EXPECT_TRUE(at_place(evolution, place, change)); };
}

void remove_member(JsonValue& object, std::size_t i) {
  members(object).erase(members(object).begin() + static_cast<std::ptrdiff_t>(i));
}

/// What the alternatives of a fix are; each is followed.
std::vector<Remedy> remedies_of(const Finding& finding) {
  const std::string& fix = finding.fix;
  std::vector<Remedy> remedies;
  const auto says = [&fix](const char* part) { return fix.find(part) != std::string::npos; };
  std::smatch match;
  if (says(" and \"") && says("instead")) {
    std::string both;
    for (const std::string& one : fragments_of(fix)) both += (both.empty() ? "" : ", ") + one;
    return {add(both, fix)};
  }
  if (std::regex_search(fix, match, std::regex("\"removed\": true to the entry of '([a-z_]+)'"))) {
    remedies.push_back(add("\"" + match.str(1) + "\": {\"removed\": true}", fix));
  }
  for (const std::string& fragment : fragments_of(fix)) {
    const std::string whole =
        fragment.find("\"...\"") == std::string::npos ? fragment : std::string();
    if (!whole.empty()) remedies.push_back(add(whole, fix));
  }
  if (says("or {\"hook\": true}")) {
    std::regex_search(fix, match, std::regex("add (\"[a-z_]+\"): "));
    remedies.push_back(add(match.str(1) + ": {\"hook\": true}", fix));
  }
  if (std::regex_search(fix, match, std::regex("did you mean '([a-z_]+)'"))) {
    const std::string word = match[1];
    remedies.push_back(change_at(finding.place, [word](JsonValue& object, std::size_t i) {
      JsonMember& member = members(object)[i];
      if (member.key == "renamed_from") {
        member.value.data = word;
      } else {
        member.key = word;
      }
    }));
  } else if (says("remove \"removed\" here")) {
    remedies.push_back(change_at(finding.place, [](JsonValue& object, std::size_t i) {
      std::erase_if(members(members(object)[i].value),
                    [](const JsonMember& member) { return member.key == "removed"; });
      if (members(members(object)[i].value).empty()) remove_member(object, i);
    }));
  } else if (says("remove it") || says("remove this entry")) {
    remedies.push_back(change_at(finding.place, remove_member));
  } else if (says("keep one of the two")) {
    remedies.push_back(change_at(finding.place, remove_member));
  } else if (says("keep one; a hook")) {
    for (std::size_t kept = 0; kept < 2; kept++) {
      remedies.push_back(change_at(finding.place, [kept](JsonValue& object, std::size_t i) {
        remove_member(members(object)[i].value, 1 - kept);
      }));
    }
  } else if (says("add it beside \"from\" and \"to\"")) {
    remedies.emplace_back(
        [](JsonValue& evolution) { merge(step_of(evolution), parsed(R"({"hook": true})")); });
  }
  return remedies;
}

std::string spec_of(const std::string& parts, const std::string& version) {
  const std::size_t bar = parts.find('|');
  const std::string more = bar != std::string::npos ? parts.substr(bar + 1) + "," : "";
  return document(parts.substr(0, bar), version == "1" ? released + more : more, version);
}

/// Follows all remedies until nothing is wrong. `path` are the evolutions that led here.
void follow(const Change& change, const std::string& evolution, std::set<std::string> path) {
  ASSERT_TRUE(path.insert(evolution).second) << "goes in a circle: " << evolution;
  ASSERT_LE(path.size(), 8u) << evolution;
  const World world;
  world.write("t/v1.json", spec_of(change.older, "1"));
  world.write("t/v2.json", spec_of(change.newer, "2"));
  world.write("t/evolution.json", evolution);
  const Findings findings = findings_in(world);
  if (findings.empty()) return;
  const Finding& first = findings.all().front();
  const std::vector<Remedy> remedies = remedies_of(first);
  ASSERT_FALSE(remedies.empty()) << to_text(first);
  for (const Remedy& remedy : remedies) {
    SCOPED_TRACE(to_text(first));
    JsonValue next = parsed(evolution);
    remedy(next);
    follow(change, to_pretty_json(next), path);
    if (testing::Test::HasFatalFailure()) return;
  }
}

class Remedies : public testing::TestWithParam<Change> {};

TEST_P(Remedies, LeadToASpecThatIsRight) {
  const Change& change = GetParam();
  follow(change,
         to_pretty_json(parsed(tenon::tests::evolution(
             "{\"from\": 1, \"to\": 2" + change.says + "}", "\"type\": \"a.example/t\""))),
         {});
}

const std::string one_struct = R"(|"structs": {"s": {"fields": {"x": "bool"}}})";

const Change changes[] = {
    {"Added", R"("a": "bool")", R"("a": "bool", "b": "bool")", ""},
    {"Removed", R"("a": "bool", "b": "bool")", R"("a": "bool")", ""},
    {"Retyped", R"("a": "bool")", R"("a": "string")", ""},
    {"RenamedAndRetyped", R"("a": "bool")", R"("b": "string")",
     R"(, "fields": {"b": {"renamed_from": "a"}})"},
    {"AddedThatIsThere", R"("a": "bool")", R"("a": "bool")",
     R"(, "fields": {"a": {"added": true}})"},
    {"RemovedThatIsThere", R"("a": "bool")", R"("a": "bool")",
     R"(, "fields": {"a": {"removed": true}})"},
    {"RemovedAndRenamed", R"("a": "bool")", R"("b": "bool")",
     R"(, "fields": {"b": {"renamed_from": "a"}, "a": {"removed": true}})"},
    {"RenamedTwice", R"("a": "bool")", R"("b": "bool", "c": "bool")",
     R"(, "fields": {"b": {"renamed_from": "a"}, "c": {"renamed_from": "a"}})"},
    {"RenamedToItself", R"("a": "bool")", R"("a": "bool")",
     R"(, "fields": {"a": {"renamed_from": "a"}})"},
    {"RenamedFromUnknown", R"("width": "bool")", R"("breadth": "bool")",
     R"(, "fields": {"breadth": {"renamed_from": "widht"}})"},
    {"HookAndMore", R"("a": "bool")", R"("b": "string")",
     R"(, "fields": {"a": {"hook": true}, "b": {"hook": true, "renamed_from": "a"}})"},
    {"Shift", R"("size": "int32")", R"("size_bytes": "int32", "size": "int32")",
     R"(, "fields": {"size_bytes": {"renamed_from": "size"}})"},
    {"ShiftOfAnotherType", R"("size": "int32")", R"("size_bytes": "int32", "size": "string")",
     R"(, "fields": {"size_bytes": {"renamed_from": "size"}})"},
    {"ShiftWithoutAWord", R"("size": "int32")", R"("size_bytes": "int32", "size": "int32")", ""},
    {"HalfASwap", R"("a": "int32", "b": "int32")", R"("a": "int32", "b": "int32")",
     R"(, "fields": {"a": {"renamed_from": "b"}})"},
    {"TakesTheNameOfAnother", R"("a": "bool", "b": "bool")", R"("b": "bool")",
     R"(, "fields": {"b": {"renamed_from": "a"}})"},
    {"NothingSaid", R"("a": "bool")", R"("a": "bool")", R"(, "fields": {"a": {}})"},
    {"OfStructs", "\"s\": \"s\"" + one_struct,
     R"("s": "s"|"structs": {"s": {"fields": {"y": "string"}}})", ""},
    {"StructRenamed", "\"a\": \"s\"" + one_struct,
     R"("a": "r"|"structs": {"r": {"fields": {"x": "bool"}}})", ""},
    {"StructReplacedByANewOne", "\"a\": \"s\", \"b\": \"s\"" + one_struct,
     R"("a": "r", "b": "s"|"structs": {"r": {"fields": {"x": "bool"}},
                                       "s": {"fields": {"x": "bool"}}})",
     ""},
    {"ValueVanished", R"("a": "m"|"enums": {"m": ["x", "y"]})",
     R"("a": "m"|"enums": {"m": ["x", "z"]})", ""},
    {"ValueRemovedThatIsThere", R"("a": "m"|"enums": {"m": ["x"]})",
     R"("a": "m"|"enums": {"m": ["x"]})",
     R"(, "enums": {"m": {"values": {"x": {"removed": true}}}})"},
    {"EnumReplacedByANewOne", R"("a": "m", "b": "m"|"enums": {"m": ["x"]})",
     R"("a": "n", "b": "m"|"enums": {"m": ["x"], "n": ["x"]})",
     R"(, "enums": {"n": {"renamed_from": "m"}})"},
};

INSTANTIATE_TEST_SUITE_P(Evolution, Remedies, testing::ValuesIn(changes),
                         [](const auto& param) { return param.param.name; });

}  // namespace
