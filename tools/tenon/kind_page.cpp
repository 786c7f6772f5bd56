// SPDX-License-Identifier: BSL-1.0
#include "kind_page.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/plain_text.hpp"
#include "gen/emit/comment.hpp"
#include "gen/model/document_changes.hpp"
#include "kind_changes.hpp"

namespace tenon::command {

namespace json = boost::json;

namespace {

using Words = std::vector<std::string>;

std::string joined(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

/// Returns the step that leads to a version; nullptr for the first one.
const gen::KindStep* step_to(const gen::Kind& kind, const gen::KindVersion& version) {
  const auto found = std::ranges::find(kind.steps, &version, &gen::KindStep::to);
  return found != kind.steps.end() ? &*found : nullptr;
}

/// Returns the statuses that a method may fail with: those in its text, and the one of plugins that
/// lack it.
Words statuses_of(const gen::Method& method) {
  constexpr std::string_view prefix = "TENON_";
  Words found;
  for (auto at = method.doc.find(prefix); at != std::string::npos;) {
    const auto end = std::min(method.doc.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_", at),
                              method.doc.size());
    std::string word = method.doc.substr(at, end - at);
    if (std::ranges::find(found, word) == found.end()) found.push_back(std::move(word));
    at = method.doc.find(prefix, end);
  }
  const std::string lacking = "TENON_UNIMPLEMENTED";
  if (!method.required && std::ranges::find(found, lacking) == found.end()) {
    found.push_back(lacking);
  }
  return found;
}

std::string_view word_of(gen::Threading threading) {
  switch (threading) {
    case gen::Threading::serial:
      return "serial";
    case gen::Threading::main:
      return "main";
    default:
      return "any";
  }
}

std::string_view threading_text(gen::Threading threading) {
  switch (threading) {
    case gen::Threading::serial:
      return "one call of an instance at a time";
    case gen::Threading::main:
      return "the main thread";
    default:
      return "any thread at any time";
  }
}

/// Returns a text such as "released with 0.1.0 on 2026-11-21".
std::string life_text(const gen::Life& life) {
  if (life.stage == gen::Life::Stage::draft) return "draft";
  std::string text = "released with " + life.version + " on " + life.date;
  if (!life.message.empty()) text += "; deprecated: " + life.message;
  return text;
}

/// Returns the states in which a method may be called, and the state after it.
std::string states_of(const gen::Method& method) {
  std::string text = method.from ? joined(*method.from) : "any";
  if (!method.to.empty()) text += ", then " + method.to;
  return text;
}

/// The enums and structs that fields use.
struct UsedTypes {
  std::set<const gen::Enum*> enums;
  std::set<const gen::Struct*> structs;

  void add(const std::vector<gen::Field>& fields) {
    for (const gen::Field& field : fields) {
      const gen::Type& type = gen::innermost(field.type);
      if (type.enumeration != nullptr) enums.insert(type.enumeration);
      if (type.structure != nullptr && structs.insert(type.structure).second) {
        add(type.structure->fields);
      }
    }
  }
};

std::vector<const gen::Method*> methods_of(const KindSubject& subject) {
  if (subject.method != nullptr) return {subject.method};
  std::vector<const gen::Method*> all;
  for (const gen::Method& method : subject.version->methods) all.push_back(&method);
  return all;
}

UsedTypes types_of(const KindSubject& subject) {
  UsedTypes used;
  for (const gen::Method* method : methods_of(subject)) {
    used.add(method->request);
    used.add(method->response);
  }
  return used;
}

/// Lines of a page, indented and wrapped.
class KindPage {
 public:
  KindPage(std::size_t columns, const Paint& paint) : columns_(columns), paint_(paint) {}

  void heading(std::string_view text) {
    text_ += (text_.empty() ? "" : "\n") + paint_.strong(escaped_for_display(text)) + "\n";
  }
  void add(std::size_t indent, std::string_view text) { add(indent, "", indent, text); }
  /// Adds a label, and a text at a column after it.
  void add(std::size_t indent, std::string_view label, std::size_t column, std::string_view text) {
    constexpr std::size_t narrowest = 16;
    std::string begin = std::string(indent, ' ') + escaped_for_display(label);
    begin.resize(std::max(column, begin.size() + (label.empty() ? 0 : 1)), ' ');
    const std::size_t width = columns_ > column + narrowest ? columns_ - column : narrowest;
    for (const std::string& line : gen::wrap(text, width)) {
      text_ += begin + escaped_for_display(line) + "\n";
      begin.assign(column, ' ');
    }
  }
  const std::string& text() const { return text_; }

 private:
  std::size_t columns_;
  const Paint& paint_;
  std::string text_;
};

constexpr std::size_t step = 3;                     // of indentation
constexpr std::size_t rows_column = 2 * step + 11;  // after "threading"

void add_fields(KindPage& page, std::size_t indent, const std::vector<gen::Field>& fields) {
  for (const gen::Field& field : fields) {
    std::string text = field.name + ": " + gen::to_text(field.type);
    if (!field.added.empty()) text += ", added on " + field.added;
    page.add(indent, text);
    page.add(indent + step, field.doc);
  }
}

void add_method(KindPage& page, const gen::Method& method) {
  const auto row = [&](std::string_view label, std::string_view text) {
    page.add(2 * step, label, rows_column, text);
  };
  page.add(step, method.name + (method.required ? " (required)" : ""));
  page.add(2 * step, method.doc);
  row("threading", threading_text(method.threading));
  row("blocks", method.blocks.empty() ? "no" : "yes, interrupted by " + method.blocks);
  row("states", states_of(method));
  row("errors", joined(statuses_of(method)));
  for (const auto& [label, fields] :
       {std::pair("request", &method.request), std::pair("response", &method.response)}) {
    if (fields->empty()) {
      row(label, "none");
      continue;
    }
    page.add(2 * step, label);
    add_fields(page, 3 * step, *fields);
  }
}

void add_versions(KindPage& page, const gen::Kind& kind) {
  page.heading("Versions");
  for (const auto& version : kind.versions) {
    page.add(step, version->label, 2 * step, life_text(version->life));
    const gen::KindStep* to = step_to(kind, *version);
    if (to == nullptr) continue;
    page.add(2 * step, to->notes);
    for (const std::string& change : changes_of(*to)) page.add(2 * step, "-", 2 * step + 2, change);
  }
}

void add_properties(KindPage& page, const gen::KindVersion& version) {
  if (version.properties.empty()) return;
  page.heading("Properties in the manifest");
  for (const gen::Property& property : version.properties) {
    page.add(step, property.name + ": " + gen::to_text(property.type));
    page.add(2 * step, property.doc);
  }
}

void add_types(KindPage& page, const KindSubject& subject) {
  const UsedTypes used = types_of(subject);
  if (used.enums.empty() && used.structs.empty()) return;
  page.heading("Types");
  for (const auto& one : subject.version->enums) {
    if (!used.enums.contains(one.get())) continue;
    page.add(step, one->name + ": enum of " + joined(one->values));
    page.add(2 * step, one->doc);
  }
  for (const auto& one : subject.version->structs) {
    if (!used.structs.contains(one.get())) continue;
    page.add(step, one->name + ": struct");
    page.add(2 * step, one->doc);
    add_fields(page, 2 * step, one->fields);
  }
}

std::string title_of(const KindSubject& subject) {
  const std::string version = " version " + subject.version->label;
  if (subject.method != nullptr) {
    return subject.kind->id + version + ", method " + subject.method->name;
  }
  return subject.kind->id + version + ", " + life_text(subject.version->life);
}

json::value or_null(const std::string& text) {
  return text.empty() ? json::value() : json::value(text);
}

json::array texts(const Words& words) {
  return json::array(words.begin(), words.end());
}

json::array to_json(const std::vector<gen::Field>& fields) {
  json::array all;
  for (const gen::Field& field : fields) {
    all.push_back({{"name", field.name},
                   {"type", gen::to_text(field.type)},
                   {"doc", or_null(field.doc)},
                   {"added", or_null(field.added)}});
  }
  return all;
}

json::object to_json(const gen::Method& method) {
  return {{"name", method.name},
          {"doc", method.doc},
          {"required", method.required},
          {"role", method.configures ? json::value("configure") : json::value()},
          {"threading", word_of(method.threading)},
          {"blocks", or_null(method.blocks)},
          {"from", method.from ? json::value(texts(*method.from)) : json::value()},
          {"to", or_null(method.to)},
          {"errors", texts(statuses_of(method))},
          {"request", to_json(method.request)},
          {"response", to_json(method.response)}};
}

json::object to_json(const gen::Kind& kind, const gen::KindVersion& version) {
  const gen::KindStep* to = step_to(kind, version);
  const gen::Life& life = version.life;
  return {{"version", version.number},
          {"stage", gen::word_of(life.stage)},
          {"release", or_null(life.version)},
          {"date", or_null(life.date)},
          {"message", or_null(life.message)},
          {"notes", or_null(to != nullptr ? to->notes : "")},
          {"adaptable", to == nullptr || to->adaptable},
          {"changes", to != nullptr ? texts(changes_of(*to)) : json::array()}};
}

json::array types_to_json(const KindSubject& subject) {
  const UsedTypes used = types_of(subject);
  json::array all;
  for (const auto& one : subject.version->enums) {
    if (!used.enums.contains(one.get())) continue;
    all.push_back({{"name", one->name},
                   {"doc", or_null(one->doc)},
                   {"values", texts(one->values)},
                   {"fields", nullptr}});
  }
  for (const auto& one : subject.version->structs) {
    if (!used.structs.contains(one.get())) continue;
    all.push_back({{"name", one->name},
                   {"doc", or_null(one->doc)},
                   {"values", nullptr},
                   {"fields", to_json(one->fields)}});
  }
  return all;
}

json::array properties_to_json(const gen::KindVersion& version) {
  json::array all;
  for (const gen::Property& property : version.properties) {
    all.push_back({{"name", property.name},
                   {"type", gen::to_text(property.type)},
                   {"doc", or_null(property.doc)}});
  }
  return all;
}

}  // namespace

std::string page_of(const KindSubject& subject, std::size_t columns, const Paint& paint) {
  KindPage page(columns, paint);
  page.heading(title_of(subject));
  if (subject.method == nullptr) {
    page.add(step, subject.version->doc);
    page.add(step, subject.kind->session
                       ? "Its calls form a session, which a restart ends."
                       : "Its calls are independent: a restart does not interrupt them.");
    add_versions(page, *subject.kind);
    add_properties(page, *subject.version);
    page.heading("Methods");
  }
  for (const gen::Method* method : methods_of(subject)) add_method(page, *method);
  add_types(page, subject);
  return page.text();
}

json::object to_json(const KindSubject& subject) {
  json::array versions;
  for (const auto& version : subject.kind->versions) {
    versions.push_back(to_json(*subject.kind, *version));
  }
  json::array methods;
  for (const gen::Method* method : methods_of(subject)) methods.push_back(to_json(*method));
  return {
      {"kind", subject.kind->id},        {"version", subject.version->number},
      {"doc", subject.version->doc},     {"restart", subject.kind->session ? "session" : "overlap"},
      {"versions", std::move(versions)}, {"properties", properties_to_json(*subject.version)},
      {"methods", std::move(methods)},   {"types", types_to_json(subject)}};
}

}  // namespace tenon::command
