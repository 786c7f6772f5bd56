// SPDX-License-Identifier: BSL-1.0
//
// Follows the remedies of findings about an evolution as they are printed.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace tenon::tests {

/// Versions of a type or kind, and the steps between them.
struct Change {
  std::string name;
  std::vector<std::string> versions;  // fields and behind '|' enums and structs, or methods
  std::vector<std::string> says;      // of each step, besides from and to
  bool of_kind = false;

  /// Of a type with two versions.
  Change(std::string its_name, const std::string& older, const std::string& newer,
         const std::string& step);
  /// Of a kind: the methods of each version. Their fields are texts.
  Change(std::string its_name, std::vector<std::string> methods, std::vector<std::string> steps);
};

void PrintTo(const Change& change, std::ostream* out);

/// That each remedy leads to specs without a finding, on every path of alternatives.
void follow_remedies(const Change& change);

}  // namespace tenon::tests
