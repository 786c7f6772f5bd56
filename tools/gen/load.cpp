// SPDX-License-Identifier: BSL-1.0
#include "gen/load.hpp"

#include <algorithm>
#include <utility>

#include "gen/check/document_evolution.hpp"
#include "gen/check/generated_names.hpp"
#include "gen/check/kind_evolution.hpp"
#include "gen/check/released.hpp"
#include "gen/check/spec_checker.hpp"
#include "gen/model/fingerprint.hpp"
#include "gen/read/family_reader.hpp"
#include "gen/read/spec_reader.hpp"
#include "gen/standard_specs.hpp"
namespace tenon::gen {
namespace {

bool describes_standard(const SpecFiles& files) {
  for (const SpecDirectory& directory : files.directories) {
    for (const SpecFile& file : directory.versions) {
      for (const char* key : {"kind", "type"}) {
        const JsonValue* id = file.json.find(key);
        if (id == nullptr || id->text() == nullptr) continue;
        if (id->text()->starts_with(std::string(standard_domain) + "/")) return true;
      }
    }
  }
  return false;
}

SpecFiles find_all(const LoadOptions& options, Diagnostics& diagnostics) {
  SpecFiles files;
  for (const std::string& directory : options.directories) {
    find_spec_files(directory, false, files, diagnostics);
  }
  const bool needs_standard = files.uses_standard && !describes_standard(files);
  if (needs_standard || !options.standard.empty()) {
    find_spec_files(options.standard_specs, true, files, diagnostics);
  }
  std::sort(files.directories.begin(), files.directories.end(),
            [](const SpecDirectory& a, const SpecDirectory& b) { return a.path < b.path; });
  std::sort(files.inputs.begin(), files.inputs.end());
  files.inputs.erase(std::unique(files.inputs.begin(), files.inputs.end()), files.inputs.end());
  return files;
}

const JsonValue& spec_of(const SpecDirectory& directory, const Version& version) {
  return directory.find({version.number, version.preview})->json;
}

/// Removes duplicates from the documents of a version, and sorts them for #include.
void sort_documents(Version& version) {
  auto& documents = version.documents;
  std::sort(documents.begin(), documents.end(),
            [](const auto* a, const auto* b) { return a->header < b->header; });
  documents.erase(std::unique(documents.begin(), documents.end()), documents.end());
}

void read_versions(const DeclaredFamily& declared, const Model& model, Diagnostics& diagnostics) {
  if (declared.kind != nullptr) {
    for (const auto& version : declared.kind->versions) {
      read_kind_version(spec_of(*declared.directory, *version), model.documents, *declared.kind,
                        *version, diagnostics);
      sort_documents(*version);
    }
  } else {
    for (const auto& version : declared.document->versions) {
      read_document_version(spec_of(*declared.directory, *version), model.documents, *version,
                            diagnostics);
      sort_documents(*version);
    }
  }
}

/// Compares the versions, unless one of them has a diagnostic, which would cause further ones.
void read_steps(const DeclaredFamily& declared, Diagnostics& diagnostics) {
  const std::string prefix = declared.directory->path + "/";
  const bool has_problem = std::any_of(diagnostics.all().begin(), diagnostics.all().end(),
                                       [&prefix](const Diagnostic& diagnostic) {
                                         return diagnostic.location.file.starts_with(prefix);
                                       });
  if (has_problem) return;
  if (declared.kind != nullptr) {
    read_kind_steps(*declared.directory, *declared.kind, diagnostics);
  } else {
    read_document_steps(*declared.directory, *declared.document, diagnostics);
  }
}

}  // namespace

StandardKind parse_standard(const std::string& text) {
  const std::size_t at = text.find('@');
  const std::string number = at != std::string::npos ? text.substr(at + 1) : "";
  const bool valid = !number.empty() && number.size() <= 6 &&
                     number.find_first_not_of("0123456789") == std::string::npos;
  if (!valid)
    throw UsageError("--standard: found \"" + text +
                     "\", needed a name and a version, eg: source@2");
  return {text.substr(0, at), std::stoi(number)};
}

Model load_specs(const LoadOptions& options, Diagnostics& diagnostics) {
  Model model;
  SpecFiles files = find_all(options, diagnostics);
  const std::vector<DeclaredFamily> families = declare_families(files, model, diagnostics);
  for (const DeclaredFamily& declared : families) read_versions(declared, model, diagnostics);
  const std::vector<DocumentVersion*> documents = sort_by_use(model, diagnostics);
  model.inputs = std::move(files.inputs);
  model.sources = std::move(files.sources);
  if (diagnostics.empty()) {
    set_fingerprints(model, documents);
    if (options.frozen) check_released(model, files.lists, diagnostics);
    // The other versions of a family are compared with released versions, so a change of these
    // would be reported as a mistake of those.
    if (!diagnostics.empty()) return model;
  }
  for (const DeclaredFamily& declared : families) read_steps(declared, diagnostics);
  check_drafts(model, diagnostics);
  check_releases(model, diagnostics);
  check_removals(model, diagnostics);
  // Duplicate names in a spec cause duplicate names in its header, and are already reported.
  if (diagnostics.empty()) check_names(model, diagnostics);
  if (!diagnostics.empty()) return model;
  select_standard(options.standard, model);
  return model;
}

}  // namespace tenon::gen
