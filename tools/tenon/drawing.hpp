// SPDX-License-Identifier: BSL-1.0
//
// Draws packages as boxes and their requirements as arrows.
#pragma once

#include <tenon/packages.hpp>
#include <tenon/result.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace tenon::command {

class Drawing {
 public:
  /// Unused packages are drawn in gray. Refused packages and files, with the code of the error, and
  /// missing packages are drawn in red. A legend explains those of them that are there. `files`:
  /// the errors of files that no package could be read from.
  Drawing(const std::vector<PackageInfo>& packages, const std::vector<Error>& files);

  /// Returns the drawing in the DOT language of Graphviz.
  std::string dot() const;
  std::string mermaid() const;

 private:
  enum class Style { used, unused, conflict, missing };
  struct Box {
    std::string name;     // of a package, or the path of a file
    std::string version;  // empty for a file
    std::string refused;  // the code of the error; empty if it is not refused
    Style style;
  };
  struct Arrow {
    std::size_t from;
    std::size_t to;
    std::string versions;
    Style style;
  };

  /// Returns the lines of a box.
  static std::vector<std::string> lines_of(const Box& box);
  /// Returns what the looks of boxes mean; empty if all packages are used.
  std::string legend() const;
  std::size_t find_or_add_box(const std::string& name, const std::string& version, Style style);

  std::vector<Box> boxes_;
  std::vector<Arrow> arrows_;
};

}  // namespace tenon::command
