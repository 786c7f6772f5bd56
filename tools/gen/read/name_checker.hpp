// SPDX-License-Identifier: BSL-1.0
//
// Checks the names of a spec: of methods, fields, enums, structs, values, states, kinds.
#pragma once

#include "gen/model/reading.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::gen {

/// What a name becomes, and so what it must not be.
enum class NameUse {
  member,  // of a C struct, as it stands: no keyword
  part,    // only a part of longer names
};

/// Adds what is wrong with `name`, if anything. `what` says what it names: "method".
void check_name(const std::string& name, const Place& place, std::string_view what, NameUse use,
                Findings& findings);

/// The names of one table, struct or enum: each is checked, and stands once.
class Names {
 public:
  /// `reserved` are names that generated code gives to something else in the same place.
  Names(std::string what, NameUse use, std::vector<std::string> reserved, Findings& findings);

  void add(const std::string& name, const Place& place);

 private:
  struct First {
    std::string name;
    Place place;
  };

  std::string what_;
  NameUse use_;
  std::vector<std::string> reserved_;
  Findings& findings_;
  std::map<std::string, First> first_;  // by what must differ
};

/// What is wrong with the id of a kind or document type, as half a sentence; empty when it is good.
std::string flaw_of_id(std::string_view id);

}  // namespace tenon::gen
