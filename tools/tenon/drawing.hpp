// SPDX-License-Identifier: BSL-1.0
//
// Draws packages as boxes and their requirements as arrows.
#pragma once

#include <tenon/packages.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace tenon::command {

class Drawing {
 public:
  /// Unused packages are drawn in gray. Packages whose requirements are not satisfied, and missing
  /// packages, are drawn in red.
  explicit Drawing(const std::vector<PackageInfo>& packages);

  /// Returns the drawing in the DOT language of Graphviz.
  std::string dot() const;
  std::string mermaid() const;

 private:
  enum class Style { used, unused, conflict, missing };
  struct Box {
    std::string name;
    std::string version;
    Style style;
  };
  struct Arrow {
    std::size_t from;
    std::size_t to;
    std::string versions;
    Style style;
  };

  std::size_t find_or_add_box(const std::string& name, const std::string& version, Style style);

  std::vector<Box> boxes_;
  std::vector<Arrow> arrows_;
};

}  // namespace tenon::command
