// SPDX-License-Identifier: BSL-1.0
#include "gen/check/spec_checker.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "gen/model/dependency_order.hpp"
#include "gen/model/version_name.hpp"

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

const std::vector<const DocumentVersion*>& used_by(const DocumentVersion& version) {
  return version.documents;
}

/// Returns also the documents in properties, which headers do not contain.
std::vector<const DocumentVersion*> used_by(const KindVersion& version) {
  std::vector<const DocumentVersion*> used = version.documents;
  for (const Property& property : version.properties) {
    const DocumentVersion* document = innermost(property.type).document;
    const bool known = std::find(used.begin(), used.end(), document) != used.end();
    if (document != nullptr && !known) used.push_back(document);
  }
  return used;
}

template <class Versions>
void check_family_releases(const Versions& versions, Diagnostics& diagnostics) {
  for (const auto& version : versions) {
    if (version->draft()) continue;
    for (const DocumentVersion* used : used_by(*version)) {
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
    for (const DocumentVersion* used : used_by(*version)) {
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

/// A version that has a field of another one.
struct Use {
  const DocumentVersion* user;
  const DocumentVersion* used;
};

/// Appends the uses by which versions of `from` lead to a version of `to`. Returns whether there
/// are any, or both are the same type.
bool find_uses(const Document& from, const Document& to, std::set<const Document*>& visited,
               std::vector<Use>& uses) {
  if (&from == &to) return true;
  if (!visited.insert(&from).second) return false;
  for (const auto& version : from.versions) {
    for (const DocumentVersion* used : version->documents) {
      uses.push_back({version.get(), used});
      if (find_uses(*used->document, to, visited, uses)) return true;
      uses.pop_back();
    }
  }
  return false;
}

/// Reports versions that use a newer version of their own type.
void check_order_of_versions(const Document& document, Diagnostics& diagnostics) {
  for (const auto& version : document.versions) {
    for (const DocumentVersion* used : version->documents) {
      const bool newer =
          VersionName{version->number, version->preview} < VersionName{used->number, used->preview};
      if (used->document != &document || !newer) continue;
      diagnostics.add({.location = version->location,
                       .code = "recursive-type",
                       .message = "this version of '" + document.id + "' contains a newer one",
                       .found = "a field of type " + words(*used),
                       .needed = "at most older versions of the same type",
                       .fix = "use an older version, refer to it by a name, or use json"});
    }
  }
}

/// The code of all versions of a type is in the same files. So these files cannot be ordered if
/// versions of two types contain each other, even if no version contains itself.
void check_order_of_types(const Model& model, Diagnostics& diagnostics) {
  for (const auto& document : model.documents) check_order_of_versions(*document, diagnostics);
  std::vector<const Document*> all;
  for (const auto& document : model.documents) all.push_back(document.get());
  const auto needs = [](const Document& document) {
    std::vector<const Document*> used;
    for (const auto& version : document.versions) {
      for (const DocumentVersion* one : version->documents) {
        const bool known = std::find(used.begin(), used.end(), one->document) != used.end();
        if (one->document != &document && !known) used.push_back(one->document);
      }
    }
    return used;
  };
  const auto on_cycle = [&diagnostics](const Document& document, const Document& used) {
    std::set<const Document*> visited;
    std::vector<Use> uses;
    find_uses(document, used, visited, uses);
    visited.clear();
    find_uses(used, document, visited, uses);
    std::string found;
    for (const Use& use : uses) {
      found += (found.empty() ? "" : ", ") + words(*use.user) + " uses " + words(*use.used);
    }
    diagnostics.add(
        {.location = uses.front().user->location,
         .code = "recursive-type",
         .message = "versions of '" + document.id + "' and '" + used.id + "' contain each other",
         .found = found,
         .needed = "types of which only one contains the other, in all versions",
         .fix = "refer to one of them by a name, or use json"});
  };
  const DependencyOrder order(all, needs, on_cycle);
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
  bool recursive = false;
  const auto on_cycle = [&](const DocumentVersion& version, const DocumentVersion& used) {
    recursive = true;
    diagnostics.add({.location = version.location,
                     .code = "recursive-type",
                     .message = "this version of '" + version.document->id + "' contains itself",
                     .found = "a field of type " + words(used),
                     .needed = "values of a fixed depth",
                     .fix = "refer to other documents by a name, or use json"});
  };
  const DependencyOrder order(std::vector<const DocumentVersion*>(all.begin(), all.end()), needs,
                              on_cycle);
  if (!recursive) check_order_of_types(model, diagnostics);
  std::sort(all.begin(), all.end(), [&order](const DocumentVersion* a, const DocumentVersion* b) {
    return order.rank(*a) < order.rank(*b);
  });
  return all;
}

}  // namespace tenon::gen
