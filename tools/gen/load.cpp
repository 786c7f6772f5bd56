// SPDX-License-Identifier: BSL-1.0
#include "gen/load.hpp"

#include "gen/check/document_evolution.hpp"
#include "gen/check/kind_evolution.hpp"
#include "gen/check/released.hpp"
#include "gen/check/spec_checker.hpp"
#include "gen/model/fingerprint.hpp"
#include "gen/read/family_reader.hpp"
#include "gen/read/spec_reader.hpp"
#include "gen/standard_specs.hpp"

#include <algorithm>

namespace tenon::gen {
namespace {

bool describes_standard(const SpecFiles& files) {
  for (const SpecFolder& folder : files.folders) {
    for (const SpecFile& file : folder.versions) {
      for (const char* key : {"kind", "type"}) {
        const JsonValue* id = file.json.find(key);
        if (id == nullptr || id->text() == nullptr) continue;
        if (id->text()->starts_with(std::string(standard_domain) + "/")) return true;
      }
    }
  }
  return false;
}

SpecFiles find_all(const LoadOptions& options, Findings& findings) {
  SpecFiles files;
  for (const std::string& folder : options.folders) {
    find_spec_files(folder, false, files, findings);
  }
  const bool needs_standard = files.names_standard && !describes_standard(files);
  if (needs_standard || !options.standard.empty()) {
    find_spec_files(options.standard_specs, true, files, findings);
  }
  std::sort(files.folders.begin(), files.folders.end(),
            [](const SpecFolder& a, const SpecFolder& b) { return a.path < b.path; });
  std::sort(files.inputs.begin(), files.inputs.end());
  files.inputs.erase(std::unique(files.inputs.begin(), files.inputs.end()), files.inputs.end());
  return files;
}

const JsonValue& spec_of(const SpecFolder& folder, const Version& version) {
  return folder.find({version.number, version.preview})->json;
}

/// Each document that a version names once, in the order in which headers are included.
void sort_documents(Version& version) {
  auto& documents = version.documents;
  std::sort(documents.begin(), documents.end(),
            [](const auto* a, const auto* b) { return a->header < b->header; });
  documents.erase(std::unique(documents.begin(), documents.end()), documents.end());
}

void read_versions(const DeclaredFamily& declared, const Model& model, Findings& findings) {
  if (declared.kind != nullptr) {
    for (const auto& version : declared.kind->versions) {
      read_kind_version(spec_of(*declared.folder, *version), model.documents, *declared.kind,
                        *version, findings);
      sort_documents(*version);
    }
  } else {
    for (const auto& version : declared.document->versions) {
      read_document_version(spec_of(*declared.folder, *version), model.documents, *version,
                            findings);
      sort_documents(*version);
    }
  }
}

/// Compares versions, unless a finding about one of them would only bring more of the same.
void read_steps(const DeclaredFamily& declared, Findings& findings) {
  const std::string prefix = declared.folder->path + "/";
  const bool flawed = std::any_of(
      findings.all().begin(), findings.all().end(),
      [&prefix](const Finding& finding) { return finding.place.file.starts_with(prefix); });
  if (flawed) return;
  if (declared.kind != nullptr) {
    read_kind_steps(*declared.folder, *declared.kind, findings);
  } else {
    read_document_steps(*declared.folder, *declared.document, findings);
  }
}

}  // namespace

StandardKind parse_standard(const std::string& text) {
  const std::size_t at = text.find('@');
  const std::string number = at != std::string::npos ? text.substr(at + 1) : "";
  const bool good = !number.empty() && number.size() <= 6 &&
                    number.find_first_not_of("0123456789") == std::string::npos;
  if (!good)
    throw UsageError("standard kind " + text + ": not a name and a version as in source@2");
  return {text.substr(0, at), std::stoi(number)};
}

Model load_specs(const LoadOptions& options, Findings& findings) {
  Model model;
  SpecFiles files = find_all(options, findings);
  const std::vector<DeclaredFamily> families = declare_families(files, model, findings);
  for (const DeclaredFamily& declared : families) read_versions(declared, model, findings);
  for (const DeclaredFamily& declared : families) read_steps(declared, findings);
  check_drafts(model, findings);
  check_releases(model, findings);
  check_removals(model, findings);
  const std::vector<DocumentVersion*> documents = in_order_of_use(model, findings);
  // What stands twice in a spec stands twice in its header too, and has been found already.
  if (findings.empty()) check_c_names(model, findings);
  if (!findings.empty()) return model;
  set_fingerprints(model, documents);
  model.inputs = std::move(files.inputs);
  if (options.frozen) check_released(model, findings);
  keep_wanted(options.standard, model);
  return model;
}

}  // namespace tenon::gen
