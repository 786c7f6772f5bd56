// SPDX-License-Identifier: BSL-1.0
#include "gen/emit/conversion.hpp"

#include "gen/emit/cpp_literal.hpp"
#include "gen/emit/cpp_names.hpp"
#include "gen/model/layout.hpp"

#include <string>
#include <vector>

namespace tenon::gen {
namespace {

/// The template that converts what lists, maps and optionals hold.
std::string_view container_conversion(Shape shape) {
  switch (shape) {
    case Shape::list:
      return "tenon::convert_list";
    case Shape::map:
      return "tenon::convert_map";
    default:
      return "tenon::convert_optional";
  }
}

/// A function that converts a value, and what it is called with.
struct ConversionCall {
  std::string function;
  std::vector<std::string> arguments;
};

std::string conversion(const Type& source, const Type& target, const std::string& keep);

/// The call of the conversion of `from` to `to`, which are expressions.
ConversionCall conversion_call(const Type& source_type, const Type& target_type,
                               const std::string& from, const std::string& to,
                               const std::string& keep) {
  const Type& source = type_in_c(source_type);
  const Type& target = type_in_c(target_type);
  if (source.shape == Shape::document) {
    return {conversion_name(*source.document, *target.document), {"call", from, to, keep}};
  }
  const Type& held = *source.element;
  const Type& made = *target.element;
  return {std::string(container_conversion(source.shape)) + "<" + c_type(held) + ", " +
              c_type(made) + ">",
          {"call", from, to, conversion(held, made, keep)}};
}

/// Something that can be called to convert a value.
std::string conversion(const Type& source, const Type& target, const std::string& keep) {
  const ConversionCall inner = conversion_call(source, target, "from", "to", keep);
  std::string arguments;
  for (const std::string& argument : inner.arguments) {
    arguments += (arguments.empty() ? "" : ", ") + argument;
  }
  return "[](tenon_call* call, const auto& from, auto& to) { return " + inner.function + "(" +
         arguments + "); }";
}

/// Whether a literal of C++ is the raw form as well: true is 1.
bool is_number(Shape shape) noexcept {
  return shape <= Shape::float64;
}

/// Whether two types that have the same form in C have different names there: structs of two
/// versions.
bool differs_by_name(const Type& source, const Type& target) {
  return c_type(source) != c_type(target) && source.shape != Shape::enumeration;
}

}  // namespace

void emit_assignment(Writer& out, const std::string& to, const Type& target,
                     const std::string& from, const Type& source, Passing passing,
                     bool comes_back) {
  if (passing == Passing::converted) {
    const ConversionCall call = conversion_call(
        source, target, from, to, comes_back ? "tenon::Keep::everything" : "tenon::Keep::nothing");
    out.list("if (const tenon_status status = " + call.function + "(", call.arguments, ");");
    out.line("    status != TENON_OK) {");
    out.line("  return status;");
    out.line("}");
  } else if (!differs_by_name(source, target)) {
    out.line(to, " = ", from, ";");
  } else if (target.shape == Shape::optional) {
    out.line(to, " = reinterpret_cast<", c_type(target), ">(", from, ");");
  } else {
    out.line("static_assert(sizeof ", to, " == sizeof ", from, ");");
    out.line("std::memcpy(&", to, ", &", from, ", sizeof ", to, ");");
  }
}

void emit_constant(Writer& out, const std::string& to, const Type& target, const JsonValue& value) {
  const std::string literal = cpp_literal(value, target);
  if (is_number(target.shape)) return out.assign(to, literal);
  out.list(to + " = " + value_type(target) + "::raw<tenon::Copy::deep>(", {"call", literal}, ");");
}

}  // namespace tenon::gen
