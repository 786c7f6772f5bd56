// SPDX-License-Identifier: BSL-1.0
//
// Problems in files that people write. A run collects all of them before it fails, so that one run
// is enough to correct a file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tenon::tools {

/// A position in a file. Line and column count from 1, in characters; line 0 is the whole file.
struct SourceLocation {
  std::string file;
  int line = 0;
  int column = 0;
};

/// Returns `file:line:column`, or `file` for the whole file.
std::string to_text(const SourceLocation& location);

/// One problem. Parts that do not apply are empty.
struct Diagnostic {
  SourceLocation location;
  std::string code{};     // stable word, eg: "unknown-key"
  std::string message{};  // one sentence without a full stop; empty for a file that is refused
  std::string found{};    // the actual value
  std::string needed{};   // the expected value
  std::string fix{};      // the remedy, as an imperative
};

/// Returns `file:line:column: error[code]: message`, or without a message `error[code] file`, and a
/// line each for found, needed and fix.
std::string to_text(const Diagnostic& diagnostic);

/// The problems of a run.
class Diagnostics {
 public:
  void add(Diagnostic diagnostic);
  bool empty() const noexcept { return all_.empty(); }
  /// Returns all diagnostics, sorted by location. The reference is valid until the next `add`.
  const std::vector<Diagnostic>& all() const;

 private:
  mutable std::vector<Diagnostic> all_;  // sorted on demand
  mutable bool sorted_ = true;
};

/// Returns "did you mean 'apply'?" if a known word is similar to `word`, otherwise "".
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

/// The same, but returns `otherwise` instead of "".
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known,
                         std::string_view otherwise);

/// Returns "'a', 'b' and 'c'". A long list ends with the number of the words left out.
std::string enumerate(const std::vector<std::string>& words);

}  // namespace tenon::tools
