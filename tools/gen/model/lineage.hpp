// SPDX-License-Identifier: BSL-1.0
//
// Tracks the fields of a document type across its versions and renames.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gen/model/model.hpp"

namespace tenon::gen {

/// Built from the steps of a document type, which must outlive it. A look-up takes a time that is
/// linear in the number of versions.
class Lineage {
 public:
  explicit Lineage(const Document& document);

  /// Returns the versions from which a value in the bag may become this field. `structure` is the
  /// struct of the field; nullptr: the document.
  Origins origins_of(const DocumentVersion& version, const Struct* structure, const Field& field,
                     bool by_hand) const;

 private:
  /// The fields of one version, each with its counterpart in the neighbour.
  using Links = std::unordered_map<const Field*, const Field*>;
  using Names = std::unordered_map<std::string, const Field*>;
  struct Neighbour {
    const DocumentVersion* version;
    bool renames_values;  // the step between renames values of an enum
  };
  /// How a name in one version is related to the same name in another.
  struct Relation {
    bool same_field = true;       // no step between moves it to another field
    bool renames_values = false;  // a step between renames values of an enum
  };
  using Relations = std::unordered_map<const DocumentVersion*, Relation>;

  /// `unique`: the older fields have no other counterparts in the newer version.
  void link(const DocumentStep& step, const std::vector<FieldStep>& fields, bool unique);
  const Field* find(const DocumentVersion& version, const std::string& name) const;
  /// Returns the counterpart of a field in a neighbour; nullptr if there is none.
  const Field* across(const DocumentVersion& from, const DocumentVersion& to,
                      const Field* field) const;
  bool keeps(const std::string& name, const DocumentVersion& version,
             const DocumentVersion& next) const;
  /// Returns the relations of a name in a version to that in each version.
  Relations relations_of(const std::string& name, const DocumentVersion& version) const;

  const Document& document_;
  std::map<std::pair<const DocumentVersion*, const DocumentVersion*>, Links> links_{};
  std::unordered_map<const DocumentVersion*, std::vector<Neighbour>> neighbours_{};
  std::map<const DocumentVersion*, Names> names_{};  // "field", and of structs "struct.field"
};

}  // namespace tenon::gen
