// SPDX-License-Identifier: BSL-1.0
#include "gen/read/family_reader.hpp"

#include "gen/model/reading.hpp"
#include "gen/read/name_checker.hpp"

#include <algorithm>

namespace tenon::gen {
namespace {

/// What a file says that it is.
struct Head {
  std::string key;  // "kind" or "type"
  std::string id;
};

Head read_head(const SpecFile& file, Findings& findings) {
  const JsonValue* kind = file.json.find("kind");
  const JsonValue* type = file.json.find("type");
  if (kind != nullptr && type != nullptr) {
    findings.add({.place = type->place,
                  .code = "contradictory-metadata",
                  .what = "a file describes a kind or a document type, not both",
                  .fix = "remove one of \"kind\" and \"type\""});
    return {};
  }
  if (kind == nullptr && type == nullptr) {
    std::vector<std::string> keys;
    for (const JsonMember& member : *file.json.object()) keys.push_back(member.key);
    findings.add({.place = file.json.place,
                  .code = "missing-key",
                  .what = "the spec does not say of what it is",
                  .found = enumerate(keys),
                  .needed = "'kind' or 'type'",
                  .fix = "add \"kind\": \"<domain>/<name>\""});
    return {};
  }
  const JsonValue& id = kind != nullptr ? *kind : *type;
  return {kind != nullptr ? "kind" : "type", read_text(id, "the id", findings)};
}

bool check_id(const Head& head, const SpecFile& file, Findings& findings) {
  const std::string flaw = flaw_of_id(head.id);
  const bool takes_tenon = head.id.starts_with("tenon.") && !head.id.starts_with("tenon.dev/");
  if (flaw.empty() && !takes_tenon) return true;
  findings.add(
      {.place = file.json.find(head.key)->place,
       .code = "bad-name",
       .what = "'" + head.id + "' " + (flaw.empty() ? "wants the namespace of tenon itself" : flaw),
       .needed = "<domain>/<name>, eg: photo.example/filter",
       .fix = "use a domain that is yours and a name in lower snake_case"});
  return false;
}

void check_version(const SpecFile& file, Findings& findings) {
  const JsonValue* version = file.json.find("version");
  const std::string expected = file.version.json();
  if (version == nullptr) {
    findings.add({.place = file.json.place,
                  .code = "missing-key",
                  .what = "the spec lacks the key 'version'",
                  .fix = "add \"version\": " + expected});
    return;
  }
  const std::optional<VersionName> said = read_version(*version, "'version'", findings);
  if (said && *said != file.version) {
    findings.add({.place = version->place,
                  .code = "wrong-version",
                  .what = "the file of version " + file.version.label() + " says another version",
                  .found = said->json(),
                  .needed = expected,
                  .fix = "write " + expected + ", or rename the file"});
  }
}

/// Reads the heads of a folder's files. Answers that of the first, and the files that agree.
std::optional<Head> read_heads(const SpecFolder& folder, std::vector<const SpecFile*>& files,
                               Findings& findings) {
  std::optional<Head> first;
  for (const SpecFile& file : folder.versions) {
    const Head head = read_head(file, findings);
    check_version(file, findings);
    if (head.id.empty()) continue;
    if (!first) {
      if (!check_id(head, file, findings)) return std::nullopt;
      first = head;
    } else if (head.key != first->key || head.id != first->id) {
      findings.add({.place = file.json.find(head.key)->place,
                    .code = "wrong-kind",
                    .what = "a folder holds the versions of one kind or document type",
                    .found = head.key + " " + head.id,
                    .needed = first->key + " " + first->id,
                    .fix = "write '" + first->id + "', or move the file to a folder of its own"});
      continue;
    }
    files.push_back(&file);
  }
  return first;
}

void add_gap(const SpecFile& file, const SpecFile* before, const VersionName& missing,
             Findings& findings) {
  const std::string label = file.version.label();
  findings.add({.place = {file.path},
                .code = "version-gap",
                .what = "there is no version " + missing.label(),
                .found = before != nullptr ? before->version.label() + " and then " + label : label,
                .needed = "versions without a gap",
                .fix = "add v" + missing.label() + ".json, or rename this file to it"});
}

/// Releases follow each other. The previews of a number do so too, and follow the release before
/// that number.
void check_gaps(const SpecFolder& folder, Findings& findings) {
  const SpecFile* before = nullptr;
  int newest = 0;  // of the releases so far; 0 where there is none
  for (const SpecFile& file : folder.versions) {
    const auto [number, preview] = file.version;
    const bool continues = before != nullptr && before->version.number == number;
    const int previews = continues ? before->version.preview : 0;
    const int next = newest != 0 ? newest + 1 : before != nullptr ? before->version.number : number;
    if (number > next) {
      add_gap(file, before, {next}, findings);
    } else if (preview > previews + 1) {
      add_gap(file, before, {number, previews + 1}, findings);
    }
    if (preview == 0) newest = number;
    before = &file;
  }
}

void check_previews(const Head& head, const SpecFolder& folder, Findings& findings) {
  if (head.key != "kind") return;
  for (const SpecFile& file : folder.versions) {
    if (file.version.preview == 0) continue;
    findings.add({.place = {file.path},
                  .code = "preview-of-kind",
                  .what = "a kind has no previews",
                  .needed = "a draft, which nobody finds who does not ask for it",
                  .fix = "rename it to that of a version, with \"life\": \"draft\""});
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
  const JsonValue* place = file.json.find("version");
  version->place = place != nullptr ? place->place : file.json.place;
  return version;
}

/// Two families must differ in id, and in what C and C++ make of it.
void check_unique(const Model& model, const DeclaredFamily& declared, const Place& place,
                  Findings& findings) {
  const Family& family = declared.family();
  const bool is_kind = declared.kind != nullptr;
  const auto check = [&](const Family& other, bool same_sort) {
    if (&other == &family) return;
    if (other.id == family.id && same_sort) {
      findings.add({.place = place,
                    .code = "duplicate-spec",
                    .what = "'" + family.id + "' is described in two folders",
                    .fix = "keep one, with all versions in it"});
    } else if (other.space + "_" + other.name == family.space + "_" + family.name) {
      findings.add(
          {.place = place,
           .code = "name-taken",
           .what = same_sort
                       ? "'" + family.id + "' and '" + other.id + "' have one name in C"
                       : "the kind and the document type '" + family.id + "' have one name in C",
           .found = family.space + "_" + family.name,
           .fix = "rename one of the two"});
    }
  };
  for (const auto& kind : model.kinds) check(*kind, is_kind);
  for (const auto& document : model.documents) check(*document, !is_kind);
}

template <class OneFamily>
OneFamily* declare(const std::string& id, const SpecFolder& folder,
                   const std::vector<const SpecFile*>& files,
                   std::vector<std::unique_ptr<OneFamily>>& families) {
  auto family = std::make_unique<OneFamily>();
  set_names(*family, id);
  family->standard = folder.standard;
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
                                             Findings& findings) {
  std::vector<DeclaredFamily> declared;
  for (const SpecFolder& folder : files.folders) {
    if (folder.versions.empty()) {
      findings.add({.place = {folder.evolution->path},
                    .code = "no-specs",
                    .what = "an evolution without versions",
                    .needed = "v1.json beside it",
                    .fix = "add the versions, or remove this file"});
      continue;
    }
    check_gaps(folder, findings);
    std::vector<const SpecFile*> versions;
    const std::optional<Head> head = read_heads(folder, versions, findings);
    if (!head) continue;
    check_previews(*head, folder, findings);
    DeclaredFamily family{.folder = &folder};
    if (head->key == "kind") {
      family.kind = declare(head->id, folder, versions, model.kinds);
    } else {
      family.document = declare(head->id, folder, versions, model.documents);
    }
    check_unique(model, family, versions.front()->json.find(head->key)->place, findings);
    declared.push_back(family);
  }
  sort_by_id(model.kinds);
  sort_by_id(model.documents);
  return declared;
}

}  // namespace tenon::gen
