// SPDX-License-Identifier: BSL-1.0
//
// Error texts for unmet requirements: who requires what, which versions are available, and a fix.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "package/propagator.hpp"
#include "package/resolver.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Edges from a requirer to a requirement that accepts no version at all. Each edge accepts the
/// requirer of the next one.
using Chain = std::vector<Edge>;

/// REQUIRED: propagator and problem live as long as this. All versions are admitted.
class Explanation {
 public:
  Explanation(Propagator& propagator, const Problem& problem)
      : propagator_(propagator), problem_(problem) {}

  /// "photo 5.1", "me.example/blur 1.2.0"
  std::string requirer(const Edge& edge) const;
  /// "example.io/colour ^2"
  std::string required(const Edge& edge) const;
  /// "me.example/blur 1.2.0 requires example.io/colour ^2"
  std::string statement(const Edge& edge) const;

  /// Texts for the last edge of a chain.
  std::string_view code(const Edge& end) const;
  std::string found(const Edge& end) const;
  std::string fix(const Chain& chain);

  /// Returns the error for a chain.
  Error error(const Chain& chain);

 private:
  std::string version(Position position) const;
  std::string describe(const Chain& chain) const;
  std::string available_versions(const Edge& edge) const;
  std::string accepted_versions(const Edge& edge) const;
  std::string alternative_fix(const Chain& chain);
  const Repository::Broken* broken(const Edge& end) const;

  Propagator& propagator_;
  const Problem& problem_;
};

/// Returns the binding of an edge to a provider, which may be none.
Binding binding_of(const Propagator& propagator, const Edge& edge, Position provider);

/// Returns the warning for an advisory requirement that is not met.
Error not_enforced(Propagator& propagator, const Problem& problem, const Edge& edge);

}}}  // namespace tenon::v0_1::detail
