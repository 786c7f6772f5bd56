// SPDX-License-Identifier: BSL-1.0
//
// Applies the fixes of problems of an evolution as they are printed.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace tenon::tests {

/// Versions of a type or kind, and the steps between them.
struct Change {
  std::string name;
  std::vector<std::string> versions;  // methods, or fields with enums and structs after '|'
  std::vector<std::string> says;      // keys of each step besides from and to
  bool of_kind = false;

  /// A change of a type with two versions.
  Change(std::string its_name, const std::string& older, const std::string& newer,
         const std::string& step);
  /// A change of a kind, with the methods of each version. Their fields are texts.
  Change(std::string its_name, std::vector<std::string> methods, std::vector<std::string> steps);
};

void PrintTo(const Change& change, std::ostream* out);

/// Expects that each fix leads to valid specs, on every path of alternatives.
void follow_remedies(const Change& change);

}  // namespace tenon::tests
