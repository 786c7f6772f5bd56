// SPDX-License-Identifier: BSL-1.0
//
// JSON as RFC 8259 has it, each key once in its object, at most 64 levels deep, as a tree that
// keeps the text of each value.
#pragma once

#include <tenon/result.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::json::detail {

struct Node {
  enum class Form { null, boolean, number, text, array, object };

  Form form = Form::null;
  std::string_view source{};  // as it was written, in the text of its Tree
  std::string text{};         // what a text says
  std::vector<Node> elements{};
  std::vector<std::string> keys{};  // of an object, one per element
};

struct Tree {
  std::string text;
  Node root{};
};

/// Errors: `not-json`, with line and column as its place.
Result<std::unique_ptr<const Tree>> parse(std::string_view text);

}  // namespace tenon::json::detail
