// SPDX-License-Identifier: BSL-1.0
#include "gen/check/released.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "common/text_file.hpp"
#include "gen/model/fingerprint.hpp"
#include "gen/model/layout.hpp"
#include "gen/model/naming.hpp"
#include "gen/read/spec_files.hpp"

namespace tenon::gen {
namespace {

namespace fs = std::filesystem;

/// The prefix of lines that may be added to a released version.
constexpr std::string_view added_word = "added ";

using Lines = std::vector<std::string>;

/// The id of a kind or document type, and the label of a version.
using VersionKey = std::pair<std::string, std::string>;

struct ReleasedVersion {
  /// The package version of the release; empty in entries that an older tenon-gen wrote.
  std::string release;
  std::string fingerprint;
  Lines lines;
};

using ReleasedList = std::map<VersionKey, ReleasedVersion>;

// -- A version as lines -------------------------------------------------------

/// Returns the lines of `lines` that are not in `others`.
Lines without(const Lines& lines, const Lines& others) {
  Lines rest;
  std::copy_if(lines.begin(), lines.end(), std::back_inserter(rest), [&](const std::string& line) {
    return std::find(others.begin(), others.end(), line) == others.end();
  });
  return rest;
}

Lines split(const std::string& text) {
  Lines lines;
  std::istringstream rest(text);
  for (std::string line; std::getline(rest, line);) lines.push_back(line);
  return lines;
}

bool is_type(std::string_view line) noexcept {
  return line.starts_with("enum ") || line.starts_with("document ");
}

void add_members(const std::string& of, const std::vector<Field>& fields,
                 const StructLayout& layout, Lines& lines) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const bool added = !fields[i].added.empty();
    lines.push_back(std::string(added ? added_word : "member ") + of + "." + fields[i].name + " " +
                    to_text(fields[i].type) + " at " + std::to_string(layout.offsets[i]));
  }
}

void add_size(const std::string& of, const StructLayout& layout, Lines& lines) {
  lines.push_back("size " + of + " " + std::to_string(layout.whole.size));
}

/// Returns the lines that kinds and documents have in common.
template <class AnyVersion>
Lines common_lines(const AnyVersion& version) {
  const Lines original = split(canonical_text(version));
  Lines lines = original;
  // The fingerprint does not contain the types that only added fields use. Structs follow below.
  for (const std::string& line : without(split(canonical_text_with_added(version)), original)) {
    if (is_type(line)) lines.push_back(std::string(added_word) + line);
  }
  for (const auto& structure : version.structs) {
    const StructLayout layout = layout_of(*structure);
    add_members(structure->c_name, structure->fields, layout, lines);
    add_size(structure->c_name, layout, lines);
  }
  return lines;
}

Lines lines_of(const KindVersion& version) {
  Lines lines = common_lines(version);
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
  Lines lines = common_lines(version);
  const StructLayout layout = layout_of(version);
  add_members(version.c_name, version.fields, layout, lines);
  add_size(version.c_name, layout, lines);
  return lines;
}

// -- The list as a file -------------------------------------------------------

/// Returns the nearest list in a directory or above it.
std::optional<fs::path> find_list(fs::path directory) {
  directory = fs::absolute(directory).lexically_normal();
  for (;; directory = directory.parent_path()) {
    std::error_code status;
    fs::path list = directory / release_list_name;
    // Something else of this name is reported when it is read.
    if (fs::exists(fs::symlink_status(list, status))) return list;
    if (directory == directory.parent_path()) return std::nullopt;
  }
}

ReleasedVersion read_entry(const ObjectReader& entry, Diagnostics& diagnostics) {
  ReleasedVersion version{entry.optional_text("release"), entry.text("fingerprint"), {}};
  if (const JsonValue::Array* lines = entry.array("lines")) {
    for (const JsonValue& line : *lines) {
      version.lines.push_back(read_text(line, "a line", diagnostics));
    }
  }
  return version;
}

ReleasedList read_list(const fs::path& path, Diagnostics& diagnostics) {
  ReleasedList list;
  const std::optional<JsonValue> json =
      read_json(read_regular_file(path), path.generic_string(), diagnostics);
  if (!json) return list;
  const ObjectReader reader(*json, "the list of released versions", {"versions"}, diagnostics);
  const JsonValue::Array* versions = reader.array("versions");
  if (versions == nullptr) return list;
  for (const JsonValue& value : *versions) {
    const ObjectReader entry(value, "a version",
                             {"id", "version", "release", "fingerprint", "lines"}, diagnostics);
    const VersionKey key{entry.text("id"), entry.text("version")};
    if (list.emplace(key, read_entry(entry, diagnostics)).second) continue;
    diagnostics.add({.location = value.location,
                     .code = "duplicate-name",
                     .message = "version " + key.second + " of '" + key.first + "' is listed twice",
                     .needed = "one entry for each version",
                     .fix = "keep the entry that was released first"});
  }
  return list;
}

