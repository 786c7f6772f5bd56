// SPDX-License-Identifier: BSL-1.0
//
// A method of the latest interface in its two forms.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gen/emit/writer.hpp"
#include "gen/model/model.hpp"

namespace tenon::gen {

/// The plain form takes and returns owned values; the other form takes a Call first.
enum class MethodForm { plain, call };

/// The parts of generated code for one method of one version of a kind.
struct InterfaceMethod {
  const KindVersion& version;
  const Method& method;

  /// Whether the request or response has a reader or writer.
  bool passes_streams() const noexcept;
  bool returns_streams() const noexcept;

  /// Returns the result type of the plain form: "void", the owned type of a single value, or
  /// "NamesResult".
  std::string plain_result() const;
  /// Returns the result type of the form with a Call: "void", a view, or "NamesView".
  std::string call_result() const;
  /// Whether the result is a struct of several values.
  bool returns_struct() const noexcept { return method.response.size() > 1; }

  /// Returns the parameters, eg: "std::string_view name". `defaults`: with default arguments for
  /// fields that were added later.
  std::vector<std::string> plain_parameters(bool defaults) const;
  std::vector<std::string> call_parameters(bool defaults) const;
  /// Returns the conversion of a parameter to its raw form: a function and its arguments.
  static std::vector<std::string> raw_of(const Field& field, MethodForm form);

  /// Whether the method may be called on an instance that was just configured, and therefore after
  /// a restart of a session kind.
  bool fresh() const;
  /// Whether a successful call starts the session of an instance.
  bool begins_session() const;

  /// Returns the parameters of the function in the vtable: call, self, in, and out if there is a
  /// response.
  std::vector<std::string> raw_parameters() const;
  /// Returns the arguments of CallGuard::call.
  std::vector<std::string> guard_arguments(const std::string& call, const std::string& in,
                                           const std::string& out) const;
  /// Returns the doc comment.
  std::string doc() const;
};

/// Whether the view of a type refers to a raw value. Callers with owned values have no such views,
/// so methods take a reference or an Argument.
bool is_lent(const Type& type);

/// Emits the check that no part of a response has a size without data. `response`: the pointer to
/// it. `first`: the beginning of the expression for the name of such a field; empty if the response
/// exists and is complete. `failure`: returns the expression of the failure, for arguments with
/// that name and the streams of the response.
void emit_data_check(Writer& out, const InterfaceMethod& method, const std::string& response,
                     const std::string& first,
                     const std::function<std::string(const std::string& arguments)>& failure);

}  // namespace tenon::gen
