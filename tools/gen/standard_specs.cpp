// SPDX-License-Identifier: BSL-1.0
#include "gen/standard_specs.hpp"

#include <algorithm>
#include <map>

namespace tenon::gen {
namespace {

/// Removes the versions that are newer than `newest`.
template <class OneFamily>
void cut(OneFamily& family, int newest) {
  // Steps refer to versions, so they are removed first.
  std::erase_if(family.steps, [newest](const auto& step) { return step.to->number > newest; });
  std::erase_if(family.versions,
                [newest](const auto& version) { return version->number > newest; });
}

void check_requested(const std::vector<StandardKind>& requested, const Model& model) {
  std::vector<std::string> names;
  for (const auto& kind : model.kinds) {
    if (kind->standard) names.push_back(kind->name);
  }
  for (const StandardKind& request : requested) {
    const std::string text = request.name + "@" + std::to_string(request.version);
    const auto kind =
        std::find_if(model.kinds.begin(), model.kinds.end(),
                     [&request](const auto& k) { return k->standard && k->name == request.name; });
    if (kind == model.kinds.end()) {
      throw UsageError("--standard: found \"" + text + "\", needed a standard kind; " +
                       did_you_mean(request.name, names, "there are " + enumerate(names)));
    }
    const auto& versions = (*kind)->versions;
    if (request.version >= versions.front()->number && request.version <= versions.back()->number) {
      continue;
    }
    throw UsageError("--standard: found \"" + text + "\", needed a version from " +
                     std::to_string(versions.front()->number) + " to " +
                     std::to_string(versions.back()->number));
  }
}

/// The newest version of each document type that the model uses.
class UsedVersions {
 public:
  void add(const Version& version) {
    for (const DocumentVersion* document : version.documents) add_document(*document);
  }
  void add(const KindVersion& version) {
    add(static_cast<const Version&>(version));
    for (const Property& property : version.properties) {
      const Type& type = innermost(property.type);
      if (type.shape == Shape::document) add_document(*type.document);
    }
  }
  /// Returns 0 if the type is not used.
  int newest(const Document& document) const {
    const auto found = newest_.find(&document);
    return found != newest_.end() ? found->second : 0;
  }

 private:
  /// A version implies the older ones, from which values are converted.
  void add_document(const DocumentVersion& used) {
    int& newest = newest_[used.document];
    if (newest >= used.number) return;
    newest = used.number;
    for (const auto& version : used.document->versions) {
      if (version->number <= used.number) add(*version);
    }
  }

  std::map<const Document*, int> newest_;
};

}  // namespace

void select_standard(const std::vector<StandardKind>& requested, Model& model) {
  check_requested(requested, model);
  std::erase_if(model.kinds, [&requested](const auto& kind) {
    const auto names = [&kind](const StandardKind& request) { return request.name == kind->name; };
    if (!kind->standard) return false;
    const auto request = std::find_if(requested.begin(), requested.end(), names);
    if (request != requested.end()) cut(*kind, request->version);
    return request == requested.end();
  });
  UsedVersions used;
  for (const auto& kind : model.kinds) {
    for (const auto& version : kind->versions) used.add(*version);
  }
  for (const auto& document : model.documents) {
    if (document->standard) continue;
    for (const auto& version : document->versions) used.add(*version);
  }
  std::erase_if(model.documents, [&used](const auto& document) {
    if (!document->standard) return false;
    if (used.newest(*document) == 0) return true;
    cut(*document, used.newest(*document));
    return false;
  });
}

}  // namespace tenon::gen