void write_list(const fs::path& path, const ReleasedList& list) {
  JsonValue::Array versions;
  for (const auto& [key, version] : list) {
    JsonValue::Array lines;
    for (const std::string& line : version.lines) lines.push_back({line});
    JsonValue::Object entry{{"id", {}, {key.first}}, {"version", {}, {key.second}}};
    if (!version.release.empty()) entry.push_back({"release", {}, {version.release}});
    entry.push_back({"fingerprint", {}, {version.fingerprint}});
    entry.push_back({"lines", {}, {std::move(lines)}});
    versions.push_back({std::move(entry)});
  }
  const JsonValue json{JsonValue::Object{{"versions", {}, {std::move(versions)}}}};
  tools::write_file(path, to_pretty_json(json));
}

// -- Comparing ----------------------------------------------------------------

std::string joined(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "; ") + line;
  return text.empty() ? "nothing" : text;
}

/// A released version, and how it compares with the list.
struct ReleaseComparison {
  const Family& family;
  const Version& version;
  ReleasedVersion now;
  /// The package version of the release: that of the list, otherwise that of the spec.
  std::string release;
  Lines added{};    // lines that are not in the list
  Lines removed{};  // lines that are only in the list

  std::string words() const { return "version " + version.label + " of '" + family.id + "'"; }
  VersionKey key() const { return {family.id, version.label}; }
  /// Whether the change breaks existing binaries.
  bool breaks() const {
    const auto is_addition = [](const std::string& line) { return line.starts_with(added_word); };
    return !removed.empty() || !std::all_of(added.begin(), added.end(), is_addition);
  }
  /// Whether the entry lacks only the types of added fields. Older versions of tenon-gen did not
  /// list these. If an added field gets a new type, the field itself differs, too.
  bool lacks_types() const {
    const auto is_added_type = [](std::string_view line) {
      return line.starts_with(added_word) && is_type(line.substr(added_word.size()));
    };
    return removed.empty() && std::all_of(added.begin(), added.end(), is_added_type);
  }
};

/// Returns nothing for drafts that are not in the list and for unchanged versions.
template <class AnyVersion>
std::optional<ReleaseComparison> compare(const Family& family, const AnyVersion& version,
                                         const ReleasedList& list) {
  const auto listed = list.find({family.id, version.label});
  if (version.draft() && listed == list.end()) return std::nullopt;
  ReleaseComparison made{family,
                         version,
                         {version.life.version, hex(version.fingerprint), lines_of(version)},
                         listed != list.end() && !listed->second.release.empty()
                             ? listed->second.release
                             : version.life.version};
  if (listed == list.end()) {
    made.added = {std::string(added_word) + made.words()};
    return made;
  }
  made.added = without(made.now.lines, listed->second.lines);
  made.removed = without(listed->second.lines, made.now.lines);
  if (version.draft()) {
    made.added.emplace_back("life draft");
    made.removed.emplace_back("life released");
  }
  const bool same = made.now.fingerprint == listed->second.fingerprint;
  if (same && made.added.empty() && made.removed.empty()) return std::nullopt;
  // Only the order of methods or fields differs.
  if (!same && made.added.empty() && made.removed.empty()) {
    made.added = {"another order: fingerprint " + made.now.fingerprint};
    made.removed = {"fingerprint " + listed->second.fingerprint};
  }
  return made;
}

void add_changed(const ReleaseComparison& change, Diagnostics& diagnostics) {
  const std::string& release = change.release;
  diagnostics.add({.location = change.version.location,
                   .code = "release-changed",
                   .message = change.words() + " was released" +
                              (release.empty() ? "" : " with " + release) +
                              " and has changed since",
                   .found = joined(change.added),
                   .needed = joined(change.removed),
                   .fix = "restore it, and create the next version with tenon-gen next"});
}

void add_unlisted(const ReleaseComparison& change, const fs::path& list, Diagnostics& diagnostics) {
  diagnostics.add({.location = change.version.location,
                   .code = "release-not-listed",
                   .message = "the release of " + change.words() + " is not in the list",
                   .found = joined(change.added),
                   .needed = "an entry in " + list.generic_string(),
                   .fix = "add it with tenon-gen release"});
}

