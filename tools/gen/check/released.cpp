// SPDX-License-Identifier: BSL-1.0
#include "gen/check/released.hpp"

#include "gen/model/fingerprint.hpp"
#include "gen/model/layout.hpp"
#include "gen/model/naming.hpp"
#include "gen/read/output.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

namespace tenon::gen {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view list_name = "released.json";
/// How lines begin that may join a released version.
constexpr std::string_view added_word = "added ";

using Lines = std::vector<std::string>;

/// The kind or document type, and the version of it.
using VersionKey = std::pair<std::string, std::string>;

struct ReleasedVersion {
  std::string fingerprint;
  Lines lines;
};

using ReleasedList = std::map<VersionKey, ReleasedVersion>;

// -- A version as lines -------------------------------------------------------

void add_members(const std::string& of, const std::vector<Field>& fields,
                 const StructLayout& layout, Lines& lines) {
  for (std::size_t i = 0; i < fields.size(); i++) {
    const bool added = !fields[i].added.empty();
    lines.push_back(std::string(added ? added_word : "member ") + of + "." + fields[i].name + " " +
                    to_text(fields[i].type) + " at " + std::to_string(layout.offsets[i]));
  }
}

void add_size(const std::string& of, const StructLayout& layout, Lines& lines) {
  lines.push_back("size " + of + " " + std::to_string(layout.whole.size));
}

Lines lines_of(const Version& version, const std::string& canonical) {
  Lines lines;
  std::istringstream text(canonical);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  for (const auto& structure : version.structs) {
    const StructLayout layout = layout_of(*structure);
    add_members(structure->c_name, structure->fields, layout, lines);
    add_size(structure->c_name, layout, lines);
  }
  return lines;
}

Lines lines_of(const KindVersion& version) {
  Lines lines = lines_of(version, canonical_text(version));
  for (const Property& property : version.properties) {
    lines.push_back("property " + property.name + " " + to_text(property.type));
  }
  for (const Method& method : version.methods) {
    if (method.required) lines.push_back("required " + method.name);
    const auto add_message = [&](const std::string& name, const std::vector<Field>& fields) {
      add_members(name, fields, layout_of_message(fields), lines);
    };
    add_message(request_name(version, method), method.request);
    add_message(response_name(version, method), method.response);
  }
  return lines;
}

Lines lines_of(const DocumentVersion& version) {
  Lines lines = lines_of(version, canonical_text(version));
  const StructLayout layout = layout_of(version);
  add_members(version.c_name, version.fields, layout, lines);
  add_size(version.c_name, layout, lines);
  return lines;
}

// -- The list as a file -------------------------------------------------------

/// The list nearest above a folder.
std::optional<fs::path> find_list(fs::path folder) {
  folder = fs::absolute(folder).lexically_normal();
  for (;; folder = folder.parent_path()) {
    std::error_code status;
    if (fs::is_regular_file(folder / list_name, status)) return folder / list_name;
    if (folder == folder.parent_path()) return std::nullopt;
  }
}

ReleasedVersion read_entry(const ObjectReader& entry, Findings& findings) {
  ReleasedVersion version{entry.text("fingerprint"), {}};
  if (const JsonValue::Array* lines = entry.array("lines")) {
    for (const JsonValue& line : *lines) {
      version.lines.push_back(read_text(line, "a line", findings));
    }
  }
  return version;
}

ReleasedList read_list(const fs::path& path, Findings& findings) {
  ReleasedList list;
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::optional<JsonValue> json = read_json(text, path.generic_string(), findings);
  if (!json) return list;
  const ObjectReader reader(*json, "the list of released versions", {"versions"}, findings);
  const JsonValue::Array* versions = reader.array("versions");
  if (versions == nullptr) return list;
  for (const JsonValue& value : *versions) {
    const ObjectReader entry(value, "a version", {"id", "version", "fingerprint", "lines"},
                             findings);
    const VersionKey key{entry.text("id"), entry.text("version")};
    list.emplace(key, read_entry(entry, findings));
  }
  return list;
}

void write_list(const fs::path& path, const ReleasedList& list) {
  JsonValue::Array versions;
  for (const auto& [key, version] : list) {
    JsonValue::Array lines;
    for (const std::string& line : version.lines) lines.push_back({line});
    versions.push_back({JsonValue::Object{{"id", {}, {key.first}},
                                          {"version", {}, {key.second}},
                                          {"fingerprint", {}, {version.fingerprint}},
                                          {"lines", {}, {std::move(lines)}}}});
  }
  const JsonValue json{JsonValue::Object{{"versions", {}, {std::move(versions)}}}};
  Output(path.parent_path()).write(path.filename().string(), to_pretty_json(json));
}

// -- Comparing ----------------------------------------------------------------

/// The lines of `lines` that `others` does not have.
Lines without(const Lines& lines, const Lines& others) {
  Lines rest;
  std::copy_if(lines.begin(), lines.end(), std::back_inserter(rest), [&](const std::string& line) {
    return std::find(others.begin(), others.end(), line) == others.end();
  });
  return rest;
}

std::string joined(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "; ") + line;
  return text.empty() ? "nothing" : text;
}

/// A released version, and how it compares with the list.
struct Comparison {
  const Family& family;
  const Version& version;
  ReleasedVersion now;
  Lines fresh{};  // lines that the list does not have
  Lines gone{};   // lines that only the list has

  std::string words() const { return "version " + version.label + " of '" + family.id + "'"; }
  VersionKey key() const { return {family.id, version.label}; }
  /// Whether plugins or hosts that are out already meet something else.
  bool breaks() const {
    const auto joins = [](const std::string& line) { return line.starts_with(added_word); };
    return !gone.empty() || !std::all_of(fresh.begin(), fresh.end(), joins);
  }
};

