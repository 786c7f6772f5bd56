// SPDX-License-Identifier: BSL-1.0
//
// Packages and what they require as a drawing: boxes with arrows between them.
#pragma once

#include <tenon/packages.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace tenon::command {

class Drawing {
 public:
  /// What is used, what is there and not used, and what is in red: packages that do not get what
  /// they require, and what they lack.
  explicit Drawing(const std::vector<PackageInfo>& packages);

  /// In the language of Graphviz.
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

  std::size_t box_of(const std::string& name, const std::string& version, Style style);

  std::vector<Box> boxes_;
  std::vector<Arrow> arrows_;
};

}  // namespace tenon::command
