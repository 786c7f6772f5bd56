// SPDX-License-Identifier: BSL-1.0
#include "gen/read/family_reader.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "gen/common.hpp"
#include "gen/read/name_checker.hpp"

namespace tenon::gen {
namespace {

/// The identity of a spec.
struct Head {
  std::string key;  // "kind" or "type"
  std::string id;
};

Head read_head(const SpecFile& file, Diagnostics& diagnostics) {
  const JsonValue* kind = file.json.find("kind");
  const JsonValue* type = file.json.find("type");
  if (kind != nullptr && type != nullptr) {
    diagnostics.add({.location = type->location,
                     .code = "contradictory-metadata",
                     .message = "a file describes a kind or a document type, not both",
                     .fix = "remove one of \"kind\" and \"type\""});
    return {};
  }
  if (kind == nullptr && type == nullptr) {
    std::vector<std::string> keys;
    for (const JsonMember& member : *file.json.object()) keys.push_back(member.key);
    diagnostics.add({.location = file.json.location,
                     .code = "missing-key",
                     .message = "the spec has no id",
                     .found = enumerate(keys),
                     .needed = "'kind' or 'type'",
                     .fix = "add \"kind\": \"<domain>/<name>\""});
    return {};
  }
  const JsonValue& id = kind != nullptr ? *kind : *type;
  return {kind != nullptr ? "kind" : "type", read_text(id, "the id", diagnostics)};
}

bool check_id(const Head& head, const SpecFile& file, Diagnostics& diagnostics) {
  const std::string problem = id_problem(head.id);
  const bool takes_tenon = head.id.starts_with("tenon.") && !head.id.starts_with("tenon.dev/");
  if (problem.empty() && !takes_tenon) return true;
  diagnostics.add(
      {.location = file.json.find(head.key)->location,
       .code = "bad-name",
       .message = "'" + head.id + "' " +
                  (problem.empty() ? "is in a namespace that is reserved for tenon" : problem),
       .needed = "<domain>/<name>, eg: photo.example/filter",
       .fix = "use a domain that you own, or a subdomain such as plugins.photo.example, and a name "
              "in lower snake_case"});
  return false;
}

void check_version(const SpecFile& file, Diagnostics& diagnostics) {
  const JsonValue* version = file.json.find("version");
  const std::string expected = file.version.json();
  if (version == nullptr) {
    diagnostics.add({.location = file.json.location,
                     .code = "missing-key",
                     .message = "the spec lacks the key 'version'",
                     .fix = "add \"version\": " + expected});
    return;
  }
  const std::optional<VersionName> said = read_version(*version, "'version'", diagnostics);
  if (said && *said != file.version) {
    diagnostics.add(
        {.location = version->location,
         .code = "wrong-version",
         .message = "the file of version " + file.version.label() + " has another version",
         .found = said->json(),
         .needed = expected,
         .fix = "write " + expected + ", or rename the file"});
  }
}

/// Reads the heads of a directory's files. Returns that of the first file, and in `files` those
/// that agree.
std::optional<Head> read_heads(const SpecDirectory& directory, std::vector<const SpecFile*>& files,
                               Diagnostics& diagnostics) {
  std::optional<Head> first;
  for (const SpecFile& file : directory.versions) {
    const Head head = read_head(file, diagnostics);
    check_version(file, diagnostics);
    if (head.id.empty()) continue;
    if (!first) {
      if (!check_id(head, file, diagnostics)) return std::nullopt;
      first = head;
    } else if (head.key != first->key || head.id != first->id) {
      diagnostics.add(
          {.location = file.json.find(head.key)->location,
           .code = "wrong-kind",
           .message = "a directory must contain the versions of only one kind or document type",
           .found = head.key + " " + head.id,
           .needed = first->key + " " + first->id,
           .fix = "write '" + first->id + "', or move the file to a directory of its own"});
      continue;
    }
    files.push_back(&file);
  }
  return first;
}

void add_gap(const SpecFile& file, const SpecFile* before, const VersionName& missing,
             Diagnostics& diagnostics) {
  const std::string label = file.version.label();
  diagnostics.add(
      {.location = {file.path},
       .code = "version-gap",
       .message = "version " + missing.label() + " is missing",
       .found = before != nullptr ? before->version.label() + ", followed by " + label : label,
       .needed = "consecutive versions",
       .fix = "add v" + missing.label() + ".json, or rename this file"});
}

/// Releases must be consecutive, as must the previews of each number, which start after the
/// previous release.
void check_gaps(const SpecDirectory& directory, Diagnostics& diagnostics) {
  const SpecFile* before = nullptr;
  int newest = 0;  // number of the newest release so far; 0: none
  for (const SpecFile& file : directory.versions) {
    const auto [number, preview] = file.version;
    const bool continues = before != nullptr && before->version.number == number;
    const int previews = continues ? before->version.preview : 0;
    const int next = newest != 0 ? newest + 1 : before != nullptr ? before->version.number : number;
    if (number > next) {
      add_gap(file, before, {next}, diagnostics);
    } else if (preview > previews + 1) {
      add_gap(file, before, {number, previews + 1}, diagnostics);
    }
    if (preview == 0) newest = number;
    before = &file;
  }
}

void check_previews(const Head& head, const SpecDirectory& directory, Diagnostics& diagnostics) {
  if (head.key != "kind") return;
  for (const SpecFile& file : directory.versions) {
    if (file.version.preview == 0) continue;
    diagnostics.add({.location = {file.path},
                     .code = "preview-of-kind",
                     .message = "a kind cannot have previews",
                     .needed = "a draft, which hosts use only on request",
                     .fix = "rename the file to that of a version, with \"life\": \"draft\""});
  }
}

void set_names(Family& family, const std::string& id) {
  const std::size_t slash = id.find('/');
  family.id = id;
  family.domain = id.substr(0, slash);
  family.name = id.substr(slash + 1);
  family.space = family.domain.substr(0, family.domain.find('.'));
  std::replace(family.space.begin(), family.space.end(), '-', '_');
}

template <class OneVersion>
std::unique_ptr<OneVersion> make_version(const Family& family, const SpecFile& file) {
  auto version = std::make_unique<OneVersion>();
  version->number = file.version.number;
  version->preview = file.version.preview;
  version->label = file.version.label();
  version->spec = file.spec;
  version->c_name = family.space + "_" + family.name + "_v" + version->label;
  version->header = family.space + "/" + family.name + "/v" + version->label + ".h";
  const JsonValue* location = file.json.find("version");
  version->location = location != nullptr ? location->location : file.json.location;
  return version;
}

/// The first family with each C name.
using FamiliesByName = std::unordered_map<std::string, DeclaredFamily>;

/// Two families must differ in their C names. Families of the same id have the same C name.
void check_unique(const DeclaredFamily& declared, FamiliesByName& by_name,
                  const SourceLocation& location, Diagnostics& diagnostics) {
  const Family& family = declared.family();
  const std::string c_name = family.space + "_" + family.name;
  const auto [entry, is_first] = by_name.emplace(c_name, declared);
  if (is_first) return;
  const Family& other = entry->second.family();
  const bool same_type = (declared.kind != nullptr) == (entry->second.kind != nullptr);
  if (other.id == family.id && same_type) {
    diagnostics.add({.location = location,
                     .code = "duplicate-spec",
                     .message = "'" + family.id + "' is defined in two directories",
                     .fix = "keep one of them, with all versions in it"});
    return;
  }
  diagnostics.add(
      {.location = location,
       .code = "name-taken",
       .message =
           same_type ? "'" + family.id + "' and '" + other.id + "' have the same name in C"
                     : "the kind and the document type '" + family.id + "' have the same name in C",
       .found = c_name,
       .fix = "rename one of the two"});
}

template <class OneFamily>
OneFamily* declare(const std::string& id, const SpecDirectory& directory,
                   const std::vector<const SpecFile*>& files,
                   std::vector<std::unique_ptr<OneFamily>>& families) {
  auto family = std::make_unique<OneFamily>();
  set_names(*family, id);
  family->standard = directory.standard;
  for (const SpecFile* file : files) {
    using OneVersion = typename decltype(family->versions)::value_type::element_type;
    auto version = make_version<OneVersion>(*family, *file);
    if constexpr (std::is_same_v<OneFamily, Kind>) {
      version->kind = family.get();
    } else {
      version->document = family.get();
    }
    family->versions.push_back(std::move(version));
  }
  families.push_back(std::move(family));
  return families.back().get();
}

template <class OneFamily>
void sort_by_id(std::vector<std::unique_ptr<OneFamily>>& families) {
  std::stable_sort(families.begin(), families.end(),
                   [](const auto& a, const auto& b) { return a->id < b->id; });
}

}  // namespace

const Family& DeclaredFamily::family() const noexcept {
  if (kind != nullptr) return *kind;
  return *document;
}

std::vector<DeclaredFamily> declare_families(const SpecFiles& files, Model& model,
                                             Diagnostics& diagnostics) {
  std::vector<DeclaredFamily> declared;
  FamiliesByName by_name;
  for (const SpecDirectory& directory : files.directories) {
    if (directory.versions.empty()) {
      diagnostics.add({.location = {directory.evolution->path},
                       .code = "no-specs",
                       .message = "evolution.json has no versions",
                       .needed = "v1.json in the same directory",
                       .fix = "add the versions, or remove this file"});
      continue;
    }
    check_gaps(directory, diagnostics);
    std::vector<const SpecFile*> versions;
    const std::optional<Head> head = read_heads(directory, versions, diagnostics);
    if (!head) continue;
    check_previews(*head, directory, diagnostics);
    DeclaredFamily family{.directory = &directory};
    if (head->key == "kind") {
      family.kind = declare(head->id, directory, versions, model.kinds);
    } else {
      family.document = declare(head->id, directory, versions, model.documents);
    }
    check_unique(family, by_name, versions.front()->json.find(head->key)->location, diagnostics);
    declared.push_back(family);
  }
  sort_by_id(model.kinds);
  sort_by_id(model.documents);
  return declared;
}

}  // namespace tenon::gen
