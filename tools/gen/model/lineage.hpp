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
/// linear in the number of versions and of the structs that correspond to that of the field.
class Lineage {
 public:
  explicit Lineage(const Document& document);

  /// Returns the versions from which a value in the bag may become this field. `structure` is the
  /// struct of the field; nullptr: the document.
  Origins origins_of(const DocumentVersion& version, const Struct* structure, const Field& field,
                     bool by_hand) const;

 private:
  using Names = std::unordered_map<std::string, const Field*>;
  struct Neighbour {
    const DocumentVersion* version;
    bool renames_values;  // the step between renames values of an enum
  };
  /// The counterparts in a neighbour. Structs are named, and the document has an empty name.
  struct Links {
    std::multimap<std::string, std::string> structs{};
    std::map<std::pair<const Field*, std::string>, const Field*> fields{};  // by the other struct
  };
  /// A struct of some version that corresponds to a given one, and how a name in it is related to
  /// the same name in the given one. A version in between may lack the struct.
  struct Kin {
    const DocumentVersion* version;
    std::string structure;
    const DocumentVersion* before = nullptr;  // the neighbour on the way to the given one
    bool same_field = true;                   // no step between moves the name to another field
    bool renames_values = false;              // a step between renames values of an enum
  };

  void link(const DocumentStep& step, const std::vector<FieldStep>& fields,
            const std::string& older, const std::string& newer);
  const Field* find(const DocumentVersion& version, const std::string& structure,
                    const std::string& field) const;
  /// Returns the counterpart of a field in a struct of a neighbour; nullptr if there is none.
  static const Field* across(const Links& links, const Field* field, const std::string& structure);
  bool keeps(const std::string& name, const Kin& kin, const Kin& next) const;
  /// Returns the struct itself and those that correspond to it in other versions: a step may rename
  /// or split them.
  std::vector<Kin> kin_of(const std::string& name, const DocumentVersion& version,
                          const std::string& structure) const;

  const Document& document_;
  std::map<std::pair<const DocumentVersion*, const DocumentVersion*>, Links> links_{};
  std::unordered_map<const DocumentVersion*, std::vector<Neighbour>> neighbours_{};
  std::map<const DocumentVersion*, Names> names_{};  // "field", and of structs "struct.field"
};

}  // namespace tenon::gen
