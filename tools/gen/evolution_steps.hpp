// SPDX-License-Identifier: BSL-1.0
//
// What the evolution of kinds and of document types have in common: which steps there are, and
// findings that both make.
#pragma once

#include "gen/reading.hpp"
#include "gen/spec_files.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace tenon::gen {

/// The steps of `folder.evolution` by the version that they lead from; each leads to the next.
/// Steps that lead elsewhere or stand twice are findings, as are those that are missing. `key` is
/// "kind" or "type", `keys` are the keys of a step besides from, to and notes.
std::map<int, ObjectReader> find_steps(const SpecFolder& folder, const std::string& key,
                                       const std::string& id, std::vector<std::string> keys,
                                       Findings& findings);

/// One version of a step, as the comparison of names sees it.
struct StepVersion {
  int number;
  std::string part;                // "method" or "field"
  std::vector<std::string> names;  // of its methods or fields

  std::string words() const { return "version " + std::to_string(number); }
  bool has(const std::string& name) const;
};

/// That a version has no method or field of this name.
void add_unknown_part(const std::string& name, const Place& place, const StepVersion& version,
                      Findings& findings);

/// What the older version of a step called the parts that were renamed.
class Renames {
 public:
  Renames(const StepVersion& older, const StepVersion& newer, Findings& findings)
      : older_(older), newer_(newer), findings_(findings) {}

  /// Notes `"renamed_from": value` of `name`: the older version has that part, the newer has not.
  void add(const std::string& name, const JsonValue& value);
  bool contains(const std::string& older) const { return renamed_.count(older) != 0; }

 private:
  const StepVersion& older_;
  const StepVersion& newer_;
  Findings& findings_;
  std::set<std::string> renamed_{};
};

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
