// SPDX-License-Identifier: BSL-1.0
#include "gen/emit/conversion.hpp"

#include "gen/emit/cpp_literal.hpp"
#include "gen/emit/cpp_names.hpp"
#include "gen/model/layout.hpp"

#include <string>
#include <vector>

namespace tenon::gen {
namespace {

/// Returns the template that converts the elements of lists, maps and optionals.
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

/// A conversion function and its arguments.
struct ConversionCall {
  std::string function;
  std::vector<std::string> arguments;
};

std::string conversion(const Type& source, const Type& target, const std::string& keep);

/// Returns the call that converts the expression `from` to `to`.
ConversionCall conversion_call(const Type& source_type, const Type& target_type,
                               const std::string& from, const std::string& to,
                               const std::string& keep) {
  const Type& source = type_in_c(source_type);
  const Type& target = type_in_c(target_type);
  if (source.shape == Shape::document) {
    return {conversion_name(*source.document, *target.document), {"call", from, to, keep}};
  }
  const Type& source_element = *source.element;
  const Type& target_element = *target.element;
  return {std::string(container_conversion(source.shape)) + "<" + c_type(source_element) + ", " +
              c_type(target_element) + ">",
          {"call", from, to, conversion(source_element, target_element, keep)}};
}

/// Returns a lambda that converts a value.
std::string conversion(const Type& source, const Type& target, const std::string& keep) {
  const ConversionCall inner = conversion_call(source, target, "from", "to", keep);
  std::string arguments;
  for (const std::string& argument : inner.arguments) {
    arguments += (arguments.empty() ? "" : ", ") + argument;
  }
  return "[](tenon_call* call, const auto& from, auto& to) { return " + inner.function + "(" +
         arguments + "); }";
}

/// Whether the C++ literal is also the raw form.
bool is_number(Shape shape) noexcept {
  return shape <= Shape::float64;
}

/// Whether two types with the same layout have different names in C, eg: structs of two versions.
bool differs_by_name(const Type& source, const Type& target) {
  return c_type(source) != c_type(target) && source.shape != Shape::enumeration;
}

}  // namespace

void emit_assignment(Writer& out, const std::string& to, const Type& target,
                     const std::string& from, const Type& source, TypeMatch match,
                     bool comes_back) {
  if (match == TypeMatch::convertible) {
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