/// Nothing for drafts, and for versions that are listed as they are.
template <class AnyVersion>
std::optional<Comparison> compare(const Family& family, const AnyVersion& version,
                                  const ReleasedList& list) {
  if (version.draft()) return std::nullopt;
  Comparison made{family, version, {hex(version.fingerprint), lines_of(version)}};
  const auto listed = list.find(made.key());
  if (listed == list.end()) {
    made.fresh = {std::string(added_word) + made.words()};
    return made;
  }
  made.fresh = without(made.now.lines, listed->second.lines);
  made.gone = without(listed->second.lines, made.now.lines);
  const bool same = made.now.fingerprint == listed->second.fingerprint;
  if (same && made.fresh.empty() && made.gone.empty()) return std::nullopt;
  // Only the order of lines differs: of methods or fields.
  if (!same && made.fresh.empty() && made.gone.empty()) {
    made.fresh = {"another order: fingerprint " + made.now.fingerprint};
    made.gone = {"fingerprint " + listed->second.fingerprint};
  }
  return made;
}

void add_changed(const Comparison& change, Findings& findings) {
  findings.add({.place = change.version.place,
                .code = "release-changed",
                .what = change.words() + " was released with " + change.version.life.version +
                        " and is another one now",
                .found = joined(change.fresh),
                .needed = joined(change.gone),
                .fix = "restore it, and begin the next version by tenon-gen next"});
}

void add_unlisted(const Comparison& change, const fs::path& list, Findings& findings) {
  findings.add({.place = change.version.place,
                .code = "release-not-listed",
                .what = "what was released of " + change.words() + " is not in the list",
                .found = joined(change.fresh),
                .needed = "an entry in " + list.generic_string(),
                .fix = "add it by tenon-gen release"});
}

/// Calls `visit` with each version that differs from the list that `list_of` answers for it.
void for_each_difference(
    const Model& model,
    const std::function<const ReleasedList*(const Family&, const Version&)>& list_of,
    const std::function<void(const Comparison&)>& visit) {
  const auto each = [&](const auto& families) {
    for (const auto& family : families) {
      for (const auto& version : family->versions) {
        const ReleasedList* list = list_of(*family, *version);
        const auto difference = list != nullptr ? compare(*family, *version, *list) : std::nullopt;
        if (difference) visit(*difference);
      }
    }
  };
  each(model.kinds);
  each(model.documents);
}

/// Versions that are listed and whose spec file is gone.
template <class Families>
void check_kept(const Families& families, const fs::path& path, const ReleasedList& list,
                Findings& findings) {
  for (const auto& family : families) {
    for (const auto& [key, version] : list) {
      const auto is_it = [&key = key](const auto& one) { return one->label == key.second; };
      if (key.first != family->id ||
          std::any_of(family->versions.begin(), family->versions.end(), is_it)) {
        continue;
      }
      findings.add({.place = {path.generic_string()},
                    .code = "release-missing",
                    .what = "version " + key.second + " of '" + key.first +
                            "' was released, and its spec is gone",
                    .needed = "the file v" + key.second + ".json",
                    .fix = "restore it; the life of a document type may be \"removed\""});
    }
  }
}

/// Whether a version may be released once more.
bool is_before_1(const Version& version) {
  return version.life.version.starts_with("0.");
}

std::string replaced(const Comparison& change) {
  std::string text = "replaced " + change.words() + ", which breaks all that was built for it\n";
  for (const std::string& line : change.gone) text += "  - " + line + "\n";
  for (const std::string& line : change.fresh) text += "  + " + line + "\n";
  text.pop_back();
  return text;
}

}  // namespace

void check_released(Model& model, Findings& findings) {
  std::map<fs::path, ReleasedList> lists;
  fs::path path;  // of the list of the version that is compared
  const auto list_of = [&](const Family&, const Version& version) -> const ReleasedList* {
    const auto found = find_list(fs::path(version.place.file).parent_path());
    if (!found) return nullptr;
    path = *found;
    auto list = lists.find(path);
    if (list == lists.end()) list = lists.emplace(path, read_list(path, findings)).first;
    return &list->second;
  };
  for_each_difference(model, list_of, [&](const Comparison& difference) {
    if (difference.breaks()) {
      add_changed(difference, findings);
    } else {
      add_unlisted(difference, path, findings);
    }
  });
  for (const auto& [read, list] : lists) {
    model.inputs.push_back(read.generic_string());
    check_kept(model.kinds, read, list, findings);
    check_kept(model.documents, read, list, findings);
  }
}

Lines release(const std::string& folder, const Model& model, bool again, Findings& findings) {
  const fs::path path = find_list(folder).value_or(fs::path(folder) / list_name);
  std::error_code status;
  ReleasedList list = fs::exists(path, status) ? read_list(path, findings) : ReleasedList();
  Lines done;
  ReleasedList next = list;
  const auto list_of = [&list](const Family& family, const Version&) {
    return family.standard ? nullptr : &list;
  };
  for_each_difference(model, list_of, [&](const Comparison& difference) {
    const bool breaks = difference.breaks();
    if (breaks && !(again && is_before_1(difference.version))) {
      return add_changed(difference, findings);
    }
    done.push_back(breaks ? replaced(difference) : "added " + joined(difference.fresh).substr(6));
    next.insert_or_assign(difference.key(), difference.now);
  });
  if (!findings.empty()) return {};
  if (!done.empty()) write_list(path, next);
  return done;
}

}  // namespace tenon::gen
