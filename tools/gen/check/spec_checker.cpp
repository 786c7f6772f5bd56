// SPDX-License-Identifier: BSL-1.0
#include "gen/check/spec_checker.hpp"

#include "gen/model/dependency_order.hpp"
#include "gen/model/naming.hpp"

#include <algorithm>
#include <map>

namespace tenon::gen {
namespace {

/// Releases are one row, and the previews of each number are one of their own.
template <class Versions>
void check_family_drafts(const std::string& id, const Versions& versions, Findings& findings) {
  std::map<int, const Version*> drafts;
  for (const auto& version : versions) {
    const Version*& draft = drafts[version->is_preview() ? version->number : 0];
    if (draft != nullptr) {
      const bool two = version->draft();
      const std::string earlier = "version " + draft->label;
      findings.add({.place = two ? version->place : draft->place,
                    .code = two ? "two-drafts" : "draft-not-newest",
                    .what = two ? "'" + id + "' has two drafts"
                                : "a draft of '" + id + "' stands before a released version",
                    .found = two ? earlier + " is a draft too" : earlier,
                    .needed = "at most one draft, which is the newest version",
                    .fix = "release " + earlier + " first, or make one version of the two"});
    }
    if (version->draft()) draft = version.get();
  }
}

std::string words(const DocumentVersion& version) {
  return version.document->id + "@" + version.label;
}

template <class Versions>
void check_family_releases(const Versions& versions, Findings& findings) {
  for (const auto& version : versions) {
    if (version->draft()) continue;
    for (const DocumentVersion* used : version->documents) {
      if (used->draft()) {
        findings.add({.place = version->place,
                      .code = "draft-in-released",
                      .what = "a released version names the draft " + words(*used),
                      .needed = "document types that cannot change any more",
                      .fix = "release " + words(*used) + " too, or make this version a draft"});
      } else if (used->is_preview() && !version->is_preview()) {
        findings.add({.place = version->place,
                      .code = "preview-in-released",
                      .what = "a released version names the preview " + words(*used),
                      .needed = "document types that stay",
                      .fix = "name a release of it, or make this version a draft"});
      }
    }
  }
}

template <class Versions>
void check_family_removals(const Versions& versions, Findings& findings) {
  for (const auto& version : versions) {
    if (version->removed()) continue;
    for (const DocumentVersion* used : version->documents) {
      if (!used->removed()) continue;
      findings.add({.place = version->place,
                    .code = "removed-in-use",
                    .what = "this version names " + words(*used) + ", which was removed",
                    .found = used->life.message,
                    .needed = "document types that programs can still use",
                    .fix = "name a newer version of it, or remove this version too"});
    }
  }
}

/// Every name that the headers give away, and to what.
class CNames {
 public:
  explicit CNames(Findings& findings) : findings_(findings) {}

  void add(const KindVersion& version) {
    add_common(version, version.kind->id);
    for (const Method& method : version.methods) {
      add(request_name(version, method), method.place, "the request of '" + method.name + "'");
      if (method.response.empty()) continue;
      add(response_name(version, method), method.place, "the response of '" + method.name + "'");
    }
  }
  void add(const DocumentVersion& version) { add_common(version, version.document->id); }

 private:
  struct Owner {
    Place place;
    std::string what;
  };

  void add_common(const Version& version, const std::string& id) {
    add(version.c_name, version.place, id + " version " + version.label);
    for (const auto& enumeration : version.enums) {
      add(enumeration->c_name, enumeration->place, "the enum '" + enumeration->name + "'");
      for (const std::string& value : enumeration->values) {
        add(constant_name(*enumeration, value), enumeration->place,
            "the value '" + value + "' of '" + enumeration->name + "'");
      }
    }
    for (const auto& structure : version.structs) {
      add(structure->c_name, structure->place, "the struct '" + structure->name + "'");
    }
  }

  void add(const std::string& name, const Place& place, const std::string& what) {
    const auto [at, is_new] = owners_.emplace(name, Owner{place, what});
    if (is_new) return;
    const Owner& other = at->second;
    findings_.add(
        {.place = place,
         .code = "name-taken",
         .what = what + " and " + other.what + " have one name in C",
         .found = name + ", also of " + other.place.file + ":" + std::to_string(other.place.line),
         .fix = "rename one of the two"});
  }

  Findings& findings_;
  std::map<std::string, Owner> owners_{};
};

}  // namespace

void check_drafts(const Model& model, Findings& findings) {
  for (const auto& kind : model.kinds) check_family_drafts(kind->id, kind->versions, findings);
  for (const auto& document : model.documents) {
    check_family_drafts(document->id, document->versions, findings);
  }
}

void check_releases(const Model& model, Findings& findings) {
  for (const auto& kind : model.kinds) check_family_releases(kind->versions, findings);
  for (const auto& document : model.documents) check_family_releases(document->versions, findings);
}

void check_removals(const Model& model, Findings& findings) {
  for (const auto& kind : model.kinds) check_family_removals(kind->versions, findings);
  for (const auto& document : model.documents) check_family_removals(document->versions, findings);
}

void check_c_names(const Model& model, Findings& findings) {
  CNames names(findings);
  for (const auto& kind : model.kinds) {
    for (const auto& version : kind->versions) names.add(*version);
  }
  for (const auto& document : model.documents) {
    for (const auto& version : document->versions) names.add(*version);
  }
}

std::vector<DocumentVersion*> in_order_of_use(const Model& model, Findings& findings) {
  std::vector<DocumentVersion*> all;
  for (const auto& document : model.documents) {
    for (const auto& version : document->versions) all.push_back(version.get());
  }
  const auto needs = [](const DocumentVersion& version) { return version.documents; };
  const auto on_cycle = [&findings](const DocumentVersion& version, const DocumentVersion& held) {
    findings.add({.place = version.place,
                  .code = "recursive-type",
                  .what = "this version of '" + version.document->id + "' holds itself",
                  .found = "a field of type " + words(held),
                  .needed = "values of a known depth",
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
