// SPDX-License-Identifier: BSL-1.0
//
// Checks the names of a spec: of methods, fields, enums, structs, values, states, kinds.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gen/common.hpp"

namespace tenon::gen {

/// How a name is used in generated code, which determines the rules for it.
enum class NameUse {
  member,  // as a member of a C struct: must not be a keyword
  part,    // only as a part of longer names
};

/// Reports an invalid name. `what` is the thing with this name: "method".
void check_name(const std::string& name, const SourceLocation& location, std::string_view what,
                NameUse use, Diagnostics& diagnostics);

/// The names of one vtable, struct or enum. Each must be valid and unique.
class Names {
 public:
  /// `reserved` are names that generated code uses in the same scope.
  Names(std::string what, NameUse use, std::vector<std::string> reserved, Diagnostics& diagnostics);

  void add(const std::string& name, const SourceLocation& location);

 private:
  struct First {
    std::string name;
    SourceLocation location;
  };

  std::string what_;
  NameUse use_;
  std::vector<std::string> reserved_;
  Diagnostics& diagnostics_;
  std::map<std::string, First> first_;  // by the camel case form, which must be unique
};

/// Returns the problem of an id as the end of a sentence, eg: "has no '/'"; empty if it is valid.
std::string id_problem(std::string_view id);

}  // namespace tenon::gen