/// Calls `visit` with each version that differs from its list, which `list_of` returns.
void for_each_difference(
    const Model& model,
    const std::function<const ReleasedList*(const Family&, const Version&)>& list_of,
    const std::function<void(const ReleaseComparison&)>& visit) {
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

/// The labels of the versions of each family.
using Labels = std::map<std::string, std::set<std::string>>;

Labels labels_of(const Model& model) {
  Labels labels;
  const auto add = [&labels](const auto& families) {
    for (const auto& family : families) {
      for (const auto& version : family->versions) labels[family->id].insert(version->label);
    }
  };
  add(model.kinds);
  add(model.documents);
  return labels;
}

/// Reports listed versions without a spec file. Families without any spec are reported only if
/// `complete`: otherwise they may be outside of the given directories.
void check_missing(const Labels& labels, const fs::path& path, const ReleasedList& list,
                   bool complete, Diagnostics& diagnostics) {
  for (const auto& [key, version] : list) {
    const auto& [id, label] = key;
    const auto family = labels.find(id);
    if (family != labels.end() ? family->second.contains(label) : !complete) continue;
    diagnostics.add(
        {.location = {path.generic_string()},
         .code = "release-missing",
         .message = "version " + label + " of '" + id + "' was released, but its spec is missing",
         .needed = "the file v" + label + ".json",
         .fix = "restore it; the life of a document type may be \"removed\""});
  }
}

/// Whether `release` may replace a listed version. The list decides, because the spec may have
/// changed.
bool is_replaceable(const ReleaseComparison& change) {
  return !change.version.draft() && change.release.starts_with("0.");
}

/// Adds the releases that the entries of a list lack, and appends a text for each.
void add_releases(const Model& model, ReleasedList& list, Lines& done) {
  const auto each = [&](const auto& families) {
    for (const auto& family : families) {
      for (const auto& version : family->versions) {
        const auto entry = list.find({family->id, version->label});
        if (family->standard || version->draft() || entry == list.end()) continue;
        if (!entry->second.release.empty()) continue;
        entry->second.release = version->life.version;
        done.push_back("added the release of version " + version->label + " of '" + family->id +
                       "', " + entry->second.release);
      }
    }
  };
  each(model.kinds);
  each(model.documents);
}

std::string replaced(const ReleaseComparison& change) {
  std::string text = "replaced " + change.words() + ", which breaks existing binaries\n";
  for (const std::string& line : change.removed) text += "  - " + line + "\n";
  for (const std::string& line : change.added) text += "  + " + line + "\n";
  text.pop_back();
  return text;
}

}  // namespace

void check_released(Model& model, const std::vector<std::string>& own_lists,
                    Diagnostics& diagnostics) {
  std::map<fs::path, ReleasedList> lists;
  const auto read = [&](const fs::path& path) -> const ReleasedList* {
    auto list = lists.find(path);
    if (list == lists.end()) list = lists.emplace(path, read_list(path, diagnostics)).first;
    return &list->second;
  };
  std::set<fs::path> complete;
  for (const std::string& own : own_lists) {
    read(*complete.insert(fs::absolute(own).lexically_normal()).first);
  }
  fs::path path;  // of the list of the current version
  const auto list_of = [&](const Family&, const Version& version) -> const ReleasedList* {
    const auto found = find_list(fs::path(version.location.file).parent_path());
    if (!found) return nullptr;
    path = *found;
    return read(path);
  };
  for_each_difference(model, list_of, [&](const ReleaseComparison& difference) {
    if (difference.breaks()) {
      add_changed(difference, diagnostics);
    } else if (!difference.lacks_types()) {
      add_unlisted(difference, path, diagnostics);
    }
  });
  const Labels labels = labels_of(model);
  for (const auto& [list_path, list] : lists) {
    model.inputs.push_back(list_path.generic_string());
    check_missing(labels, list_path, list, complete.contains(list_path), diagnostics);
  }
}

Lines release(const std::string& directory, const Model& model, bool again,
              Diagnostics& diagnostics) {
  const fs::path path = find_list(directory).value_or(fs::path(directory) / release_list_name);
  std::error_code status;
  ReleasedList list = fs::exists(path, status) ? read_list(path, diagnostics) : ReleasedList();
  Lines done;
  ReleasedList next = list;
  const auto list_of = [&list](const Family& family, const Version&) {
    return family.standard ? nullptr : &list;
  };
  for_each_difference(model, list_of, [&](const ReleaseComparison& difference) {
    const bool breaks = difference.breaks();
    if (breaks && !(again && is_replaceable(difference))) {
      return add_changed(difference, diagnostics);
    }
    done.push_back(breaks ? replaced(difference) : "added " + joined(difference.added).substr(6));
    ReleasedVersion& entry = next[difference.key()];
    entry = difference.now;
    if (!breaks) entry.release = difference.release;
  });
  add_releases(model, next, done);
  if (!diagnostics.empty()) return {};
  if (!done.empty()) write_list(path, next);
  return done;
}

}  // namespace tenon::gen
