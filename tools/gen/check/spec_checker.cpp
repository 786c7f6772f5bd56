// SPDX-License-Identifier: BSL-1.0
#include "gen/check/spec_checker.hpp"

#include "gen/model/dependency_order.hpp"

#include <algorithm>
#include <map>

namespace tenon::gen {
namespace {

/// Checks releases as one sequence, and the previews of each number as another one.
template <class Versions>
void check_family_drafts(const std::string& id, const Versions& versions,
                         Diagnostics& diagnostics) {
  std::map<int, const Version*> drafts;
  for (const auto& version : versions) {
    const Version*& draft = drafts[version->is_preview() ? version->number : 0];
    if (draft != nullptr) {
      const bool two = version->draft();
      const std::string earlier = "version " + draft->label;
      diagnostics.add({.location = two ? version->location : draft->location,
                       .code = two ? "two-drafts" : "draft-not-newest",
                       .message = two ? "'" + id + "' has two drafts"
                                      : "a draft of '" + id + "' is older than a released version",
                       .found = two ? earlier + " is a draft too" : earlier,
                       .needed = "at most one draft, which is the newest version",
                       .fix = "release " + earlier + " first, or merge the two versions"});
    }
    if (version->draft()) draft = version.get();
  }
}

std::string words(const DocumentVersion& version) {
  return version.document->id + "@" + version.label;
}

template <class Versions>
void check_family_releases(const Versions& versions, Diagnostics& diagnostics) {
  for (const auto& version : versions) {
    if (version->draft()) continue;
    for (const DocumentVersion* used : version->documents) {
      if (used->draft()) {
        diagnostics.add({.location = version->location,
                         .code = "draft-in-released",
                         .message = "a released version uses the draft " + words(*used),
                         .needed = "document types that can no longer change",
                         .fix = "release " + words(*used) + " too, or make this version a draft"});
      } else if (used->is_preview() && !version->is_preview()) {
        diagnostics.add({.location = version->location,
                         .code = "preview-in-released",
                         .message = "a released version uses the preview " + words(*used),
                         .needed = "document types that are not previews",
                         .fix = "use a release of it, or make this version a draft"});
      }
    }
  }
}

template <class Versions>
void check_family_removals(const Versions& versions, Diagnostics& diagnostics) {
  for (const auto& version : versions) {
    if (version->removed()) continue;
    for (const DocumentVersion* used : version->documents) {
      if (!used->removed()) continue;
      diagnostics.add({.location = version->location,
                       .code = "removed-in-use",
                       .message = "this version uses " + words(*used) + ", which was removed",
                       .found = used->life.message,
                       .needed = "document types that are not removed",
                       .fix = "use a newer version of it, or remove this version too"});
    }
  }
}

}  // namespace

void check_drafts(const Model& model, Diagnostics& diagnostics) {
  for (const auto& kind : model.kinds) check_family_drafts(kind->id, kind->versions, diagnostics);
  for (const auto& document : model.documents) {
    check_family_drafts(document->id, document->versions, diagnostics);
  }
}

void check_releases(const Model& model, Diagnostics& diagnostics) {
  for (const auto& kind : model.kinds) check_family_releases(kind->versions, diagnostics);
  for (const auto& document : model.documents)
    check_family_releases(document->versions, diagnostics);
}

void check_removals(const Model& model, Diagnostics& diagnostics) {
  for (const auto& kind : model.kinds) check_family_removals(kind->versions, diagnostics);
  for (const auto& document : model.documents)
    check_family_removals(document->versions, diagnostics);
}

std::vector<DocumentVersion*> sort_by_use(const Model& model, Diagnostics& diagnostics) {
  std::vector<DocumentVersion*> all;
  for (const auto& document : model.documents) {
    for (const auto& version : document->versions) all.push_back(version.get());
  }
  const auto needs = [](const DocumentVersion& version) { return version.documents; };
  const auto on_cycle = [&diagnostics](const DocumentVersion& version,
                                       const DocumentVersion& used) {
    diagnostics.add({.location = version.location,
                     .code = "recursive-type",
                     .message = "this version of '" + version.document->id + "' contains itself",
                     .found = "a field of type " + words(used),
                     .needed = "values of a fixed depth",
                     .fix = "refer to other documents by a name, or use json"});
  };
  const DependencyOrder order(std::vector<const DocumentVersion*>(all.begin(), all.end()), needs,
                              on_cycle);
  std::sort(all.begin(), all.end(), [&order](const DocumentVersion* a, const DocumentVersion* b) {
    return order.rank(*a) < order.rank(*b);
  });
  return all;
}

}  // namespace tenon::gen
