// SPDX-License-Identifier: BSL-1.0
#include "gen/standard_specs.hpp"

#include <algorithm>
#include <map>

namespace tenon::gen {
namespace {

/// Leaves out the versions of a kind or document type that are newer than `newest`.
template <class OneFamily>
void cut(OneFamily& family, int newest) {
  // Steps point at the versions, so they go first.
  std::erase_if(family.steps, [newest](const auto& step) { return step.to->number > newest; });
  std::erase_if(family.versions,
                [newest](const auto& version) { return version->number > newest; });
}

void check_wanted(const std::vector<StandardKind>& wanted, const Model& model) {
  std::vector<std::string> names;
  for (const auto& kind : model.kinds) {
    if (kind->standard) names.push_back(kind->name);
  }
  for (const StandardKind& want : wanted) {
    const std::string text = want.name + "@" + std::to_string(want.version);
    const auto kind = std::find_if(model.kinds.begin(), model.kinds.end(), [&want](const auto& k) {
      return k->standard && k->name == want.name;
    });
    if (kind == model.kinds.end()) {
      throw UsageError("--standard " + text + ": no such kind; " +
                       did_you_mean(want.name, names, "there are " + enumerate(names)));
    }
    const auto& versions = (*kind)->versions;
    if (want.version >= versions.front()->number && want.version <= versions.back()->number) {
      continue;
    }
    throw UsageError("--standard " + text + ": no such version; the newest is " +
                     std::to_string(versions.back()->number));
  }
}

/// The newest version of each document type that something in the model names.
class Used {
 public:
  void add(const Version& version) {
    for (const DocumentVersion* document : version.documents) add_document(*document);
  }
  /// 0 where nothing names it.
  int newest(const Document& document) const {
    const auto found = newest_.find(&document);
    return found != newest_.end() ? found->second : 0;
  }

 private:
  /// With a version come the older ones, from which values are converted.
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

void keep_wanted(const std::vector<StandardKind>& wanted, Model& model) {
  check_wanted(wanted, model);
  std::erase_if(model.kinds, [&wanted](const auto& kind) {
    const auto names = [&kind](const StandardKind& want) { return want.name == kind->name; };
    if (!kind->standard) return false;
    const auto want = std::find_if(wanted.begin(), wanted.end(), names);
    if (want != wanted.end()) cut(*kind, want->version);
    return want == wanted.end();
  });
  Used used;
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
