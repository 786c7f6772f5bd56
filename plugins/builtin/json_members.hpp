// SPDX-License-Identifier: BSL-1.0
//
// The members of a JSON object as parts of its text, so that one member can be changed and the
// others keep their text, with numbers of any size.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::builtin {

/// The members of one object. `read` reuses the memory of the previous object.
class JsonMembers {
 public:
  struct Member {
    std::string_view name;  // without escapes
    std::string_view key;   // the name as it is written, with quotes
    std::string_view rest;  // from the key to the end of the value, for example `: 1`

    /// Returns the value as it is written.
    std::string_view value() const noexcept;
  };

  /// Reads the members of an object, in their order. The text must outlive their use. Returns false
  /// if it is not a JSON object.
  bool read(std::string_view text);

  const std::vector<Member>& all() const noexcept { return members_; }

 private:
  std::string_view name_of(std::string_view key);

  std::vector<Member> members_;
  std::deque<std::string> names_;  // names with escapes, decoded
};

/// Returns the elements of a valid JSON list as they are written.
std::vector<std::string_view> elements_of(std::string_view list);

}  // namespace tenon::builtin
