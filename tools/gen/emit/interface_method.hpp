// SPDX-License-Identifier: BSL-1.0
//
// A method as the latest interface has it, in its two forms.
#pragma once

#include "gen/model/model.hpp"

#include <string>
#include <vector>

namespace tenon::gen {

/// The plain form takes and returns values of the caller's own; the other one takes a Call first.
enum class MethodForm { plain, call };

/// What generated text about one method of one version of a kind is made of.
struct InterfaceMethod {
  const KindVersion& version;
  const Method& method;

  /// Whether a request or response has a reader or writer.
  bool passes_streams() const noexcept;
  bool answers_streams() const noexcept;

  /// What the plain form answers: "void", the owned type of the one value, or "NamesResult".
  std::string plain_result() const;
  /// What the form with a Call answers: "void", a view, or "NamesView".
  std::string call_result() const;
  /// Whether it answers a struct of several values.
  bool answers_struct() const noexcept { return method.response.size() > 1; }

  /// eg: "std::string_view name"; `defaults`: with those of parameters that were added later.
  std::vector<std::string> plain_parameters(bool defaults) const;
  std::vector<std::string> call_parameters(bool defaults) const;
  /// What makes the raw form of a parameter: a function and its arguments.
  static std::vector<std::string> raw_of(const Field& field, MethodForm form);

  /// Whether it may be called in an instance that was just configured, and so after a restart of a
  /// session kind.
  bool fresh() const;
  /// Whether its success begins the session of an instance.
  bool begins_session() const;

  /// The parameters of its function in the table: call, self, in, and out where it answers.
  std::vector<std::string> raw_parameters() const;
  /// What CallGuard::call gets to call it.
  std::vector<std::string> entry_arguments(const std::string& call, const std::string& in,
                                           const std::string& out) const;
  /// The comment above it.
  std::string doc() const;
};

}  // namespace tenon::gen
