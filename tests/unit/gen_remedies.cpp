// SPDX-License-Identifier: BSL-1.0
#include "gen_remedies.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <regex>
#include <set>
#include <stdexcept>
#include <utility>

#include "gen_mistakes.hpp"

namespace tenon::tests {
namespace {

using namespace tenon::gen;

JsonValue parsed(const std::string& text) {
  Diagnostics findings;
  std::optional<JsonValue> value = read_json(text, "", findings);
  if (!value) throw std::runtime_error("no JSON: " + text);
  return std::move(*value);
}

JsonValue::Object& members(JsonValue& value) {
  return std::get<JsonValue::Object>(value.data);
}

/// Returns the object under a key, which is created if it is missing.
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

/// Calls `change(object, index)` for the member that begins at a place. Returns whether there is
/// one.
bool at_place(JsonValue& value, const SourceLocation& place,
              const std::function<void(JsonValue&, std::size_t)>& change) {
  if (auto* array = std::get_if<JsonValue::Array>(&value.data)) {
    for (JsonValue& element : *array) {
      if (at_place(element, place, change)) return true;
    }
  }
  if (value.object() == nullptr) return false;
  const auto is_it = [&place](const SourceLocation& other) {
    return other.line == place.line && other.column == place.column;
  };
  for (std::size_t i = 0; i < members(value).size(); ++i) {
    JsonMember& member = members(value)[i];
    if (is_it(member.location) || is_it(member.value.location)) {
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
  return std::get<JsonValue::Array>(evolution.find("steps")->data).back();
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// Returns the JSON objects in the text of a fix, each with its key: `"a": {...}`. Skips objects
/// with an ellipsis; a placeholder `<value>` becomes a text.
std::vector<std::string> fragments_of(const std::string& fix) {
  std::vector<std::string> fragments;
  std::string text = std::regex_replace(fix, std::regex("<value>"), "\"x\"");
  const std::regex begin(R"re("[a-z_0-9]+": \{)re");
  for (std::smatch match; std::regex_search(text, match, begin);) {
    std::size_t end = static_cast<std::size_t>(match.position() + match.length());
    for (int open = 1; open > 0; ++end) open += text[end] == '{' ? 1 : text[end] == '}' ? -1 : 0;
    const auto at = static_cast<std::size_t>(match.position());
    const std::string fragment = text.substr(at, end - at);
    if (!contains(fragment, "...")) fragments.push_back(fragment);
    text.erase(0, end);
  }
  return fragments;
}

/// Returns the object of the step to which a remedy adds an entry.
JsonValue& entries_of(JsonValue& evolution, const std::string& fix) {
  JsonValue& step = step_of(evolution);
  std::smatch match;
  const auto finds = [&](const char* text) {
    return std::regex_search(fix, match, std::regex(text));
  };
  if (finds("of '([a-z_]+)' in the \"structs\"")) {
    return inside(inside(inside(step, "structs"), match[1]), "fields");
  }
  if (finds("\"values\" of '([a-z_]+)' in the \"enums\"")) {
    return inside(inside(inside(step, "enums"), match[1]), "values");
  }
  if (finds("(?:to|in) the \"(request|response)\" of '([a-z_]+)'")) {
    return inside(inside(inside(step, "methods"), match[2]), match[1]);
  }
  return inside(step, evolution.find("kind") != nullptr ? "methods" : "fields");
}

/// Returns a remedy that adds `"a": {...}` to the object that the fix names.
Remedy add(const std::string& fragment, const std::string& fix) {
  return [=](JsonValue& evolution) {
    const bool of_parts = fragment.starts_with("\"structs\"") || fragment.starts_with("\"enums\"");
    JsonValue& target = of_parts ? step_of(evolution) : entries_of(evolution, fix);
    merge(target, parsed("{" + fragment + "}"));
  };
}

Remedy change_at(const SourceLocation& place,
                 const std::function<void(JsonValue&, std::size_t)>& change) {
  return [=](JsonValue& evolution) { EXPECT_TRUE(at_place(evolution, place, change)); };
}

void remove_member(JsonValue& object, std::size_t i) {
  members(object).erase(members(object).begin() + static_cast<std::ptrdiff_t>(i));
}

void remove_key(JsonValue& object, const std::string& key) {
  std::erase_if(members(object), [&key](const JsonMember& member) { return member.key == key; });
}

/// Returns a remedy that removes keys of the object at a place, and the object if it becomes empty.
Remedy remove_keys(const SourceLocation& place, const std::vector<std::string>& keys) {
  return change_at(place, [keys](JsonValue& object, std::size_t i) {
    JsonValue& value = members(object)[i].value;
    for (const std::string& key : keys) remove_key(value, key);
    if (members(value).empty()) remove_member(object, i);
  });
}

/// Finds remedies that add entries to the evolution.
void find_additions(const std::string& fix, const std::vector<std::string>& older,
                    std::vector<Remedy>& remedies) {
  std::smatch match;
  if (std::regex_search(fix, match,
                        std::regex("(\"[a-z]+\"): (true|<value>) to the entry of '([a-z_]+)'"))) {
    const std::string value = match[2] == "true" ? "true" : "\"x\"";
    const JsonValue added = parsed("{" + match.str(1) + ": " + value + "}");
    const std::string name = match[3];
    remedies.emplace_back(
        [=](JsonValue& evolution) { merge(inside(entries_of(evolution, fix), name), added); });
  }
  std::string both;
  for (const std::string& one : fragments_of(fix)) {
    both += (both.empty() ? "" : ", ") + one;
    if (!contains(fix, "instead")) remedies.push_back(add(one, fix));
  }
  if (contains(fix, "instead") && !both.empty()) remedies.push_back(add(both, fix));
  if (!std::regex_search(fix, match, std::regex("add (\"[a-z_]+\"): "))) return;
  const std::string name = match[1];
  const std::string rest = match.suffix();
  for (const char* entry : {R"({"hook": true})", R"({"added": "hook"})"}) {
    if (contains(rest, std::string("or ") + entry) || contains(rest, std::string(", ") + entry)) {
      remedies.push_back(add(name + ": " + entry, fix));
    }
  }
  if (contains(rest, R"({"added": {"value": {...}}})")) {
    remedies.push_back(add(name + R"(: {"added": {"value": {}}})", fix));
  }
  if (!contains(rest, R"({"renamed_from": "..."})")) return;
  for (const std::string& from : older) {
    remedies.push_back(add(name + R"(: {"renamed_from": ")" + from + "\"}", fix));
  }
}

/// Returns a remedy that replaces "renamed_from" by "split_from" in all structs and enums of the
/// step that are renamed from the one of a problem.
Remedy split_all(const Diagnostic& finding) {
  std::smatch match;
  EXPECT_TRUE(std::regex_search(finding.message, match, std::regex("'([a-z_]+)' was renamed")));
  const std::string older = match[1];
  return [older](JsonValue& evolution) {
    for (const char* key : {"structs", "enums"}) {
      if (step_of(evolution).find(key) == nullptr) continue;
      for (JsonMember& part : members(inside(step_of(evolution), key))) {
        for (JsonMember& said : members(part.value)) {
          const bool renames = said.key == "renamed_from" && *said.value.text() == older;
          if (renames) said.key = "split_from";
        }
      }
    }
  };
}

/// Finds remedies that change the member at the place of a problem.
void find_changes(const Diagnostic& finding, std::vector<Remedy>& remedies) {
  const std::string& fix = finding.fix;
  std::smatch match;
  const auto finds = [&](const char* text) {
    return std::regex_search(fix, match, std::regex(text));
  };
  if (finds("use \"([a-z_]+)\" instead")) {
    const std::string word = match[1];
    remedies.push_back(change_at(finding.location, [word](JsonValue& object, std::size_t i) {
      members(object)[i].key = word;
    }));
  }
  if (contains(fix, "use \"split_from\" in both")) remedies.push_back(split_all(finding));
  if (finds("did you mean '([a-z_]+)'")) {
    const std::string word = match[1];
    remedies.push_back(change_at(finding.location, [word](JsonValue& object, std::size_t i) {
      JsonMember& member = members(object)[i];
      if (member.key == "renamed_from") {
        member.value.data = word;
      } else {
        member.key = word;
      }
    }));
  } else if (finds("remove \"([a-z_]+)\" here")) {
    remedies.push_back(remove_keys(finding.location, {match[1]}));
  } else if (finds("remove it|keep one of the two")) {
    remedies.push_back(change_at(finding.location, remove_member));
  } else if (finds("^add (\"[a-z_]+\"): <value>$")) {
    const std::string member = "{" + match.str(1) + ": \"x\"}";
    remedies.push_back(change_at(finding.location, [member](JsonValue& object, std::size_t i) {
      merge(members(object)[i].value, parsed(member));
    }));
  }
}

/// Finds remedies that change the step itself.
void find_changes_of_step(const std::string& fix, std::vector<Remedy>& remedies) {
  const auto changes = [&remedies](const std::string& merged) {
    remedies.emplace_back(
        [merged](JsonValue& evolution) { merge(step_of(evolution), parsed(merged)); });
  };
  if (contains(fix, "next to \"from\" and \"to\"")) changes(R"({"hook": true})");
  if (contains(fix, R"(add "reason": "...")")) changes(R"({"reason": "R."})");
  if (contains(fix, R"(add "adaptable": false)")) changes(R"({"adaptable": false})");
  if (!contains(fix, R"(remove "methods")")) return;
  remedies.emplace_back([](JsonValue& evolution) { remove_key(step_of(evolution), "methods"); });
  remedies.emplace_back([](JsonValue& evolution) {
    remove_key(step_of(evolution), "adaptable");
    remove_key(step_of(evolution), "reason");
  });
}

/// Returns the alternatives of a fix. `older` are the names that may have been renamed.
std::vector<Remedy> remedies_of(const Diagnostic& finding, const std::vector<std::string>& older) {
  std::vector<Remedy> remedies;
  if (finding.fix.starts_with("write ")) {
    const JsonValue entry = parsed("{" + fragments_of(finding.fix).at(0) + "}");
    remedies.push_back(change_at(finding.location, [entry](JsonValue& object, std::size_t i) {
      members(object)[i].value = entry.object()->front().value;
    }));
    return remedies;
  }
  find_additions(finding.fix, older, remedies);
  find_changes(finding, remedies);
  find_changes_of_step(finding.fix, remedies);
  return remedies;
}

std::string spec_of(const Change& change, std::size_t index) {
  const std::string label = std::to_string(index + 1);
  const std::string& parts = change.versions[index];
  const std::string life = index + 1 < change.versions.size() ? released : "";
  if (change.of_kind) {
    return "{\"kind\": \"a.example/t\", \"version\": " + label + ", \"doc\": \"K.\", " + life +
           "\"methods\": [" + parts + "]}";
  }
  const std::size_t bar = parts.find('|');
  const std::string more = bar != std::string::npos ? parts.substr(bar + 1) + "," : "";
  return document(parts.substr(0, bar), life + more, label);
}

/// Returns the methods of the second newest version, or the fields of their requests and responses
/// if the fix is about fields. Omits names that an entry has renamed.
std::vector<std::string> older_names(const Change& change, const std::string& evolution,
                                     const std::string& fix) {
  std::vector<std::string> names;
  if (!change.of_kind) return names;
  const std::string& methods = change.versions[change.versions.size() - 2];
  const bool of_fields =
      contains(fix, "to the \"request\"") || contains(fix, "to the \"response\"");
  const std::regex name(of_fields ? "\"([xyz])\": \"[a-z]+\"" : "\"name\": \"([a-z_]+)\"");
  for (std::sregex_iterator at(methods.begin(), methods.end(), name), end; at != end; ++at) {
    const bool taken = contains(evolution, "\"renamed_from\": \"" + at->str(1) + "\"");
    if (!taken) names.push_back(at->str(1));
  }
  return names;
}

/// Follows all remedies recursively until no problem is left. `path` are the previous evolutions.
void follow(const Change& change, const std::string& evolution, std::set<std::string> path) {
  ASSERT_TRUE(path.insert(evolution).second) << "goes in a circle: " << evolution;
  ASSERT_LE(path.size(), 10u) << evolution;
  const World world;
  for (std::size_t i = 0; i < change.versions.size(); ++i) {
    world.write("t/v" + std::to_string(i + 1) + ".json", spec_of(change, i));
  }
  world.write("t/evolution.json", evolution);
  const Diagnostics findings = findings_in(world);
  if (findings.empty()) return;
  const Diagnostic& first = findings.all().front();
  const std::vector<Remedy> remedies =
      remedies_of(first, older_names(change, evolution, first.fix));
  ASSERT_FALSE(remedies.empty()) << to_text(first);
  for (const Remedy& remedy : remedies) {
    SCOPED_TRACE(to_text(first));
    JsonValue next = parsed(evolution);
    remedy(next);
    follow(change, to_pretty_json(next), path);
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace

Change::Change(std::string its_name, const std::string& older, const std::string& newer,
               const std::string& step)
    : name(std::move(its_name)), versions{older, newer}, says{step} {}

Change::Change(std::string its_name, std::vector<std::string> methods,
               std::vector<std::string> steps)
    : name(std::move(its_name)),
      versions(std::move(methods)),
      says(std::move(steps)),
      of_kind(true) {}

void PrintTo(const Change& change, std::ostream* out) {
  *out << change.name;
}

void follow_remedies(const Change& change) {
  std::string steps;
  for (std::size_t i = 0; i < change.says.size(); ++i) {
    steps += (i == 0 ? "{\"from\": " : ", {\"from\": ") + std::to_string(i + 1) +
             ", \"to\": " + std::to_string(i + 2) + change.says[i] + "}";
  }
  const char* key = change.of_kind ? "\"kind\": \"a.example/t\"" : "\"type\": \"a.example/t\"";
  follow(change, to_pretty_json(parsed(evolution(steps, key))), {});
}

}  // namespace tenon::tests
