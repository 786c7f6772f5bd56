// SPDX-License-Identifier: BSL-1.0
//
// Words for what nobody gets: who requires what, which versions there are, what would help.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "package/candidates.hpp"
#include "package/resolver.hpp"

namespace tenon::detail {

/// Edges from a requirer to what no version meets, whatever that version is like: each requires
/// what the next one is a version of.
using Chain = std::vector<Edge>;

/// REQUIRED: candidates and question live as long as this. All versions are admitted.
class Explanation {
 public:
  Explanation(Candidates& candidates, const Question& question)
      : candidates_(candidates), question_(question) {}

  /// "photo 5.1", "me.example/blur 1.2.0"
  std::string requirer(const Edge& edge) const;
  /// "example.io/colour ^2"
  std::string required(const Edge& edge) const;
  /// "me.example/blur 1.2.0 requires example.io/colour ^2"
  std::string statement(const Edge& edge) const;

  /// Of the end of a chain.
  std::string_view code(const Edge& end) const;
  std::string found(const Edge& end) const;
  std::string fix(const Chain& chain);

  /// All of one chain.
  Error error(const Chain& chain);

 private:
  std::string version(Position position) const;
  std::string in_words(const Chain& chain) const;
  std::string versions_there(const Edge& edge) const;
  std::string versions_taken(const Edge& edge) const;
  std::string way_out(const Chain& chain);
  const Repository::Broken* broken(const Edge& end) const;

  Candidates& candidates_;
  const Question& question_;
};

/// An edge, and what its requirer gets.
Binding binding_of(const Candidates& candidates, const Edge& edge, Position provider);

/// What is to be said of a wish that was not granted.
Error not_enforced(Candidates& candidates, const Question& question, const Edge& edge);

}  // namespace tenon::detail
