// SPDX-License-Identifier: BSL-1.0
//
// Tracks the fields of a document type across its versions and renames.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gen/model/model.hpp"

namespace tenon::gen {

/// Built from the steps of a document type, which must outlive it.
class Lineage {
  using Names = std::unordered_map<std::string, const Field*>;
  using Counterparts = std::unordered_map<const Field*, const Field*>;
  /// The counterparts in a neighbour. Structs are named, and the document has an empty name.
  struct Links {
    std::multimap<std::string, std::string> structs{};
    std::map<std::pair<std::string, std::string>, Counterparts> fields{};  // by the two structs
  };
  /// A step from a struct that is nearer to the given one.
  struct Way {
    std::size_t from;  // index of that struct
    const Counterparts *onward, *back;
    bool related;  // the two structs correspond to each other
  };

 public:
  explicit Lineage(const Document& document);

  /// A struct of some version that corresponds to a given one. A version in between may lack it.
  struct Kin {
    const DocumentVersion* version;
    std::string structure;
    const Names* names;                       // its fields; nullptr if the version lacks it
    const DocumentVersion* before = nullptr;  // the neighbour on the way to the given one
    bool renames_values = false;              // a step between renames values of an enum
    std::vector<Way> ways{};                  // empty: it is the given one
  };
  /// Returns a struct itself and those that correspond to it in other versions, each after those
  /// that are nearer: a step may rename or split them. `structure` is nullptr for the document.
  std::vector<Kin> kin_of(const DocumentVersion& version, const Struct* structure) const;

  /// Returns the versions from which a value in the bag may become this field. `all` is the kin of
  /// its struct. Takes a time that is linear in the number of kin.
  Origins origins_of(const std::vector<Kin>& all, const Field& field, bool by_hand) const;

 private:
  struct Neighbour {
    const DocumentVersion* version;
    bool renames_values;  // the step between renames values of an enum
  };

  void link(const DocumentStep& step, const std::vector<FieldStep>& fields,
            const std::string& older, const std::string& newer);
  /// Returns the counterparts of the fields of a struct in one of a neighbour.
  static const Counterparts* across(const Links& links, const std::string& from,
                                    const std::string& to);
  static bool keeps(const Way& way, const Field* here, const Field* there);

  const Document& document_;
  std::map<std::pair<const DocumentVersion*, const DocumentVersion*>, Links> links_{};
  std::unordered_map<const DocumentVersion*, std::vector<Neighbour>> neighbours_{};
  std::unordered_map<const DocumentVersion*, std::size_t> positions_{};      // in the document
  std::map<std::pair<const DocumentVersion*, std::string>, Names> names_{};  // by struct
};

}  // namespace tenon::gen
