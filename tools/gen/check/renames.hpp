// SPDX-License-Identifier: BSL-1.0
//
// The renamed and split structs, enums and values of a step between versions of a document type.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "gen/check/evolution_steps.hpp"

namespace tenon::gen {

/// The structs, enums or values of a step that were renamed or split.
class Renames {
 public:
  /// `splits`: several parts of the newer version may come from one of the older.
  Renames(const StepVersion& older, const StepVersion& newer, bool splits, Diagnostics& diagnostics)
      : older_(older), newer_(newer), splits_(splits), diagnostics_(diagnostics) {}

  /// Adds `"renamed_from": value` of `name`. Reports it unless only the older version has the part
  /// that `value` names, and only the newer one has `name`.
  void add(const std::string& name, const JsonValue& value);
  /// Adds `"split_from": value` of `name`. Several parts of the newer version may come from the
  /// part that `value` names.
  void add_split(const std::string& name, const JsonValue& value);
  /// Reports parts that were split into one part only. Call it after the last entry.
  void check_splits();
  bool contains(const std::string& older) const { return renamed_.count(older) != 0; }

 private:
  struct Split {
    std::string name;
    std::string older;
    SourceLocation location;
  };

  /// Returns the string if it names a part of the older version. Otherwise reports it and returns
  /// "".
  std::string older_name(const JsonValue& value, const char* key);
  void check_new(const std::string& name, const SourceLocation& location);

  const StepVersion& older_;
  const StepVersion& newer_;
  const bool splits_;
  Diagnostics& diagnostics_;
  std::set<std::string> renamed_{};
  std::vector<Split> split_{};
};

}  // namespace tenon::gen
