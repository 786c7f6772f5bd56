// SPDX-License-Identifier: BSL-1.0
//
// Which fields of the versions of a document type are one field, under one name or several.
#pragma once

#include "gen/model/model.hpp"

#include <map>
#include <string>
#include <unordered_map>
#include <utility>

namespace tenon::gen {

/// Built from the steps of a document type. Looking up a field takes time that depends on the
/// number of versions alone.
class Lineage {
 public:
  explicit Lineage(const Document& document);

  /// The versions that a value in the bag may come from. `structure` is the struct that holds the
  /// field, nullptr for one of the document itself.
  Origins origins_of(const DocumentVersion& version, const Struct* structure, const Field& field,
                     bool by_hand) const;

 private:
  /// What fields of one version are in its neighbour.
  using Links = std::unordered_map<const Field*, const Field*>;
  using Names = std::unordered_map<std::string, const Field*>;

  /// `onward`: the fields of the older version go on in these, and in no others.
  void link(const DocumentStep& step, const std::vector<FieldStep>& fields, bool onward);
  const Field* find(const DocumentVersion& version, const std::string& name) const;
  /// What a field is in a neighbour; nullptr where it is none.
  const Field* across(const DocumentVersion& from, const DocumentVersion& to,
                      const Field* field) const;
  bool renames_values(const DocumentVersion& version, const DocumentVersion& other) const;
  bool is_one(const std::string& name, const DocumentVersion& version,
              const DocumentVersion& other) const;

  const Document& document_;
  std::map<std::pair<const DocumentVersion*, const DocumentVersion*>, Links> links_{};
  std::map<const DocumentVersion*, Names> names_{};  // "field", and of structs "struct.field"
};

}  // namespace tenon::gen
