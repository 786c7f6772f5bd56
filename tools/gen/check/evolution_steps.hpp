// SPDX-License-Identifier: BSL-1.0
//
// What the evolution of kinds and of document types have in common: which steps there are, and
// findings that both make.
#pragma once

#include "gen/model/reading.hpp"
#include "gen/read/spec_files.hpp"

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace tenon::gen {

/// The steps of `folder.evolution` by the version that they lead to, each from its neighbour. Steps
/// that lead elsewhere or stand twice are findings, as are those that are missing. `key` is "kind"
/// or "type", `keys` are the keys of a step besides from, to and notes.
std::map<VersionName, ObjectReader> find_steps(const SpecFolder& folder, const std::string& key,
                                               const std::string& id, std::vector<std::string> keys,
                                               Findings& findings);

/// One version of a step, or of a struct there, as the comparison of names sees it.
class StepVersion {
 public:
  StepVersion(std::string its_words, std::string its_part)
      : words(std::move(its_words)), part(std::move(its_part)) {}

  std::string words;  // eg: "version 2", "'change' of version 2"
  std::string part;   // what it consists of: "method", "field", "struct", "enum" or "value"

  void add(const std::string& name);
  bool has(const std::string& name) const { return known_.count(name) != 0; }
  /// In their order.
  const std::vector<std::string>& names() const noexcept { return names_; }

 private:
  std::vector<std::string> names_{};
  std::unordered_set<std::string> known_{};
};

/// That a version has no part of this name.
void add_unknown_part(const std::string& name, const Place& place, const StepVersion& version,
                      Findings& findings);

/// What the older version of a step called the parts that were renamed or split.
class Renames {
 public:
  /// `splits`: several parts of the newer version may come from one of the older.
  Renames(const StepVersion& older, const StepVersion& newer, bool splits, Findings& findings)
      : older_(older), newer_(newer), splits_(splits), findings_(findings) {}

  /// Notes `"renamed_from": value` of `name`: only the older version has the part
  /// that `value` names, and only the newer one has `name`.
  void add(const std::string& name, const JsonValue& value);
  /// Notes `"split_from": value` of `name`, which only the newer version has: it comes from the
  /// part that `value` names, as another one does.
  void add_split(const std::string& name, const JsonValue& value);
  /// To be called behind the last entry. Findings: what was split into one part only.
  void check_splits();
  bool contains(const std::string& older) const { return renamed_.count(older) != 0; }

 private:
  const StepVersion& older_;
  struct Split {
    std::string name;
    std::string older;
    Place place;
  };

  /// The text, where it names a part of the older version; else empty, with a finding.
  std::string older_name(const JsonValue& value, const char* key);
  void check_place(const std::string& name, const Place& place);

  const StepVersion& newer_;
  const bool splits_;
  Findings& findings_;
  std::set<std::string> renamed_{};
  std::vector<Split> split_{};
};

/// The names of parts in the newer version of a step, by those in the older one.
using NewNames = std::unordered_map<std::string, std::string>;

/// Reads "renamed_from" in an entry and adds the pair of names to `names`. Findings: the older
/// version has no such part; the name does not change (with `fix` as the remedy); another entry
/// has renamed the part already.
void read_rename(const JsonMember& entry, const StepVersion& older, const StepVersion& newer,
                 const std::string& fix, NewNames& names, Findings& findings);

/// A difference that evolution.json does not explain.
void add_unexplained(const Place& place, const std::string& what, const std::string& fix,
                     Findings& findings);

/// Metadata that explains nothing.
void add_unused(const Place& place, const std::string& what, const std::string& fix,
                Findings& findings);

/// Keys of one entry that cannot stand together.
void add_contradiction(const Place& place, const std::string& what, const std::string& fix,
                       Findings& findings);

}  // namespace tenon::gen
