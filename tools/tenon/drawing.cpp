// SPDX-License-Identifier: BSL-1.0
#include "drawing.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "text.hpp"

namespace tenon::command {
namespace {

/// Returns a text for a quoted string of Graphviz, where '\' begins an escape.
std::string for_dot(std::string_view text) {
  std::string safe;
  for (const char c : escaped_for_display(text)) {
    if (c == '"' || c == '\\') safe += '\\';
    safe += c;
  }
  return safe;
}

/// Returns a text for a quoted string of Mermaid: HTML, whose entities begin with '#' instead of
/// '&'.
std::string for_mermaid(std::string_view text) {
  constexpr std::string_view special = "\"#&;<>`\\";
  std::string safe;
  for (const char c : escaped_for_display(text)) {
    if (special.find(c) != std::string_view::npos) {
      safe += "#" + std::to_string(static_cast<int>(c)) + ";";
    } else {
      safe += c;
    }
  }
  return safe;
}

/// Returns lines as one text. `escape`: for_dot or for_mermaid.
std::string joined(const std::vector<std::string>& lines, std::string_view between,
                   std::string (*escape)(std::string_view)) {
  std::string text;
  for (const std::string& line : lines) text.append(text.empty() ? "" : between) += escape(line);
  return text;
}

std::string box_name(std::size_t box) {
  return "n" + std::to_string(box);
}

}  // namespace

Drawing::Drawing(const std::vector<PackageInfo>& packages, const std::vector<Error>& files) {
  for (const PackageInfo& package : packages) {
    const Style style = package.refused ? Style::conflict
                        : package.used  ? Style::used
                                        : Style::unused;
    std::string version = package.version;
    if (package.builtin()) version += " (builtin)";
    if (package.in_development) version += " (in development)";
    const std::string refused(package.refused ? package.refused->code() : "");
    boxes_.push_back({package.name, version, refused, style});
  }
  for (std::size_t from = 0; from < packages.size(); ++from) {
    for (const RequirementInfo& one : packages[from].requirements) {
      const auto got = std::find_if(packages.begin(), packages.end(), [&one](const auto& package) {
        return package.name == one.package && package.version == one.resolved;
      });
      const std::size_t to = got != packages.end()
                                 ? static_cast<std::size_t>(got - packages.begin())
                                 : find_or_add_box(one.package, one.versions, Style::missing);
      const Style style = one.met
                              ? boxes_[from].style == Style::unused ? Style::unused : Style::used
                              : Style::conflict;
      arrows_.push_back({from, to, one.versions, style});
    }
  }
  for (const Error& file : files) {
    boxes_.push_back({std::string(file.where()), "", std::string(file.code()), Style::conflict});
  }
}

std::vector<std::string> Drawing::lines_of(const Box& box) {
  std::vector<std::string> lines{box.name, box.version, box.refused};
  std::erase(lines, "");
  return lines;
}

/// Several packages may require the same missing package, which has one box.
std::size_t Drawing::find_or_add_box(const std::string& name, const std::string& version,
                                     Style style) {
  const auto same = std::find_if(boxes_.begin(), boxes_.end(), [&](const Box& box) {
    return box.style == style && box.name == name && box.version == version;
  });
  if (same != boxes_.end()) return static_cast<std::size_t>(same - boxes_.begin());
  boxes_.push_back({name, version, "", style});
  return boxes_.size() - 1;
}

std::string Drawing::legend() const {
  std::string text;
  const auto explain = [&](Style style, std::string_view meaning) {
    if (std::ranges::find(boxes_, style, &Box::style) == boxes_.end()) return;
    text.append(text.empty() ? "" : "; ").append(meaning);
  };
  explain(Style::unused, "gray: not used");
  explain(Style::conflict, "red: refused");
  explain(Style::missing, "red, without a package: missing");
  return text;
}

std::string Drawing::dot() const {
  const auto style_of = [](Style style) -> std::string {
    switch (style) {
      case Style::used:
        return "";
      case Style::unused:
        return ", style=dashed, color=gray, fontcolor=gray";
      case Style::conflict:
        return ", color=red, fontcolor=red";
      case Style::missing:
        return ", shape=plaintext, fontcolor=red";
    }
    return "";
  };
  std::string text = "digraph packages {\n  rankdir=LR;\n  node [shape=box];\n";
  for (std::size_t i = 0; i < boxes_.size(); ++i) {
    text += "  " + box_name(i) + " [label=\"" + joined(lines_of(boxes_[i]), "\\n", for_dot) + "\"" +
            style_of(boxes_[i].style) + "];\n";
  }
  for (const Arrow& arrow : arrows_) {
    text += "  " + box_name(arrow.from) + " -> " + box_name(arrow.to) + " [label=\"" +
            for_dot(arrow.versions) + "\"" + style_of(arrow.style) + "];\n";
  }
  if (const std::string meanings = legend(); !meanings.empty()) {
    text += "  label=\"" + meanings + "\";\n  labeljust=l;\n";
  }
  return text + "}\n";
}

std::string Drawing::mermaid() const {
  std::string text = "flowchart LR\n";
  for (std::size_t i = 0; i < boxes_.size(); ++i) {
    text += "  " + box_name(i) + "[\"" + joined(lines_of(boxes_[i]), "<br>", for_mermaid) + "\"]\n";
  }
  std::string red;
  for (std::size_t i = 0; i < arrows_.size(); ++i) {
    const Arrow& arrow = arrows_[i];
    text += "  " + box_name(arrow.from) + " -->|\"" + for_mermaid(arrow.versions) + "\"| " +
            box_name(arrow.to) + "\n";
    if (arrow.style == Style::conflict) red += (red.empty() ? "" : ",") + std::to_string(i);
  }
  const auto add_class = [&](std::string_view name, std::string_view look,
                             std::initializer_list<Style> styles) {
    std::string boxes;
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      if (std::find(styles.begin(), styles.end(), boxes_[i].style) == styles.end()) continue;
      boxes += (boxes.empty() ? "" : ",") + box_name(i);
    }
    if (boxes.empty()) return;
    text.append("  classDef ").append(name).append(" ").append(look).append("\n");
    text.append("  class ").append(boxes).append(" ").append(name).append("\n");
  };
  add_class("unused", "stroke:gray,color:gray,stroke-dasharray:4", {Style::unused});
  add_class("conflict", "stroke:red,color:red", {Style::conflict, Style::missing});
  if (const std::string meanings = legend(); !meanings.empty()) {
    text += "  legend[\"" + for_mermaid(meanings) + "\"]\n  style legend fill:none,stroke:none\n";
  }
  if (!red.empty()) text += "  linkStyle " + red + " stroke:red,color:red\n";
  return text;
}

}  // namespace tenon::command
