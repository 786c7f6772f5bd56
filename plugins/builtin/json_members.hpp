// SPDX-License-Identifier: BSL-1.0
//
// The members of a JSON object as they stand in its text, so that one can be changed and the others
// stay as they are, with numbers of any size.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::builtin {

/// Its memory is used again for the next object.
class JsonMembers {
 public:
  struct Member {
    std::string_view name;  // without escapes
    std::string_view key;   // the name as it is written, with quotes
    std::string_view rest;  // from the key to the end of the value, eg: `: 1`
  };

  /// Reads the members of an object, in their order. The text lives longer. Returns false if it is
  /// no JSON object.
  bool read(std::string_view text);

  const std::vector<Member>& all() const noexcept { return members_; }

 private:
  std::string_view name_of(std::string_view key);

  std::vector<Member> members_;
  std::deque<std::string> names_;  // those that have escapes
};

}  // namespace tenon::builtin
